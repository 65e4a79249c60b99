/** How long variants of the same work take. */

/** Milliseconds. */
export interface Timing {
  /** The very first call, with compilation and fresh memory. */
  readonly first: number;
  /** The median of later calls. */
  readonly median: number;
}

/** Runs every variant once in each round, so that whatever slows the machine slows them alike. */
export function measure<Name extends string>(
  variants: Readonly<Record<Name, () => void>>,
  rounds: number,
): Record<Name, Timing> {
  const names = Object.keys(variants) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) times[name].push(milliseconds(variants[name]));
  }
  const timing = ([first, ...later]: readonly number[]): Timing => ({ first: first!, median: median(later) });
  return Object.fromEntries(names.map((name) => [name, timing(times[name])])) as Record<Name, Timing>;
}

function milliseconds(run: () => void): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

function median(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
}
