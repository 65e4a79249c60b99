/** Numbers as people read them. */

/** A time with the unit that suits it. */
export function duration(nanoseconds: number): string {
  if (nanoseconds < 1e3) return `${threeDigits(nanoseconds)} ns`;
  if (nanoseconds < 1e6) return microseconds(nanoseconds);
  return nanoseconds < 1e9 ? `${threeDigits(nanoseconds / 1e6)} ms` : `${threeDigits(nanoseconds / 1e9)} s`;
}

export const microseconds = (nanoseconds: number): string => `${threeDigits(nanoseconds / 1e3)} µs`;

/** "2.50 ×" */
export const times = (ratio: number): string => `${ratio < 100 ? ratio.toFixed(2) : ratio.toFixed(0)} ×`;

export const threeDigits = (number: number): string => {
  const magnitude = Math.abs(number);
  return number.toFixed(magnitude < 10 ? 2 : magnitude < 100 ? 1 : 0);
};

export const figureText = (figure: number, unit: string): string =>
  Number.isInteger(figure)
    ? `${figure.toLocaleString("en")} ${unit}`.trim()
    : `${threeDigits(figure)} ${unit}`;
