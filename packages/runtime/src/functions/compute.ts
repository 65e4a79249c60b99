/** Computes several tensors at once, so that what they share is computed once. */

import { computeTensors } from "../alias/undo.ts";
import { declareFunction } from "../declare/declaration.ts";
import { explainValues } from "../explain/explain.ts";
import type { Explanation } from "../explain/explanation.ts";
import { type ComputeOptions, optionsOf } from "../options.ts";
import { Tensor, unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/** Tensors, followed by options if there are any. */
export type ComputeArguments<T extends readonly AnyTensor[]> =
  | [...tensors: T]
  | [...tensors: T, options: ComputeOptions];

/**
 * Computes the tensors together and keeps their results; returns the tensors themselves.
 * @throws what {@link Tensor.compute} throws, and TypeError for an argument that is neither a tensor nor options.
 */
export const compute = declareFunction(
  "compute(...args)",
  <T extends readonly AnyTensor[]>(...args: ComputeArguments<T>): T => {
    const { tensors, options } = split("compute", args);
    computeTensors(tensors as unknown as T, optionsOf("compute", options));
    return tensors as unknown as T;
  },
);

/** What the compiler does with the tensors when they are computed together. Runs nothing. */
export const explain = declareFunction(
  "explain(...args)",
  <T extends readonly AnyTensor[]>(...args: ComputeArguments<T>): Explanation => {
    const { values, options } = split("explain", args);
    return explainValues(values, optionsOf("explain", options));
  },
);

function split(
  op: string,
  args: readonly unknown[],
): {
  tensors: readonly unknown[];
  values: Value[];
  options: ComputeOptions | undefined;
} {
  const last = args.at(-1);
  const hasOptions =
    args.length > 0 && !(last instanceof Tensor) && typeof last === "object" && last !== null;
  const tensors = hasOptions ? args.slice(0, -1) : args;
  if (hasOptions && tensors.some(Array.isArray))
    throw new TypeError(`${op}: each tensor is an argument of its own: ${op}(...tensors, options)`);
  const values = tensors.map(unwrap);
  return { tensors, values, options: hasOptions ? (last as ComputeOptions) : undefined };
}
