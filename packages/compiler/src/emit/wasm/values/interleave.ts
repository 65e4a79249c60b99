/** Interleaves independent chains of instructions. */
import type { StraightCode } from "../lanes/code.ts";
import type { Instruction, Register } from "../lanes/straight.ts";

/** Computes `count` registers. The instructions of their chains are interleaved, so that none waits for the latency of the one before. */
export function interleaved(code: StraightCode, count: number, make: (k: number) => Register): Register[] {
  if (count === 1) return [make(0)];
  const { instructions } = code;
  const start = instructions.length;
  const results: Register[] = [];
  const chains: Instruction[][] = [];
  for (let k = 0; k < count; k++) {
    const before = instructions.length;
    results.push(make(k));
    chains.push(instructions.slice(before));
  }
  if (count > 1)
    instructions.splice(start, instructions.length - start, ...interleave(chains, code.registers));
  return results;
}

/** Chains may share equal operations. A chain that needs a result of another one is skipped until that is computed. */
function interleave(chains: readonly (readonly Instruction[])[], registers: number): Instruction[] {
  /** 1 for registers that are not computed yet. */
  const own = new Uint8Array(registers);
  let total = 0;
  for (const chain of chains) {
    total += chain.length;
    for (const { result } of chain) if (result !== null) own[result] = 1;
  }
  const list: Instruction[] = [];
  const next = chains.map(() => 0);
  while (list.length < total) {
    for (let k = 0; k < chains.length; k++) {
      const instruction = chains[k]![next[k]!];
      if (instruction === undefined || readsAny(instruction, own)) continue;
      list.push(instruction);
      if (instruction.result !== null) own[instruction.result] = 0;
      next[k]!++;
    }
  }
  return list;
}

/** True if an instruction reads a register that is marked with 1. */
export function readsAny(instruction: Instruction, registers: Uint8Array): boolean {
  const { args } = instruction;
  for (let k = 0; k < args.length; k++) if (registers[args[k]!] === 1) return true;
  return (
    instruction.kind === "rarely" && (registers[instruction.mask] === 1 || registers[instruction.usual] === 1)
  );
}
