/** Which numbers are lifted out of a program. */
import type { Node } from "@fuseau/ir";

/** Numbers that rules and kernels treat specially, as in x * 1 and x ** 2; these stay in the program. */
const telling = new Set<number | bigint>([
  0,
  1,
  -1,
  2,
  -2,
  3,
  0.5,
  -0.5,
  Infinity,
  -Infinity,
  NaN,
  0n,
  1n,
  -1n,
  2n,
  3n,
]);

export type Lifted = Extract<Node, { op: "constant" }>;
/** A constant that is bound when the program runs, so that a changing factor does not mean a new program. */
export const isLifted = (node: Node): node is Lifted =>
  node.op === "constant" && !telling.has(node.attributes.value);

/** What is bound when the program runs: a constant that is lifted, or a number that nothing is known of. */
export const isScalar = (node: Node): node is Lifted | Extract<Node, { op: "scalar" }> =>
  node.op === "scalar" || isLifted(node);
