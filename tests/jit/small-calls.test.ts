/** Small calls take ways of their own (jit/direct.ts, `atOnce` of the backends); whatever they are called with, bits are those of the function. */
import {
  arange,
  clearCaches,
  full,
  getThreads,
  jit,
  setOptions,
  setThreads,
  stats,
  type Tensor,
  tensor,
} from "fuseau";
import { describe, expect, it } from "vitest";

const emitters = ["js", "wasm", "closure"] as const;
const fn = (a: Tensor, b: Tensor): Tensor => a.mul(b).add(a).sub(0.3).div(b);

const row = (length: number, start: number): Tensor =>
  arange(length, { dtype: "float32" }).mul(0.37).add(start).compute() as Tensor;

describe.each(emitters)("with kernels of %s", (emitter) => {
  const bits = (x: Tensor): unknown => x.compute({ emitter }).toTypedArray();

  it("operands may be one tensor, views, parts of one another, expanded, 0-d and empty", () => {
    const jitted = jit(fn, { emitter });
    const base = row(40, 1);
    const square = base.slice([0, 16]).reshape([4, 4]);
    const pairs: readonly (readonly [Tensor, Tensor])[] = [
      [row(8, 1), row(8, 2)],
      [base.slice([0, 8]), base.slice([4, 12])],
      [base.slice([0, 8]), base.slice([0, 8])],
      [base.slice([0, 16, 2]), base.slice([1, 17, 2])],
      [square, square.t()],
      [row(1, 2).expand([4, 4]), square],
      [tensor(1.25), tensor(0.3)],
      [full([0, 3], 1), full([0, 3], 2)],
      [row(3, 1), row(3, 1).reshape([1, 3])],
    ];
    for (let round = 0; round < 4; round++)
      for (const [a, b] of pairs) {
        expect(bits(jitted(a, b))).toEqual(bits(fn(a, b)));
        expect(bits(jitted(a, a))).toEqual(bits(fn(a, a)));
        expect(bits(jitted(b, a))).toEqual(bits(fn(b, a)));
      }
  });

  it("recorded with one tensor twice it holds for no two, and the reverse", () => {
    const [a, b] = [row(5, 1), row(5, 3)];
    const twice = jit(fn, { emitter });
    const apart = jit(fn, { emitter });
    expect(bits(twice(a, a))).toEqual(bits(fn(a, a)));
    expect(bits(apart(a, b))).toEqual(bits(fn(a, b)));
    for (let round = 0; round < 3; round++) {
      expect(bits(twice(a, b))).toEqual(bits(fn(a, b)));
      expect(bits(apart(b, b))).toEqual(bits(fn(b, b)));
      expect(bits(twice(b, b))).toEqual(bits(fn(b, b)));
    }
  });

  it("sizes that come in any order, in turn with others, give what each gives op by op", () => {
    const whole = row(1_200, -200);
    const functions = [
      (x: Tensor) => x.mul(1.5).add(0.25).sum(),
      (x: Tensor) => x.cumsum(0).sort(0, { descending: true }).values.mul(0.5),
      (x: Tensor) => x.sub(x.mean()).square().cumsum(0).flip(0).cumsum(0),
    ] as const;
    // Around the length from which operands of float32 are no longer copied, too.
    const lengths = [
      20, 25, 40, 700, 33, 1_000, 21, 999, 1_023, 1_040, 1_024, 1_100, 1_025, 1_022, 22, 1_060,
    ];
    for (const length of [...lengths, ...[...lengths].reverse()])
      for (const f of functions) {
        const [view, own] = [whole.slice([0, length]) as Tensor, row(length, -100)];
        expect(bits(f(view))).toEqual(f(view).compute({ emitter, fusion: "none" }).toTypedArray());
        expect(bits(f(own))).toEqual(f(own).compute({ emitter, fusion: "none" }).toTypedArray());
        const written = own.clone().compute({ emitter }) as Tensor;
        written.sub_(written.mean()).mul_(2);
        expect(bits(written)).toEqual(
          own.sub(own.mean()).mul(2).compute({ emitter, fusion: "none" }).toTypedArray(),
        );
      }
  });

  it("gives memory of its own at each call", () => {
    const jitted = jit((x: Tensor) => x.add(1), { emitter });
    for (const length of [1, 16, 17, 100, 1_000]) {
      const results = Array.from({ length: 20 }, (_, k) => jitted(full([length], k, { dtype: "float32" })));
      results.forEach((result, k) => {
        expect(result.toTypedArray()).toEqual(new Float32Array(length).fill(k + 1));
      });
      for (const result of results.slice(0, 10)) result.add_(0.5);
      expect(results.map((result) => result.sum().item())).toEqual(
        results.map((_, k) => length * (k + 1 + (k < 10 ? 0.5 : 0))),
      );
    }
  });

  it("reads what was written in place since, and what was computed meanwhile", () => {
    const state = row(6, 1);
    const jitted = jit((x: Tensor) => state.mul(x), { emitter });
    for (let k = 0; k < 5; k++) {
      state.add_(k);
      const lazy = row(6, k).mul(2);
      expect(bits(jitted(lazy))).toEqual(bits(state.mul(lazy)));
    }
  });

  it("refuses a tensor that was disposed of, and goes on with another", () => {
    const jitted = jit(fn, { emitter });
    const [a, b] = [row(4, 1), row(4, 2)];
    for (let round = 0; round < 3; round++) {
      const gone = row(4, 3);
      expect(bits(jitted(a, gone))).toEqual(bits(fn(a, gone)));
      gone.dispose();
      expect(() => jitted(a, gone)).toThrow(/given back by dispose/);
      expect(bits(jitted(a, b))).toEqual(bits(fn(a, b)));
    }
  });

  it("a result that was disposed of gives its memory back, and no other", () => {
    const jitted = jit((x: Tensor) => x.mul(2), { emitter });
    const x = row(100, 1);
    const kept = jitted(x);
    for (let k = 0; k < 50; k++) jitted(x).dispose();
    expect(bits(kept)).toEqual(bits(x.mul(2)));
  });

  it("goes on after an error in the elements, which has the user's line", () => {
    const jitted = jit((x: Tensor, index: Tensor<number[], "int64">) => x.gather(0, index), { emitter });
    const x = row(4, 1);
    const good = tensor([0, 3], { dtype: "int64" });
    for (let round = 0; round < 3; round++) {
      expect(bits(jitted(x, good))).toEqual(bits(x.gather(0, good)));
      expect(() => jitted(x, tensor([0, 4], { dtype: "int64" }))).toThrow(/^gather/);
    }
  });

  it("writes over what it may, and only that", () => {
    const state = row(10, 1);
    const other = row(10, 1);
    const step = (x: Tensor): Tensor => {
      state.sub_(x.mul(0.1));
      return state.sum();
    };
    const jitted = jit(step, { emitter });
    const seen: unknown[] = [];
    for (let k = 0; k < 6; k++) {
      const x = row(10, k);
      const copy = state.clone().compute();
      const sum = jitted(x);
      other.sub_(x.mul(0.1));
      expect(bits(state)).toEqual(bits(other));
      expect(bits(sum)).toEqual(bits(other.sum()));
      seen.push(copy.toTypedArray());
    }
    expect(new Set(seen.map(String)).size).toBe(6);
  });
});

