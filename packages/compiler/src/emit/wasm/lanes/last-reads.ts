/** Which registers an instruction is the last to read. */
import type { Instruction, Register } from "./straight.ts";

export type LastReads = ReadonlyMap<Instruction, readonly Register[]>;

/**
 * Of the registers that these instructions make and that nobody else reads: those which each of them is the last to read. What nobody
 * reads at all ends where it is made.
 */
export function lastReads(instructions: readonly Instruction[], kept: Iterable<Register>): LastReads {
  const done = new Set(kept);
  const own = new Set<Register>();
  for (const { result } of instructions) if (result !== null) own.add(result);
  const reads = new Map<Instruction, Register[]>();
  for (let at = instructions.length - 1; at >= 0; at--) {
    const instruction = instructions[at]!;
    const last: Register[] = [];
    const see = (register: Register): void => {
      if (done.has(register) || !own.has(register)) return;
      done.add(register);
      last.push(register);
    };
    instruction.args.forEach(see);
    if (instruction.kind === "rarely") {
      see(instruction.mask);
      see(instruction.usual);
    }
    if (last.length > 0) reads.set(instruction, last);
  }
  return reads;
}
