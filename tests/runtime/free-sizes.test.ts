/** Loops in which several sizes change independently and meet in an op: a few programs, and the bits of programs of one size. */
import {
  type AnyTensor,
  arange,
  cat,
  clearCaches,
  matmul,
  maxPool2d,
  setOptions,
  stats,
  type Tensor,
  zeros,
} from "fuseau";
import { afterEach, describe, expect, it } from "vitest";

afterEach(() => {
  setOptions({ emitter: undefined, fusion: undefined });
  clearCaches();
});

type Vector = Tensor<[number], "float32">;
type Matrix = Tensor<[number, number], "float32">;
const vector = (n: number, k: number): Vector =>
  arange(n).mul(k).add(0.7).sin().to("float32").compute() as never;
const matrix = (n: number, m: number, k: number): Matrix =>
  vector(n * m, k)
    .reshape([n, m])
    .compute() as never;

const whole = vector(58 * 59, 3);

const loops: Readonly<Record<string, (n: number, m: number, k: number) => AnyTensor>> = {
  "rows joined": (n, m) =>
    cat([matrix(n, 5, 3), matrix(m, 5, 7)])
      .mul(2)
      .sum(0),
  "an outer product": (n, m) => vector(n, 3).unsqueeze(1).mul(vector(m, 5)).exp().sum(1),
  "places in one of the other": (n, m) =>
    zeros([m]).indexAdd(0, arange(n).remainder(m).compute(), vector(n, 3)).add(1).square(),
  "a softmax over pairs": (n, m) =>
    matmul(matrix(n, 4, 3), matrix(4, m, 7))
      .softmax(1)
      .sum(0),
  "attention, whose weights are as many as one size and twice the other": (n, m) => {
    const x = matrix(n * m, 4, 3).reshape([n, m, 4]);
    return matmul(x, x.mT).softmax(-1).exp().matmul(x).sum([0, 1]);
  },
  "the same weights as one list": (n, m) => {
    const x = matrix(n * m, 4, 3).reshape([n, m, 4]);
    return matmul(x, x.mT).reshape([-1]).exp().cumsum(0).amax(0).add(x.sum(1).square().sum());
  },
  "images of any height and width, halved": (n, m) =>
    maxPool2d(matrix(n, m, 3).reshape([1, 1, n, m]).square(), 2)
      .exp()
      .mean([0, 1])
      .sum(0),
  "one column or another of what an index takes": (n, m) =>
    matrix(n, 5, 3)
      .index([arange(n).remainder(3).ne(0)])
      .select(1, m % 4)
      .sort().values,
  "a part of a tensor, as long as one size times the other": (n, m) =>
    whole
      .slice([0, n * m])
      .reshape([n, m])
      .cumsum(1)
      .amax(0),
  "a part of each": (n, m) => matrix(n, m, 3).slice([1, null], [0, -1]).abs().amax(0),
  "one, three times in a product": (n) => matmul(matrix(n, n, 3), matrix(n, n, 5)).sum(0),
  "three of them": (n, m, k) =>
    matmul(matrix(n, m, 3), matrix(m, k, 5))
      .relu()
      .sum(0),
};

/** In no order. */
const sizesAt = (round: number): [number, number, number] => [
  18 + ((round * round * 37 + 11 * round) % 41),
  23 + ((round ** 3 * 5 + 3 * round) % 37),
  5 + ((round * round * 7 + 5 * round) % 29),
];
const ROUNDS = 60;

describe.each(Object.entries(loops))("%s", (_, make) => {
  it.each([
    ["wasm", "on"],
    ["js", "on"],
    ["closure", "on"],
    [undefined, "none"],
  ] as const)("by %s, fusion %s", (emitter, fusion) => {
    setOptions({ emitter, fusion });
    const before = stats();
    const found = Array.from({ length: ROUNDS }, (_, round) => make(...sizesAt(round)).toArray());
    const { programs, late } = stats();
    expect(late.programs - before.late.programs).toBeGreaterThan(0);
    expect(programs.misses - before.programs.misses).toBeLessThan((3 * ROUNDS) / 4);
    for (const round of [0, 7, 19, 20, 33, 47, 59]) {
      clearCaches();
      expect(make(...sizesAt(round)).toArray(), `round ${round}`).toEqual(found[round]);
    }
  });
});

it("two values of a size, of which every function is linear, hide no square", () => {
  const make = (n: number, m: number): AnyTensor => {
    const x = matrix(n, m, 3);
    return x.matmul(x.t()).reshape([-1]).mul(2).cumsum(0);
  };
  const before = stats();
  // Any function of a size that takes two values is linear in it.
  for (let round = 0; round < 40; round++) make(round % 2 === 0 ? 20 : 31, sizesAt(round)[1]).compute();
  const sizes = Array.from({ length: 60 }, (_, round) => sizesAt(round));
  const found = sizes.map(([n, m]) => make(n, m).toArray());
  expect(stats().programs.misses - before.programs.misses).toBeLessThan(40);
  for (const round of [1, 23, 40, 59]) {
    clearCaches();
    const [n, m] = sizes[round] as [number, number, number];
    expect(make(n, m).toArray()).toEqual(found[round]);
  }
});

