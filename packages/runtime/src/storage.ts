/**
 * Elements and their owners: the values that have them, and the runs that read them. A computed result that was not used for long is
 * *forgotten*: it has no memory, and is computed again if somebody asks for it (docs/memory.md).
 */
import type { DType, TypedArray } from "@fuseau/ir";
import { siteOf } from "./compat/call-site.ts";
import { Elements } from "./memory/elements.ts";
import { endKeeping, mayBeKept } from "./memory/kept.ts";
import type { Lent } from "./memory/lent.ts";
import type { Block, Memory } from "./memory/memory.ts";
import { pressCollector } from "./memory/pressure.ts";
import {
  allowanceFor,
  costOf,
  noteForgotten,
  noteTooLong,
  noteWanted,
  type Repeatable,
  runsFor,
} from "./memory/repeatable.ts";
import { admit, dismiss, noteReturn, type Resident, touch } from "./memory/residents.ts";
import { Stay } from "./memory/stay.ts";
import { ThreadError } from "./threads/thread-error.ts";

let forgotten = 0;
let returned = 0;
let movedOut = 0;
let leftBytes = 0;
let madeBytes = 0;
let reclaimed = 0;

const watched = new FinalizationRegistry<Storage>((storage) => {
  reclaimed++;
  storage.release();
});

export class Storage extends Elements implements Resident {
  /** How many values have these elements, plus how many runs read them. */
  #owners = 1;
  /** How many runs read the elements now. */
  #readers = 0;
  /** Why there are no elements: the place where they were given back, the message for readers, or the error of the run that lost them. */
  #gone: Error | string | null = null;
  #stay: Stay | null = null;

  /** Without an array: memory that was given back. */
  constructor(dtype: DType, array: TypedArray | null, lent: Lent | null = null) {
    super(dtype, array, lent);
  }

  /** Elements that were given back here, though recorded expressions may still need them. */
  static givenBack(dtype: DType): Storage {
    const storage = new Storage(dtype, null);
    storage.#gone = new Error();
    return storage;
  }

  /** Elements that will never exist; `why` is the message for readers. */
  static missing(dtype: DType, why: string): Storage {
    const storage = new Storage(dtype, null);
    storage.#gone = why;
    return storage;
  }

  /** Elements that a run left in a block of its own. */
  static inBlock(dtype: DType, cells: number, block: Block): Storage {
    const storage = new Storage(dtype, null);
    storage.block = block;
    storage.cells = cells;
    madeBytes += storage.bytes;
    block.assign("result");
    admit(storage.#known(), storage.#room);
    return storage;
  }

  /** Notes which run computed a result. */
  cameFrom(origin: Repeatable, position: number): void {
    const stay = this.#known();
    stay.origin = origin;
    stay.position = position;
    admit(stay, this.#room);
  }

  #known(): Stay {
    this.#stay ??= new Stay(this);
    return this.#stay;
  }

  get #origin(): Repeatable | null {
    return this.#stay === null ? null : this.#stay.origin;
  }

  /** These elements cannot be computed again from now on. */
  #cutOff(): void {
    if (this.#stay !== null) this.#stay.origin = null;
  }

