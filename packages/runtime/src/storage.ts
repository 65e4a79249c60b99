/**
 * Where elements live: in a typed array on the JavaScript heap, their *home*, or in a block of a backend's memory, where a kernel
 * left them. What lives on the heap may have a copy in one such block beside it. A computed result that was not used for long is
 * *forgotten*: it has no memory, and is computed once more should anybody ask for it (docs/memory.md).
 */
import { type DType, dtypes, type TypedArray } from "@fuseau/ir";
import { siteOf } from "./compat/call-site.ts";
import { checkLent, isWorthCopying, type Lent } from "./memory/lent.ts";
import type { Block, Memory } from "./memory/memory.ts";
import { pressCollector } from "./memory/pressure.ts";
import { allowanceFor, costOf, type Repeatable } from "./memory/repeatable.ts";
import { admit, dismiss, noteReturn, type Resident, touch } from "./memory/residents.ts";
import { giveArray } from "./pool.ts";
import { ThreadError } from "./threads/thread-error.ts";

/** Arrays of no more bytes are copied for each run anew: that costs no more than watching over a copy does. */
const SMALL_BYTES = 4_096;

let forgotten = 0;
let returned = 0;
let movedOut = 0;
let reclaimed = 0;
/** How deep in repeated runs this is. */
let depth = 0;

const watched = new FinalizationRegistry<Storage>((storage) => {
  reclaimed++;
  storage.release();
});

export class Storage implements Resident {
  readonly dtype: DType;
  #lent: Lent | null;
  #array: TypedArray | null;
  /** The home when there is no array, else a copy. */
  #block: Block | null = null;
  #cells: number;
  /** How many values these are the elements of, and how many runs read them. */
  #owners = 1;
  /** How many runs read the elements now. */
  #readers = 0;
  /** Where they were given back while something recorded was to read them. */
  #givenBack: Error | null = null;
  #why: string | null = null;
  /** Why there are none any more, where that is nobody's wish. */
  #loss: ThreadError | null = null;
  /** The run to repeat when this is forgotten, and which of its results this is; null where none can be. */
  #origin: Repeatable | null = null;
  #position = 0;
  /** How many forgotten results are to be computed from these elements. */
  #pins = 0;
  /** What may be spent on computing this again, for its own sake and for what is to be computed from it. */
  #allowance = Number.POSITIVE_INFINITY;
  /** Runs that have read it, counted while it is borrowed. */
  #uses = 0;
  #isWatched = false;
  /** It has left for want of room; should it be wanted again, there was too little. */
  #hasLeft = false;
  /** The run that is about to begin writes over these elements: nothing can be computed from them afterwards. */
  isDoomed = false;

  /** Without an array: memory that was given back. What was lent is never written and never handed to the pool. */
  constructor(dtype: DType, array: TypedArray | null, lent: Lent | null = null) {
    this.dtype = dtype;
    this.#array = array;
    this.#cells = array?.length ?? 0;
    this.#lent = lent;
  }

  /** Elements that were given back here, though something recorded may still want them. */
  static givenBack(dtype: DType): Storage {
    const storage = new Storage(dtype, null);
    storage.#givenBack = new Error();
    return storage;
  }

  /** Elements that there never will be, for a reason that whoever asks for them is told. */
  static missing(dtype: DType, why: string): Storage {
    const storage = new Storage(dtype, null);
    storage.#why = why;
    return storage;
  }

  /** Elements that a run left in a block of its own. */
  static inBlock(dtype: DType, cells: number, block: Block): Storage {
    const storage = new Storage(dtype, null);
    storage.#block = block;
    storage.#cells = cells;
    block.assign("result");
    admit(storage, block.bytes);
    return storage;
  }

