import {
  type AnyTensor,
  arange,
  clearCaches,
  compute,
  float,
  fromTypedArray,
  setOptions,
  stats,
  tensor,
  trace,
} from "fuseau";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { expectedCount } from "../../packages/runtime/src/execute/programs/expected.ts";

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

describe("a program that reads what each round computes again", () => {
  it("is expected where that is too cheap to be kept", () => {
    const weights = a.sub(1);
    const step = (k: number): void =>
      expect(weights.add(a).mul(float(k)).toArray()).toEqual([k, 3 * k, 5 * k]);
    repeat(7, step);
    expect(expectedIn(() => repeat(5, (k) => step(k + 7)))).toBe(5);
  });
  it("is looked for again once it has been kept, and where a recording grows", () => {
    const round = (): number[] => {
      const shared = a.exp().sin().log1p().cos();
      let grown: AnyTensor = a;
      return Array.from({ length: 20 }, (_, k) => {
        grown = grown.add(shared).mul(float(0.5));
        if (k === 11) shared.compute();
        return grown.sum().item() as number;
      });
    };
    const walked: number[] = [];
    trace(
      () => walked.push(...round()),
      () => {},
    );
    repeat(5, () => expect(round()).toEqual(walked));
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

  it("is expected whatever size comes next", () => {
    const before = stats().programs.misses;
    inOrder(3);
    expect(expectedIn(() => [7, 9, 11, 13].forEach(inOrder))).toBe(4 * batches.length);
    expect(stats().programs.misses - before).toBeLessThanOrEqual(4);
  });
  it("is a hit, and no program more is held", () => {
    inOrder(3);
    const before = stats().programs;
    inOrder(7);
    const { hits, misses, size } = stats().programs;
    expect([hits - before.hits, misses - before.misses, size - before.size]).toEqual([batches.length, 0, 0]);
  });
  it("is expected where it reads parts of what it computes, whose share differs between sizes", () => {
    const ends = (k: number): void => {
      const x = batches[k] as AnyTensor;
      const ascending = x.cumsum(0).gather(0, arange(19 + k));
      // The first, and the last but one, of sums of 20 + k equal numbers.
      expect(
        ascending
          .select(0, 0)
          .add(ascending.slice([1, null]).max())
          .item(),
      ).toBe((20 + k) * (k + 0.5));
    };
    repeat(batches.length, (k) => ends((3 * k) % batches.length));
    expect(expectedIn(() => repeat(batches.length, (k) => ends((7 * k) % batches.length)))).toBe(
      batches.length,
    );
  });
  it("is not where a size is 0 or 1, or others do not go with it", () => {
    const weighted = (x: AnyTensor, y: AnyTensor): unknown =>
      x
        .mul(y as never)
        .sum()
        .item();
    for (const n of [20, 21, 22, 23, 24, 25, 26]) weighted(batches[n] as AnyTensor, batches[n] as AnyTensor);
    const [long, one] = [batches[3] as AnyTensor, fromTypedArray(Float32Array.of(2))];
    expect(weighted(long, one)).toBe(23 * 3.5 * 2);
    expect(weighted(one, one)).toBe(4);
    expect(weighted(long, long)).toBe(23 * 3.5 * 3.5);
  });
});

describe("one that is bound to where slices begin", () => {
  const rows = fromTypedArray(
    Float32Array.from({ length: 60 }, (_, k) => k),
    { shape: [10, 6] },
  );
  const step = (row: number): void =>
    expect(rows.select(0, row).mul(6).sum().item(), `row ${row}`).toBe(36 * 6 * row + 90);

  it("is expected wherever they begin, but for 0", () => {
    repeat(4, (k) => step(k + 1));
    expect(expectedIn(() => repeat(9, (k) => step(9 - k)))).toBe(9);
    step(0);
    step(4);
  });
  it("is told by which of them are equal", () => {
    const product = (i: number, j: number): unknown =>
      rows.select(0, i).sub(rows.select(0, j)).square().sum().item();
    repeat(4, (k) => expect(product(k + 1, k + 3)).toBe(6 * 144));
    expect(product(5, 5)).toBe(0);
    expect(product(5, 6)).toBe(6 * 36);
    expect(product(0, 6)).toBe(6 * 36 * 36);
  });
  it("is expected where how long they are changes as well", () => {
    const line = rows.reshape([-1]).clone().compute();
    const part = (from: number, to: number): number =>
      (line as AnyTensor).slice([from, to]).mul(2).sum().item() as number;
    const whole = (from: number, to: number): number => (to - from) * (from + to - 1);
    repeat(8, (k) => expect(part(k + 1, 2 * k + 5)).toBe(whole(k + 1, 2 * k + 5)));
    const moved = (): void => {
      for (const [from, to] of [
        [3, 50],
        [9, 21],
        [30, 60],
        [1, 59],
      ] as const)
        expect(part(from, to)).toBe(whole(from, to));
    };
    moved();
    expect(expectedIn(moved)).toBe(4);
  });
  it("writes where it is told to", () => {
    const table = fromTypedArray(new Float32Array(40), { shape: [8, 5] }).clone();
    const write = (row: number): void => {
      table.select(0, row).add_(10 * row);
      table.compute();
    };
    repeat(4, (k) => write(k + 1));
    expect(expectedIn(() => repeat(3, (k) => write(k + 5)))).toBe(3);
    expect(table.sum(1).toArray()).toEqual([0, 50, 100, 150, 200, 250, 300, 350]);
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

it("writes over nothing that a tensor in use may be computed from", () => {
  const x = tensor([0, 0, 0]);
  const row = fromTypedArray(Float32Array.of(0.5, 1.5, 2.5, 3.5));
  const held: (readonly [AnyTensor, number])[] = [];
  let before = 0;
  const step = (isHeld: boolean): void => {
    // Too large to be kept so that the old elements of x can be written over.
    const wide = x.unsqueeze(1).add(row);
    x.mul_(2 as never).add_(1 as never);
    const sums = wide.sum(1);
    if (isHeld) held.push([wide, before]);
    else wide.dispose();
    compute(x, sums);
    expect(sums.toArray()).toEqual(Array(3).fill(4 * before + 8));
    before = 2 * before + 1;
  };
  repeat(5, () => step(true));
  expect(expectedIn(() => repeat(3, () => step(true)))).toBe(3);
  repeat(4, () => step(false));
  expect(expectedIn(() => repeat(3, () => step(false)))).toBe(3);
  repeat(3, () => step(true));
  expect(x.toArray()).toEqual(Array(3).fill(before));
  for (const [wide, of] of held)
    expect(wide.toArray()).toEqual(Array(3).fill([of + 0.5, of + 1.5, of + 2.5, of + 3.5]));
});

it("learns to keep what is computed again", () => {
  const expensive = fromTypedArray(Float32Array.from({ length: 4_096 }, (_, k) => k / 4_096));
  const round = (isRead: boolean): void => {
    const inner = expensive.sin().exp().tanh().sin().exp().tanh();
    inner.sum().compute();
    if (isRead) inner.mean().compute();
  };
  repeat(4, () => round(false));
  repeat(3, () => round(true));
  const before = stats().runs.kernels;
  const other = expensive.sin().exp().tanh().sin().exp().tanh();
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

describe("a program that ran op by op", () => {
  // More than the most nodes of a short program.
  const chain = (x: AnyTensor, at: AnyTensor): AnyTensor => {
    let y = x;
    for (let k = 0; k < 40; k++) y = y.mul(x).add(y.sin());
    return y.gather(0, at as never).compute() as AnyTensor;
  };
  const places = (...at: number[]): AnyTensor => tensor(at, { dtype: "int64" }).compute();

  it("leaves out the elements that the whole leaves out when it comes again", () => {
    // Op by op all places are looked up.
    const first = (at: AnyTensor): AnyTensor => {
      let y = a;
      for (let k = 0; k < 40; k++) y = y.mul(a).add(y.sin());
      const found = y.gather(0, at as never) as AnyTensor;
      return found.slice([0, 1]).compute();
    };
    const known = first(places(2, 0)).toArray();
    repeat(3, () => first(places(2, 0)));
    expect(first(places(2, 9)).toArray()).toEqual(known);
  });
  it("names the op and the line of an element that fails when it comes again", () => {
    const at = places(2, 0);
    const known = chain(a, at).toArray();
    repeat(3, () => chain(a, at));
    expect(() => chain(a, places(3, 0))).toThrow(/^gather: index 3 is out of bounds.*expected\.test\.ts/s);
    expect(chain(a, at).toArray()).toEqual(known);
  });
});
