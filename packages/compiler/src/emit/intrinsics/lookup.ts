/**
 * An index read from data, as a number. The message is PyTorch's; the runtime puts the op in front.
 * @throws RangeError unless 0 <= index < size.
 */
export function placeOf(index: number | bigint, size: number, axis: number): number {
  const place = Number(index);
  if (place >= 0 && place < size) return place;
  throw new RangeError(
    `index ${index} is out of bounds for dimension ${axis} with size ${size} (${size === 0 ? "there are no places" : `places are 0 to ${size - 1}`})`,
  );
}
