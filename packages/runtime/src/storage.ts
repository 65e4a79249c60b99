/**
 * Where elements live: in a typed array on the JavaScript heap, which is their *home*, or in a block of linear memory, where
 * a kernel in WebAssembly left them. What lives on the heap may have a copy in linear memory beside it.
 */
import type { DType, TypedArray } from "@fuseau/ir";
import {
  type Block,
  demote,
  giveBlock,
  keepAsCopy,
  keepAsResult,
  takeBlock,
  touch,
  withdraw,
} from "./memory/blocks.ts";
import { bytesOf, copyForReader, copyIn, copyOut } from "./memory/copy.ts";
import { giveArray } from "./pool.ts";
import { ThreadError } from "./threads/thread-error.ts";

/** Arrays of no more bytes are copied for each run anew: that costs no more than watching over a copy does. */
const SMALL_BYTES = 4_096;

export class Storage {
  readonly dtype: DType;
  /** Lent by the user (`fromTypedArray`): never written, never handed to the pool. */
  readonly borrowed: boolean;
  #array: TypedArray | null;
  /** The home when there is no array, else a copy, which may be free again. */
  #block: Block | null = null;
  /** Elements of a block that is the home, or of an array when it was lent. */
  #cells = 0;
  /** How many values these are the elements of, and how many runs read them. */
  #owners = 1;
  /** Why there are none any more, where that is nobody's wish. */
  #loss: ThreadError | null = null;

  /** Without an array: memory that was given back. */
  constructor(dtype: DType, array: TypedArray | null, borrowed: boolean) {
    this.dtype = dtype;
    this.#array = array;
    this.borrowed = borrowed;
    if (borrowed) this.#cells = (array as TypedArray).length;
  }

  /** Elements that a run left in a block of its own. */
  static inBlock(dtype: DType, cells: number, block: Block): Storage {
    const storage = new Storage(dtype, null, false);
    storage.#block = block;
    storage.#cells = cells;
    keepAsResult(block, storage);
    return storage;
  }

  /**
   * The elements on the heap, to be read there at once. Elements in linear memory move: the array is their home from then on,
   * and the block a copy that goes when memory is short.
   * @throws Error after the last owner has let go; ThreadError after `lose`; RangeError when memory is out.
   */
  get array(): TypedArray {
    if (this.borrowed) this.#checkLent();
    return this.#array ?? this.#moveToHeap();
  }

  /** Buffers can be transferred and resized by whoever lent them. */
  #checkLent(): void {
    if (this.#array === null || this.#array.length === this.#cells) return;
    const had = `${this.#cells} ${this.dtype} element${this.#cells === 1 ? "" : "s"}`;
    throw new TypeError(
      `fromTypedArray: the array of ${had} that was lent holds ${this.#array.length} now: its buffer was transferred or resized (lend a copy: array.slice(), or let tensor(array) copy it)`,
    );
  }

  #moveToHeap(): TypedArray {
    const block = this.#home();
    this.#array = copyOut(this.dtype, block.pointer, this.#cells);
    demote(block);
    return this.#array;
  }

  /** A copy of the elements, for the reader to keep. @throws what `array` throws. */
  copy(): TypedArray {
    if (this.#array !== null) return this.array.slice();
    return copyForReader(this.dtype, this.#home().pointer, this.#cells);
  }

  #home(): Block {
    if (this.#loss !== null) throw new ThreadError(this.#loss.reason);
    if (this.#block === null)
      throw new Error("compute: the tensor's memory was given back by dispose(); it cannot be read again");
    return this.#block;
  }

  /** True when a kernel in linear memory reads the elements without their being copied first. */
  get isInLinearMemory(): boolean {
    return this.#block !== null && this.#block.use !== "free";
  }

  /**
   * The block in which a run finds the elements, copied there if need be. It stays until `letGo`, whoever disposes meanwhile.
   * @throws Error after the last owner has let go; RangeError when memory is out.
   */
  hold(): Block {
    if (this.borrowed) this.#checkLent();
    const block = this.isInLinearMemory ? this.#home() : this.#copyIn();
    touch(block);
    block.readers++;
    this.#owners++;
    return block;
  }

  #copyIn(): Block {
    const { array } = this;
    const block = takeBlock(bytesOf(this.dtype, array.length));
    copyIn(this.dtype, array, block.pointer);
    if (block.bytes > SMALL_BYTES) {
      keepAsCopy(block, this);
      this.#block = block;
    }
    return block;
  }

  /** Ends a `hold`. */
  letGo(block: Block): void {
    block.readers--;
    if (block.use === "run") giveBlock(block);
    this.release();
  }

  /** True when one value alone has these elements, and they are not lent. */
  get isPrivate(): boolean {
    return this.#owners === 1 && !this.borrowed;
  }

  /** One more value has these elements. */
  share(): this {
    this.#owners++;
    return this;
  }

  /** Lets go of the memory, which has become another's: of all of it, but for a block that is named. */
  surrender(kept: Block | null = null): void {
    this.#owners = 0;
    if (this.isInLinearMemory && this.#block !== kept) giveBlock(this.#block as Block);
    this.#block = null;
    this.#array = null;
  }

  /** A run broke off that was writing over the elements in linear memory. Those on the heap are as they were. */
  lose(loss: ThreadError): void {
    if (this.#block === null) return;
    withdraw(this.#block);
    this.#block = null;
    if (this.#array === null) this.#loss = loss;
  }

  /** True when the elements are gone, and nobody has given them back. */
  get isLost(): boolean {
    return this.#loss !== null;
  }

  /** The last value to let go gives all memory back. */
  release(): void {
    if (--this.#owners > 0) return;
    if (this.isInLinearMemory) giveBlock(this.#block as Block);
    this.#block = null;
    if (this.#array !== null && !this.borrowed) giveArray(this.dtype, this.#array);
    this.#array = null;
  }
}
