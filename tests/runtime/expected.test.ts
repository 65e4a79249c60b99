import {
  type AnyTensor,
  clearCaches,
  compute,
  float,
  fromTypedArray,
  setOptions,
  stats,
  tensor,
} from "fuseau";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { expectedCount } from "../../packages/runtime/src/execute/expected.ts";

const a = fromTypedArray(Float32Array.of(1, 2, 3));
const b = fromTypedArray(Float32Array.of(4, 5, 6));

beforeEach(() => clearCaches());
afterEach(() => setOptions({ programCacheLimit: undefined }));

/** Programs that were run without a walk meanwhile. */
function expectedIn(work: () => void): number {
  const before = expectedCount();
  work();
  return expectedCount() - before;
}

const repeat = (times: number, work: (k: number) => void): void => {
  for (let k = 0; k < times; k++) work(k);
};

describe("a program that comes after the one that it came after before", () => {
  it("is run without being looked for, and is a hit", () => {
    const step = (): AnyTensor => a.mul(b).add(a).compute();
    repeat(3, step);
    const before = stats().programs;
    expect(expectedIn(() => repeat(5, () => expect(step().toArray()).toEqual([5, 12, 21])))).toBe(5);
    expect(stats().programs.hits - before.hits).toBe(5);
    expect(stats().programs.misses).toBe(before.misses);
  });
  it("is expected in a round of several, and after one of several others", () => {
    const round = (): void => {
      expect(a.mul(b).sum().item()).toBe(32);
      expect(a.add(b).toArray()).toEqual([5, 7, 9]);
      expect(a.mul(b).sum().item()).toBe(32);
      expect(a.sub(b).abs().toArray()).toEqual([3, 3, 3]);
    };
    repeat(3, round);
    expect(expectedIn(() => repeat(2, round))).toBe(8);
  });
  it("gives several results at once", () => {
    const both = (): number[][] => {
      const [sum, product] = [a.add(b), a.mul(b)];
      compute(sum, product.sub(sum));
      return [sum.toArray(), product.sub(sum).toArray()] as number[][];
    };
    repeat(3, both);
    expect(
      expectedIn(() =>
        expect(both()).toEqual([
          [5, 7, 9],
          [-1, 3, 9],
        ]),
      ),
    ).toBeGreaterThan(0);
  });
  it("computes with the elements and numbers of the time", () => {
    const scaled = (k: number): AnyTensor =>
      tensor([k, 1])
        .mul(float(k + 0.25))
        .add(float(7.5));
    repeat(3, (k) => scaled(k).compute());
    const run = (): void =>
      repeat(4, (k) => expect(scaled(k).toArray()).toEqual([k * (k + 0.25) + 7.5, k + 7.75]));
    expect(expectedIn(run)).toBe(4);
  });
});

describe("one of many sizes", () => {
  const batches = Array.from({ length: 40 }, (_, k) =>
    fromTypedArray(new Float32Array(20 + k).fill(k + 0.5)),
  );
  const run = (k: number): void => {
    const x = batches[k] as AnyTensor;
    expect(x.mul(2).add(1).sum().item()).toBe((20 + k) * (2 * k + 2));
  };
  const inOrder = (step: number): void => repeat(batches.length, (k) => run((step * k) % batches.length));

  it("is expected after the same one when it came after it often", () => {
    repeat(8, () => inOrder(3));
    expect(stats().late.instances).toBeGreaterThan(30);
    expect(expectedIn(() => inOrder(3))).toBe(batches.length);
  });
  it("is looked for where sizes come in another order each time", () => {
    inOrder(3);
    expect(expectedIn(() => [7, 9, 11, 13, 17, 19, 21, 23, 27, 29].forEach(inOrder))).toBe(0);
  });
  it("is expected where one size comes again and again", () => {
    inOrder(3);
    repeat(8, () => run(20));
    expect(expectedIn(() => repeat(5, () => run(20)))).toBe(5);
  });
});

