/** The main thread's side of the control block: opens steps, claims slices as workers do, and waits for the claims of others. */
import { now } from "./host.ts";
import { layout, SLOTS, states } from "./layout.ts";
import { Patience } from "./patience.ts";

/** How many looks go by between two looks at the clock, which costs as much as all of them. */
const LOOKS = 16;
/** The longest time that the main thread blocks at once, in milliseconds. */
const PORTION = 100;

/** Tells the processor that this thread spins. Newer engines have it. */
const pause = (globalThis as { Atomics?: { pause?(): void } }).Atomics?.pause ?? (() => {});

export interface OpenStep {
  /** The number under which workers know the kernel. */
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

  /** `spin`: how many milliseconds the main thread looks before it blocks, where it may; at most. */
  constructor(spin: number, mayBlock: boolean) {
    this.#patience = new Patience(spin);
    this.#mayBlock = mayBlock;
  }

  /** The frame of a worker in the step that is opened next; 0: it has no part in it. */
  invite(slot: number, frame: number): void {
    this.#words[layout.frames + slot] = frame;
  }

  /** Opens a step, after the invitations to it. Its slice 0 is the main thread's own, claimed already. */
  open({ kernel, phase, workItems, slice, slices }: OpenStep): void {
    const words = this.#words;
    const first = this.#load(layout.limit);
    // Plain stores will do: who reads them has read `limit` before.
    words[layout.first] = first;
    words[layout.kernel] = kernel;
    words[layout.phase] = phase;
    words[layout.workItems] = workItems;
    words[layout.slice] = slice;
    this.#store(layout.next, (first + 1) | 0);
    this.#store(layout.limit, (first + slices) | 0);
  }

  /** Wakes those of some workers that sleep. One that is just about to will find that `limit` has changed. */
  wake(slots: readonly number[]): void {
    if (slots.some((slot) => this.#own(slot, layout.asleep) === 1)) Atomics.notify(this.#words, layout.limit);
  }

  /** The number of a slice that is now the caller's, or −1 when all are claimed. */
  claim(): number {
    for (;;) {
      const ticket = this.#load(layout.next);
      if (((this.#load(layout.limit) - ticket) | 0) <= 0) return -1;
      const found = Atomics.compareExchange(this.#words, layout.next, ticket, (ticket + 1) | 0);
      if (found === ticket) return this.#numberOf(ticket);
    }
  }

  /** Claims all slices that are left, for nobody. */
  drop(): void {
    while (this.claim() >= 0);
  }

  /** How many messages have been announced to every worker. */
  get mail(): number {
    return this.#load(layout.mail);
  }

  /** Says that a message is coming. Said before it is sent, lest a worker receive more than it knows of and wait for them in vain. */
  announceMail(): void {
    Atomics.add(this.#words, layout.mail, 1);
  }

  isReady(slot: number): boolean {
    return this.#own(slot, layout.state) === states.ready;
  }

  hasGivenUp(slot: number): boolean {
    return this.#own(slot, layout.state) === states.gaveUp;
  }

  /** Why it has given up. */
  reasonOf(slot: number): string {
    const codes = Array.from({ length: this.#own(slot, layout.reasonLength) }, (_, k) =>
      this.#own(slot, layout.reason + k),
    );
    return String.fromCharCode(...codes);
  }

  /** Whether it is in a slice, or for a moment in a claim that will fail. */
  isBusy(slot: number): boolean {
    return this.#own(slot, layout.busy) === 1;
  }

  /** The slice of the step that it claimed last. */
  sliceOf(slot: number): number {
    return this.#numberOf(this.#own(slot, layout.ticket));
  }

  /** Whether its last slice failed; forgets it. */
  takeFailure(slot: number): boolean {
    return Atomics.exchange(this.#words, this.#at(slot, layout.failed), 0) === 1;
  }

  /** Makes the words of a slot a new worker's. */
  clear(slot: number): void {
    this.#words.fill(0, this.#at(slot, 0), this.#at(slot, layout.workerWords));
    this.invite(slot, 0);
  }

  /**
   * Waits until `done`, at most `limit` milliseconds: whether it is. A stretch in which this thread itself did not run, because
   * the process was stopped or the machine slept, counts as two portions at most.
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

  /** The flag goes up before `done` is asked, and a worker changes what `done` reads before it looks at the flag: one sees the other. */
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
