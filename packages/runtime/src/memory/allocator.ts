/**
 * Allocates ranges of a linear memory: segregated fits in two levels (Masmano and others, "TLSF: a new dynamic memory allocator for
 * real-time systems", 2004). Allocating and freeing take a few steps each, however many blocks there are. It works on numbers only, and
 * does not touch the memory.
 * - A block begins at a multiple of 64 bytes, a cache line. It is followed by 64 bytes of slack, which vector loads may read.
 * - There are 16 sizes between a size and its double, so at most 1/16 is lost to rounding (below 1 KiB, at most 64 bytes).
 * - Sizes from 64 KiB on would be multiples of 4 KiB, and blocks one behind the other would begin at the same place of a page. A loop over
 *   several of them would then use the same sets of the first cache, and some sizes would evict each other's lines: three results of 1 MB
 *   took five times as long. So those sizes have 9 lines more.
 * - Free neighbours are always one free run. A run is in the list of the largest size that it can serve. The run freed last is at the head
 *   of its list: its pages are in memory, and perhaps in the cache.
 * - Memory that was never allocated is used last, when no run serves.
 */

/** All positions and sizes inside are in granules of this many bytes. */
const GRANULE = 64;
const SLACK = 64;
/** Sizes between a size and its double. */
const STEP_BITS = 4;
const STEPS = 1 << STEP_BITS;
/**
 * From this rounded size on sizes have a few lines more: few enough for seven blocks to differ, and enough that stores are done when a
 * load comes by.
 */
const [LARGE, COLOUR] = [1024, 9];
/** 4 GiB, the most that 32-bit pointers reach. */
const MOST_GRANULES = 2 ** 26;
/** The first 16 sizes, and then those from each power of two of granules on. */
const DOUBLINGS = 24;
const NONE = -1;

/** In place of the link of a free run: the record is a block's. */
const TAKEN = -2;
const FIRST_RECORDS = 64;

export class Allocator {
  /** The first granule from which on nothing is allocated. */
  #frontier: number;
  readonly #start: number;
  #end: number;
  #taken = 0;

  // Columns of records: one record for each block and each free run. Neighbours are by address.
  #starts = new Int32Array(FIRST_RECORDS);
  #sizes = new Int32Array(FIRST_RECORDS);
  #before = new Int32Array(FIRST_RECORDS);
  #after = new Int32Array(FIRST_RECORDS);
  /** Links of the free lists. `next` is TAKEN in the record of a block. */
  #previous = new Int32Array(FIRST_RECORDS);
  #next = new Int32Array(FIRST_RECORDS);
  #records = 0;
  /** Unused records, linked by `next`. */
  #spare = NONE;
  /** The record that ends at the frontier. */
  #last = NONE;

  readonly #heads = new Int32Array(DOUBLINGS * STEPS).fill(NONE);
  /** One bit for each doubling that has free runs, and for each doubling one bit for each of its sizes. */
  #doublings = 0;
  readonly #steps = new Int32Array(DOUBLINGS);

  /** Allocates from byte `start` up to `end`; `end` can grow. */
  constructor(start: number, end: number) {
    this.#start = Math.ceil(start / GRANULE);
    this.#frontier = this.#start;
    this.#end = Math.floor(end / GRANULE);
  }

  /** Bytes of all blocks, rounding and slack included. */
  get taken(): number {
    return this.#taken * GRANULE;
  }

  /** The frontier in bytes: nothing beyond it is allocated. */
  get frontier(): number {
    return this.#frontier * GRANULE;
  }

