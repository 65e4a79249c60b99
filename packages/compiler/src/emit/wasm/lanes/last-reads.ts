/** Which registers an instruction is the last to read. */
import type { Instruction, Register } from "./straight.ts";

export type LastReads = ReadonlyMap<Instruction, readonly Register[]>;

/**
 * Of the registers that these instructions make and that nobody else reads: those which each of them is the last to
 * read.
 */
export function lastReads(instructions: readonly Instruction[], kept: Iterable<Register>): LastReads {
  // 1 of what ends here, by register.
  const open: number[] = [];
  for (const { result } of instructions) if (result !== null) open[result] = 1;
  for (const register of kept) open[register] = 0;
  const reads = new Map<Instruction, Register[]>();
  for (let at = instructions.length - 1; at >= 0; at--) {
    const instruction = instructions[at]!;
    let last = none;
    for (const register of readsOf(instruction)) {
      if (open[register] !== 1) continue;
      open[register] = 0;
      if (last === none) last = [];
      last.push(register);
    }
    if (last !== none) reads.set(instruction, last);
  }
  return reads;
}

const none: Register[] = [];

const readsOf = (instruction: Instruction): readonly Register[] =>
  instruction.kind === "rarely"
    ? [...instruction.args, instruction.mask, instruction.usual]
    : instruction.args;
