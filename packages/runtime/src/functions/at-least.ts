/** Tensors with axes of size 1 until there are enough. PyTorch's functions of the same name. */
import type { AtLeast } from "@fuseau/ir";
import { wrapView } from "../alias/alias.ts";
import { declareFunction } from "../declare/declaration.ts";
import { atLeast } from "../ops/arrange.ts";
import { type ShapeKey, type Tensor, unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";

const widened = <R extends 1 | 2 | 3>(op: string, rank: R) =>
  declareFunction(
    `${op}(input)`,
    <T extends AnyTensor>(x: T): Tensor<AtLeast<T[ShapeKey], R>, T["dtype"]> =>
      wrapView(x, atLeast(rank, unwrap(x))),
  );

/** A 0-d tensor as one place of an axis; any other as it is. PyTorch: `atleast_1d`. */
export const atleast1d = widened("atleast1d", 1);

/** A vector as a row; what has two axes or more as it is. PyTorch: `atleast_2d`. */
export const atleast2d = widened("atleast2d", 2);

/** [n] as [1, n, 1], [m, n] as [m, n, 1]; what has three axes or more as it is. PyTorch: `atleast_3d`. */
export const atleast3d = widened("atleast3d", 3);
