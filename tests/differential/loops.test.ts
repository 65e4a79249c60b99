/**
 * Loops in which where something is read, how long it is and what is written change from one round to the next: they give what each round gives
 * by itself, op by op. What is expected next is compared with what was recorded, so a wrong comparison shows here.
 */
import fc from "fast-check";
import { type AnyTensor, cat, fromTypedArray } from "fuseau";
import { describe, expect, it } from "vitest";

const ROWS = 12;
const COLUMNS = 10;

/** What a loop goes over: rounds know it and their number, and give a tensor or write into `state`. */
interface World {
  readonly table: AnyTensor;
  readonly line: AnyTensor;
  readonly state: AnyTensor;
}

type Round = (world: World, a: number, b: number) => AnyTensor;

/** `a` and `b` are any numbers from 0 to 9. */
const rounds: readonly Round[] = [
  ({ table }, a) => table.select(0, a).mul(1.5).sum(),
  ({ table }, a) => table.select(1, a).sub(table.mean(1)).abs(),
  ({ table }, a, b) => table.select(0, a).mul(table.select(0, b)).sum(),
  ({ line }, a, b) =>
    line
      .slice([a, a + b + 1])
      .mul(1.5)
      .add(0.25)
      .sum(),
  ({ line }, a, b) =>
    line
      .slice([0, 5 * a + b + 1])
      .softmax(0)
      .amax(0),
  ({ table }, a, b) => table.narrow(0, a, Math.min(3, ROWS - a)).matmul(table.t().slice([0, 10], [b, b + 2])),
  ({ table }, a, b) =>
    table
      .slice([a, a + 2], [b, null])
      .exp()
      .sum(1),
  ({ line }, a) => line.roll(a, 0).sub(line).abs().mean(),
  ({ table }, a) => table.diagonal(a - 5).sum(),
  ({ table }, a, b) =>
    table
      .reshape([-1])
      .slice([10 * a + b, 10 * a + b + 6])
      .reshape([2, 3])
      .sum(0),
  ({ table }, a, b) => cat([table.slice([0, a + 1]), table.slice([b, b + 1])], 0).sum(0),
  ({ state }, a) => state.select(0, a).mul_(0.5).add_(1).sum(),
  ({ state, table }, a, b) =>
    state
      .slice([a, a + 2])
      .copy_(table.slice([b, b + 2]).tanh())
      .sum(),
  ({ state, line }, a, b) =>
    state
      .sub_(
        line
          .slice([a, a + b + 1])
          .mean()
          .mul(0.01),
      )
      .mean(),
  ({ table }, a) =>
    table
      .unfold(0, a + 1, 1)
      .sum(2)
      .amax(0),
];

const filled = (count: number, shape: number[]): AnyTensor =>
  fromTypedArray(
    Float32Array.from({ length: count }, (_, k) => ((k * 7919) % 997) / 499 - 1),
    { shape },
  ) as AnyTensor;

const newWorld = (): World => ({
  table: filled(ROWS * COLUMNS, [ROWS, COLUMNS]),
  line: filled(64, [64]),
  state: filled(ROWS * COLUMNS, [ROWS, COLUMNS]).clone(),
});

const bitsOf = (tensor: AnyTensor): string =>
  `${tensor.shape}: ${Buffer.from(tensor.toTypedArray().slice().buffer).toString("hex")}`;

type Step = readonly [kind: number, a: number, b: number];

/** The bits of each round's result, and of the state at the end. */
function run(steps: readonly Step[], emitter: "js" | "wasm", fusion: "on" | "none"): string[] {
  const world = newWorld();
  const seen = steps.map(([kind, a, b]) => {
    const result = (rounds[kind] as Round)(world, a, b);
    // What was written may wait for what reads it next, or not.
    if (fusion === "none") world.state.compute({ emitter, fusion });
    return bitsOf(result.compute({ emitter, fusion }));
  });
  return [...seen, bitsOf(world.state.compute({ emitter, fusion }))];
}

const digit = fc.integer({ min: 0, max: 9 });
/** A body of a few rounds, gone through many times with other numbers. */
const loop = fc
  .tuple(
    fc.array(fc.integer({ min: 0, max: rounds.length - 1 }), { minLength: 1, maxLength: 3 }),
    fc.array(fc.tuple(digit, digit), { minLength: 12, maxLength: 24 }),
  )
  .map(([body, numbers]): Step[] => numbers.flatMap(([a, b]) => body.map((kind): Step => [kind, a, b])));

describe.each(["js", "wasm"] as const)("loops whose starts and lengths change, by %s", (emitter) => {
  it("give what each round gives op by op", () => {
    fc.assert(
      fc.property(loop, (steps) => {
        expect(run(steps, emitter, "on")).toEqual(run(steps, emitter, "none"));
      }),
      { numRuns: 12 },
    );
  });
});
