/** Writes a recorded program as text, for `dump` and for the `ir` of an InternalError. `replay` reads it. */
import { type Graph, printGraph } from "@fuseau/compiler";
import { InternalError, type Node } from "@fuseau/ir";
import type { ComputeOptions } from "../../options.ts";
import type { Value } from "../../value.ts";

export const HEADER = "fuseau dump 1";

export const textOf = (
  graph: Graph,
  inputs: readonly string[],
  { fusion, emitter, limits }: ComputeOptions,
): string =>
  [HEADER, `options ${JSON.stringify({ fusion, emitter, limits })}`, ...inputs, printGraph(graph)].join("\n");

/** All values beneath the given ones, inputs first. Iterative, since chains may be 100,000 long. */
export function recordedFor(values: readonly Value[]): {
  readonly graph: Graph;
  readonly given: readonly Value[];
} {
  const positions = new Map<Value, number>();
  const nodes: Node[] = [];
  const inputs: number[][] = [];
  const given: Value[] = [];
  const stack: Value[] = [];
  for (const root of values) {
    stack.push(root);
    for (let value = stack.at(-1); value !== undefined; value = stack.at(-1)) {
      const { node, storage } = value;
      const read = storage === null ? value.inputs : [];
      const missing = positions.has(value) ? undefined : read.find((input) => !positions.has(input));
      if (missing !== undefined) {
        stack.push(missing);
        continue;
      }
      stack.pop();
      if (positions.has(value)) continue;
      const from = read.map((input) => positions.get(input) as number);
      positions.set(value, nodes.length);
      inputs.push(from);
      if (storage !== null) given.push(value);
      nodes.push(
        storage === null
          ? { ...node, inputs: from.map((position) => nodes[position] as Node) }
          : { op: "input", dtype: node.dtype, shape: node.shape, inputs: [], attributes: null },
      );
    }
  }
  return { graph: { nodes, inputs, outputs: values.map((value) => positions.get(value) as number) }, given };
}

/** A dump of more nodes is too long to be read. */
const MOST_NODES = 2_000;

/** The fault with a dump of the program in its `ir`, whose inputs are seeds. So a report of the fault can be replayed. */
export function withDump(
  fault: InternalError,
  values: readonly Value[],
  options: ComputeOptions,
): InternalError {
  try {
    const { graph, given } = recordedFor(values);
    if (graph.nodes.length > MOST_NODES || fault.ir.includes(HEADER)) return fault;
    const lines = given.map((_, k) => `input ${k} seed ${k + 1}`);
    const ir = [...(fault.ir === "" ? [] : [fault.ir, ""]), textOf(graph, lines, options)].join("\n");
    return new InternalError(fault.fault, ir, { cause: fault });
  } catch {
    // What made the compiler fail (broken options, for example) may make the dump fail too. Then the fault itself is reported.
    return fault;
  }
}
