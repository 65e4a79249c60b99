import { describe, expect, it, vi } from "vitest";
import { createLinearMemory } from "../../packages/runtime/src/memory/linear.ts";
import {
  hostMemory,
  type MemoryDescriptor,
  PAGE_BYTES,
  type WasmMemory,
} from "../../packages/runtime/src/memory/web-assembly.ts";

const MEBIBYTE = 2 ** 20;

/** A host that grants some memories only, and what it was asked for. */
function hostThat(grants: (descriptor: MemoryDescriptor) => boolean): {
  Memory: new (descriptor: MemoryDescriptor) => WasmMemory;
  asked: MemoryDescriptor[];
} {
  const asked: MemoryDescriptor[] = [];
  class Memory implements WasmMemory {
    buffer = new ArrayBuffer(0);
    constructor(descriptor: MemoryDescriptor) {
      asked.push(descriptor);
      if (!grants(descriptor)) throw new RangeError("no memory");
    }
    grow(pages: number): number {
      const before = this.buffer.byteLength / PAGE_BYTES;
      if (before + pages > 300) throw new RangeError("no more pages");
      this.buffer = new ArrayBuffer((before + pages) * PAGE_BYTES);
      return before;
    }
  }
  return { Memory, asked };
}

describe("a linear memory", () => {
  it("is shared, and may grow to 4 GiB, where the host grants it", () => {
    const memory = createLinearMemory();
    expect(memory).toMatchObject({ shared: true, bytes: 0 });
    expect(memory?.memory.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(memory?.growTo(1)).toBe(true);
    expect(memory?.bytes).toBe(16 * MEBIBYTE);
    expect(memory?.growTo(16 * MEBIBYTE + 1)).toBe(true);
    expect(memory?.bytes).toBe(32 * MEBIBYTE);
    expect(memory?.growTo(100 * MEBIBYTE)).toBe(true);
    expect(memory?.bytes).toBe(100 * MEBIBYTE);
    expect(memory?.growTo(2 ** 32 + 1)).toBe(false);
  });
  it("has a smaller maximum where addresses are few", () => {
    const { Memory, asked } = hostThat(({ maximum }) => (maximum as number) <= 20_000);
    expect(createLinearMemory(Memory, true)?.shared).toBe(true);
    expect(asked.map(({ maximum }) => maximum)).toEqual([65_536, 32_768, 16_384]);
  });
  it("is not shared where nothing can be", () => {
    const { Memory, asked } = hostThat(({ shared }) => !shared);
    expect(createLinearMemory(Memory, true)?.shared).toBe(false);
    expect(createLinearMemory(Memory, false)?.shared).toBe(false);
    expect(asked.at(-1)).toEqual({ initial: 0, maximum: 65_536, shared: false });
  });
  it("is null where there is none to be had", () => {
    expect(createLinearMemory(hostThat(() => false).Memory)).toBe(null);
    vi.stubGlobal("WebAssembly", undefined);
    expect(createLinearMemory()).toBe(null);
    vi.unstubAllGlobals();
  });
  it("grows by what is needed when the host refuses twice its size, and stays as it is when it refuses that", () => {
    const memory = createLinearMemory(hostThat(() => true).Memory);
    memory?.growTo(1);
    expect(memory?.growTo(17 * MEBIBYTE)).toBe(true);
    expect(memory?.bytes).toBe(17 * MEBIBYTE);
    expect(memory?.growTo(20 * MEBIBYTE)).toBe(false);
    expect(memory?.bytes).toBe(17 * MEBIBYTE);
  });
  it.each([true, false])("shows its elements anew after it grew (shared: %s)", (canShare) => {
    const memory = createLinearMemory(hostMemory(), canShare);
    memory?.growTo(1);
    memory?.elements("float32", 64, 3).set([1, 2, 3]);
    memory?.growTo(17 * MEBIBYTE);
    expect(memory?.elements("float32", 64, 3)).toEqual(Float32Array.of(1, 2, 3));
    expect(memory?.view("int64").byteLength).toBe(32 * MEBIBYTE);
    memory?.elements("int64", 32 * MEBIBYTE - 8, 1).fill(7n);
    expect(memory?.view("uint8").at(-8)).toBe(7);
  });
});
