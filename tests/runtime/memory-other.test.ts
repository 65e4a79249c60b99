/** Elements between the memories of two backends: the linear one, and one made of arrays. */
import { type DType, dtypes, type TypedArray } from "@fuseau/ir";
import { clearCaches, stats, ThreadError } from "fuseau";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { linearBlocks } from "../../packages/runtime/src/memory/blocks.ts";
import type { Block, Memory, Use } from "../../packages/runtime/src/memory/memory.ts";
import { Storage } from "../../packages/runtime/src/storage.ts";

const COUNT = 10_000;
const BYTES = 4 * COUNT;
const filled = (value: number, count = COUNT): Float32Array => new Float32Array(count).fill(value);

const live = new Set<ArrayBlock>();

class ArrayBlock implements Block {
  use: Use = "run";
  readonly bytes: number;
  elements: TypedArray = new Uint8Array();

  constructor(bytes: number) {
    this.bytes = bytes;
    live.add(this);
  }
  assign(use: Use): void {
    this.use = use;
  }
  give(): void {
    expect(live.delete(this)).toBe(true);
  }
  write(dtype: DType, array: TypedArray): void {
    expect(array.length * dtypes[dtype].bytes).toBe(this.bytes);
    this.elements = array.slice();
  }
  peek(): TypedArray {
    return this.elements;
  }
  read(): TypedArray {
    return this.elements.slice();
  }
  copy(): TypedArray {
    return this.elements.slice();
  }
}

const arrays: Memory<ArrayBlock> = {
  take: (bytes) => new ArrayBlock(bytes),
  own: (block) => (block instanceof ArrayBlock ? block : null),
};

/** A result as a kernel leaves it. */
function computedIn(memory: Memory, value: number, count = COUNT): Storage {
  const block = memory.take(4 * count);
  block.write("float32", filled(value, count));
  return Storage.inBlock("float32", count, block);
}

beforeEach(() => clearCaches());
afterEach(() => {
  expect(live.size).toBe(0);
  expect(stats().linear).toMatchObject({ used: 0, results: 0, copies: 0 });
});

describe.each([
  ["linear memory", linearBlocks, arrays],
  ["the other memory", arrays, linearBlocks],
] as const)("a result in %s", (_, here: Memory, there: Memory) => {
  it("moves by way of the heap to where it is read", () => {
    const x = computedIn(here, 7);
    const block = x.hold(there);
    expect(there.own(block)).toBe(block);
    expect(block.copy("float32", COUNT)).toEqual(filled(7));
    expect([x.isIn(here), x.isIn(there)]).toEqual([false, true]);
    x.endHold(block);
    expect(x.array).toEqual(filled(7));
    x.release();
  });

  it("of few elements is copied there for the run alone", () => {
    const x = computedIn(here, 7, 10);
    const block = x.hold(there);
    expect(block.copy("float32", 10)).toEqual(filled(7, 10));
    expect(x.isIn(here)).toBe(true);
    x.endHold(block);
    expect(x.copy()).toEqual(filled(7, 10));
    x.release();
  });

  it("stays where one run reads it while another reads it there", () => {
    const x = computedIn(here, 7);
    const [first, second] = [x.hold(here), x.hold(there)];
    x.release();
    expect(first.copy("float32", COUNT)).toEqual(filled(7));
    expect(second.copy("float32", COUNT)).toEqual(filled(7));
    x.endHold(second);
    expect(x.isIn(here)).toBe(true);
    x.endHold(first);
    expect(() => x.hold(here)).toThrow(/given back by dispose\(\)/);
  });

  it("is still there after a run broke off that was writing over a copy of it", () => {
    const x = computedIn(here, 7);
    const block = x.hold(there);
    x.lose(block, new ThreadError("a worker thread failed"));
    x.endHold(block);
    expect(x.isLost).toBe(false);
    expect(x.array).toEqual(filled(7));
    x.release();
  });

  it("is lost with a run that was writing over itself", () => {
    const x = computedIn(here, 7);
    const block = x.hold(here);
    x.lose(block, new ThreadError("a worker thread failed"));
    x.endHold(block);
    expect(x.isLost).toBe(true);
    expect(() => x.array).toThrow(ThreadError);
    x.release();
  });
});

it("counts what it takes", () => {
  const x = computedIn(linearBlocks, 7);
  expect(stats().linear).toMatchObject({ results: BYTES, copies: 0 });
  const block = x.hold(arrays);
  expect(stats().linear).toMatchObject({ used: 0, results: 0 });
  x.endHold(block);
  x.release();
});
