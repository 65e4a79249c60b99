/** A kernel with its loops scheduled for a target. Pure. */
import type { BufferParameter, LoopKernel } from "@fuseau/ir";
import type { Machine } from "./machine.ts";
import { Numbering } from "./numbering.ts";
import type { Tactic } from "./tactic.ts";

/** A machine and its tactics. */
export interface Scheduler {
  readonly machine: Machine;
  /** Applied one after another; each keeps what an earlier one has decided. */
  readonly tactics: readonly Tactic[];
}

/** A kernel with the same results, bit for bit. */
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
