/**
 * Gives the tensor itself another arrangement of its elements. Nothing is moved, and other views keep theirs. The type of the variable
 * cannot change, so continue with what is returned.
 */
import type { Axes } from "@fuseau/ir";
import { become, wrapView } from "../alias/alias.ts";
import { alias, declare } from "../declare/declaration.ts";
import type { squeeze, t, transpose, unsqueeze } from "../functions/movement.ts";
import * as ops from "../ops/movement.ts";
import { unwrap } from "../tensor/handle.ts";

/** Two axes swapped. */
export const transpose_: typeof transpose = declare("transpose_(dim0, dim1)", (input, dim0, dim1) =>
  become(input, wrapView(input, ops.transpose(unwrap(input), dim0 as number, dim1 as number))),
);

/** {@link transpose_}. */
export const swapaxes_: typeof transpose = alias("swapaxes_", transpose_);

/** {@link transpose_}. */
export const swapdims_: typeof transpose = alias("swapdims_", transpose_);

/** The two axes of a matrix swapped. */
export const t_: typeof t = declare("t_()", (input) => become(input, wrapView(input, ops.t(unwrap(input)))));

/** Without axes of size 1. */
export const squeeze_: typeof squeeze = declare("squeeze_(dim)", (input, dim) =>
  become(input, wrapView(input, ops.squeeze(unwrap(input), (dim ?? null) as Axes))),
);

/** With one more axis of size 1. */
export const unsqueeze_: typeof unsqueeze = declare("unsqueeze_(dim)", (input, dim) =>
  become(input, wrapView(input, ops.unsqueeze(unwrap(input), dim as number))),
);
