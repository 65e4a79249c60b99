/** Prints a whole number with its digits in groups of three. The first call of `toLocaleString` takes tens of milliseconds. */
export function grouped(value: number): string {
  const digits = String(value);
  let shown = digits.slice(-3);
  for (let end = digits.length - 3; end > 0; end -= 3)
    shown = `${digits.slice(Math.max(0, end - 3), end)},${shown}`;
  return shown;
}