  /** True while a run is about to overwrite these elements. */
  set isDoomed(isDoomed: boolean) {
    if (isDoomed || this.#stay !== null) this.#known().isDoomed = isDoomed;
  }

  /** The bytes that are freed when it leaves. */
  get #room(): number {
    const places = (this.block === null ? 0 : 1) + (this.home === null || this.#origin === null ? 0 : 1);
    return places * this.bytes;
  }

  /** Frees the elements when `owner` is collected, if it is the only owner. */
  watch(owner: object): void {
    if (this.block === null || this.#owners !== 1) return;
    this.#known().isWatched = true;
    watched.register(owner, this, this);
  }

  #unwatch(): void {
    if (this.#stay === null || !this.#stay.isWatched) return;
    watched.unregister(this);
    this.#stay.isWatched = false;
  }

  /**
   * The elements on the heap, for a reader. Elements in a block move: the array becomes their home, and the block a copy.
   * @throws Error after the last owner has released them; ThreadError after `lose`; RangeError when memory is out.
   */
  get array(): TypedArray {
    const array = this.#onHeap();
    // The reader may keep the array, so it can no longer be forgotten.
    this.#cutOff();
    return array;
  }

  #onHeap(): TypedArray {
    this.#bringBack();
    return this.bringHome();
  }

  /**
   * The elements, if they are on the heap: for a run that ends before anybody can release them. Null if `holdArray` must bring them there.
   */
  get atHand(): TypedArray | null {
    const array = this.home;
    if (array === null || (this.lent !== null && array.length !== this.cells)) return null;
    if (this.#stay !== null) touch(this.#stay);
    return array;
  }

  /** The elements where they are, if they are in memory: for one who reads some of them at once. */
  peek(): TypedArray | null {
    this.checkLent();
    if (this.#stay !== null) touch(this.#stay);
    return this.peeked();
  }

  /** The same for a block of that memory. */
  blockAtHand<B extends Block>(memory: Memory<B>): B | null {
    const block = this.blockOf(memory);
    if (block !== null && this.#stay !== null) touch(this.#stay);
    return block;
  }

  /**
   * A copy of the elements that the reader keeps.
   * @throws what `array` throws.
   */
  copy(): TypedArray {
    this.#bringBack();
    return this.copied();
  }

  get isForgotten(): boolean {
    return !this.isSomewhere && this.#origin !== null;
  }

  /** True if they were given back, and nobody can read them again. */
  get isGone(): boolean {
    return !this.isSomewhere && this.#origin === null;
  }

  get isRead(): boolean {
    return this.#readers > 0;
  }

  /**
   * The block of that memory in which a run reads the elements; they are copied there if need be. It stays until `endHold`, even if
   * somebody disposes of them.
   * @throws Error after the last owner has released them; RangeError when memory is out.
   */
  hold<B extends Block>(memory: Memory<B>): B {
    this.#read();
    try {
      return this.blockOf(memory) ?? this.#copyTo(memory);
    } catch (error) {
      this.endHold(null);
      throw error;
    }
  }

  /** The same on the heap. */
  holdArray(): TypedArray {
    this.#read();
    try {
      return this.#onHeap();
    } catch (error) {
      this.endHold(null);
      throw error;
    }
  }

  #read(): void {
    this.#bringBack();
    if (this.#stay !== null) touch(this.#stay);
    this.#readers++;
    this.#owners++;
  }

  #copyTo<B extends Block>(memory: Memory<B>): B {
    this.#onHeap();
    const stay = this.#stay;
    if (stay?.hasLeft === true) {
      noteReturn(stay, this.bytes);
      stay.hasLeft = false;
    }
    const block = this.copyHomeTo(memory, this.#readers > 1);
    if (this.block === block) admit(this.#known(), this.#room);
    return block;
  }

  /** The elements do not leave memory until `endUse`. */
  beginUse(): void {
    this.#readers++;
  }

  endUse(): void {
    this.#readers--;
  }

  /** Ends a `hold`. A block that was for this run alone is freed. */
  endHold(block: Block | null): void {
    this.#readers--;
    if (block?.use === "run") block.give();
    this.release();
  }

  /** True if only one value has these elements, and no forgotten result is computed from them. */
  get isPrivate(): boolean {
    return this.#owners === 1 && this.lent === null && (this.#stay === null || this.#stay.pins === 0);
  }

  /** Adds an owner. */
  share(): this {
    this.#unwatch();
    this.#owners++;
    return this;
  }

  /** Gives up the memory, which has a new owner: all of it, except a block that is named. */
  surrender(kept: Block | null = null): void {
    this.#owners = 0;
    if (this.block !== null && this.block !== kept) this.block.give();
    this.#empty();
  }

  /** A run broke off while it overwrote the elements in a block. Those on the heap are as they were. */
  lose(block: Block, loss: ThreadError): void {
    if (this.block !== block) return;
    block.assign("run");
    this.block = null;
    if (this.#stay !== null) dismiss(this.#stay);
    this.#cutOff();
    if (this.home === null) this.#gone = loss;
  }

  /** True if a run has lost the elements. */
  get isLost(): boolean {
    return this.#gone instanceof ThreadError;
  }

  /** Removes an owner. The last one frees all memory, unless a forgotten result is computed from it. */
  release(): void {
    if (--this.#owners === 0 && (this.#stay === null || this.#stay.pins === 0)) this.#giveBack();
  }

  #giveBack(): void {
    if (this.isForgotten) this.#unpin();
    this.giveMemory();
    this.#empty();
  }

  #empty(): void {
    this.#unwatch();
    if (this.#stay !== null) {
      dismiss(this.#stay);
      endKeeping(this.#stay, this.bytes);
    }
    this.block = null;
    this.home = null;
    this.#cutOff();
  }

  // Leaving memory, and coming back.

  /** Leaves memory: elements that can be computed again are forgotten, others move to the heap. */
  leave(): void {
    // Elements that are cut off from what they were computed from leave as a rule. Those that are written in place, or lent, leave only if
    // there is too little room.
    const stay = this.#known();
    stay.hasLeft = stay.origin === null;
    leftBytes += this.bytes;
    if (!this.#forget()) {
      if (this.home === null) {
        pressCollector(this.bytes, reclaimed);
        this.#onHeap();
        movedOut++;
      }
      this.#cutOff();
    }
    this.shed();
    this.#unwatch();
    if (this.#stay !== null) dismiss(this.#stay);
  }

  /** Frees a copy in a block. */
  shed(): void {
    if (!this.dropCopy()) return;
    if (this.#origin === null) dismiss(this.#known());
    else admit(this.#known(), this.#room);
  }

  #forget(): boolean {
    const { origin, position, allowance: most } = this.#known();
    const allowance = Math.min(most, allowanceFor(this.bytes));
    if (origin === null || !origin.operands.every((operand) => operand.#isThere)) return false;
    if (costOf(origin, allowance) > allowance) {
      noteTooLong(allowance);
      return false;
    }
    for (const operand of origin.operands) {
      operand.#known().pins++;
      operand.#allow(allowance - origin.cost);
    }
    origin.forgotten.set(position, this);
    this.giveMemory();
    noteForgotten(origin.cost);
    forgotten++;
    return true;
  }

  /** True if the elements are stored or can be computed, and will not change. */
  get #isThere(): boolean {
    return this.lent === null && this.#stay?.isDoomed !== true && (this.isSomewhere || this.#origin !== null);
  }

  /** A forgotten result depends on these elements: computing them again may cost at most `allowance`. */
  #allow(allowance: number): void {
    const stay = this.#known();
    if (allowance >= stay.allowance) return;
    stay.allowance = allowance;
    if (!this.isForgotten) return;
    const { operands, cost } = this.#origin as Repeatable;
    for (const operand of operands) operand.#allow(allowance - cost);
  }

  /** The run that gave the elements, if they are forgotten. */
  get forgottenBy(): Repeatable | null {
    return this.isForgotten ? this.#origin : null;
  }

  /**
   * Brings forgotten elements back.
   * @throws Error when they cannot be computed.
   */
  #bringBack(): void {
    this.checkLent();
    if (this.isSomewhere) return;
    if (this.#origin === null) {
      const gone = this.#gone;
      if (typeof gone === "string") throw new Error(gone);
      if (gone instanceof ThreadError) throw new ThreadError(gone.reason);
      const where = gone === null ? "" : ` at ${siteOf(gone)}`;
      throw new Error(
        `compute: the tensor's memory was given back by dispose()${where}; it cannot be read again (compute what reads it first, or dispose of it later)`,
      );
    }
    noteReturn(this.#known(), this.bytes);
    this.#computeAgain();
    // Somebody has the elements, so they are not forgotten again: computing them a third time would be a waste. Their operands are free to
    // go.
    this.#cutOff();
    noteWanted();
  }

  /** Computes forgotten elements, after forgotten operands that they need. What one run needs stays until all have run that need it. */
  #computeAgain(): void {
    const runs = runsFor(this.#origin as Repeatable);
    const readers = new Map<Storage, number>();
    for (const { operands } of runs)
      for (const operand of operands) readers.set(operand, (readers.get(operand) ?? 0) + 1);
    for (const operand of readers.keys()) operand.beginUse();
    try {
      for (const run of runs) {
        repeat(run);
        for (const operand of run.operands) {
          const others = (readers.get(operand) as number) - 1;
          readers.set(operand, others);
          if (others > 0) continue;
          readers.delete(operand);
          operand.endUse();
        }
      }
    } finally {
      for (const operand of readers.keys()) operand.endUse();
    }
  }

  /** Elements that were forgotten, and have been computed again. */
  comeBack(result: Storage): void {
    this.#unpin();
    this.home = result.home;
    this.block = result.block;
    result.#empty();
    admit(this.#known(), this.#room);
  }

  /** No longer forgotten: its operands are not needed for it any more. */
  #unpin(): void {
    const { origin, position } = this.#known();
    const { operands, forgotten: waiting } = origin as Repeatable;
    waiting.delete(position);
    for (const operand of operands) {
      const stay = operand.#known();
      if (--stay.pins > 0) continue;
      stay.allowance = Number.POSITIVE_INFINITY;
      if (operand.#owners === 0) operand.#giveBack();
    }
  }

  /**
   * True if a result of `bytes` may be computed from this once more. A lent array may change when the tensor is gone, so one that is read
   * again and again is copied first. An array on the heap that is larger than the result would be kept alive to save less than it takes: it
   * may be if it was read so often that the results took as much, and there are few such.
   */
  mayBeReadAgain(bytes: number): boolean {
    const isLarger = this.home !== null && this.bytes > bytes;
    if (!isLarger && this.lent === null) return true;
    const stay = this.#known();
    stay.uses++;
    if (isLarger && !mayBeKept(stay, this.bytes, bytes)) return false;
    return this.lent === null || this.endLoan(stay.uses, bytes);
  }
}

/** Runs once more, for the results that are forgotten. */
function repeat(run: Repeatable): void {
  run.repeat().forEach((result, position) => {
    const waiting = run.forgotten.get(position);
    if (waiting === undefined) result.release();
    else waiting.comeBack(result);
  });
  returned++;
}

export const resultCounters = (): Readonly<
  Record<"forgotten" | "returned" | "movedOut" | "reclaimed", number>
> => ({ forgotten, returned, movedOut, reclaimed });

/** The bytes of all results that were ever made in linear memory, and of those that left it. */
export const bytesMade = (): number => madeBytes;
export const bytesLeft = (): number => leftBytes;
