/** A kernel with its loops scheduled for a target. Pure. */
import type { BufferParameter, LoopKernel } from "@fuseau/ir";
import type { Machine } from "./machine.ts";
import { Numbering } from "./numbering.ts";
import type { Tactic } from "./tactic.ts";

/** A machine, and what is known of how to use it. */
export interface Scheduler {
  readonly machine: Machine;
  /** One after another; what one has decided the next leaves as it is. */
  readonly tactics: readonly Tactic[];
}

/** The same bits. */
export function scheduleLoops(kernel: LoopKernel, { machine, tactics }: Scheduler): LoopKernel {
  const numbering = new Numbering(kernel);
  const buffers: BufferParameter[] = [...kernel.buffers];
  let { body } = kernel;
  for (const { schedule } of tactics) {
    body = body.flatMap((statement) => {
      const added: BufferParameter[] = [];
      const scheduled = schedule(statement, {
        machine,
        names: numbering,
        dtypeOf: (slot) => (buffers[slot] ?? added[slot - buffers.length]!).dtype,
        isScratch: (slot) => buffers[slot]?.access === "scratch",
        addPrivate: (buffer) => buffers.length + added.push(buffer) - 1,
      });
      if (scheduled !== null) buffers.push(...added);
      return scheduled ?? [statement];
    });
  }
  return { ...kernel, buffers, body };
}
