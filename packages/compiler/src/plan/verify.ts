/**
 * Checks a program. Every parameter of a kernel is bound to something that exists and has its dtype. Nothing is read before it was
 * written. Only donated memory is overwritten.
 */
import { type DType, elementCount, InternalError, type Node } from "@fuseau/ir";
import { inputPositions, scalarPositions } from "../graph.ts";
import { printProgram, showSource } from "./print.ts";
import type { KernelCall, OutputArray, Program, Source } from "./program.ts";

/** @throws InternalError that prints the program. */
export function verifyPlan(program: Program): void {
  const fault = faultsOf(program).next();
  if (!fault.done) throw new InternalError(`program: ${fault.value}`, printProgram(program));
}

function* faultsOf(program: Program): Generator<string> {
  const { graph, calls, allocations, results, donors } = program;
  const inputs = inputPositions(graph);
  for (const donor of donors)
    if (inputs[donor] === undefined) yield `input ${donor} is given up, and is none`;
  for (const [k, { donor, cells }] of allocations.entries()) {
    if (donor === null) continue;
    if (!donors.includes(donor)) yield `output ${k} lies in input ${donor}, which was not given up`;
    const { shape } = graph.nodes[inputs[donor] as number] as Node;
    if (elementCount(shape) !== cells) yield `output ${k} has ${cells} cells and input ${donor} not`;
  }
  const written = new Set<string>();
  for (const [k, { donor }] of allocations.entries()) if (donor !== null) written.add(`output ${k}`);
  for (const call of calls) yield* callFaults(program, inputs, call, written);
  const stored = new Set(
    calls.flatMap(({ buffers, loop }) =>
      buffers.filter((_, slot) => loop.buffers[slot]?.access !== "read").map(showSource),
    ),
  );
  if (results.length !== graph.outputs.length) yield `${results.length} results of ${graph.outputs.length}`;
  for (const result of results) {
    if (dtypeOf(program, inputs, result) === undefined)
      yield `a result is ${showSource(result)}, which is none`;
    const { cells } = (result.kind === "output" && (allocations[result.index] as OutputArray)) || {
      cells: 0,
    };
    if (cells > 0 && !stored.has(showSource(result))) yield `${showSource(result)} is never written`;
  }
}

function* callFaults(
  program: Program,
  inputs: readonly number[],
  call: KernelCall,
  written: Set<string>,
): Generator<string> {
  const { name, loop, buffers, sizes, begins, scalars, nodes } = call;
  const { graph, donors } = program;
  if (buffers.length !== loop.buffers.length) yield `${name} is bound to ${buffers.length} buffers`;
  if (sizes.length !== loop.sizes) yield `${name} is bound to ${sizes.length} sizes`;
  if (scalars.length !== loop.scalars.length) yield `${name} is bound to ${scalars.length} scalars`;
  for (const { slot } of begins) if (sizes[slot] === undefined) yield `${name}: size n${slot} is none`;
  const known = scalarPositions(graph);
  for (const [slot, index] of scalars.entries()) {
    const dtype = graph.nodes[known[index] ?? -1]?.dtype;
    if (dtype !== loop.scalars[slot]) yield `${name}: c${slot}, ${loop.scalars[slot]}, is ${dtype}`;
  }
  for (const node of nodes) if (graph.nodes[node] === undefined) yield `${name} computes %${node}`;

  const own = new Set<string>();
  for (const [slot, source] of buffers.entries()) {
    const { dtype, access } = loop.buffers[slot] as KernelCall["loop"]["buffers"][number];
    const place = showSource(source);
    const found = dtypeOf(program, inputs, source);
    if (found === undefined) yield `${name}: b${slot} is ${place}, which is none`;
    else if (found !== dtype) yield `${name}: b${slot}, ${dtype}, is ${place}, ${found}`;
    if (access === "read") {
      if (source.kind !== "input" && !written.has(place)) yield `${name} reads ${place} before it is written`;
      continue;
    }
    if (own.has(place)) yield `${name} writes to ${place} as two buffers`;
    if (source.kind === "input" && !donors.includes(source.index))
      yield `${name} writes to ${place}, which was not given up`;
    own.add(place);
  }
  for (const place of own) written.add(place);
}

/** The dtype of the elements in a place; undefined where there are none. */
function dtypeOf(
  { graph, allocations, arena }: Program,
  inputs: readonly number[],
  { kind, index }: Source,
): DType | undefined {
  if (kind === "input") return graph.nodes[inputs[index] ?? -1]?.dtype;
  return (kind === "output" ? allocations : arena)[index]?.dtype;
}
