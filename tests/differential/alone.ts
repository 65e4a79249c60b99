/**
 * A pointwise op run alone. Functions of floats that are approximated have last bits of an emitter's own: what they are is no matter of
 * the differential tests (tests/compiler/pointwise.test.ts holds them to PyTorch's values), but that fusion changes none of them is.
 */
import type { Emitter } from "@fuseau/compiler";
import { build, type Node } from "@fuseau/ir";
import type { Element, Elements } from "./reference.ts";
import { prepare } from "./run-program.ts";

type Run = ReturnType<typeof prepare>;
type Pointwise = Extract<Node, { op: "pointwise" }>;

const programs = new Map<string, Run>();

/** One op over so many elements: compiled once, since a test meets it thousands of times. */
function programOf(node: Pointwise, length: number, emitter: Emitter): Run {
  const dtypes = node.inputs.map(({ dtype }) => dtype);
  const key = `${emitter} ${node.attributes.fn} ${dtypes} -> ${node.dtype}, ${length}`;
  const known = programs.get(key);
  if (known !== undefined) return known;
  const inputs = dtypes.map((dtype) => build.input(dtype, [length]));
  const result =
    node.attributes.fn === "cast"
      ? build.cast(inputs[0] as Node, node.dtype)
      : build.pointwise(node.attributes.fn, inputs);
  const graph = {
    nodes: [...inputs, result],
    inputs: [...inputs.map(() => []), inputs.map((_, k) => k)],
    outputs: [inputs.length],
  };
  const made = prepare(graph, emitter, {});
  programs.set(key, made);
  return made;
}

export function alone(node: Pointwise, operands: readonly Elements[], emitter: Emitter): Elements {
  const length = operands[0]?.length ?? 0;
  if (length === 0) return [];
  const room = 2 ** Math.max(6, Math.ceil(Math.log2(length)));
  const padded = operands.map((elements) => [
    ...elements,
    ...new Array<Element>(room - length).fill(elements[0] as Element),
  ]);
  return (programOf(node, room, emitter)(padded, [])[0] as Element[]).slice(0, length);
}
