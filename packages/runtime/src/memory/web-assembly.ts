/** The part of WebAssembly's interface that memory needs. It is declared here, since ES2022 without the DOM declares none. */

export const PAGE_BYTES = 65_536;

export interface WasmMemory {
  readonly buffer: ArrayBuffer | SharedArrayBuffer;
  /**
   * Adds pages, and returns how many there were.
   * @throws RangeError when no more are available.
   */
  grow(pages: number): number;
}

export interface MemoryDescriptor {
  readonly initial: number;
  readonly maximum?: number;
  readonly shared?: boolean;
}

export type WasmMemoryConstructor = new (descriptor: MemoryDescriptor) => WasmMemory;

/** The host's constructor; undefined where there is no WebAssembly. */
export const hostMemory = (): WasmMemoryConstructor | undefined =>
  (globalThis as { WebAssembly?: { Memory?: WasmMemoryConstructor } }).WebAssembly?.Memory;
