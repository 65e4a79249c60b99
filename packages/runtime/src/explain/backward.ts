/** What a backward pass adds to an expression: it is recorded and compiled as `backward()` would, and not run. */
import { type KernelCall, opName, type Program } from "@fuseau/compiler";
import { dtypes, elementCount, isFloat, type Node } from "@fuseau/ir";
import { backward } from "../autograd/backward.ts";
import { orderOf } from "../autograd/order.ts";
import { extract } from "../execute/extract/extract.ts";
import { executableFor } from "../execute/find-program.ts";
import type { Executable } from "../execute/programs/executable.ts";
import type { Options } from "../options.ts";
import { filled } from "../tape/constants.ts";
import type { Value } from "../value.ts";
import type { SavedExplanation } from "./explanation.ts";

/** The program of a result and the gradients of its leaves. */
export interface Joint {
  readonly executable: Executable;
  /** How many gradients it computes beside the result. */
  readonly gradients: number;
}

/** Null unless `root` is one floating number that still has derivatives. Hooks are not called. */
export function jointProgram(root: Value, options: Options): Joint | null {
  const { shape, dtype } = root.node;
  if (root.step === null || shape.length > 0 || !isFloat(dtype)) return null;
  if (orderOf([root], null).some(({ step }) => step?.isFreed === true && step.keepsValues)) return null;
  const ones = filled(dtype, [], 1);
  const setting = { op: "explain", createGraph: false, retainGraph: true, withHooks: false };
  const found = [...backward({ ...setting, roots: [root], gradients: [ones], wanted: null }).values()];
  if (found.length === 0) return null;
  return { executable: executableFor(extract([root, ...found]), options), gradients: found.length };
}

/** Values that the first output is made of and that the others read too: stored, or computed where they are read. */
export function savedIn({ graph, calls, notFused }: Program): SavedExplanation[] {
  const { nodes, inputs, outputs } = graph;
  const isForward = nodes.map(() => false);
  isForward[outputs[0]!] = true;
  for (let position = nodes.length - 1; position >= 0; position--)
    if (isForward[position]) for (const input of inputs[position]!) isForward[input] = true;
  const kernelsOf = nodes.map((): KernelCall[] => []);
  for (const call of calls) for (const position of call.nodes) kernelsOf[position]!.push(call);
  const readers = new Map<number, number[]>();
  nodes.forEach((_, reader) => {
    if (isForward[reader]) return;
    for (const input of inputs[reader]!) {
      if (!isForward[input]) continue;
      const known = readers.get(input);
      if (known === undefined) readers.set(input, [reader]);
      else known.push(reader);
    }
  });
  return [...readers]
    .filter(([position]) => nodes[position]!.op !== "input" && kernelsOf[position]!.length > 0)
    .sort(([a], [b]) => a - b)
    .map(([position, by]): SavedExplanation => {
      const { shape, dtype } = nodes[position] as Node;
      const own = kernelsOf[position]!;
      const isStored = by.some((reader) => kernelsOf[reader]!.some((kernel) => !own.includes(kernel)));
      const why = notFused.find(({ producer }) => producer === position)?.reason;
      const bytes = elementCount(shape) * dtypes[dtype].bytes;
      const how = isStored ? "stored" : own.length > 1 ? "computed again" : "in the same kernel";
      return { node: position, op: opName(graph, position), shape, dtype, bytes, how, reason: why ?? null };
    });
}
