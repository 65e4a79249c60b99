/** The last read of each register. */
import type { Instruction, Register } from "./straight.ts";

/** By register: the instruction that reads it last; null if the register may be read elsewhere too. */
export type LastReads = readonly (Instruction | null)[];

/**
 * The last reads of registers that these instructions compute. `kept` are those that are read elsewhere too; `registers` is the
 * number of all.
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
