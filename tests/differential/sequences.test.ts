/**
 * Sequences of programs whose sizes, starts and states change from step to step: each step has the bits of the same step computed op by op
 * without caches. What was learned at one size is used at others, and must not be where it does not hold.
 */
import {
  type AnyTensor,
  arange,
  cat,
  clearCaches,
  compute,
  fromTypedArray,
  type Tensor,
  where,
  zeros,
} from "fuseau";
import { describe, expect, it } from "vitest";
import { Choices } from "../../benchmarks/random/choices.ts";

type Vector = Tensor<number[], "float32">;
const vector = (length: number, times = 1): Vector =>
  fromTypedArray(
    Float32Array.from({ length }, (_, k) => ((k * 7919 * times) % 13) - 6),
    { shape: [length] as number[] },
  );
const many = vector(4_000).compute();
const table = vector(4_000, 5).reshape([400, 10]).compute();

/** Two sizes, a place and a number. */
interface Step {
  readonly a: number;
  readonly b: number;
  readonly start: number;
  readonly number: number;
}

/** By name: a program for each step, and what it writes to. */
const programs: Readonly<Record<string, (state: Vector, step: Step) => readonly AnyTensor[]>> = {
  sums: (_, { a, b }) => [vector(a).sum().add(vector(b).mul(2).sum())],
  outer: (_, { a, b }) => [vector(a).unsqueeze(1).mul(vector(b)).amax(1)],
  product: (_, { a, b }) => [
    vector(a * b)
      .reshape([a, b])
      .matmul(vector(b * 3, 3).reshape([b, 3])),
  ],
  softmax: (_, { a, b }) => [
    vector(a * b)
      .reshape([a, b])
      .mul(0.1)
      .softmax(1)
      .sum(0),
  ],
  joined: (_, { a, b }) => [cat([vector(a), vector(b).neg(), vector(a).mul(3)], 0).add(1)],
  bins: (_, { a, b }) => [zeros([b]).indexAdd(0, arange(a).mul(31).remainder(b), vector(a)).add(vector(b))],
  windows: (_, { a, b }) => [
    vector(a + 40)
      .unfold(0, (b % 9) + 2, 2)
      .square()
      .sum(1),
  ],
  slices: (_, { a, b, start }) => [
    many
      .narrow(0, start, a)
      .sum()
      .add(
        many
          .narrow(0, start + b, a)
          .mul(2)
          .amax(),
      ),
  ],
  rows: (_, { a, b, start }) => [table.narrow(0, start, a).sum(0), table.narrow(0, start, a).mul(b).amax(1)],
  row: (_, { b, start }) => [table.select(0, start).mul(b), table.select(1, start % 10).narrow(0, 3, b)],
  padded: (_, { a, b, start }) => [
    many
      .narrow(0, start, a)
      .pad([b % 6, start % 4])
      .flip([0])
      .mul(2),
  ],
  kept: (_, { a, b, start }) => {
    const shared = many.narrow(0, start, a).sin();
    const sum = shared.sum();
    const other = shared.mul(b).square().sum();
    sum.compute();
    return [sum, other];
  },
  written: (state, { b, start }) => {
    state.narrow(0, start % 20, b).add_(many.narrow(0, start, b));
    return [state.sum(), state.mul(2)];
  },
  copied: (state, { a, b, start }) => {
    const length = (a % 50) + 2;
    state.narrow(0, start % 40, length).copy_(many.narrow(0, start, length).mul(b));
    return [state.cumsum(0)];
  },
  scattered: (state, { a, start }) => {
    state.indexAdd_(0, arange(a).mul(7).add(start).remainder(100), many.narrow(0, start, a));
    return [state.clone()];
  },
  chosen: (state, { b, start, number }) => {
    state.copy_(where(many.narrow(0, start, 100).gt(number), state, many.narrow(0, start + b, 100)));
    return [state.sum(), state.narrow(0, b, 8)];
  },
  halved: (state, { a, start, number }) => {
    state.mul_(0.5).add_(many.narrow(0, start, 100), { alpha: number });
    return [state.add(number), state.sum().mul(a)];
  },
};
const names = Object.keys(programs);
const STEPS = 24;
const SEQUENCES = 60;

const bitsOf = (x: AnyTensor): string => {
  const { buffer, byteOffset, byteLength } = x.toTypedArray();
  return `${x.shape} ${Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength).toString("hex")}`;
};

describe("sequences of programs", () => {
  for (let seed = 1; seed <= SEQUENCES; seed++) {
    const choices = new Choices(seed);
    const chosen = Array.from({ length: choices.between(1, 3) }, () => choices.pick(names));
    const few = [choices.between(2, 30), choices.between(2, 30)];
    // One size along a line beside another that comes and goes; both at random; one that stays.
    const kind = choices.pick(["line", "both", "alone"] as const);
    const steps = Array.from({ length: STEPS }, () => ({
      at: choices.between(0, chosen.length - 1),
      step: {
        a: choices.between(2, kind === "line" ? 150 : 80),
        b:
          kind === "both"
            ? choices.between(2, 30)
            : (few[kind === "line" ? choices.between(0, 1) : 0] as number),
        start: choices.between(0, 250),
        number: choices.between(0, 3),
      },
    }));
    const run = (fusion: "on" | "none", isFresh: boolean): string[] => {
      clearCaches();
      const states = chosen.map(() => zeros([100]).compute() as unknown as Vector);
      return steps.map(({ at, step }) => {
        if (isFresh) clearCaches();
        const results = (programs[chosen[at] as string] as (typeof programs)[string])(
          states[at] as Vector,
          step,
        );
        if (results.length > 1 && step.number % 2 === 1) compute(...results, { fusion });
        else for (const each of results) each.compute({ fusion });
        return results.map(bitsOf).join(" ");
      });
    };
    it(`${chosen.join(", ")} (seed ${seed}, ${kind})`, () => {
      expect(run("on", false)).toEqual(run("none", true));
    });
  }
});
