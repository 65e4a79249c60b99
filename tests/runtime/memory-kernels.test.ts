/** What caches keep: of a kernel no more than is needed to run it, and of a program what it weighs. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type AnyTensor, clearCaches, conv2d, maxPool2d, randn, setOptions, stats } from "fuseau";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ModuleBuilder } from "../../packages/compiler/src/emit/wasm/encode/module.ts";
import { LruCache } from "../../packages/runtime/src/cache/lru.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");
const nextTask = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** How many are still in memory when the garbage collector has run until no more than so many are. */
async function leftOf(held: readonly WeakRef<object>[], most: number): Promise<number> {
  const left = (): number => held.filter((each) => each.deref() !== undefined).length;
  for (let k = 0; k < 10 && left() > most; k++) {
    await nextTask();
    collect();
  }
  return left();
}

beforeEach(() => clearCaches());
afterEach(() => setOptions({ emitter: undefined, programCacheLimit: undefined }));

const programs: Readonly<Record<string, (x: AnyTensor) => AnyTensor>> = {
  "pointwise, with lane functions": (x) => x.sin().exp().mul(x.tanh()),
  softmax: (x) => x.softmax(-1),
  "sums of columns and of all": (x) => x.sum(0).add(x.square().sum()),
  "a long sum, by blocks": (x) => x.expand([40, 64, 64]).mul(2).sum(),
  "a product": (x) => x.matmul(x.t()),
  "a product with computed operands": (x) => x.add(1).matmul(x.exp().t()).relu(),
  "a product of few rows": (x) => x.narrow(0, 0, 2).matmul(x),
  "a convolution with pooling": (x) => {
    const images = x.reshape([2, 2, 32, 32]);
    return maxPool2d(conv2d(images, randn([8, 2, 5, 5]).compute()).relu(), 2);
  },
  "a sort": (x) => x.sort(-1).values,
  "a scan": (x) => x.cumsum(1).cumsum(0),
  "a gather and a scatter": (x) => {
    const places = x.argsort(1);
    return x.gather(1, places).scatterAdd(1, places, x);
  },
  "a transposition": (x) => x.t().contiguous(),
};

it.each(Object.entries(programs))("a kernel does not keep what wrote it: %s", async (_, program) => {
  const written: WeakRef<ModuleBuilder>[] = [];
  const { toBytes } = ModuleBuilder.prototype;
  ModuleBuilder.prototype.toBytes = function (...given): ReturnType<typeof toBytes> {
    written.push(new WeakRef(this));
    return toBytes.apply(this, given);
  };
  setOptions({ emitter: "wasm" });
  try {
    const x = randn([64, 64]).compute();
    program(x).compute();
    program(x).compute();
  } finally {
    ModuleBuilder.prototype.toBytes = toBytes;
  }
  expect(written.length).toBeGreaterThan(0);
  expect(await leftOf(written, 0)).toBe(0);
  expect(stats().kernels.size).toBeGreaterThan(0);
});

it("a program that is dropped from the cache is held by nothing", async () => {
  const kept: WeakRef<object>[] = [];
  const { add } = LruCache.prototype;
  LruCache.prototype.add = function (key: unknown, entry: unknown, bytes: number) {
    if (typeof entry === "object" && entry !== null && "program" in entry) kept.push(new WeakRef(entry));
    return add.call(this, key, entry, bytes);
  };
  setOptions({ programCacheLimit: 6 });
  try {
    const x = randn([4, 8]).compute();
    // Each is followed by others than the latest.
    const hubs = [() => x.sub(1).square(), () => x.add(1).exp(), () => x.sum(0)];
    for (let round = 0; round < 3; round++)
      for (let length = 2; length < 30; length++)
        for (let again = 0; again < 9; again++) {
          let y: AnyTensor = x;
          hubs[length % 3]?.().compute();
          for (let k = 0; k < length; k++) y = y.mul(1.01).sum(1, { keepdim: true }).add(x);
          y.compute();
        }
  } finally {
    LruCache.prototype.add = add;
  }
  expect(kept.length).toBeGreaterThan(40);
  expect(await leftOf(kept, 7)).toBeLessThanOrEqual(7);
});

it("a kernel that many calls share weighs once", () => {
  const [x, y] = [randn([4, 8]).compute(), randn([4, 8]).compute()];
  const rounds = (count: number): AnyTensor => {
    let z: AnyTensor = x;
    for (let k = 0; k < count; k++) z = z.matmul(y.t()).softmax(-1).matmul(x).add(y);
    return z;
  };
  const weightOf = (count: number): number => {
    const before = stats().programs;
    for (let k = 0; k < 40; k++) {
      rounds(count).compute();
      for (let other = 0; other < 20; other++) x.add(1).compute();
    }
    const after = stats().programs;
    expect(after.evictions).toBe(before.evictions);
    return after.bytes - before.bytes;
  };
  weightOf(2);
  const [short, long] = [weightOf(3), weightOf(12)];
  expect(long).toBeLessThan(2 * short);
});
