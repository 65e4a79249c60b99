/** Indexing as Python's `x[...]`, which is methods alone. */
import { wrapView } from "../alias/alias.ts";
import { itemsOf, putAt, writeAt } from "../alias/indexed.ts";
import { declare, declareAs, type method } from "../declare/declaration.ts";
import type { AccumulateOptions } from "../functions/indexing.ts";
import * as advanced from "../ops/indexing-advanced.ts";
import { slice } from "../ops/movement.ts";
import { checkedTerm, type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { CheckIndices, Indexed, IndexItem } from "../tensor/indexing-types.ts";
import type { AnyTensor, Operand } from "../tensor/types.ts";

/** The type is written by hand: `methodOf` would lose the check of the indices. */
interface IndexMethod {
  <T extends AnyTensor, const R extends readonly IndexItem[]>(
    input: T,
    indices: CheckIndices<T[ShapeKey], R>,
  ): Tensor<Indexed<T[ShapeKey], R>, T["dtype"]>;
  readonly [method]: <T extends AnyTensor, const R extends readonly IndexItem[]>(
    this: T,
    indices: CheckIndices<T[ShapeKey], R>,
  ) => Tensor<Indexed<T[ShapeKey], R>, T["dtype"]>;
}

/**
 * Python's `x[...]`: numbers, ranges `[start, stop, step]`, `":"`, `"..."`, `null` for a new axis, tensors of integers (negative ones count
 * from the end), and masks. Without tensors the result is a view, as of `slice`; otherwise it is a copy. Tensors broadcast to one shape,
 * which replaces their axes if these are adjacent, and comes first otherwise. The true places of a mask are found at the call, so the type
 * checker does not know sizes that depend on one.
 */
export const index = declareAs<IndexMethod>(
  "index(indices)",
  (input: AnyTensor, indices: readonly IndexItem[]): AnyTensor => {
    const x = unwrap(input);
    const resolved = advanced.resolveIndices(x.node.shape, itemsOf(indices));
    return advanced.isBasic(resolved)
      ? wrapView(input, slice(x, resolved.basic))
      : wrap(advanced.index(x, resolved));
  },
);

/** {@link indexPut} in place. */
export const indexPut_ = declare(
  "indexPut_(indices, values, { accumulate })",
  <T extends AnyTensor, const R extends readonly IndexItem[]>(
    input: T,
    indices: CheckIndices<T[ShapeKey], R>,
    values: Operand,
    options?: AccumulateOptions,
  ): T => putAt("indexPut_", input, indices as readonly IndexItem[], values, options?.accumulate ?? false),
);

/** Python's `x[...] = value`: {@link indexPut_} that casts the value to x's dtype and drops the value's leading axes of size 1. */
export const assign_ = declare(
  "assign_(indices, value)",
  <T extends AnyTensor, const R extends readonly IndexItem[]>(
    input: T,
    indices: CheckIndices<T[ShapeKey], R>,
    value: Operand,
  ): T => {
    const given = checkedTerm(value);
    const items = indices as readonly IndexItem[];
    return writeAt("assign_", input, items, (x) => advanced.assignedValue(x, given), false);
  },
);
