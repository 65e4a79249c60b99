/**
 * The linear memory that kernels in WebAssembly read and write. It only ever grows; what lies where in it is the
 * allocator's affair.
 */
import { type ArrayTypes, type DType, dtypes } from "@fuseau/ir";
import { hostMemory, PAGE_BYTES, type WasmMemory, type WasmMemoryConstructor } from "./web-assembly.ts";

const MEBIBYTE = 2 ** 20;
/** A memory smaller than this would be grown at once. */
const SMALLEST_BYTES = 16 * MEBIBYTE;
/** Pages to ask for as a maximum, until the host grants it: an address space may be limited. 4 GiB is all there can be. */
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
  /** What modules import. */
  readonly memory: WasmMemory;
  /** True when workers can hold it too; modules must declare theirs alike. */
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

  /** How large it can get. */
  get limit(): number {
    return this.#maximum;
  }

  /** Its size now. Pages that were never touched take up addresses only. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Makes it at least `bytes` large, twice as large as it was if the host will; false when it cannot be. Views from before
   * are too short then, or, where the memory is not shared, detached.
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

  /** All of it as elements of one dtype. To be asked for again after anything was allocated. */
  view<D extends DType>(dtype: D): ArrayTypes[D] {
    const known: ArrayTypes[D] | undefined = this.#views[dtype];
    if (known !== undefined) return known;
    const made: ArrayTypes[D] = new viewsOf[dtype](this.memory.buffer);
    this.#views[dtype] = made;
    return made;
  }

  /** A stretch of it as elements of one dtype: those very bytes, for as long as nothing is allocated. */
  elements<D extends DType>(dtype: D, pointer: number, cells: number): ArrayTypes[D] {
    const first = pointer / dtypes[dtype].bytes;
    return this.view(dtype).subarray(first, first + cells) as ArrayTypes[D];
  }
}

/**
 * A new memory, as large at most as the host will have it. It is shared where the host has that; null where there is none at all.
 */
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
        // Refused: a smaller one may be granted.
      }
    }
  }
  return null;
}

let memory: LinearMemory | null | undefined;

/** The one memory of this process, made when it is first asked for; null where the host has none. */
export const linearMemory = (): LinearMemory | null => {
  if (memory === undefined) memory = createLinearMemory();
  return memory;
};

/** Its size; asking makes none. */
export const linearBytes = (): number => memory?.bytes ?? 0;
