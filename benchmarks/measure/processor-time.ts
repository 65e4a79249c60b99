/**
 * Pieces of work in turn, by processor time: what others run on the machine is not in it, so that 300 races in a minute
 * mean something on one that is shared. It counts all threads of the process. The rest is as in sampler.ts.
 */
import { median } from "./statistics.ts";

export interface Budget {
  /** Milliseconds of measuring for each piece of work, and into how many batches they are cut. */
  readonly measure: number;
  readonly rounds: number;
  /** Milliseconds of warming up for each of them, at least. */
  readonly warm: number;
}

/** Does the work so many times; gives the milliseconds of one call. */
export type Timed = (calls: number) => number | Promise<number>;

export interface Times {
  /** Milliseconds of one call: the median. */
  readonly milliseconds: number;
  /** This time over that of the first piece of work: the median over rounds. */
  readonly ratio: number;
}

/** Calls in a row that find no better time than what was known: V8 has done what it will. */
const SETTLED = 6;
/** A time is better when it is so much below the best. */
const BETTER = 0.95;
/** In units of the budget. */
const LONGEST_WARM_UP = 20;
/** Of calls that take longer than their part of the budget there are no more rounds than these once it is spent so often. */
const FEWEST_ROUNDS = 3;
const LONGEST_MEASURE = 8;

/** As many times as there are pieces of work. The order turns round after each round. */
export async function inTurn<const Works extends readonly Timed[]>(
  works: Works,
  budget: Budget,
): Promise<{ readonly [k in keyof Works]: Times }> {
  const sizes: number[] = [];
  for (const work of works) sizes.push(batchSize(await warmUp(work, budget.warm), budget));
  const times: number[][] = works.map(() => []);
  const start = performance.now();
  for (let round = 0; round < budget.rounds; round++) {
    if (round >= FEWEST_ROUNDS && performance.now() - start > LONGEST_MEASURE * budget.measure) break;
    const order = works.map((_, k) => (round % 2 === 0 ? k : works.length - 1 - k));
    for (const k of order) times[k]!.push(await works[k]!(sizes[k]!));
  }
  return times.map((own) => ({
    milliseconds: median(own),
    ratio: median(own.map((time, round) => time / times[0]![round]!)),
  })) as { readonly [k in keyof Works]: Times };
}

/** Milliseconds of one call, once it is as fast as it gets. */
async function warmUp(work: Timed, milliseconds: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  let since = 0;
  let total = 0;
  while (total < milliseconds || (since < SETTLED && total < LONGEST_WARM_UP * milliseconds)) {
    const time = await work(1);
    total += time;
    since = time < BETTER * best ? 0 : since + 1;
    best = Math.min(best, time);
  }
  return best;
}

/** The least milliseconds that the host distinguishes: a shorter call may have taken none. */
const TICK = 0.001;

const batchSize = (call: number, { measure, rounds }: Budget): number =>
  Math.max(1, Math.round(measure / rounds / Math.max(call, TICK)));

/** Milliseconds of one call among `calls`. */
export function timeOf(work: () => void, calls: number): number {
  const before = process.cpuUsage();
  for (let k = 0; k < calls; k++) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3 / calls;
}

export const timed =
  (work: () => void): Timed =>
  (calls) =>
    timeOf(work, calls);
