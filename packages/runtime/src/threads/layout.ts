/**
 * The layout of the control block, in words of 32 bits. Words that different threads write at the same time are 128 bytes apart: two cache
 * lines, because processors fetch them in pairs.
 * Slices have tickets: numbers that increase for as long as the process lives, compared modulo 2^32. So a ticket belongs to one slice of
 * one step and to no other. `next` is the lowest ticket that nobody has claimed, `limit` the end of those that may be claimed. A thread
 * claims a ticket by a compare-and-exchange of `next` from it to its successor.
 * Everything rests on one law. The main thread writes the words of a step only while `next` is at or beyond `limit`, and raises `limit`
 * last. So if a thread finds `next` below `limit`, then reads the step, and then succeeds in its claim, what it read was all of one step:
 * nobody else had moved `next` in between. A thread that slept through ten programs fails to claim, and has done no harm.
 */
export const layout = {
  next: 0,
  /** Workers sleep on it. It has cache lines of its own, since spinning threads read it all the time. */
  limit: 32,
  /** The ticket of the step's slice 0. */
  first: 64,
  kernel: 65,
  phase: 66,
  workItems: 67,
  slice: 68,
  /** How many messages have been sent to every worker. */
  mail: 96,
  /** Incremented when the waiting main thread should look again. */
  answer: 128,
  waiting: 129,
  /** The frame of each worker in the step; 0 for a worker that has no part in it. */
  frames: 160,
  /** Where the first worker's own words begin, and how many each worker has. */
  workers: 224,
  workerWords: 128,
  // A worker's own words, as offsets. Only the worker writes them, except `failed`, which the main thread clears.
  state: 0,
  /** 1 from before the worker tries to claim `ticket` until the slice is done or the claim has failed. */
  busy: 1,
  ticket: 2,
  /** 1 if the kernel returned a status other than 0 for `ticket`. The worker claims nothing until this is cleared. */
  failed: 3,
  asleep: 4,
  /** Why the worker gave up: a length, and character codes. */
  reasonLength: 32,
  reason: 33,
} as const;

/** The number of workers that a control block has words for. */
export const SLOTS = 64;

export const states = { starting: 0, ready: 1, gaveUp: 2 } as const;
