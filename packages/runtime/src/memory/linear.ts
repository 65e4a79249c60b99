/** The linear memory of WebAssembly kernels. It can only grow. The allocator decides what is where. */
import { type ArrayTypes, type DType, dtypes } from "@fuseau/ir";
import { hostMemory, PAGE_BYTES, type WasmMemory, type WasmMemoryConstructor } from "./web-assembly.ts";

const MEBIBYTE = 2 ** 20;
/** A smaller memory would have to grow at once. */
const SMALLEST_BYTES = 16 * MEBIBYTE;
/** Maximum sizes in pages that are tried until the host grants one, since address space may be limited. 4 GiB is the most there can be. */
const MAXIMA: readonly number[] = [65_536, 32_768, 16_384, 4_096];

type Views = { [D in DType]?: ArrayTypes[D] };

const viewsOf: { readonly [D in DType]: new (buffer: ArrayBufferLike) => ArrayTypes[D] } = {
  bool: Uint8Array,
  uint8: Uint8Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  float16: Uint16Array,
  float32: Float32Array,
  float64: Float64Array,
};

export class LinearMemory {
  /** The memory that modules import. */
  readonly memory: WasmMemory;
  /** True if workers can use it too. Modules must declare the same. */
  readonly shared: boolean;
  readonly #maximum: number;
  #bytes: number;
  #views: Views = {};

  constructor(memory: WasmMemory, shared: boolean, maximumPages: number) {
    this.memory = memory;
    this.shared = shared;
    this.#maximum = maximumPages * PAGE_BYTES;
    this.#bytes = memory.buffer.byteLength;
  }

  /** The most bytes that it can grow to. */
  get limit(): number {
    return this.#maximum;
  }

  /** Its size in bytes. Pages that were never touched take up addresses only. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Makes it at least `bytes` large, or twice as large as it was if the host allows it. False if it cannot be. Earlier views are too short
   * then, or, if the memory is not shared, detached.
   */
  growTo(bytes: number): boolean {
    if (bytes <= this.#bytes) return true;
    if (bytes > this.#maximum) return false;
    const doubled = Math.min(this.#maximum, Math.max(bytes, 2 * this.#bytes, SMALLEST_BYTES));
    return this.#grow(doubled) || this.#grow(bytes);
  }

  #grow(bytes: number): boolean {
    try {
      this.memory.grow(Math.ceil((bytes - this.#bytes) / PAGE_BYTES));
    } catch {
      return false;
    }
    this.#bytes = this.memory.buffer.byteLength;
    this.#views = {};
    return true;
  }

  /** The whole memory as elements of one dtype. To be asked for again after every allocation. */
  view<D extends DType>(dtype: D): ArrayTypes[D] {
    const known: ArrayTypes[D] | undefined = this.#views[dtype];
    if (known !== undefined) return known;
    const made: ArrayTypes[D] = new viewsOf[dtype](this.memory.buffer);
    this.#views[dtype] = made;
    return made;
  }

  /** A range of the memory as elements of one dtype, valid for as long as nothing is allocated. */
  elements<D extends DType>(dtype: D, pointer: number, cells: number): ArrayTypes[D] {
    const first = pointer / dtypes[dtype].bytes;
    return this.view(dtype).subarray(first, first + cells) as ArrayTypes[D];
  }
}

/** A new memory with the largest maximum that the host grants. It is shared if the host can share memory; null if there is none at all. */
export function createLinearMemory(
  Memory: WasmMemoryConstructor | undefined = hostMemory(),
  canShare: boolean = typeof SharedArrayBuffer !== "undefined",
): LinearMemory | null {
  if (Memory === undefined) return null;
  for (const shared of canShare ? [true, false] : [false]) {
    for (const maximum of MAXIMA) {
      try {
        return new LinearMemory(new Memory({ initial: 0, maximum, shared }), shared, maximum);
      } catch {
        // Refused. A smaller one may be granted.
      }
    }
  }
  return null;
}

let memory: LinearMemory | null | undefined;

/** The memory of this process, made at the first call; null if the host has none. */
export const linearMemory = (): LinearMemory | null => {
  if (memory === undefined) memory = createLinearMemory();
  return memory;
};

/** Its size in bytes; it is not made for that. */
export const linearBytes = (): number => memory?.bytes ?? 0;
