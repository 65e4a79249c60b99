/** Everything that `npm start` finds out about the airports, and about the compiler on the way. */

import { type ComputeOptions, clearCaches, explain } from "fuseau";
import { assertFused, type Compiled, summarize } from "./compiled.ts";
import { assertSame, evaluate, run } from "./evaluate.ts";
import type { Airport } from "./load.ts";
import { measure, type Timing } from "./measure.ts";
import { type Remote, remotest, type StateMean, widest } from "./rank.ts";
import { type Survey, surveyOf } from "./survey.ts";

/** Bytes of the process. */
export interface Memory {
  readonly arraysBefore: number;
  readonly arraysAfter: number;
  readonly residentBefore: number;
  /** The most that the process has ever held. */
  readonly residentPeak: number;
}

export interface Timings {
  readonly nearest: Readonly<Record<"fused" | "eager" | "byHand", Timing>>;
  readonly means: Readonly<Record<"fused" | "eager", Timing>>;
}

export interface Study {
  readonly airports: number;
  readonly remotest: readonly Remote[];
  readonly states: readonly StateMean[];
  readonly compiled: Readonly<Record<"nearest" | "means", Compiled>>;
  readonly memory: Memory;
  readonly timings: Timings;
}

export type Progress = (text: string) => void;

const eager: ComputeOptions = { fusion: "none" };
const ROUNDS = 5;

export function study(airports: readonly Airport[], progress: Progress): Study {
  const survey = surveyOf(airports);
  const compiled = compile(survey, airports.length);
  const { answers, memory } = answer(survey);
  progress(
    "checking that fused and op by op agree in every bit, and JavaScript kernels with the loop by hand",
  );
  verify(survey, answers);
  return {
    airports: airports.length,
    remotest: remotest(airports, answers.index, answers.distance, 10),
    states: widest(airports, survey.states, answers.mean),
    compiled,
    memory,
    timings: time(survey, progress),
  };
}

function compile({ nearest, means }: Survey, airports: number): Study["compiled"] {
  const explained = {
    nearest: explain(...Object.values(nearest())),
    means: explain(...Object.values(means())),
  };
  assertFused("nearest neighbours", explained.nearest, airports);
  assertFused("means by state", explained.means, airports);
  return { nearest: summarize(explained.nearest), means: summarize(explained.means) };
}

type Answers = Readonly<Record<"index" | "distance" | "mean", ArrayLike<number>>>;

/** Comes before anything unfused, which would raise the peak. */
function answer({ nearest, means }: Survey): { answers: Answers; memory: Memory } {
  const before = process.memoryUsage();
  const answers = { ...evaluate(nearest()), ...evaluate(means()) };
  const memory = {
    arraysBefore: before.arrayBuffers,
    arraysAfter: process.memoryUsage().arrayBuffers,
    residentBefore: before.rss,
    residentPeak: process.resourceUsage().maxRSS * 1024,
  };
  return { answers, memory };
}

function verify({ nearest, means, nearestByHand }: Survey, answers: Answers): void {
  assertSame("op by op and fused", evaluate(nearest(), eager), answers);
  assertSame("op by op and fused", evaluate(means(), eager), answers);
  // WebAssembly has sines of its own: loops in JavaScript are matched by JavaScript kernels.
  assertSame("by hand and fused", nearestByHand(), evaluate(nearest(), { emitter: "js" }));
}

function time({ nearest, means, nearestByHand }: Survey, progress: Progress): Timings {
  clearCaches();
  progress(`timing the nearest neighbours, ${ROUNDS + 1} times each way`);
  const ofNearest = measure(
    { fused: () => run(nearest()), eager: () => run(nearest(), eager), byHand: nearestByHand },
    ROUNDS,
  );
  progress(`timing the means by state, ${ROUNDS + 1} times each way`);
  const ofMeans = measure({ fused: () => run(means()), eager: () => run(means(), eager) }, ROUNDS);
  return { nearest: ofNearest, means: ofMeans };
}
