/** A kernel with its loops scheduled for a target: of its tactics the first that is for a phase. Pure. */
import { type BufferParameter, isLoop, type LoopKernel, type Statement, statementsIn } from "@fuseau/ir";
import type { Machine } from "./machine.ts";
import { Numbering } from "./numbering.ts";
import type { Scheduling, Tactic } from "./tactic.ts";

/** A machine, and what is known of how to use it. */
export interface Scheduler {
  readonly machine: Machine;
  /** In the order in which they are asked. */
  readonly tactics: readonly Tactic[];
}

/** The same bits. A phase that is scheduled already, or that no tactic is for, stays as it is. */
export function scheduleLoops(kernel: LoopKernel, { machine, tactics }: Scheduler): LoopKernel {
  if (tactics.length === 0) return kernel;
  const buffers: BufferParameter[] = [...kernel.buffers];
  const names = new Numbering(kernel);
  const body = kernel.body.flatMap((statement) => {
    if (!isLoop(statement) || isScheduled(statement)) return [statement];
    for (const { schedule } of tactics) {
      const added: BufferParameter[] = [];
      const scheduling: Scheduling = {
        machine,
        names,
        dtypeOf: (slot) => (buffers[slot] ?? added[slot - buffers.length]!).dtype,
        addPrivate: (buffer) => buffers.length + added.push(buffer) - 1,
      };
      const scheduled = schedule(statement, scheduling);
      if (scheduled === null) continue;
      buffers.push(...added);
      return scheduled;
    }
    return [statement];
  });
  return { ...kernel, buffers, body };
}

const isScheduled = (statement: Statement): boolean =>
  statementsIn([statement]).some((each) => each.kind === "for" && each.run !== undefined);
