/** The order of keys, for sorts. */
import type { TypedArray } from "@fuseau/ir";

/**
 * Writes into `order` the places 0 … length − 1 of `keys` in ascending (or descending) order of the keys: NaN is the
 * largest, equal keys stay in their order (PyTorch: `torch.sort(stable=True)`).
 */
export function sortPlaces(keys: TypedArray, order: Float64Array, length: number, descending: boolean): void {
  const places = order.subarray(0, length);
  for (let k = 0; k < length; k++) places[k] = k;
  const sign = descending ? -1 : 1;
  places.sort((i, j) => sign * compare(keys[i] as number, keys[j] as number) || i - j);
}

function compare(a: number, b: number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  // Equal, or NaN on a side.
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}