  /** Says of a result which run gave it. */
  cameFrom(origin: Repeatable, position: number): void {
    this.#origin = origin;
    this.#position = position;
    admit(this, this.#room);
  }

  /** Bytes that are given up when it leaves. */
  get #room(): number {
    const places = (this.#block === null ? 0 : 1) + (this.#array === null || this.#origin === null ? 0 : 1);
    return places * this.bytes;
  }

  get bytes(): number {
    return this.#cells * dtypes[this.dtype].bytes;
  }

  /** The elements give themselves back once `owner` is collected, if it is the only one. */
  watch(owner: object): void {
    if (this.#block === null || this.#owners !== 1) return;
    this.#isWatched = true;
    watched.register(owner, this, this);
  }

  #unwatch(): void {
    if (this.#isWatched) watched.unregister(this);
    this.#isWatched = false;
  }

  /**
   * The elements on the heap, for a reader. Elements in a block move: the array is their home from then on, and the block a
   * copy.
   * @throws Error after the last owner has let go; ThreadError after `lose`; RangeError when memory is out.
   */
  get array(): TypedArray {
    const array = this.#onHeap();
    // The reader may have it still when this is to be forgotten.
    this.#origin = null;
    return array;
  }

  #onHeap(): TypedArray {
    this.#bringBack();
    if (this.#array !== null) return this.#array;
    const block = this.#block as Block;
    this.#array = block.read(this.dtype, this.#cells);
    block.assign("copy");
    return this.#array;
  }

  /** A copy of the elements, for the reader to keep. @throws what `array` throws. */
  copy(): TypedArray {
    this.#bringBack();
    if (this.#array !== null) return this.#array.slice();
    return (this.#block as Block).copy(this.dtype, this.#cells);
  }

  /** True when a kernel in that memory reads the elements without their being copied first. */
  isIn(memory: Memory): boolean {
    return this.#block !== null && memory.own(this.#block) !== null;
  }

  get isForgotten(): boolean {
    return this.#array === null && this.#block === null && this.#origin !== null;
  }

  /** They were given back, and nobody can read them again. */
  get isGone(): boolean {
    return this.#array === null && this.#block === null && this.#origin === null;
  }

  get isRead(): boolean {
    return this.#readers > 0;
  }

  /**
   * The block of that memory in which a run finds the elements, copied there if need be. It stays until `letGo`, whoever disposes
   * meanwhile.
   * @throws Error after the last owner has let go; RangeError when memory is out.
   */
  hold<B extends Block>(memory: Memory<B>): B {
    this.#read();
    try {
      const own = this.#block === null ? null : memory.own(this.#block);
      return own ?? this.#copyTo(memory);
    } catch (error) {
      this.letGo(null);
      throw error;
    }
  }

  /** The same on the heap. */
  holdArray(): TypedArray {
    this.#read();
    try {
      return this.#onHeap();
    } catch (error) {
      this.letGo(null);
      throw error;
    }
  }

  #read(): void {
    this.#bringBack();
    touch(this);
    this.#readers++;
    this.#owners++;
  }

  #copyTo<B extends Block>(memory: Memory<B>): B {
    const array = this.#onHeap();
    if (this.#hasLeft) noteReturn(this.bytes);
    this.#hasLeft = false;
    const block = memory.take(this.bytes);
    block.write(this.dtype, array);
    // There is one block beside the array; where another run reads that, this one is for this run alone.
    if (block.bytes <= SMALL_BYTES || (this.#block !== null && this.#readers > 1)) return block;
    this.#block?.give();
    block.assign("copy");
    this.#block = block;
    admit(this, this.#room);
    return block;
  }

  /** Ends a `hold`; a block that was for this run alone goes. */
  letGo(block: Block | null): void {
    this.#readers--;
    if (block?.use === "run") block.give();
    this.release();
  }

  /** True when one value alone has these elements, and nobody will need them to compute what is forgotten. */
  get isPrivate(): boolean {
    return this.#owners === 1 && this.#pins === 0 && this.#lent === null;
  }

  /** One more value has these elements. */
  share(): this {
    this.#unwatch();
    this.#owners++;
    return this;
  }

  /** Lets go of the memory, which has become another's: of all of it, but for a block that is named. */
  surrender(kept: Block | null = null): void {
    this.#owners = 0;
    if (this.#block !== null && this.#block !== kept) this.#block.give();
    this.#empty();
  }

  /** A run broke off that was writing over the elements in a block. Those on the heap are as they were. */
  lose(block: Block, loss: ThreadError): void {
    if (this.#block !== block) return;
    block.assign("run");
    this.#block = null;
    dismiss(this);
    this.#origin = null;
    if (this.#array === null) this.#loss = loss;
  }

  /** True when the elements are gone, and nobody has given them back. */
  get isLost(): boolean {
    return this.#loss !== null;
  }

  /** The last value to let go gives all memory back, unless something forgotten is to be computed from it. */
  release(): void {
    if (--this.#owners === 0 && this.#pins === 0) this.#giveBack();
  }

  #giveBack(): void {
    if (this.isForgotten) this.#unpin();
    if (this.#block !== null) this.#block.give();
    if (this.#array !== null && this.#lent === null) giveArray(this.dtype, this.#array);
    this.#empty();
  }

  #empty(): void {
    this.#unwatch();
    dismiss(this);
    this.#block = null;
    this.#array = null;
    this.#origin = null;
  }

  // What follows is about leaving memory and coming back.

  /** Gives up the room that it has: what can be computed again is forgotten, anything else moves to the heap. */
  leave(): void {
    // What is cut out of a chain of results leaves as a rule. What is written in place, or lent, leaves only when there is too
    // little room.
    this.#hasLeft = this.#origin === null;
    if (!this.#forget()) {
      if (this.#array === null) {
        pressCollector(reclaimed);
        this.#onHeap();
        movedOut++;
      }
      this.#origin = null;
    }
    this.shed();
    this.#unwatch();
    dismiss(this);
  }

  /** Gives up a copy in a block. */
  shed(): void {
    if (this.#array === null || this.#block === null) return;
    this.#block.give();
    this.#block = null;
    if (this.#origin === null) dismiss(this);
    else admit(this, this.#room);
  }

  #forget(): boolean {
    const origin = this.#origin;
    const allowance = Math.min(this.#allowance, allowanceFor(this.bytes));
    if (origin === null || !origin.operands.every((operand) => operand.#isThere)) return false;
    if (costOf(origin, allowance) > allowance) return false;
    for (const operand of origin.operands) {
      operand.#pins++;
      operand.#allow(allowance - origin.cost);
    }
    origin.forgotten.set(this.#position, this);
    if (this.#block !== null) this.#block.give();
    if (this.#array !== null) giveArray(this.dtype, this.#array);
    this.#block = null;
    this.#array = null;
    forgotten++;
    return true;
  }

  /** The elements are at hand, or can be computed, and will not change. */
  get #isThere(): boolean {
    return (
      this.#lent === null &&
      !this.isDoomed &&
      (this.#array !== null || this.#block !== null || this.#origin !== null)
    );
  }

  /** Something forgotten needs this: at most so much may be spent on computing it. */
  #allow(allowance: number): void {
    if (allowance >= this.#allowance) return;
    this.#allowance = allowance;
    if (!this.isForgotten) return;
    const { operands, cost } = this.#origin as Repeatable;
    for (const operand of operands) operand.#allow(allowance - cost);
  }

  /** What it takes to have the elements, in bytes moved; more than `most` is not counted. */
  restoringCost(most: number): number {
    return this.isForgotten ? costOf(this.#origin as Repeatable, most) : 0;
  }

  /** Makes what is forgotten known again. @throws Error when nothing can. */
  #bringBack(): void {
    if (this.#lent !== null && this.#array !== null)
      checkLent(this.#lent, this.dtype, this.#array, this.#cells);
    if (this.#array !== null || this.#block !== null) return;
    if (this.#why !== null) throw new Error(this.#why);
    if (this.#loss !== null) throw new ThreadError(this.#loss.reason);
    const origin = this.#origin;
    if (origin === null) {
      const where = this.#givenBack === null ? "" : ` at ${siteOf(this.#givenBack)}`;
      throw new Error(
        `compute: the tensor's memory was given back by dispose()${where}; it cannot be read again (compute what reads it first, or dispose of it later)`,
      );
    }
    depth++;
    let results: readonly Storage[];
    try {
      results = origin.repeat();
    } finally {
      depth--;
    }
    results.forEach((result, position) => {
      const waiting = origin.forgotten.get(position);
      if (waiting === undefined) result.release();
      else waiting.#adopt(result);
    });
    returned++;
    if (depth > 0) return;
    // Somebody has it: computing it once more would be waste. What it was computed from may be anybody's.
    this.#origin = null;
    noteReturn(this.bytes);
  }

  #adopt(result: Storage): void {
    this.#unpin();
    this.#array = result.#array;
    this.#block = result.#block;
    result.#empty();
    admit(this, this.#room);
  }

  /** Is forgotten no more. */
  #unpin(): void {
    const { operands, forgotten: waiting } = this.#origin as Repeatable;
    waiting.delete(this.#position);
    for (const operand of operands) {
      if (--operand.#pins > 0) continue;
      operand.#allowance = Number.POSITIVE_INFINITY;
      if (operand.#owners === 0) operand.#giveBack();
    }
  }

  /**
   * Whether a result of so many bytes may be computed from this once more. Lent elements are the lender's to change when the tensor
   * is gone, so those that are read again and again are copied first. Elements on the heap that are more than the result would be
   * kept alive for less than they take.
   */
  mayBeReadAgain(bytes: number): boolean {
    if (this.#array !== null && this.bytes > bytes) return false;
    if (this.#lent === null) return true;
    if (!isWorthCopying(++this.#uses, this.bytes, bytes)) return false;
    this.#array = (this.#array as TypedArray).slice();
    this.#lent = null;
    return true;
  }
}

export const resultCounters = (): {
  readonly forgotten: number;
  readonly returned: number;
  readonly movedOut: number;
  readonly reclaimed: number;
} => ({ forgotten, returned, movedOut, reclaimed });
