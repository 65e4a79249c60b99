/**
 * The interleaved sampler, for ratios. Benny runs variants one after another, so that whatever drifts meanwhile (clock
 * frequency, other processes, the heap) lands in the ratio; here every round times one batch of each variant, in an order
 * that changes, and a ratio is the median of the rounds' own ratios. All variants take the same time in a round.
 */
import type { Variant } from "../case.ts";
import { generator } from "./inputs.ts";
import { median, quartiles } from "./statistics.ts";

export interface Budget {
  /** Milliseconds of measuring for each variant. */
  readonly measure: number;
  /** Milliseconds of warming up for each variant. */
  readonly warm: number;
  /** Rounds at least, even if they take longer than that. */
  readonly rounds: number;
}

export const fullBudget: Budget = { measure: 1_000, warm: 150, rounds: 5 };
export const quickBudget: Budget = { measure: 150, warm: 30, rounds: 3 };

export interface Sample {
  readonly variant: Variant;
  /** Nanoseconds of one call: the median and the quartiles of the batches. */
  readonly nanoseconds: number;
  readonly low: number;
  readonly high: number;
  /** This variant's time over the first one's: the median over rounds. */
  readonly ratio: number;
}

/** Batches shorter than this measure the clock; longer ones than that make rounds drift. In milliseconds. */
const SHORTEST_BATCH = 5;
const LONGEST_BATCH = 100;
const FEWEST_WARM_CALLS = 3;

export async function sample(variants: readonly Variant[], budget: Budget): Promise<Sample[]> {
  const calls: number[] = [];
  for (const variant of variants) calls.push(await warmUp(variant, budget.warm));
  const batch = Math.min(LONGEST_BATCH, Math.max(SHORTEST_BATCH, ...calls));
  const counts = calls.map((call) => Math.max(1, Math.round(batch / call)));
  const rounds = Math.max(budget.rounds, Math.ceil(budget.measure / batch));

  const times: number[][] = variants.map(() => []);
  const next = generator(1);
  for (let round = 0; round < rounds; round++) {
    for (const k of shuffled(variants.length, next)) {
      times[k]!.push(await batchTime(variants[k]!, counts[k]!));
    }
  }
  return variants.map((variant, k) => {
    const own = times[k]!;
    const [low, high] = quartiles(own);
    const ratio = median(own.map((time, round) => time / times[0]![round]!));
    return { variant, nanoseconds: median(own) * 1e6, low: low * 1e6, high: high * 1e6, ratio };
  });
}

/** Runs until V8 has had time to optimise; gives the milliseconds of one call. */
async function warmUp(variant: Variant, milliseconds: number): Promise<number> {
  let calls = 0;
  let time = 0;
  let size = 1;
  while (time < milliseconds || calls < FEWEST_WARM_CALLS) {
    const each = await batchTime(variant, size);
    time += each * size;
    calls += size;
    if (each * size < milliseconds / 10) size *= 2;
    if (time > 20 * milliseconds) break;
  }
  return batchTime(variant, size);
}

/** Milliseconds of one call among `calls`. */
async function batchTime({ run, prepare }: Variant, calls: number): Promise<number> {
  await prepare?.();
  const start = performance.now();
  for (let k = 0; k < calls; k++) {
    const pending = run();
    if (pending !== undefined) await pending;
  }
  return (performance.now() - start) / calls;
}

function shuffled(count: number, next: () => number): number[] {
  const order = Array.from({ length: count }, (_, k) => k);
  for (let k = count - 1; k > 0; k--) {
    const other = Math.floor(next() * (k + 1));
    [order[k], order[other]] = [order[other]!, order[k]!];
  }
  return order;
}
