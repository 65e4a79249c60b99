import {
  type AnyTensor,
  arange,
  clearCaches,
  compute,
  type FloatScalar,
  float,
  jit,
  noGrad,
  ones,
  rand,
  stats,
  type Tensor,
  zeros,
} from "fuseau";
import { describe, expect, it } from "vitest";

type Batch = Tensor<[number, 6], "float32">;
const batch = (size: number): Batch => rand([size, 6]).compute() as unknown as Batch;
const sizes = [40, 90, 60, 20, 75, 120, 30, 110, 50, 85, 64, 33, 100, 101, 25, 118];

const same = (a: AnyTensor, b: AnyTensor): boolean =>
  JSON.stringify([a.shape, a.toArray()]) === JSON.stringify([b.shape, b.toArray()]);

describe("jit with sizes that are stated to vary", () => {
  it("records at a few sizes, and runs at all between them to the same bits", () => {
    const weights = rand([6, 5]).compute();
    let calls = 0;
    const fn = (x: Batch) => {
      calls++;
      return { y: x.matmul(weights).relu().sub(x.mean()), rows: x.reshape([x.shape[0] * 2, 3]).sum(1) };
    };
    const jitted = jit(fn, { dynamic: [[0]], emitter: "js" });
    for (const size of sizes) {
      const x = batch(size);
      const given = jitted(x);
      const wanted = fn(x);
      calls--;
      compute(wanted.y, wanted.rows, { emitter: "js" });
      expect(same(given.y, wanted.y), `y at ${size}`).toBe(true);
      expect(same(given.rows, wanted.rows), `rows at ${size}`).toBe(true);
    }
    const before = calls;
    expect(before).toBeLessThan(14);
    for (let size = 21; size < 119; size++) expect(jitted(batch(size)).y.shape).toEqual([size, 5]);
    expect(calls).toBe(before);
  });

  it("takes steps of training: parameters are written in place, numbers are each call's own", () => {
    const make = () => {
      const w = zeros([6, 1]).add(0.1).compute().requiresGrad_();
      const step = (given: { x: Batch; y: Tensor<[number, 1], "float32"> }, rate: FloatScalar) => {
        w.grad = null;
        const loss = given.x.matmul(w).sub(given.y).square().mean();
        loss.backward();
        noGrad(() => w.sub_((w.grad as AnyTensor as typeof w).mul(rate)));
        return loss;
      };
      return { w, step };
    };
    const [one, other] = [make(), make()];
    let calls = 0;
    const step = jit(
      (...args: Parameters<typeof one.step>) => {
        calls++;
        return one.step(...args);
      },
      { dynamic: [{ x: [0], y: [0] }] },
    );
    [...sizes, ...sizes.map((size) => Math.min(size + 1, 120))].forEach((size, k) => {
      const given = { x: batch(size), y: ones([size, 1]) as unknown as Tensor<[number, 1], "float32"> };
      const rate = 0.1 / (k + 1);
      expect(same(step(given, float(rate)), other.step(given, float(rate))), `loss at ${size}`).toBe(true);
      expect(same(one.w, other.w), `weights after ${size}`).toBe(true);
    });
    expect(calls).toBeLessThan(sizes.length);
  });

  it("records at each size what is not the same at all", () => {
    let calls = 0;
    const jitted = jit(
      (x: Batch) => {
        calls++;
        return x.shape[0] % 2 === 0 ? x.mul(2) : x.exp();
      },
      { dynamic: [[0]] },
    );
    for (const size of sizes) {
      const x = batch(size);
      expect(same(jitted(x), size % 2 === 0 ? x.mul(2) : x.exp()), `${size}`).toBe(true);
    }
    expect(calls).toBeLessThanOrEqual(sizes.length);
  });

  it("explains which size is known late", () => {
    const jitted = jit((x: Batch) => x.mul(3.5).sum(1), { dynamic: [[0]] });
    for (const size of sizes) jitted(batch(size));
    const { late } = jitted.explain(batch(77));
    expect(late?.free).toMatchObject([{ name: "n", size: 77 }]);
    expect(late?.inputs).toEqual(["float32[n, 6]"]);
    expect(`${jitted.explain(batch(77))}`).toContain("sizes known late\n  n = 77; the same for");
  });

  it("is promised for sizes from 2 on: a size of 1 refutes nothing", () => {
    let calls = 0;
    const bias = rand([6]).compute();
    const jitted = jit(
      (x: Batch) => {
        calls++;
        return x.add(bias).square().sum(1);
      },
      { dynamic: [[0]] },
    );
    for (const size of [1, ...sizes, 1, ...sizes.map((own) => own + 1)]) jitted(batch(size));
    // Two programs, since the smaller sizes run as text.
    expect(calls).toBeLessThanOrEqual(12);
  });

  it("goes on where counts are so small that rules look at them", () => {
    let calls = 0;
    const fn = (x: Batch) => {
      calls++;
      return x.tanh().mean(0);
    };
    const jitted = jit(fn, { dynamic: [[0]] });
    for (const size of [2, ...sizes, 3, 4, 5, 1]) jitted(batch(size));
    const before = calls;
    for (const size of [2, 3, 4, 5, ...sizes, 1]) {
      const x = batch(size);
      const mean = jitted(x);
      expect(calls).toBe(before);
      expect(same(mean, x.tanh().mean(0)), `${size}`).toBe(true);
    }
  });

  it("does not take for small counts what the function does by size", () => {
    const jitted = jit((x: Batch) => x.mul(x.shape[0] % 2 === 0 ? 0.5 : 7.5).sum(1), { dynamic: [[0]] });
    for (const size of [...sizes, ...sizes]) {
      const x = batch(size);
      expect(same(jitted(x), x.mul(size % 2 === 0 ? 0.5 : 7.5).sum(1)), `${size}`).toBe(true);
    }
  });

  it("compiles a program for all, though nothing is stated", () => {
    const jitted = jit((x: Batch) => x.mul(3.25).exp().sum(0));
    const before = stats();
    for (let size = 200; size < 300; size++) jitted(batch(size));
    const { programs, late } = stats();
    const misses = programs.misses - before.programs.misses;
    // Those that make the batches are counted too.
    expect(misses + late.programs - before.late.programs).toBeLessThanOrEqual(8);
  });

  it.each([
    [[[2]], RangeError, /jit: dynamic\[0\] names axis 2 of a tensor of 2 dimensions/],
    [[{ x: [0] }], TypeError, /jit: dynamic\[0\] does not go with its argument/],
    [[null, [0]], TypeError, /jit: dynamic\[1\] does not go with its argument/],
  ] as const)("refuses %j, at the line of the call", (dynamic, type, message) => {
    const jitted = jit((x: Batch, k: number) => x.mul(k), { dynamic });
    let caught: unknown;
    try {
      jitted(batch(3), 2);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(type);
    expect(`${caught}`).toMatch(message);
  });

  it("refuses what is no list", () => {
    expect(() => jit((x: Batch) => x, { dynamic: 0 as never })).toThrow(
      /jit: dynamic must be an array, but got 0/,
    );
  });
});

it("with two sizes that vary, a size that comes again beside another one is another call", () => {
  const made = (rows: number, columns: number) =>
    arange(rows * 3 * columns)
      .reshape([rows, 3, columns])
      .float()
      .compute();
  const next = jit((x: AnyTensor) => x.add(1), { dynamic: [[0, 2]] });
  for (const columns of [2, 3, 4, 5, 6, 7])
    for (const rows of [3, 64, 501]) next(made(rows, columns)).compute();
  for (const [rows, columns] of [
    [3, 9],
    [64, 9],
    [3, 7],
    [64, 7],
  ] as const) {
    const x = made(rows, columns);
    expect(next(x).shape).toEqual([rows, 3, columns]);
    expect(next(x).toTypedArray()).toEqual(x.add(1).toTypedArray());
  }
});

describe("a small size, whose own program has other loops", () => {
  it.each([
    ["stated to vary", { dynamic: [[0]] }],
    ["not stated", {}],
  ] as const)("has that program when it comes often, and the same bits before (%s)", (_, options) => {
    clearCaches();
    const weights = [rand([64, 128]).compute(), rand([128, 128]).compute()] as const;
    const layers = (x: Tensor<[number, 64], "float32">) => x.matmul(weights[0]).relu().matmul(weights[1]);
    const jitted = jit(layers, { ...options, emitter: "wasm" });
    for (const size of [40, 50, 60, 70, 80]) jitted(rand([size, 64]));
    const [x, y] = [rand([5, 64]).compute(), rand([7, 64]).compute()];
    const before = stats();
    const first = jitted(x).toArray();
    jitted(y);
    expect(stats().late.instances - before.late.instances).toBe(2);
    expect(jitted.explain(x).alone).toBe(null);
    for (let again = 0; again < 10; again++) expect(jitted(x).toArray()).toEqual(first);
    expect(jitted.explain(x).late).toBe(null);
    expect(jitted.explain(x).alone).toMatch(/small ones that come often are compiled by themselves/);
    expect(stats().programs.misses - before.programs.misses).toBe(1);
  });
});
