/** The main thread's side of the control block: opens steps, claims slices as workers do, and waits for those that workers have claimed. */
import { now } from "./host.ts";
import { layout, SLOTS, states } from "./layout.ts";
import { Patience } from "./patience.ts";

/** How often a spinning thread looks before it reads the clock, which costs as much as all these looks. */
const LOOKS = 16;
/** The longest time that the main thread blocks at once, in milliseconds. */
const PORTION = 100;

/** Tells the processor that this thread is spinning, in engines that can. */
const pause = (globalThis as { Atomics?: { pause?(): void } }).Atomics?.pause ?? (() => {});

export interface OpenStep {
  /** The number by which workers know the kernel. */
  readonly kernel: number;
  readonly phase: number;
  readonly workItems: number;
  readonly slice: number;
  readonly slices: number;
}

export class ControlBlock {
  readonly buffer: SharedArrayBuffer = new SharedArrayBuffer(
    4 * (layout.workers + SLOTS * layout.workerWords),
  );
  readonly #words = new Int32Array(this.buffer);
  readonly #patience: Patience;
  readonly #mayBlock: boolean;

  /** `spin`: how many milliseconds the main thread spins at most before it blocks, where it may block. */
  constructor(spin: number, mayBlock: boolean) {
    this.#patience = new Patience(spin);
    this.#mayBlock = mayBlock;
  }

  /** Sets the frame of a worker in the next step; 0 if it has no part in it. */
  invite(slot: number, frame: number): void {
    this.#words[layout.frames + slot] = frame;
  }

  /** Opens a step, after workers were invited. Slice 0 is the main thread's own, and claimed already. */
  open({ kernel, phase, workItems, slice, slices }: OpenStep): void {
    const words = this.#words;
    const first = this.#load(layout.limit);
    // Plain stores are enough: a thread reads these only after it has read `limit`.
    words[layout.first] = first;
    words[layout.kernel] = kernel;
    words[layout.phase] = phase;
    words[layout.workItems] = workItems;
    words[layout.slice] = slice;
    this.#store(layout.next, (first + 1) | 0);
    this.#store(layout.limit, (first + slices) | 0);
  }

  /** Wakes those of the workers that sleep. A worker that is about to sleep will see that `limit` has changed. */
  wake(slots: readonly number[]): void {
    if (slots.some((slot) => this.#own(slot, layout.asleep) === 1)) Atomics.notify(this.#words, layout.limit);
  }

  /** Claims a slice, and returns its number; −1 when all are claimed. */
  claim(): number {
    for (;;) {
      const ticket = this.#load(layout.next);
      if (((this.#load(layout.limit) - ticket) | 0) <= 0) return -1;
      const found = Atomics.compareExchange(this.#words, layout.next, ticket, (ticket + 1) | 0);
      if (found === ticket) return this.#numberOf(ticket);
    }
  }

  /** Claims all remaining slices, for nobody. */
  drop(): void {
    while (this.claim() >= 0);
  }

  /** How many messages have been announced to every worker. */
  get mail(): number {
    return this.#load(layout.mail);
  }

  /**
   * Announces a message before it is sent. Otherwise a worker could count one more than was announced, and wait for messages that do not
   * come.
   */
  announceMail(): void {
    Atomics.add(this.#words, layout.mail, 1);
  }

  isReady(slot: number): boolean {
    return this.#own(slot, layout.state) === states.ready;
  }

  hasGivenUp(slot: number): boolean {
    return this.#own(slot, layout.state) === states.gaveUp;
  }

  /** Why a worker has given up. */
  reasonOf(slot: number): string {
    const codes = Array.from({ length: this.#own(slot, layout.reasonLength) }, (_, k) =>
      this.#own(slot, layout.reason + k),
    );
    return String.fromCharCode(...codes);
  }

  /** True if a worker is in a slice, or briefly while a claim of it fails. */
  isBusy(slot: number): boolean {
    return this.#own(slot, layout.busy) === 1;
  }

  /** The slice of the step that a worker claimed last. */
  sliceOf(slot: number): number {
    return this.#numberOf(this.#own(slot, layout.ticket));
  }

  /** True if a worker's last slice failed. Clears the flag. */
  takeFailure(slot: number): boolean {
    return Atomics.exchange(this.#words, this.#at(slot, layout.failed), 0) === 1;
  }

  /** Resets the words of a slot for a new worker. */
  clear(slot: number): void {
    this.#words.fill(0, this.#at(slot, 0), this.#at(slot, layout.workerWords));
    this.invite(slot, 0);
  }

  /**
   * Waits until `done`, for at most `limit` milliseconds, and returns whether it is. Time in which this thread did not run, because the
   * process was stopped or the machine slept, counts as two portions at most.
   */
  wait(done: () => boolean, limit: number): boolean {
    let waited = 0;
    let blocked = false;
    for (let last = now(); ; ) {
      for (let look = 0; look < LOOKS; look++) {
        if (done()) {
          if (waited > 0 && !blocked) this.#patience.reward();
          return true;
        }
        pause();
      }
      const time = now();
      waited += Math.min(time - last, 2 * PORTION);
      last = time;
      if (waited > limit) return done();
      if (!this.#mayBlock || (!blocked && waited <= this.#patience.milliseconds)) continue;
      if (!blocked) this.#patience.fail();
      blocked = true;
      this.#block(done, Math.min(PORTION, limit));
    }
  }

  /**
   * Sets the flag before it asks `done`, while a worker changes what `done` reads before it looks at the flag. So one of them sees the
   * other.
   */
  #block(done: () => boolean, milliseconds: number): void {
    this.#store(layout.waiting, 1);
    const answer = this.#load(layout.answer);
    if (!done()) Atomics.wait(this.#words, layout.answer, answer, milliseconds);
    this.#store(layout.waiting, 0);
  }

  #numberOf(ticket: number): number {
    return (ticket - this.#load(layout.first)) >>> 0;
  }

  #at(slot: number, word: number): number {
    return layout.workers + slot * layout.workerWords + word;
  }

  #own(slot: number, word: number): number {
    return this.#load(this.#at(slot, word));
  }

  #load(word: number): number {
    return Atomics.load(this.#words, word);
  }

  #store(word: number, value: number): void {
    Atomics.store(this.#words, word, value);
  }
}
