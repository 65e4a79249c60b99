/** Hoists instructions out of a loop. */
import type { Instruction } from "../lanes/straight.ts";
import { readsAny } from "../values/interleave.ts";
import { isCode, type Part, type Site } from "./site.ts";

export interface Hoisted {
  readonly before: readonly Instruction[];
  readonly step: readonly Part[];
}

export function hoist(site: Site, parts: readonly Part[]): Hoisted {
  /** 1 for registers whose value may change from step to step. */
  const own = new Uint8Array(site.code.registers);
  for (const register of site.varying) own[register] = 1;
  const before: Instruction[] = [];
  const step = parts.map((part): Part => {
    if (!isCode(part)) return part;
    const stays: Instruction[] = [];
    for (const instruction of part) {
      if (!readsAny(instruction, own) && canMove(site, instruction)) before.push(instruction);
      else {
        stays.push(instruction);
        if (instruction.result !== null) own[instruction.result] = 1;
      }
    }
    return stays;
  });
  return { before, step };
}

/** True if the result depends on the operands alone: a load only if the loop does not store to its buffer. */
function canMove(site: Site, instruction: Instruction): boolean {
  if (instruction.kind === "rarely") return true;
  if (instruction.kind === "call" || instruction.result === null) return false;
  if (instruction.traits.pure) return true;
  const slot = site.loads.get(instruction.result);
  return instruction.traits.alignment >= 0 && slot !== undefined && !site.stored.has(slot);
}
