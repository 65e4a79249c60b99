/**
 * Loops in which only where something is read, how long it is, or what was asked for first changes: each beside the same loop in
 * which nothing does, round by round in one process.
 */
import { type AnyTensor, arange, jit, randn } from "fuseau";
import { stats } from "../measure/runtime.ts";
import { median } from "../measure/statistics.ts";
import { send } from "./send.ts";

export interface LoopTimes {
  readonly name: string;
  /** Milliseconds of one whole loop, medians of those after the warm-up. */
  readonly moving: number;
  readonly still: number;
  /** Programs compiled in the first loop, and in the last. */
  readonly first: number;
  readonly last: number;
}

/** V8 compiles meanwhile on threads of its own: where there are two cores, each such round may lose 4 ms to them. */
const WARM_UP = 20;
const ROUNDS = 31;
/** A round has at least so many iterations: shorter loops are repeated. */
const ITERATIONS = 200;

function race(name: string, count: number, body: (k: number) => void, still: (k: number) => void): LoopTimes {
  const programs: number[] = [];
  const times: [number[], number[]] = [[], []];
  const works = [body, still] as const;
  const repeats = Math.ceil(ITERATIONS / count);
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const before = stats().programs.misses;
      const begin = performance.now();
      for (let repeat = 0; repeat < repeats; repeat++) for (let k = 0; k < count; k++) works[which](k);
      times[which].push((performance.now() - begin) / repeats);
      if (which === 0) programs.push(stats().programs.misses - before);
    }
  }
  return {
    name,
    moving: median(times[0].slice(WARM_UP)),
    still: median(times[1].slice(WARM_UP)),
    first: programs[0] as number,
    last: programs.at(-1) as number,
  };
}

const results: LoopTimes[] = [];
const matrix = randn([500, 256]).compute();
for (const rows of [5, 50, 500]) {
  const sum = (row: number): unknown => matrix.select(0, row).mul(1.5).sum().item();
  results.push(race(`${rows} rows`, rows, sum, () => sum(1)));
}
const samples = randn([3_200, 64]).compute();
const weights = randn([64, 16]).compute();
const batch = (k: number): unknown =>
  samples
    .slice([32 * k, 32 * k + 32])
    .matmul(weights)
    .relu()
    .sum()
    .item();
results.push(race("100 minibatches", 100, batch, () => batch(1)));
const jitted = jit((x: AnyTensor) => x.matmul(weights).relu().sum());
const given = (k: number): unknown => jitted(samples.slice([32 * k, 32 * k + 32])).item();
results.push(race("100 minibatches, jitted", 100, given, () => given(1)));

const line = randn([3_000]).compute();
const prefix = (length: number): unknown => line.slice([0, length]).mul(1.5).add(0.25).sum().item();
results.push(
  race(
    "3,000 lengths, after the first loop",
    3_000,
    (k) => prefix(k + 1),
    () => prefix(1_500),
  ),
);

const points = randn([4_000, 8]).compute();
const labels = arange(16);
function step(centres: AnyTensor): AnyTensor {
  const mine = points.unsqueeze(1).sub(centres.unsqueeze(0)).square().sum(-1).argmin(1);
  const members = mine.unsqueeze(1).eq(labels).to("float32");
  return members.t().matmul(points).div(members.sum(0).unsqueeze(1).add(1));
}
const state: AnyTensor = points.slice([0, 16]).clone().compute();
let computed: AnyTensor = state;
results.push(
  race(
    "k-means until it converges; beside `next.compute()` in each step",
    10,
    () => {
      const next = step(state);
      next.sub(state).square().sum().item();
      state.copy_(next);
    },
    () => {
      const next = step(computed).compute();
      next.sub(computed).square().sum().item();
      computed = next;
    },
  ),
);

const layer = randn([64, 128]).compute();
const forward = (): AnyTensor => samples.slice([0, 1_024]).matmul(layer).relu();
results.push(
  race(
    "two results one after the other; beside a forward pass computed first",
    10,
    () => {
      const hidden = forward();
      const [loss, gradient] = [hidden.square().sum(), hidden.t().matmul(hidden)];
      loss.compute();
      gradient.compute();
    },
    () => {
      const hidden = forward().compute();
      hidden.square().sum().compute();
      hidden.t().matmul(hidden).compute();
    },
  ),
);
send(results);