it.each([
  ["turned", (x: Vector) => x.flip(0)],
  ["negated", (x: Vector) => x.neg()],
] as const)("the part between two places %s: three sizes of one sum, small ones among them", (_, change) => {
  const whole = vector(90, 3);
  const bounds = (round: number): [number, number] => {
    const first = 2 + ((round * 37) % 78);
    return [first, first + 2 + ((round * 53) % (87 - first))];
  };
  const make = (round: number): AnyTensor => {
    const [first, end] = bounds(round);
    return cat([whole.slice([0, first]), change(whole.slice([first, end])), whole.slice([end, null])]);
  };
  for (let round = 0; round < 150; round++) make(round).compute();
  const before = stats();
  const found = Array.from({ length: 100 }, (_, k) => make(150 + k).toArray());
  expect(stats().programs.misses - before.programs.misses).toBeLessThan(15);
  expect(stats().faults.count).toBe(before.faults.count);
  for (const round of [0, 17, 58, 99]) {
    clearCaches();
    expect(make(150 + round).toArray()).toEqual(found[round]);
  }
});

describe("a size that rises and falls: what holds at the ends need not hold between", () => {
  const long = vector(3_000, 5);
  it("n·(100 − n), of one free size", () => {
    const make = (n: number): AnyTensor => {
      const table = vector(n, 3)
        .unsqueeze(1)
        .mul(vector(100 - n, 5));
      return cat([table.reshape([-1]) as Vector, long])
        .slice([900, 1_900])
        .sum();
    };
    for (const n of [92, 96, 90, 95, 91, 94, 93]) make(n).compute();
    for (const n of [50, 60, 30, 12, 88, 70]) {
      const found = make(n).toArray();
      clearCaches();
      expect(make(n).toArray(), `${n}`).toEqual(found);
      for (const other of [92, 96, 90, 95, 91, 94, 93]) make(other).compute();
    }
  });
  it.each([undefined, "js", "wasm"] as const)(
    "of pairs that are multiplied and stored nowhere, by %s",
    (emitter) => {
      setOptions({ emitter });
      const [left, right] = [matrix(55, 4, 3), matrix(70, 4, 5)];
      const make = (n: number): AnyTensor => {
        const x = left.slice([0, n]).select(1, 0);
        const pairs = left
          .slice([0, n])
          .unsqueeze(1)
          .mul(right.slice([n, 70]))
          .sum(-1);
        return pairs
          .exp()
          .sum()
          .add(
            x
              .reshape([n, 1, 1])
              .mul(x.reshape([n, 1]))
              .mul(x)
              .sum(2),
          );
      };
      for (const n of [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 18, 17, 16]) make(n).compute();
      const sizes = [8, 20, 25, 30, 36, 39, 47, 54];
      const found = sizes.map((n) => make(n).toArray());
      sizes.forEach((n, k) => {
        clearCaches();
        expect(make(n).compute({ fusion: "none" }).toArray(), `${n}`).toEqual(found[k]);
      });
    },
  );
  it("(n − m)², of two", () => {
    const make = (n: number, m: number): AnyTensor =>
      cat([vector((n - m) ** 2 + 2, 3), long])
        .slice([600, 600 + n])
        .unsqueeze(1)
        .mul(vector(m, 2))
        .sum(0);
    const pairs = [
      [300, 300],
      [310, 320],
      [330, 320],
      [300, 320],
    ] as const;
    for (let round = 0; round < 60; round++)
      make(200 + ((round * round * 7) % 11), 300 + ((round ** 3 * 3) % 13)).compute();
    const found = pairs.map(([n, m]) => make(n, m).toArray());
    clearCaches();
    expect(pairs.map(([n, m]) => make(n, m).toArray())).toEqual(found);
  });
});

it("small ones and those of 0 and 1 are what they are alone", () => {
  const make = loops["rows joined"] as (n: number, m: number, k: number) => AnyTensor;
  for (let round = 0; round < 30; round++) make(...sizesAt(round)).compute();
  const pairs = [0, 1, 2, 3, 9, 17].flatMap((n) => [0, 1, 2, 5, 16].map((m) => [n, m] as const));
  const found = pairs.map(([n, m]) => make(n, m, 0).toArray());
  clearCaches();
  pairs.forEach(([n, m], k) => {
    expect(make(n, m, 0).toArray(), `${n} and ${m}`).toEqual(found[k]);
  });
});

it("explain() names them, and where they may lie", () => {
  const make = loops["rows joined"] as (n: number, m: number, k: number) => AnyTensor;
  for (let round = 0; round < 30; round++) make(...sizesAt(round)).compute();
  const { late } = make(40, 50, 0).explain();
  expect(late?.free.map(({ name, size }) => [name, size].join(" ")).sort()).toEqual(["m 40", "n 50"]);
  expect(late?.inputs).toEqual(["float32[m, 5]", "float32[n, 5]"]);
  expect(`${make(40, 50, 0).explain()}`).toMatch(
    /n = 50, m = 40; the same for \d+ ≤ n ≤ \d+ and \d+ ≤ m ≤ \d+, compiled at/,
  );
});
