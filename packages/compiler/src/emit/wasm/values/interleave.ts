/** Chains of instructions that do not depend on each other, one instruction of each in turn. */
import type { StraightCode } from "../lanes/code.ts";
import type { Instruction, Register } from "../lanes/straight.ts";

/** Computes `count` registers. The instructions that make them are interleaved, so that no chain waits for its own last result. */
export function interleaved(
  { instructions }: StraightCode,
  count: number,
  make: (k: number) => Register,
): Register[] {
  const start = instructions.length;
  const results: Register[] = [];
  const chains: Instruction[][] = [];
  for (let k = 0; k < count; k++) {
    const before = instructions.length;
    results.push(make(k));
    chains.push(instructions.slice(before));
  }
  if (count > 1) instructions.splice(start, instructions.length - start, ...interleave(chains));
  return results;
}

/** A chain waits its turn for what another makes first: chains share equal operations. */
function interleave(chains: readonly (readonly Instruction[])[]): Instruction[] {
  const own = new Set<Register>();
  let total = 0;
  for (const chain of chains) {
    total += chain.length;
    for (const { result } of chain) if (result !== null) own.add(result);
  }
  const list: Instruction[] = [];
  const next = chains.map(() => 0);
  while (list.length < total) {
    for (let k = 0; k < chains.length; k++) {
      const instruction = chains[k]![next[k]!];
      if (instruction === undefined || readsAny(instruction, own)) continue;
      list.push(instruction);
      if (instruction.result !== null) own.delete(instruction.result);
      next[k]!++;
    }
  }
  return list;
}

/** Whether an instruction reads one of some registers. */
export function readsAny(instruction: Instruction, registers: ReadonlySet<Register>): boolean {
  for (const register of instruction.args) if (registers.has(register)) return true;
  return (
    instruction.kind === "rarely" && (registers.has(instruction.mask) || registers.has(instruction.usual))
  );
}
