/**
 * Elements and where they lie: in a typed array on the JavaScript heap, their *home*, or in a block of a backend's memory, where a
 * kernel left them. What lies on the heap may have a copy in one such block beside it. Whose they are, and when they leave memory,
 * is for storage.ts to say.
 */
import { type DType, dtypes, type TypedArray } from "@fuseau/ir";
import { giveArray } from "../pool.ts";
import { checkLent, isWorthCopying, type Lent } from "./lent.ts";
import type { Block, Memory } from "./memory.ts";

/** Arrays of no more bytes are copied for the first run that reads them, and are given a block when they are read again. */
const SMALL_BYTES = 4_096;
/** Those of fewer are copied for each run: that costs no more than to watch over a block. */
const LEAST_BYTES = 256;

export class Elements {
  readonly dtype: DType;
  /** What was lent is never written and never handed to the pool. */
  protected lent: Lent | null;
  protected home: TypedArray | null;
  /** Where they are when there is no home, else a copy. */
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

  /** True when a kernel in that memory reads the elements without their being copied first. */
  isIn(memory: Memory): boolean {
    return this.blockOf(memory) !== null;
  }

  protected blockOf<B extends Block>(memory: Memory<B>): B | null {
    return this.block === null ? null : memory.own(this.block);
  }

  /** To be asked before they are copied for one run alone: whether they have been before, and are worth a block. */
  isReadAgain(): boolean {
    if (this.bytes < LEAST_BYTES) return false;
    const isReadAgain = this.#wasCopied;
    this.#wasCopied = true;
    return isReadAgain;
  }

  /** @throws TypeError when whoever lent the array has transferred or resized its buffer. */
  protected checkLent(): void {
    if (this.lent !== null && this.home !== null) checkLent(this.lent, this.dtype, this.home, this.cells);
  }

  /** The array at home: what is in a block alone moves there, and the block is a copy from then on. */
  protected bringHome(): TypedArray {
    if (this.home !== null) return this.home;
    const block = this.block as Block;
    this.home = block.read(this.dtype, this.cells);
    block.assign("copy");
    return this.home;
  }

  /** A copy for the reader to keep. */
  protected copied(): TypedArray {
    return this.home === null ? (this.block as Block).copy(this.dtype, this.cells) : this.home.slice();
  }

  /**
   * A block of that memory with what is at home: the copy that stays, or one for this run alone. There is one block beside the array;
   * where another run reads that, it stays. @throws RangeError when memory is out.
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

  /** Gives up a copy in a block; false where there is none. */
  protected dropCopy(): boolean {
    if (this.home === null || this.block === null) return false;
    this.block.give();
    this.block = null;
    return true;
  }

  /** Gives all memory back. */
  protected giveMemory(): void {
    this.block?.give();
    if (this.home !== null && this.lent === null) giveArray(this.dtype, this.home);
    this.block = null;
    this.home = null;
  }

  /** Copies what is lent and read again and again, for results of so many bytes; false while it stays lent. */
  protected endLoan(uses: number, bytes: number): boolean {
    if (!isWorthCopying(uses, this.bytes, bytes)) return false;
    this.home = (this.home as TypedArray).slice();
    this.lent = null;
    return true;
  }
}
