/** Decides which constants are lifted out of a program. */
import type { Node } from "@fuseau/ir";

/** Constants that rules and kernels treat specially, as in x * 1 and x ** 2. They stay in the program. */
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
/** True for a constant that is bound when the program runs, so that a changing factor does not mean a new program. */
export const isLifted = (node: Node): node is Lifted =>
  node.op === "constant" && !telling.has(node.attributes.value);

/** True for what is bound when the program runs: a lifted constant, or a scalar whose value is unknown. */
export const isScalar = (node: Node): node is Lifted | Extract<Node, { op: "scalar" }> =>
  node.op === "scalar" || isLifted(node);
