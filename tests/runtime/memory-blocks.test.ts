import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { DType, TypedArray } from "@fuseau/ir";
import { clearCaches, fromTypedArray, type LinearCounters, setOptions, stats } from "fuseau";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LinearWorkspace } from "../../packages/runtime/src/backends/linear-workspace.ts";
import { type LinearBlock, linearBlocks } from "../../packages/runtime/src/memory/blocks.ts";
import { linearMemory } from "../../packages/runtime/src/memory/linear.ts";
import { pressCollector } from "../../packages/runtime/src/memory/pressure.ts";
import { makeRoom } from "../../packages/runtime/src/memory/residents.ts";
import { settleResult } from "../../packages/runtime/src/memory/results.ts";
import { Storage } from "../../packages/runtime/src/storage.ts";

const COUNT = 10_000;
const BYTES = 4 * COUNT;
const linearOf = (): LinearCounters => stats().linear;

const elementsAt = ({ pointer }: LinearBlock, count = COUNT): TypedArray =>
  linearMemory()!.elements("float32", pointer, count);
const filled = (value: number, count = COUNT): Float32Array => new Float32Array(count).fill(value);

/** A result as a kernel leaves it. */
function computed(value: number, count = COUNT, dtype: DType = "float32"): Storage {
  using workspace = new LinearWorkspace();
  const block = workspace.take("uint8", 4 * count);
  (elementsAt(block, count) as Float32Array).fill(value);
  return workspace.settle(block, dtype, count);
}

const lent = { op: "fromTypedArray", shape: [COUNT] };
const onHeap = (value: number, isLent = false): Storage =>
  new Storage("float32", filled(value), isLent ? lent : null);

let alive: Storage[] = [];
/** Given back after the test. */
const kept = (storage: Storage): Storage => {
  alive.push(storage);
  return storage;
};

beforeEach(() => clearCaches());
afterEach(() => {
  setOptions({ linearBytesLimit: undefined });
  for (const storage of alive) storage.release();
  alive = [];
  clearCaches();
  expect(linearOf()).toMatchObject({ used: 0, results: 0, copies: 0 });
});

describe("a result", () => {
  it("stays where it was computed", () => {
    const x = kept(computed(7));
    expect(x.isIn(linearBlocks)).toBe(true);
    expect(linearOf()).toMatchObject({ results: BYTES, copies: 0 });
    expect(linearOf().reserved).toBeGreaterThanOrEqual(16 * 2 ** 20);
    expect(x.copy()).toEqual(filled(7));
    expect(x.isIn(linearBlocks)).toBe(true);
  });
  it("of no more than 1,024 elements moves to the heap, and leaves nothing behind", () => {
    const x = kept(computed(7, 1_024));
    expect(x.isIn(linearBlocks)).toBe(false);
    expect(linearOf().used).toBe(0);
    expect(x.array).toEqual(filled(7, 1_024));
  });
  it("moves to the heap when it is read there; its block is a copy from then on, which later runs read", () => {
    const x = kept(computed(7));
    expect(x.array).toEqual(filled(7));
    expect(x.array).toBe(x.array);
    expect(linearOf()).toMatchObject({ results: 0, copies: BYTES });
    using workspace = new LinearWorkspace();
    expect(elementsAt(workspace.operand(x))).toEqual(filled(7));
    expect(linearOf().copies).toBe(BYTES);
  });
  it("is not changed by what is computed after it was read", () => {
    const x = computed(7);
    const [array, copy] = [x.array, x.copy()];
    clearCaches();
    kept(computed(8));
    expect([array, copy]).toEqual([filled(7), filled(7)]);
    x.release();
    kept(computed(9));
    expect(copy).toEqual(filled(7));
  });
  it("gives its block back when the last owner lets go, for the next to be computed in", () => {
    const x = computed(7).share();
    x.release();
    expect(linearOf().results).toBe(BYTES);
    const before = linearBlocks.take(BYTES);
    before.give();
    x.release();
    expect(linearOf()).toMatchObject({ used: 0, results: 0 });
    expect(takenAndGiven(BYTES).pointer).toBeLessThan(before.pointer);
    expect(() => x.array).toThrow(/given back by dispose\(\)/);
    expect(() => x.copy()).toThrow(/given back by dispose\(\)/);
    expect(() => x.hold(linearBlocks)).toThrow(/given back by dispose\(\)/);
  });
  it("has the elements of its dtype", () => {
    using workspace = new LinearWorkspace();
    const block = workspace.take("uint8", 8 * COUNT);
    linearMemory()!.elements("int64", block.pointer, COUNT).fill(-3n);
    const x = kept(workspace.settle(block, "int64", COUNT));
    expect(x.copy()).toEqual(new BigInt64Array(COUNT).fill(-3n));
  });
});

