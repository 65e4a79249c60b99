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
import { declareFunction } from "../declare/declaration.ts";
import { meshgrid as meshgridOf } from "../ops/creation.ts";
import * as ops from "../ops/movement.ts";
import { type Tensor, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import { type PromoteList, type ShapesOf, valuesOf } from "./lists.ts";

/**
 * One after another along `dim` (0); dtypes are promoted.
 * @throws ShapeError when the shapes differ anywhere else, or there are none.
 */
export const concat = declareFunction(
  "concat(tensors, dim)",
  <const L extends readonly AnyTensor[], const A extends number = 0>(
    tensors: Accept<ConcatOrFail<ShapesOf<L>, A>, L>,
    dim: A = 0 as A,
  ): Tensor<Concat<ShapesOf<L>, A>, PromoteList<L>> =>
    wrap(ops.concat("concat", valuesOf(tensors as L), dim)),
);

/** {@link concat}. */
export const cat = declareFunction("cat(tensors, dim)", concat);

/**
 * Side by side along a new axis `dim` (0); dtypes are promoted.
 * @throws ShapeError when the shapes differ, or there are none.
 */
export const stack = declareFunction(
  "stack(tensors, dim)",
  <const L extends readonly AnyTensor[], const A extends number = 0>(
    tensors: Accept<StackOrFail<ShapesOf<L>, A>, L>,
    dim: A = 0 as A,
  ): Tensor<Stack<ShapesOf<L>, A>, PromoteList<L>> => wrap(ops.stack(valuesOf(tensors as L), dim)),
);

/** The tensors broadcast to one shape: views. */
export const broadcastTensors = declareFunction(
  "broadcastTensors(tensors)",
  (tensors: readonly AnyTensor[]): AnyTensor[] => {
    const values = valuesOf(tensors);
    if (values.length === 0) throw new ShapeError("expected a non-empty list of Tensors");
    return ops.broadcastAll(values).map((value, k) => wrapView(tensors[k]!, value));
  },
);

/**
 * Every combination of the places of 1-D tensors: tensor k varies along axis k, or for `"xy"` the first two swapped.
 * @throws ShapeError for a tensor of more axes.
 */
export const meshgrid = declareFunction(
  "meshgrid(tensors, { indexing })",
  (tensors: readonly AnyTensor[], options: { readonly indexing?: "ij" | "xy" } = {}): AnyTensor[] => {
    const { indexing = "ij" } = options;
    if (indexing !== "ij" && indexing !== "xy") {
      throw new TypeError(`indexing must be one of "xy" or "ij", but received: ${String(indexing)}`);
    }
    return meshgridOf(valuesOf(tensors), indexing).map((value, k) => wrapView(tensors[k]!, value));
  },
);
