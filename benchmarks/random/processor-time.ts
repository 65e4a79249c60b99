/**
 * Two pieces of work in turn, by processor time: what others run on the machine is not in it, so that 300 races in a minute
 * mean something on one that is shared. It counts all threads of the process. The rest is as in ../measure/sampler.ts.
 */
import { median } from "../measure/statistics.ts";

export interface Budget {
  /** Milliseconds of measuring for each of the two, and into how many batches they are cut. */
  readonly measure: number;
  readonly rounds: number;
  /** Milliseconds of warming up for each of them, at least. */
  readonly warm: number;
}

export interface Times {
  /** Milliseconds of one call: the medians. */
  readonly first: number;
  readonly second: number;
  /** The second's time over the first's: the median over rounds. */
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

type Work = () => void;

export function inTurn(first: Work, second: Work, budget: Budget): Times {
  const sizes = [first, second].map((work) => batchSize(warmUp(work, budget.warm), budget));
  const times: [number[], number[]] = [[], []];
  const start = performance.now();
  for (let round = 0; round < budget.rounds; round++) {
    if (round >= FEWEST_ROUNDS && performance.now() - start > LONGEST_MEASURE * budget.measure) break;
    const order = round % 2 === 0 ? [0, 1] : [1, 0];
    for (const k of order as (0 | 1)[]) times[k].push(timeOf([first, second][k]!, sizes[k]!));
  }
  const [one, other] = times;
  return {
    first: median(one),
    second: median(other),
    ratio: median(other.map((time, round) => time / one[round]!)),
  };
}

/** Milliseconds of one call, once it is as fast as it gets. */
function warmUp(work: Work, milliseconds: number): number {
  let best = Number.POSITIVE_INFINITY;
  let since = 0;
  let total = 0;
  while (total < milliseconds || (since < SETTLED && total < LONGEST_WARM_UP * milliseconds)) {
    const time = timeOf(work, 1);
    total += time;
    since = time < BETTER * best ? 0 : since + 1;
    best = Math.min(best, time);
  }
  return best;
}

const batchSize = (call: number, { measure, rounds }: Budget): number =>
  Math.max(1, Math.round(measure / rounds / call));

/** Milliseconds of one call among `calls`. */
export function timeOf(work: Work, calls: number): number {
  const before = process.cpuUsage();
  for (let k = 0; k < calls; k++) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3 / calls;
}
