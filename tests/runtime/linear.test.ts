/** Programs in linear memory: the same answers on any number of threads, and nothing left behind. */
import {
  arange,
  clearCaches,
  fromTypedArray,
  getThreads,
  setThreads,
  stats,
  type Tensor,
  tensor,
  tidy,
  zeros,
} from "fuseau";
import { afterEach, describe, expect, it } from "vitest";
import { workerPool } from "../../packages/runtime/src/backends/linear-pool.ts";

const WASM = { emitter: "wasm" } as const;
const threads = getThreads();
afterEach(() => setThreads(threads));

const numbers = (rows: number, columns: number): Tensor<number[], "float32"> =>
  fromTypedArray(
    Float32Array.from({ length: rows * columns }, (_, k) => Math.sin(k) * 3),
    { shape: [rows, columns] },
  );

describe("programs in linear memory", () => {
  it("give the same bits on one thread and on several", async () => {
    const x = numbers(700, 900);
    const expressions = [
      () => x.mul(2).add(x.mean(0)).exp(),
      () => x.softmax(1),
      () => x.softmax(0),
      () => x.sum(),
      () => x.sub(x.mean()).square().mean(),
      () => x.cumsum(1).mul(2),
      () => x.argmax(0),
      // Keys wait in the memory of a result: each thread needs a row of its own.
      () => x.sort(1).values.sum(0),
      () => x.sort(0).values.sum(1),
    ];
    setThreads(1);
    const alone = expressions.map((make) => make().compute(WASM).toTypedArray());
    setThreads(Math.max(2, threads));
    // They start in the background.
    expect(await workerPool().prepare()).toBeGreaterThan(1);
    const together = expressions.map((make) => make().compute(WASM).toTypedArray());
    const bytes = ({ buffer }: { readonly buffer: ArrayBufferLike }): Buffer => Buffer.from(buffer);
    const same = together.map((array, k) => bytes(array).equals(bytes(alone[k]!)));
    expect(same).toEqual(expressions.map(() => true));
  });

  it("leave their results where the next one reads them, and are read by JS kernels too", () => {
    const x = numbers(50, 60);
    const doubled = x.mul(2).compute(WASM);
    const both = doubled.add(x).compute(WASM);
    expect(doubled.sub(x).compute({ emitter: "js" }).toTypedArray()).toEqual(x.toTypedArray());
    expect(both.sub(doubled).compute(WASM).toTypedArray()).toEqual(
      both.sub(doubled).compute({ emitter: "js" }).toTypedArray(),
    );
  });

  it("write in place where nobody reads the old elements", () => {
    const x = zeros([40, 50]).add(1).compute(WASM);
    for (let k = 0; k < 5; k++) {
      x.mul_(2);
      x.narrow(0, 0, 10).add_(1);
      x.compute(WASM);
    }
    const [first] = x.select(1, 0).toArray() as number[];
    expect([first, x.select(0, 39).select(0, 0).item()]).toEqual([63, 32]);
  });

  it("name a bad index as JS kernels do, and go on working", () => {
    const x = numbers(40, 50);
    const read = (): unknown => x.gather(1, tensor([[0], [50]], { dtype: "int64" })).compute(WASM);
    expect(read).toThrow(/index 50 .*out of bounds/);
    expect(x.add(1).compute(WASM).numel()).toBe(2_000);
  });

  it("give their memory back", () => {
    clearCaches();
    const x = numbers(100, 100);
    const before = stats().linear.results;
    const y = x.exp().compute(WASM);
    expect(stats().linear.results).toBeGreaterThan(before);
    y.dispose();
    expect(stats().linear.results).toBe(before);
  });
});

describe("what was written in place", () => {
  const z = arange(20_000, { dtype: "int32" }).compute(WASM);
  const left = (work: () => void): number => {
    work();
    const before = stats().linear.used;
    for (let k = 0; k < 5; k++) work();
    return stats().linear.used - before;
  };

  it("goes with the tensor that was written, computed again or not", () => {
    const written = (compute: boolean) => () => {
      const y = z.mul(3).compute(WASM);
      y.add_(1);
      if (compute) y.compute(WASM);
      y.dispose();
    };
    expect([left(written(false)), left(written(true))]).toEqual([0, 0]);
  });

  it("goes with its view", () => {
    const work = () => {
      const y = z.mul(3).compute(WASM);
      const view = y.narrow(0, 1, 100);
      view.add_(1);
      view.compute(WASM);
      view.dispose();
      y.dispose();
    };
    expect(left(work)).toBe(0);
  });

  it("goes at the end of tidy", () => {
    const work = () => {
      const last = tidy(() => {
        const y = z.mul(3).compute(WASM);
        y.add_(1);
        return y.sum().item();
      });
      expect(last).toBe(599_990_000);
    };
    expect(left(work)).toBe(0);
  });
});

describe("where a program runs", () => {
  it("storing is work: large movements run where their elements are", () => {
    const turned = numbers(200, 100).add(1).compute(WASM).t().clone();
    expect(turned.explain().toJSON().emitterReason).toMatch(/work of 20,000 additions, at least/);
  });

  it("what can never fit into linear memory runs on the heap", () => {
    const huge = zeros([33_000, 33_000]).add(arange(33_000));
    const { emitterReason } = huge.explain().toJSON();
    expect(emitterReason).toMatch(/4,356,\d{3},\d{3} bytes are more than WebAssembly's memory can hold/);
  });
});
