/** Decides which constants are lifted out of a program. */
import type { Node } from "@fuseau/ir";
import type { Value } from "../../value.ts";

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
type Constant = Value & { readonly node: Lifted };
type Scalar = Value & { readonly node: Lifted | Extract<Node, { op: "scalar" }> };

/** True for a constant that is bound when the program runs, so that a changing factor does not mean a new program. */
export const isLifted = (value: Value): value is Constant =>
  value.node.op === "constant" && (value.isChoice || !telling.has(value.node.attributes.value));

/** True for a constant that stays in its program unless the host chooses it anew each time. */
export const isTelling = ({ attributes: { value } }: Lifted): boolean => telling.has(value);

/** True for what is bound when the program runs: a lifted constant, or a scalar whose value is unknown. */
export const isScalar = (value: Value): value is Scalar => value.node.op === "scalar" || isLifted(value);
