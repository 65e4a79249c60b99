/** Tensors put together. PyTorch's functions of the same name. */

import {
  type Accept,
  type Concat,
  type ConcatOrFail,
  ShapeError,
  type Stack,
  type StackOrFail,
} from "@fuseau/ir";
import { wrapView } from "../alias/alias.ts";
import { operation } from "../entry/operation.ts";
import { meshgrid as meshgridOf } from "../ops/creation.ts";
import * as ops from "../ops/movement.ts";
import { type Tensor, wrap } from "../tensor/tensor.ts";
import type { AnyTensor } from "../tensor/types.ts";
import { type PromoteList, type ShapesOf, valuesOf } from "./lists.ts";

/**
 * One after another along `dim` (0); dtypes are promoted.
 * @throws ShapeError when the shapes differ anywhere else, or there are none.
 */
export const concat: <const L extends readonly AnyTensor[], const A extends number = 0>(
  tensors: Accept<ConcatOrFail<ShapesOf<L>, A>, L>,
  dim?: A,
) => Tensor<Concat<ShapesOf<L>, A>, PromoteList<L>> = operation(
  "concat",
  "tensors, dim",
  (tensors: readonly AnyTensor[], dim = 0): AnyTensor =>
    wrap(ops.concat("concat", valuesOf("concat", tensors), dim)),
);

/** {@link concat}. */
export const cat: typeof concat = concat;

/**
 * Side by side along a new axis `dim` (0); dtypes are promoted.
 * @throws ShapeError when the shapes differ, or there are none.
 */
export const stack: <const L extends readonly AnyTensor[], const A extends number = 0>(
  tensors: Accept<StackOrFail<ShapesOf<L>, A>, L>,
  dim?: A,
) => Tensor<Stack<ShapesOf<L>, A>, PromoteList<L>> = operation(
  "stack",
  "tensors, dim",
  (tensors: readonly AnyTensor[], dim = 0): AnyTensor => wrap(ops.stack(valuesOf("stack", tensors), dim)),
);

/** The tensors broadcast to one shape: views. */
export const broadcastTensors: (tensors: readonly AnyTensor[]) => AnyTensor[] = operation(
  "broadcastTensors",
  "tensors",
  (tensors: readonly AnyTensor[]): AnyTensor[] => {
    const values = valuesOf("broadcastTensors", tensors);
    if (values.length === 0) throw new ShapeError("broadcastTensors: expected a non-empty list of Tensors");
    return ops.broadcastAll("broadcastTensors", values).map((value, k) => wrapView(tensors[k]!, value));
  },
);

/**
 * Every combination of the places of 1-D tensors: tensor k varies along axis k, or for `"xy"` the first two swapped.
 * @throws ShapeError for a tensor of more axes.
 */
export const meshgrid: (
  tensors: readonly AnyTensor[],
  options?: { readonly indexing?: "ij" | "xy" },
) => AnyTensor[] = operation(
  "meshgrid",
  "tensors, { indexing }",
  (tensors: readonly AnyTensor[], options: { readonly indexing?: "ij" | "xy" } = {}): AnyTensor[] => {
    const { indexing = "ij" } = options;
    if (indexing !== "ij" && indexing !== "xy") {
      throw new TypeError(
        `meshgrid: indexing must be one of "xy" or "ij", but received: ${String(indexing)}`,
      );
    }
    return meshgridOf(valuesOf("meshgrid", tensors), indexing).map((value, k) =>
      wrapView(tensors[k]!, value),
    );
  },
);
