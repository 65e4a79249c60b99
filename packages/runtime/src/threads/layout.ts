/**
 * Where things stand in the control block, in words of 32 bits. Words that different threads write at the same time lie 128 bytes
 * apart: two cache lines, because processors fetch them in pairs.
 *
 * Slices have tickets: numbers that go up for as long as the process lives, compared modulo 2^32. So a ticket stands for one slice
 * of one step and for no other. `next` is the lowest ticket that nobody has claimed, `limit` the end of those that may be claimed.
 * A ticket is claimed by a compare-and-exchange of `next` from it to its successor.
 *
 * The law on which all else rests: the main thread writes the words of a step only while `next` is at or beyond `limit`, and raises
 * `limit` last. So what a thread read after it had found `next` below `limit` was all of one step if its claim succeeds:
 * nobody else had moved `next` in between. A thread that slept through ten programs fails to claim, and has done no harm.
 */
export const layout = {
  next: 0,
  /** Workers sleep on it. It has lines to itself, since those who spin read it all the time. */
  limit: 32,
  /** The ticket of the step's slice 0. */
  first: 64,
  kernel: 65,
  phase: 66,
  workItems: 67,
  slice: 68,
  /** How many messages have been sent to every worker. */
  mail: 96,
  /** Goes up when the main thread, waiting, is to look again. */
  answer: 128,
  waiting: 129,
  /** The frame that each worker uses in the step; 0 for one that has no part in it. */
  frames: 160,
  /** Where the first worker's own words begin, and how many each has. */
  workers: 224,
  workerWords: 128,
  // A worker's own words, counted from where they begin. It alone writes them, but for `failed`, which the main thread clears.
  state: 0,
  /** 1 from before it tries to claim `ticket` until the slice is done or the claim has failed. */
  busy: 1,
  ticket: 2,
  /** 1 when the kernel gave a status other than 0 for `ticket`; the worker claims nothing before this is cleared. */
  failed: 3,
  asleep: 4,
  /** Why the worker gave up: a length, and char codes. */
  reasonLength: 32,
  reason: 33,
} as const;

/** How many workers a control block has words for. */
export const SLOTS = 64;

export const states = { starting: 0, ready: 1, gaveUp: 2 } as const;
