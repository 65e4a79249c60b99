/** Chains in which each value is read twice have exponentially many paths. No pass may walk them all: these would not end. */
import { type AnyTensor, clearCaches, manualSeed, rand, where } from "fuseau";
import { beforeEach, describe, expect, it } from "vitest";

const ROUNDS = 32;

const rounds: Readonly<Record<string, (x: AnyTensor) => AnyTensor>> = {
  pointwise: (x) => x.sub(x.mul(x).mul(0.5)),
  "expensive ops": (x) => x.sub(x.exp().sub(1).mul(0.01)),
  "a choice": (x) => where(x.gt(0.5), x.mul(0.9), x),
  "a row's fold": (x) => x.sub(x.mean(-1, { keepdim: true }).mul(x).mul(0.1)),
  "a turned matrix": (x) => x.add(x.flip(1).mul(0.1)),
  "an integer": (x) => x.mul(8).floor().mul(0.1).add(x.mul(0.1)),
};

const ends: Readonly<Record<string, (x: AnyTensor) => AnyTensor>> = {
  itself: (x) => x,
  "its sum": (x) => x.sum(),
  "sums of rows": (x) => x.sum(1),
  "sums of columns": (x) => x.sum(0),
  "the largest": (x) => x.max(),
  "places of the largest": (x) => x.argmax(1),
  "a softmax": (x) => x.softmax(-1),
  "a variance": (x) => x.var(),
  "norms of rows, and their mean": (x) => x.square().sum(1).sqrt().mean(),
  "running sums": (x) => x.cumsum(1),
  "sorted rows": (x) => x.slice([0, 4]).sort(1).values,
  "a product": (x) => x.matmul(x.t()),
  "a product's sum": (x) => x.matmul(x.t()).sum(),
  transposed: (x) => x.t().contiguous(),
  windows: (x) => x.unfold(1, 3, 2).sum(-1),
  "rows looked up": (x) => x.indexSelect(0, x.argmax(0).slice([0, 20]).remainder(100)),
  joined: (x) => x.slice([1, null]).sub(x.slice([null, -1])),
};

beforeEach(() => {
  clearCaches();
  manualSeed(1);
});

describe.each(Object.entries(rounds))("rounds of %s", (_, round) => {
  it.each(Object.entries(ends))("end, and %s", (_, end) => {
    let x: AnyTensor = rand([100, 120]);
    for (let k = 0; k < ROUNDS; k++) x = round(x);
    const result = end(x);
    expect(result.toTypedArray()).toHaveLength(result.shape.reduce((size, n) => size * n, 1));
  });
});
