/** Runs one step: its slices on the main thread alone, or on all threads. */

import { now } from "./host.ts";
import { ThreadError } from "./thread-error.ts";
import type { SharedKernel, Workers } from "./workers.ts";

export interface Step {
  readonly kernel: SharedKernel;
  /**
   * Addresses of the arguments by thread, the main thread's first. At most so many threads take part as there are frames. No frame is at
   * address 0.
   */
  readonly frames: readonly number[];
  readonly phase: number;
  readonly workItems: number;
  /** Work items in a slice; the last slice may have fewer. */
  readonly slice: number;
  /** True if the slices run in order, on the main thread. */
  readonly sequential: boolean;
  /**
   * True if a slice may be run again on another thread, although a first try broke off anywhere, or is still running. Then no cell that the
   * step reads is written from here to the end of the program, and no cell that it writes is written by a later step.
   */
  readonly repeatable: boolean;
}

/** A worker may be slower than the main thread by so much: its core may be slower, and shared with other processes. */
const SLOWER = 100;

export const sliceCount = ({ workItems, slice }: Step): number => Math.ceil(workItems / slice);

const runSlice = ({ kernel, frames, phase, workItems, slice }: Step, k: number): number =>
  kernel.run(frames[0] as number, phase, k * slice, Math.min((k + 1) * slice, workItems));

/** Runs a step on this thread. Returns the frame of the slice that failed, or null. */
export function runAlone(step: Step): number | null {
  const slices = sliceCount(step);
  for (let k = 0; k < slices; k++) if (runSlice(step, k) !== 0) return step.frames[0] as number;
  return null;
}

/**
 * Runs a step here and on workers. Returns the frame of the first slice that failed, or null. Slices are claimed in order, and a claimed
 * slice runs to its end. So everything before a failure has run too, on any number of threads.
 */
export function runShared(
  step: Step,
  workers: Workers,
  ready: readonly number[],
  timeLimit: number,
): number | null {
  const { control } = workers;
  const { frames } = step;
  const slots = open(step, workers, ready);
  const opened = now();
  let ran = 0;
  let failure: { readonly slice: number; readonly frame: number } | null = null;
  let thrown: { readonly error: unknown } | null = null;
  try {
    for (let slice = 0; slice >= 0; slice = control.claim()) {
      ran++;
      if (runSlice(step, slice) === 0) continue;
      failure = { slice, frame: frames[0] as number };
      control.drop();
    }
  } catch (error) {
    thrown = { error };
    control.drop();
  }
  const lost = meet(step, workers, slots, timeLimit + (SLOWER * (now() - opened)) / ran);
  for (const [k, slot] of slots.entries()) {
    if (!control.takeFailure(slot)) continue;
    const slice = control.sliceOf(slot);
    if (failure === null || slice < failure.slice) failure = { slice, frame: frames[k + 1] as number };
  }
  // Thrown only after all threads have met, so that memory is at rest when it is caught.
  if (thrown !== null) throw thrown.error;
  for (const { slice, reason } of lost) {
    if (failure !== null && slice > failure.slice) break;
    if (!step.repeatable) throw new ThreadError(reason);
    if (runSlice(step, slice) !== 0) failure = { slice, frame: frames[0] as number };
  }
  return failure === null ? null : failure.frame;
}

/** Opens a step. Returns the slots of the workers that have a part in it, in the order of their frames. */
function open(step: Step, workers: Workers, ready: readonly number[]): readonly number[] {
  const { control } = workers;
  const { phase, workItems, slice, frames } = step;
  const kernel = workers.numberOf(step.kernel);
  const slices = sliceCount(step);
  const helpers = Math.min(ready.length, frames.length - 1, slices - 1);
  for (const [k, slot] of ready.entries()) control.invite(slot, k < helpers ? (frames[k + 1] as number) : 0);
  control.open({ kernel, phase, workItems, slice, slices });
  const slots = helpers === ready.length ? ready : ready.slice(0, helpers);
  control.wake(slots);
  return slots;
}

interface Lost {
  readonly slice: number;
  readonly reason: string;
}

/**
 * Waits for the slices that workers have claimed. Returns those that will not be finished, in order, and gives their workers up. A worker
 * that is seen idle once has finished, since all slices are claimed. It may look busy again briefly, while a claim of it fails.
 */
function meet(step: Step, workers: Workers, slots: readonly number[], limit: number): Lost[] {
  const { control } = workers;
  const lost: Lost[] = [];
  for (const slot of slots) {
    const answered = control.wait(() => control.hasGivenUp(slot) || !control.isBusy(slot), limit);
    if (answered && !control.hasGivenUp(slot)) continue;
    const reason = answered
      ? `a worker thread failed (${control.reasonOf(slot)})`
      : `a worker thread gave no answer for ${(limit / 1000).toFixed(1)} s`;
    const slice = control.sliceOf(slot);
    // A number beyond the slices is a ticket of an earlier step, which a silent worker was about to claim in vain.
    if (control.isBusy(slot) && slice < sliceCount(step)) lost.push({ slice, reason });
    workers.retire(slot, !answered);
  }
  return lost.sort((a, b) => a.slice - b.slice);
}
