/** Which registers an instruction is the last to read. */
import type { Instruction, Register } from "./straight.ts";

/** By register, the instruction that is the last to read it; of registers that others ask for too, none. */
export type LastReads = readonly (Instruction | null)[];

/**
 * Of the registers that these instructions make and that nobody else reads, `kept` being those that somebody does. So many
 * registers there are.
 */
export function lastReads(
  blocks: readonly (readonly Instruction[])[],
  registers: number,
  kept: Iterable<Register>,
): LastReads {
  const last = new Array<Instruction | null>(registers).fill(null);
  const made = new Uint8Array(registers);
  for (const block of blocks) for (const { result } of block) if (result !== null) made[result] = 1;
  for (const register of kept) made[register] = 0;
  for (const block of blocks)
    for (const instruction of block)
      for (const register of readsOf(instruction)) if (made[register] === 1) last[register] = instruction;
  return last;
}

/** The registers that an instruction reads. */
export const readsOf = (instruction: Instruction): readonly Register[] =>
  instruction.kind === "rarely"
    ? [...instruction.args, instruction.mask, instruction.usual]
    : instruction.args;