  /** With memory up to this end, `take(bytes)` is sure to succeed. */
  endFor(bytes: number): number {
    return (this.#frontier + sizeFor(bytes)) * GRANULE;
  }

  /** There is more memory now. */
  extend(end: number): void {
    this.#end = Math.floor(end / GRANULE);
  }

  /** Allocates a block of at least `bytes`, and returns its record; −1 when no range is long enough. */
  take(bytes: number): number {
    const size = sizeFor(bytes);
    if (size > MOST_GRANULES) return NONE;
    let record = this.#find(size);
    if (record === NONE) {
      if (size > this.#end - this.#frontier) return NONE;
      record = this.#append(size);
    } else {
      this.#unlink(record);
      if ((this.#sizes[record] as number) > size) this.#split(record, size);
    }
    this.#next[record] = TAKEN;
    this.#taken += size;
    return record;
  }

  /** The address of a block. */
  pointerOf(record: number): number {
    return (this.#starts[record] as number) * GRANULE;
  }

  /** Frees a block; its record is meaningless from then on. */
  give(record: number): void {
    this.#taken -= this.#sizes[record] as number;
    let run = record;
    const after = this.#after[run] as number;
    if (after !== NONE && this.#isFree(after)) {
      this.#unlink(after);
      this.#join(run, after);
    }
    const before = this.#before[run] as number;
    if (before !== NONE && this.#isFree(before)) {
      this.#unlink(before);
      this.#join(before, run);
      run = before;
    }
    if (run === this.#last) this.#retreat(run);
    else this.#link(run);
  }

  #isFree(record: number): boolean {
    return this.#next[record] !== TAKEN;
  }

  /** The run freed last in the first list whose runs are sure to hold `size`; NONE if there is none. */
  #find(size: number): number {
    const list = listOf(size);
    const doubling = list >> STEP_BITS;
    const steps = (this.#steps[doubling] as number) & (-1 << (list & (STEPS - 1)));
    if (steps !== 0) return this.#heads[(doubling << STEP_BITS) + lowestBit(steps)] as number;
    const larger = this.#doublings & (-2 << doubling);
    if (larger === 0) return NONE;
    const next = lowestBit(larger);
    return this.#heads[(next << STEP_BITS) + lowestBit(this.#steps[next] as number)] as number;
  }

  #append(size: number): number {
    const record = this.#record(this.#frontier, size, this.#last, NONE);
    if (this.#last !== NONE) this.#after[this.#last] = record;
    this.#last = record;
    this.#frontier += size;
    return record;
  }

  /** Shrinks the record to `size`, and makes a free run of the remainder. */
  #split(record: number, size: number): void {
    const after = this.#after[record] as number;
    const start = (this.#starts[record] as number) + size;
    const rest = this.#record(start, (this.#sizes[record] as number) - size, record, after);
    this.#sizes[record] = size;
    this.#after[record] = rest;
    // A free run is never the last record, so another follows it.
    this.#before[after] = rest;
    this.#link(rest);
  }

  /** Joins two neighbouring records. */
  #join(record: number, after: number): void {
    this.#sizes[record] = (this.#sizes[record] as number) + (this.#sizes[after] as number);
    const next = this.#after[after] as number;
    this.#after[record] = next;
    if (next === NONE) this.#last = record;
    else this.#before[next] = record;
    this.#discard(after);
  }

  /** Moves the frontier back over the last run, as if it had never been allocated. */
  #retreat(run: number): void {
    this.#frontier = this.#starts[run] as number;
    this.#last = this.#before[run] as number;
    if (this.#last !== NONE) this.#after[this.#last] = NONE;
    this.#discard(run);
  }

  #link(run: number): void {
    const list = listOf(this.#sizes[run] as number);
    const head = this.#heads[list] as number;
    this.#previous[run] = NONE;
    this.#next[run] = head;
    if (head !== NONE) this.#previous[head] = run;
    this.#heads[list] = run;
    const doubling = list >> STEP_BITS;
    this.#doublings |= 1 << doubling;
    this.#steps[doubling] = (this.#steps[doubling] as number) | (1 << (list & (STEPS - 1)));
  }

  #unlink(run: number): void {
    const previous = this.#previous[run] as number;
    const next = this.#next[run] as number;
    if (next !== NONE) this.#previous[next] = previous;
    if (previous !== NONE) {
      this.#next[previous] = next;
      return;
    }
    const list = listOf(this.#sizes[run] as number);
    this.#heads[list] = next;
    if (next !== NONE) return;
    const doubling = list >> STEP_BITS;
    this.#steps[doubling] = (this.#steps[doubling] as number) & ~(1 << (list & (STEPS - 1)));
    if (this.#steps[doubling] === 0) this.#doublings &= ~(1 << doubling);
  }

  #record(start: number, size: number, before: number, after: number): number {
    let record = this.#spare;
    if (record !== NONE) this.#spare = this.#next[record] as number;
    else {
      record = this.#records++;
      if (record === this.#starts.length) this.#lengthenColumns();
    }
    this.#starts[record] = start;
    this.#sizes[record] = size;
    this.#before[record] = before;
    this.#after[record] = after;
    return record;
  }

  #discard(record: number): void {
    this.#next[record] = this.#spare;
    this.#spare = record;
  }

  #lengthenColumns(): void {
    this.#starts = doubled(this.#starts);
    this.#sizes = doubled(this.#sizes);
    this.#before = doubled(this.#before);
    this.#after = doubled(this.#after);
    this.#previous = doubled(this.#previous);
    this.#next = doubled(this.#next);
  }
}

/** The smallest size that holds `bytes` and the slack. */
function sizeFor(bytes: number): number {
  const granules = Math.ceil((bytes + SLACK) / GRANULE);
  const shift = stepShift(granules);
  const rounded = Math.ceil(granules / 2 ** shift) * 2 ** shift;
  return rounded < LARGE ? rounded : rounded + COLOUR;
}

/** The distance between sizes near `granules`, as a power of two. */
const stepShift = (granules: number): number => Math.max(0, 31 - STEP_BITS - Math.clz32(granules));

/** The list of the largest size that a run of `granules` can serve; for a size, the list of that size. */
function listOf(granules: number): number {
  const rounded = granules < LARGE ? granules : Math.max(LARGE - 1, granules - COLOUR);
  const shift = stepShift(rounded);
  return (shift << STEP_BITS) + (rounded >> shift);
}

const lowestBit = (bits: number): number => 31 - Math.clz32(bits & -bits);

function doubled(column: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const longer = new Int32Array(2 * column.length);
  longer.set(column);
  return longer;
}
