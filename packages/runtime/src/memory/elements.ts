/**
 * Where elements are: in a typed array on the JavaScript heap, their *home*, or in a block of a backend's memory, where a kernel left them.
 * Elements on the heap may have a copy in one such block. Who owns them, and when they leave memory, is decided in storage.ts.
 */
import { type DType, dtypes, type TypedArray } from "@fuseau/ir";
import { giveArray } from "../pool.ts";
import { checkLent, isWorthCopying, type Lent } from "./lent.ts";
import type { Block, Memory } from "./memory.ts";

/** Arrays of at most so many bytes are copied for the first run that reads them, and get a block when they are read again. */
const SMALL_BYTES = 4_096;
/** Smaller arrays are copied for each run, which costs no more than to manage a block. */
const LEAST_BYTES = 256;

export class Elements {
  readonly dtype: DType;
  /** A lent array is never written, and never goes to the pool. */
  protected lent: Lent | null;
  protected home: TypedArray | null;
  /** The block with the elements, if there is no home; else a copy. */
  protected block: Block | null = null;
  protected cells: number;
  #wasCopied = false;

  constructor(dtype: DType, home: TypedArray | null, lent: Lent | null) {
    this.dtype = dtype;
    this.home = home;
    this.cells = home?.length ?? 0;
    this.lent = lent;
  }

  get bytes(): number {
    return this.cells * dtypes[this.dtype].bytes;
  }

  protected get isSomewhere(): boolean {
    return this.home !== null || this.block !== null;
  }

  /** True when a kernel in that memory can read the elements without a copy. */
  isIn(memory: Memory): boolean {
    return this.blockOf(memory) !== null;
  }

  protected blockOf<B extends Block>(memory: Memory<B>): B | null {
    return this.block === null ? null : memory.own(this.block);
  }

  /** To be asked before they are copied for one run: true if they were copied before, and are worth a block. */
  isReadAgain(): boolean {
    if (this.bytes < LEAST_BYTES) return false;
    const isReadAgain = this.#wasCopied;
    this.#wasCopied = true;
    return isReadAgain;
  }

  /** @throws TypeError if the lender of the array has transferred or resized its buffer. */
  protected checkLent(): void {
    if (this.lent !== null && this.home !== null) checkLent(this.lent, this.dtype, this.home, this.cells);
  }

  /** The array at home. Elements that are only in a block move there, and the block becomes a copy. */
  protected bringHome(): TypedArray {
    if (this.home !== null) return this.home;
    const block = this.block as Block;
    this.home = block.read(this.dtype, this.cells);
    block.assign("copy");
    return this.home;
  }

  /** The elements where they are, for as long as nothing else runs; null if there are none. */
  protected peeked(): TypedArray | null {
    return this.home ?? this.block?.peek(this.dtype, this.cells) ?? null;
  }

  /** A copy that the reader keeps. */
  protected copied(): TypedArray {
    return this.home === null ? (this.block as Block).copy(this.dtype, this.cells) : this.home.slice();
  }

  /**
   * A block of that memory with the elements at home: the copy that stays, or one for this run alone. An array has at most one copy that
   * stays; if another run reads it, it is not replaced.
   * @throws RangeError when memory is out.
   */
  protected copyHomeTo<B extends Block>(memory: Memory<B>, isReadByOthers: boolean): B {
    const block = memory.take(this.bytes);
    block.write(this.dtype, this.home as TypedArray);
    const isForRun = block.bytes <= SMALL_BYTES && !this.isReadAgain();
    if (isForRun || (this.block !== null && isReadByOthers)) return block;
    this.block?.give();
    block.assign("copy");
    this.block = block;
    return block;
  }

  /** Frees the copy in a block; false if there is none. */
  protected dropCopy(): boolean {
    if (this.home === null || this.block === null) return false;
    this.block.give();
    this.block = null;
    return true;
  }

  /** Frees all memory. */
  protected giveMemory(): void {
    this.block?.give();
    if (this.home !== null && this.lent === null) giveArray(this.home);
    this.block = null;
    this.home = null;
  }

  /** Copies a lent array that is read again and again, so that results of `bytes` can be computed from it later. False if it stays lent. */
  protected endLoan(uses: number, bytes: number): boolean {
    if (!isWorthCopying(uses, this.bytes, bytes)) return false;
    this.home = (this.home as TypedArray).slice();
    this.lent = null;
    return true;
  }
}
