/** @throws RangeError unless the option is a number from 0 on, and less than `below`. */
export function checkRange(owner: object, name: string, value: number, below = Infinity): void {
  if (typeof value !== "number" || !(value >= 0 && (value < below || below === Infinity)))
    throw new RangeError(
      `${owner.constructor.name}: Invalid ${name}: ${String(value)} (a number ${below === Infinity ? "not below 0" : `from 0 to less than ${below}`})`,
    );
}
