/** Reads a dump: the inverse of dump.ts. */
import { type Graph, inputPositions } from "@fuseau/compiler";
import { elementCount, type Node, parseGraph } from "@fuseau/ir";
import { HEADER } from "../execute/programs/dumped.ts";
import type { ComputeOptions } from "../options.ts";
import { Storage } from "../storage.ts";
import { Value } from "../value.ts";
import { fromNumbers } from "./convert.ts";
import { decode, defaultRange, drawn } from "./elements.ts";

export interface ReadDump {
  /** The options that it would have been compiled with. */
  readonly options: ComputeOptions;
  /** All values in order; those of inputs have elements. */
  readonly values: readonly Value[];
  /** The values that were dumped. */
  readonly wanted: readonly Value[];
}

/**
 * Reads a dump. Text before it is skipped.
 * @throws SyntaxError if the text has no dump.
 */
export function readDump(op: string, text: string): ReadDump {
  const begin = text.indexOf(HEADER);
  if (begin < 0) throw new SyntaxError(`${op}: no line says "${HEADER}"`);
  const lines = text.slice(begin).split("\n");
  const end = lines.findIndex((line) => line.startsWith("return "));
  if (end < 0) throw new SyntaxError(`${op}: the dump does not end with what it returns`);
  const written = lines.slice(1, end).find((line) => line.startsWith("options "));
  const options =
    written === undefined ? {} : (JSON.parse(written.slice("options ".length)) as ComputeOptions);
  const inputs = lines.slice(1, end).filter((line) => line.startsWith("input "));
  const graph = parseGraph(
    lines
      .slice(1, end + 1)
      .filter((line) => /^(%|return )/.test(line))
      .join("\n"),
  );
  const values = valuesOf(op, graph, inputs);
  return { options, values, wanted: graph.outputs.map((position) => values[position] as Value) };
}

function valuesOf(op: string, graph: Graph, inputs: readonly string[]): Value[] {
  const given = new Map(
    inputPositions(graph).map((position, k) => {
      const line = inputs.find((text) => text.startsWith(`input ${k} `));
      if (line === undefined) throw new SyntaxError(`${op}: the dump says nothing of input ${k}`);
      return [position, storageOf(op, graph.nodes[position] as Node, line)];
    }),
  );
  const values: Value[] = [];
  graph.nodes.forEach((node, position) => {
    const from = (graph.inputs[position] as readonly number[]).map((input) => values[input] as Value);
    values.push(new Value(node, from, given.get(position) ?? null));
  });
  return values;
}

function storageOf(op: string, { dtype, shape }: Node, line: string): Storage {
  const cells = elementCount(shape);
  const elements = /^input \d+ elements (\S*)$/.exec(line);
  if (elements !== null) return new Storage(dtype, decode(op, dtype, cells, elements[1] as string));
  const seed = /^input \d+ seed (\d+)(?: from (\S+) to (\S+))?$/.exec(line);
  if (seed === null) throw new SyntaxError(`${op}: "${line}" says neither elements nor a seed`);
  const range = seed[2] === undefined ? defaultRange(dtype) : { low: Number(seed[2]), high: Number(seed[3]) };
  return new Storage(dtype, fromNumbers(dtype, drawn(dtype, cells, Number(seed[1]), range)));
}