function takenAndGiven(bytes: number): LinearBlock {
  const block = linearBlocks.take(bytes);
  block.give();
  return block;
}

describe("room", () => {
  it("is made by moving results used longest ago to the heap, where nothing says how to compute them again", () => {
    setOptions({ linearBytesLimit: 2 * BYTES });
    const { movedOut } = stats().results;
    const [a, b, c] = [1, 2, 3].map((value) => kept(computed(value))) as [Storage, Storage, Storage];
    {
      using workspace = new LinearWorkspace();
      workspace.operand(a);
    }
    makeRoom(BYTES);
    expect([a, b, c].map((x) => x.isIn(linearBlocks))).toEqual([true, false, false]);
    expect(linearOf()).toMatchObject({ results: BYTES });
    expect(stats().results.movedOut).toBe(movedOut + 2);
    expect([a, b, c].map((x) => x.array)).toEqual([1, 2, 3].map((value) => filled(value)));
  });
  it("is made by forgetting copies, those read longest ago first", () => {
    setOptions({ linearBytesLimit: 3 * BYTES });
    const [a, b, c] = [kept(onHeap(1)), kept(onHeap(2)), kept(onHeap(3))];
    for (const x of [a, b, a, c]) {
      using workspace = new LinearWorkspace();
      workspace.operand(x);
    }
    makeRoom(BYTES);
    expect([a, b, c].map((x) => x.isIn(linearBlocks))).toEqual([true, false, true]);
    expect(linearOf()).toMatchObject({ copies: 2 * BYTES });
    setOptions({ linearBytesLimit: BYTES });
    expect(linearOf()).toMatchObject({ copies: BYTES });
  });
  it("is a whole number of bytes", () => {
    expect(() => setOptions({ linearBytesLimit: -1 })).toThrow(
      "setOptions: linearBytesLimit must be a whole number of at least 0, not -1",
    );
  });
});

describe("an operand on the heap", () => {
  it("is copied once, and read there by later runs", () => {
    const array = filled(1);
    const x = kept(new Storage("float32", array, lent));
    const places = [1, 2].map(() => {
      using workspace = new LinearWorkspace();
      const block = workspace.operand(x);
      expect(elementsAt(block)).toEqual(filled(1));
      return block.pointer;
    });
    expect(places[1]).toBe(places[0]);
    expect(linearOf()).toMatchObject({ copies: BYTES, results: 0 });
    expect(x.array).toBe(array);
  });
  it("is copied again once its copy was forgotten", () => {
    const x = kept(onHeap(1));
    for (let k = 0; k < 2; k++) {
      using workspace = new LinearWorkspace();
      expect(elementsAt(workspace.operand(x))).toEqual(filled(1));
      clearCaches();
      expect(linearOf().copies).toBe(BYTES);
      workspace.close();
      clearCaches();
      expect(linearOf().copies).toBe(0);
    }
  });
  it("of few bytes is copied for each run anew", () => {
    const x = kept(new Storage("float32", filled(1, 1_024)));
    using workspace = new LinearWorkspace();
    expect(elementsAt(workspace.operand(x), 1_024)).toEqual(filled(1, 1_024));
    expect(linearOf().copies).toBe(0);
    workspace.close();
    expect(linearOf().used).toBe(0);
  });
  it("takes its copy with it", () => {
    const x = onHeap(1);
    {
      using workspace = new LinearWorkspace();
      workspace.operand(x);
    }
    x.release();
    expect(linearOf().copies).toBe(0);
  });
});