it("calls of several shapes take turns, and the one used longest ago is forgotten first", () => {
  let calls = 0;
  const jitted = jit(
    (x: Tensor) => {
      calls++;
      return x.mul(2).add(1);
    },
    { cacheLimit: 3 },
  );
  const give = (length: number): void => {
    const x = row(length, length);
    expect(jitted(x).toTypedArray()).toEqual(x.mul(2).add(1).toTypedArray());
  };
  for (let round = 0; round < 3; round++) for (const length of [3, 4, 5]) give(length);
  expect(calls).toBe(3);
  give(3);
  give(6);
  for (const length of [3, 5, 6]) give(length);
  expect(calls).toBe(4);
  give(4);
  expect(calls).toBe(5);
});

it("operands in linear memory may come, stay, leave and come back, on any number of threads", () => {
  const threads = getThreads();
  try {
    for (const linearBytesLimit of [undefined, 0, 4_096]) {
      setOptions({ linearBytesLimit });
      setThreads(linearBytesLimit === 0 ? 1 : 2);
      const add = jit((a: Tensor, b: Tensor) => a.mul(b).add(b), { emitter: "wasm" });
      const sums = jit((a: Tensor) => a.sum(), { emitter: "wasm" });
      const all = Array.from({ length: 12 }, (_, k) => row(60 + 80 * k, k));
      const expected = all.map((x) => x.mul(x).add(x).compute({ emitter: "wasm" }).toTypedArray());
      const total = all.map((x) => x.sum().compute({ emitter: "wasm" }).item());
      for (let round = 0; round < 4; round++) {
        all.forEach((x, k) => {
          expect(add(x, x).toTypedArray()).toEqual(expected[k]);
          expect(sums(x).item()).toBe(total[k]);
        });
        if (round === 1) clearCaches();
      }
      for (const x of all) x.dispose();
      const large = row(50_000, 1);
      expect(add(large, large).sum().item()).toBe(large.mul(large).add(large).sum().item());
    }
  } finally {
    setOptions({ linearBytesLimit: undefined });
    setThreads(threads);
  }
});

it("a program that runs at once is counted as any other", () => {
  const jitted = jit((x: Tensor) => x.mul(2).add(1));
  const x = row(8, 1);
  jitted(x);
  const before = stats().runs;
  for (let k = 0; k < 5; k++) jitted(x);
  expect(stats().runs.programs - before.programs).toBe(5);
});
