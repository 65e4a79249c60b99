/** The part of WebAssembly's interface that memory is made of. It is declared here, since ES2022 without the DOM declares none. */

export const PAGE_BYTES = 65_536;

export interface WasmMemory {
  readonly buffer: ArrayBuffer | SharedArrayBuffer;
  /** Adds pages, gives how many there were; @throws RangeError when there are no more to be had. */
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