describe("a run", () => {
  it("has its operands until it ends, whoever disposes of them meanwhile", () => {
    setOptions({ linearBytesLimit: BYTES });
    const x = computed(7);
    const y = onHeap(8);
    const workspace = new LinearWorkspace();
    const [p, q] = [workspace.operand(x), workspace.operand(y)];
    x.release();
    y.release();
    kept(computed(9));
    expect([elementsAt(p), elementsAt(q)]).toEqual([filled(7), filled(8)]);
    workspace.close();
    expect(linearOf()).toMatchObject({ results: BYTES, copies: 0 });
  });
  it("gives back what it took and did not settle, once", () => {
    const workspace = new LinearWorkspace();
    workspace.take("uint8", BYTES);
    const x = workspace.settle(workspace.take("uint8", BYTES), "float32", COUNT);
    workspace.close();
    workspace.close();
    expect(linearOf().results).toBe(BYTES);
    expect(linearOf().used).toBeLessThan(2 * BYTES);
    x.release();
  });
});

describe("memory that is out", () => {
  it("is a RangeError that says what was asked for, what is in use and what helps; all results stay", () => {
    const x = kept(computed(7));
    const y = kept(onHeap(8));
    {
      using workspace = new LinearWorkspace();
      workspace.operand(y);
      expect(() => workspace.take("uint8", 2 ** 33)).toThrow(
        new RangeError(
          `compute: out of memory: 8589934592 bytes of linear memory were asked for, and ${linearOf().used} are in use (40000 by results, 40000 by copies of operands); dispose() of results that are no longer needed, let tidy() do so, compute in parts, or on the JavaScript heap with compute({ emitter: "js" })`,
        ),
      );
    }
    expect([x.copy(), y.array]).toEqual([filled(7), filled(8)]);
  });
  it("makes what is idle go first", () => {
    const [x, y, z] = [kept(onHeap(7)), kept(onHeap(8)), kept(computed(9))];
    using workspace = new LinearWorkspace();
    workspace.operand(x);
    {
      using other = new LinearWorkspace();
      other.operand(y);
    }
    expect(() => workspace.take("uint8", 2 ** 32 - 65_536)).toThrow(RangeError);
    expect([x, y, z].map((storage) => storage.isIn(linearBlocks))).toEqual([true, false, false]);
    expect(z.array).toEqual(filled(9));
  });
  it("leaves the block to the run when a small result cannot move", () => {
    const block = linearBlocks.take(64);
    const limit = vi.spyOn(Float32Array.prototype, "set").mockImplementation(() => {
      throw new RangeError("no memory");
    });
    expect(() => settleResult(block, "float32", 16)).toThrow("no memory");
    limit.mockRestore();
    expect(block.use).toBe("run");
    block.give();
  });
});

describe("the garbage collector", () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const nextTask = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it("brings back the blocks of results that nobody has", async () => {
    const { reclaimed } = stats().results;
    const x = fromTypedArray(filled(1));
    const held = x.add(1).compute({ emitter: "wasm" });
    (() => {
      for (let k = 2; k < 5; k++) x.add(k).compute({ emitter: "wasm" });
    })();
    expect(linearOf().results).toBe(4 * BYTES);
    for (let k = 0; k < 10 && linearOf().results > BYTES; k++) {
      await nextTask();
      collect();
      await nextTask();
    }
    expect(linearOf().results).toBe(BYTES);
    expect(stats().results.reclaimed).toBe(reclaimed + 3);
    expect(held.slice([0, 2]).toArray()).toEqual([2, 2]);
    held.dispose();
  });
  it("is pressed every 8 results at most, and more and more rarely while that gains nothing", () => {
    let made = 0;
    vi.stubGlobal("WebAssembly", {
      Memory: class {
        constructor() {
          made++;
        }
      },
    });
    const bursts = (calls: number, reclaimed: (call: number) => number): number => {
      made = 0;
      for (let call = 0; call < calls; call++) pressCollector(2 ** 20, reclaimed(call));
      return made / 4;
    };
    expect(bursts(10_000, () => 0)).toBeLessThan(20);
    bursts(2_000, (call) => 1 + call);
    expect(bursts(900, (call) => 3_000 + call)).toBe(100);
    vi.unstubAllGlobals();
  });
});
