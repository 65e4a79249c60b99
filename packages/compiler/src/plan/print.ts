/** A program as text: its arrays, its calls with what they are bound to, and where the results are. */
import type { KernelCall, Program, Source } from "./program.ts";

export function printProgram({ allocations, arena, calls, results, donors }: Program): string {
  const lines = [
    ...allocations.map(({ dtype, cells, donor }, k) => {
      const memory = donor === null ? "" : ` in the memory of input ${donor}`;
      return `output ${k}: ${dtype}[${cells}]${memory}`;
    }),
    ...arena.map(({ dtype, cells }, k) => `arena ${k}: ${dtype}[${cells}]`),
    ...(donors.length === 0 ? [] : [`gives up input ${donors.join(", ")}`]),
    ...calls.map(showCall),
    `return ${results.map(showSource).join(", ")}`,
  ];
  return lines.join("\n");
}

export const showSource = ({ kind, index }: Source): string => `${kind} ${index}`;

function showCall({ name, buffers, sizes, begins, scalars, loop }: KernelCall): string {
  const bound = buffers.map((source, slot) => `${loop.buffers[slot]?.access ?? "?"} ${showSource(source)}`);
  const grown = begins.map(({ slot, terms }) => {
    const sum = terms.map(({ place, factor }) => `${factor}·p${place}`).join(" + ");
    return `n${slot} += ${sum}`;
  });
  const parts = [bound.join(", "), `sizes ${sizes.join(" ")}`, ...grown];
  if (scalars.length > 0) parts.push(`scalars ${scalars.join(" ")}`);
  return `${name}(${parts.join("; ")})`;
}
