/** The p-th part of the sorted numbers, between neighbours where it falls between them. */
function quantile(numbers: readonly number[], p: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = (sorted.length - 1) * p;
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
}

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

export const geometricMean = (numbers: readonly number[]): number =>
  Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length);

export const quartiles = (numbers: readonly number[]): readonly [number, number] => [
  quantile(numbers, 0.25),
  quantile(numbers, 0.75),
];
