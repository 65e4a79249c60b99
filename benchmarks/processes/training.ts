/** Training steps by turns on one thread: times, kernels, what is compiled, and what is written in place. */
import { setThreads, stats, trace } from "fuseau";
import { median } from "../measure/statistics.ts";
import { byHand, type Step, withDerivatives } from "../suites/training-steps.ts";
import { send } from "./send.ts";

export interface TrainingStep {
  readonly milliseconds: number;
  readonly kernels: number;
  /** Programs compiled after warm-up. */
  readonly compiled: number;
  /** Bytes of results written over an input, and of others. */
  readonly inPlace: number;
  readonly results: number;
}

export interface Training {
  readonly hand: TrainingStep;
  readonly derivatives: TrainingStep;
  /** The median over rounds of how much longer derivatives take. */
  readonly ratio: number;
  /** How far the losses of both are apart after the same steps, at most. */
  readonly difference: number;
}

const WARM_UP = 30;
const ROUNDS = 60;
const STEPS = 10;

setThreads(1);
const [hand, derivatives] = [byHand(), withDerivatives()];
let difference = 0;
for (let batch = 0; batch < WARM_UP; batch++)
  difference = Math.max(difference, Math.abs(hand(batch) - derivatives(batch)));

const compiledBefore = stats().programs.misses;
const timed = (step: Step, from: number): number => {
  const begin = performance.now();
  for (let k = 0; k < STEPS; k++) step(from + k);
  return (performance.now() - begin) / STEPS;
};
const times: [number[], number[]] = [[], []];
for (let round = 0; round < ROUNDS; round++) {
  // Either goes first as often as the other.
  const order = round % 2 === 0 ? [0, 1] : [1, 0];
  for (const which of order)
    times[which as 0 | 1].push(timed(which === 0 ? hand : derivatives, WARM_UP + round * STEPS));
}
const compiled = stats().programs.misses - compiledBefore;

function figuresOf(step: Step, milliseconds: readonly number[]): TrainingStep {
  const { events } = trace(() => step(WARM_UP + ROUNDS * STEPS));
  const memory = events.filter((event) => event.kind === "memory");
  const sum = (field: "inPlace" | "results"): number => memory.reduce((all, event) => all + event[field], 0);
  return {
    milliseconds: median(milliseconds),
    kernels: events.filter((event) => event.kind === "kernel").length,
    compiled,
    inPlace: sum("inPlace"),
    results: sum("results"),
  };
}

const measured: Training = {
  hand: figuresOf(hand, times[0]),
  derivatives: figuresOf(derivatives, times[1]),
  ratio: median(times[1].map((time, round) => time / times[0][round]!)),
  difference,
};
send(measured);