describe("what is not the program that is expected", () => {
  it("is told by which operands are the same", () => {
    const product = (x: AnyTensor, y: AnyTensor): unknown =>
      x
        .mul(y as never)
        .add(x as never)
        .toArray();
    repeat(4, () => product(a, b));
    expect(product(a, a)).toEqual([2, 6, 12]);
    expect(product(b, a)).toEqual([8, 15, 24]);
    repeat(4, () => product(a, a));
    expect(product(a, b)).toEqual([5, 12, 21]);
  });
  it("is told by shapes, dtypes, ops and numbers that rules look at", () => {
    const others: readonly (() => unknown)[] = [
      () => a.mul(2).toArray(),
      () => a.mul(1).toArray(),
      () => a.mul(0).toArray(),
      () => a.add(2).toArray(),
      () => a.to("float64").mul(2).toArray(),
      () => a.narrow(0, 0, 2).mul(2).toArray(),
      () => a.mul(2).sum().toArray(),
    ];
    const expected = others.map((other) => other());
    for (const first of others)
      for (const second of others) {
        repeat(3, () => {
          first();
          first();
        });
        expect(second()).toEqual(expected[others.indexOf(second)]);
      }
  });
  it("is told by what of it has been computed", () => {
    const inner = (isStored: boolean): unknown => {
      const x = a.exp();
      if (isStored) x.compute();
      return x.sub(x.log()).round().toArray();
    };
    const expected = inner(false);
    repeat(4, () => inner(false));
    expect(inner(true)).toEqual(expected);
    repeat(4, () => inner(true));
    expect(inner(false)).toEqual(expected);
  });
  it("is told by options", () => {
    const run = (emitter: "js" | "closure"): unknown => a.mul(b).compute({ emitter }).toArray();
    repeat(4, () => run("js"));
    const before = stats().programs.misses;
    expect(run("closure")).toEqual([4, 10, 18]);
    expect(stats().programs.misses - before).toBe(1);
  });
});

it("writes over what nobody can read again, and over nothing else", () => {
  const step = (x: AnyTensor): void => {
    x.mul_(2 as never).add_(a as never);
    x.compute();
  };
  const x = tensor([0, 0, 0]);
  const seen: AnyTensor[] = [];
  repeat(4, () => step(x));
  expect(expectedIn(() => repeat(3, () => step(x)))).toBe(3);
  repeat(3, () => {
    seen.push(x.clone());
    step(x);
  });
  const times = (k: number): number[] => [1, 2, 3].map((each) => each * (2 ** k - 1));
  expect(x.toArray()).toEqual(times(10));
  expect(seen.map((each) => each.toArray())).toEqual([times(7), times(8), times(9)]);
});

it("learns to keep what is computed again", () => {
  const dear = fromTypedArray(Float32Array.from({ length: 4_096 }, (_, k) => k / 4_096));
  const round = (isRead: boolean): void => {
    const inner = dear.sin().exp().tanh().sin().exp().tanh();
    inner.sum().compute();
    if (isRead) inner.mean().compute();
  };
  repeat(4, () => round(false));
  repeat(3, () => round(true));
  const before = stats().runs.kernels;
  const other = dear.sin().exp().tanh().sin().exp().tanh();
  const total = other.sum();
  total.compute();
  expect(other.mean().item()).toBeCloseTo((total.item() as number) / 4_096, 4);
  expect(stats().runs.kernels - before).toBeLessThanOrEqual(3);
});

it("is forgotten with the program", () => {
  setOptions({ programCacheLimit: 1 });
  const [sum, product] = [(): AnyTensor => a.add(b).compute(), (): AnyTensor => a.mul(b).compute()];
  const run = (): void =>
    repeat(6, () => {
      sum();
      product();
    });
  run();
  const before = stats().programs;
  expect(expectedIn(run)).toBe(0);
  expect(stats().programs.misses - before.misses).toBe(12);
  clearCaches();
  expect(sum().toArray()).toEqual([5, 7, 9]);
});

it("throws what it threw when it was looked for, and is usable afterwards", () => {
  const divide = (by: number): unknown =>
    tensor([6, 8], { dtype: "int32" })
      .floorDivide(tensor([2, by], { dtype: "int32" }))
      .toArray();
  repeat(4, () => divide(2));
  expect(() => divide(0)).toThrow(/floorDivide.*recorded at .*expected\.test\.ts/s);
  expect(divide(4)).toEqual([3, 2]);
});
