/** One step: its slices on the main thread alone, or on all threads. */

import { now } from "./host.ts";
import { ThreadError } from "./thread-error.ts";
import type { SharedKernel, Workers } from "./workers.ts";

export interface Step {
  readonly kernel: SharedKernel;
  /**
   * Where its arguments stand, by thread; the main thread's come first. No more threads take part than there are frames. No
   * frame is at address 0.
   */
  readonly frames: readonly number[];
  readonly phase: number;
  readonly workItems: number;
  /** Work items in a slice; the last slice may have fewer. */
  readonly slice: number;
  /** The slices run in their order, on the main thread. */
  readonly sequential: boolean;
  /**
   * Whether a slice may be run again on another thread after a first try broke off at any place, or even goes on. Then no cell that
   * the step reads is written from here to the end of the program, and no cell that it writes is written by a later step.
   */
  readonly repeatable: boolean;
}

/** A worker may be slower than the main thread: its core may be another kind, and shared with other processes. */
const SLOWER = 100;

export const sliceCount = ({ workItems, slice }: Step): number => Math.ceil(workItems / slice);

const runSlice = ({ kernel, frames, phase, workItems, slice }: Step, k: number): number =>
  kernel.run(frames[0] as number, phase, k * slice, Math.min((k + 1) * slice, workItems));

/** Runs a step here. Gives the frame of the slice that failed, or null. */
export function runAlone(step: Step): number | null {
  const slices = sliceCount(step);
  for (let k = 0; k < slices; k++) if (runSlice(step, k) !== 0) return step.frames[0] as number;
  return null;
}

/**
 * Runs a step here and on workers. Gives the frame of the first slice that failed, or null. Slices are claimed in their order, and
 * a claimed one is run to its end. So whatever comes before a failure has run too, on any number of threads.
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
  // Not before all have met: whoever catches it finds memory at rest.
  if (thrown !== null) throw thrown.error;
  for (const { slice, reason } of lost) {
    if (failure !== null && slice > failure.slice) break;
    if (!step.repeatable) throw new ThreadError(reason);
    if (runSlice(step, slice) !== 0) failure = { slice, frame: frames[0] as number };
  }
  return failure === null ? null : failure.frame;
}

/** Opens a step. Gives the slots of the workers that have a part in it, in the order of their frames. */
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
 * Waits for the slices that workers have claimed. Gives those that will not be finished, in their order, and lets their workers go.
 * Who is once seen idle has finished, since all slices are claimed. It may look busy again for a moment, while a claim of it fails.
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
    // Beyond the slices is a ticket of an earlier step that a silent worker was about to claim in vain.
    if (control.isBusy(slot) && slice < sliceCount(step)) lost.push({ slice, reason });
    workers.retire(slot, !answered);
  }
  return lost.sort((a, b) => a.slice - b.slice);
}
