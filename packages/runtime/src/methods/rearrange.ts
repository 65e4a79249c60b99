/**
 * Gives the tensor itself another arrangement of its elements. Nothing is moved, and other views keep theirs. The type of the variable
 * cannot change, so continue with what is returned.
 */
import type { Axes } from "@fuseau/ir";
import { become, refuseLeaf, wrapView } from "../alias/alias.ts";
import { isLeaf, requireGradient } from "../autograd/leaf.ts";
import { alias, declare } from "../declare/declaration.ts";
import type { squeeze, t, transpose, unsqueeze } from "../functions/movement.ts";
import * as ops from "../ops/movement.ts";
import { unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/**
 * The tensor itself, which is a view of what it was from now on. A leaf stays one, of another shape.
 * @throws GradientError for a leaf that requires a gradient, unless in `noGrad`.
 */
function turned<T extends AnyTensor>(tensor: T, arranged: (value: Value) => Value): never {
  refuseLeaf(tensor);
  const wasLeaf = tensor.requiresGrad && isLeaf(tensor);
  become(tensor, wrapView(tensor, arranged(unwrap(tensor))) as never);
  if (wasLeaf) requireGradient("requiresGrad_", tensor, true);
  return tensor as never;
}

/** Two axes swapped. */
export const transpose_: typeof transpose = declare("transpose_(dim0, dim1)", (input, dim0, dim1) =>
  turned(input, (x) => ops.transpose(x, dim0 as number, dim1 as number)),
);

/** {@link transpose_}. */
export const swapaxes_: typeof transpose = alias("swapaxes_", transpose_);

/** {@link transpose_}. */
export const swapdims_: typeof transpose = alias("swapdims_", transpose_);

/** The two axes of a matrix swapped. */
export const t_: typeof t = declare("t_()", (input) => turned(input, ops.t));

/** Without axes of size 1. */
export const squeeze_: typeof squeeze = declare("squeeze_(dim)", (input, dim) =>
  turned(input, (x) => ops.squeeze(x, (dim ?? null) as Axes)),
);

/** With one more axis of size 1. */
export const unsqueeze_: typeof unsqueeze = declare("unsqueeze_(dim)", (input, dim) =>
  turned(input, (x) => ops.unsqueeze(x, dim as number)),
);
