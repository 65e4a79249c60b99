/**
 * Reads and writes elements where an index or a mask says, with x's dtype. docs/gather-scatter.md has the rules with examples. An index out
 * of range throws a RangeError when the result is computed.
 * @throws ShapeError for shapes that do not fit, DTypeError for an index of another dtype, RangeError for an axis that does not exist.
 */
import type {
  Accept,
  Axes,
  CheckAxes,
  Gather,
  GatherOrFail,
  IndexSelect,
  IndexSelectOrFail,
  Reduce,
  TakeAlong,
  TakeAlongOrFail,
} from "@fuseau/ir";
import { putAt } from "../alias/indexed.ts";
import { declare } from "../declare/declaration.ts";
import * as ops from "../ops/indexing.ts";
import * as masks from "../ops/indexing-masks.ts";
import { type ShapeKey, type Tensor, term, unwrap, wrap } from "../tensor/handle.ts";
import type { CheckIndices, FitsMask, IndexItem, PlacesOf } from "../tensor/indexing-types.ts";
import type { AnyTensor, Operand, PairShape } from "../tensor/types.ts";

/** True if values are added to the elements that are there. Default false. */
export interface AccumulateOptions {
  readonly accumulate?: boolean;
}

/** True for a list of places for each axis, instead of a row for each element. Default false. */
export interface NonzeroOptions<Tuple extends boolean = boolean> {
  readonly asTuple?: Tuple;
}

/** A row of places for each element, or a list for each axis. */
export type NonzeroResult<T extends AnyTensor, Tuple extends boolean> = Tuple extends true
  ? Tensor<[number], "int64">[]
  : Tensor<[number, T[ShapeKey]["length"]], "int64">;

/**
 * At each place of `index` (int64), the element of x at that place, but along `dim` at the place that the index names. With three axes and
 * dim 0, `out[i][j][k] = x[index[i][j][k]][j][k]`. Nothing broadcasts: `index` has x's rank, and along the other axes it is no longer than
 * x.
 */
export const gather = declare(
  "gather(dim, index)",
  <T extends AnyTensor, const A extends number, I extends AnyTensor>(
    input: T,
    dim: Accept<GatherOrFail<T[ShapeKey], A, I[ShapeKey]>, A>,
    index: PlacesOf<I>,
  ): Tensor<Gather<T[ShapeKey], A, I[ShapeKey]>, T["dtype"]> =>
    wrap(ops.gather(unwrap(input), dim as A, unwrap(index as I))),
);

/** {@link gather} of x and `index`, which broadcast to each other except along `dim`. Without `dim`, both are flattened. */
export const takeAlongDim = declare(
  "takeAlongDim(index, dim)",
  <T extends AnyTensor, I extends AnyTensor, const A extends number | null = null>(
    input: T,
    index: PlacesOf<I>,
    dim?: Accept<TakeAlongOrFail<T[ShapeKey], I[ShapeKey], A>, A>,
  ): Tensor<TakeAlong<T[ShapeKey], I[ShapeKey], A>, T["dtype"]> =>
    wrap(ops.takeAlongDim(unwrap(input), unwrap(index as I), (dim ?? null) as A)),
);

/** Whole slices along `dim`: `index` is a list of places, int64 or int32. */
export const indexSelect = declare(
  "indexSelect(dim, index)",
  <T extends AnyTensor, const A extends number, I extends AnyTensor>(
    input: T,
    dim: Accept<IndexSelectOrFail<T[ShapeKey], A, I[ShapeKey]>, A>,
    index: PlacesOf<I, "int32" | "int64">,
  ): Tensor<IndexSelect<T[ShapeKey], A, I[ShapeKey]>, T["dtype"]> =>
    wrap(ops.indexSelect(unwrap(input), dim as A, unwrap(index as I))),
);

/** Elements by their position in row-major order, in the index's shape; −1 is the last. */
export const take = declare(
  "take(index)",
  <T extends AnyTensor, I extends AnyTensor>(input: T, index: PlacesOf<I>): Tensor<I[ShapeKey], T["dtype"]> =>
    wrap(ops.take(unwrap(input), unwrap(index as I))),
);

/**
 * x with `values` at the indices, which are those of {@link Tensor.index}. Values broadcast and have x's dtype. If a place is named twice,
 * the last value stays; with `accumulate`, all values are added to the element there.
 */
export const indexPut = declare(
  "indexPut(indices, values, { accumulate })",
  <T extends AnyTensor, const R extends readonly IndexItem[]>(
    input: T,
    indices: CheckIndices<T[ShapeKey], R>,
    values: Operand,
    options?: AccumulateOptions,
  ): Tensor<T[ShapeKey], T["dtype"]> => {
    const copy: Tensor<T[ShapeKey], T["dtype"]> = wrap(unwrap(input));
    return putAt("indexPut", copy, indices as readonly IndexItem[], values, options?.accumulate ?? false);
  },
);

/** The places of nonzero elements, found at the call: a row for each. With `asTuple` it is a list for each axis, as `index` takes them. */
export const nonzero = declare(
  "nonzero({ asTuple })",
  <T extends AnyTensor, const Tuple extends boolean = false>(
    input: T,
    options?: NonzeroOptions<Tuple>,
  ): NonzeroResult<T, Tuple> => {
    const x = unwrap(input);
    const places =
      options?.asTuple === true
        ? masks.nonzeroColumns("nonzero", x).map((column) => wrap(column))
        : wrap(masks.nonzero("nonzero", x));
    return places as NonzeroResult<T, Tuple>;
  },
);

/** {@link nonzero}: a row for each place. */
export const argwhere = declare(
  "argwhere()",
  <T extends AnyTensor>(input: T): Tensor<[number, T[ShapeKey]["length"]], "int64"> =>
    wrap(masks.nonzero("argwhere", unwrap(input))),
);

/** The number of nonzero elements, of all or along axes. */
export const countNonzero = declare(
  "countNonzero(dim)",
  <T extends AnyTensor, const A extends Axes = null>(
    input: T,
    dim?: CheckAxes<T[ShapeKey], A>,
  ): Tensor<Reduce<T[ShapeKey], A>, "int64"> => wrap(masks.countNonzero(unwrap(input), (dim ?? null) as A)),
);

/** `value`, a number or a 0-d tensor, where the mask is true. Both broadcast; x keeps its dtype. */
export const maskedFill = declare(
  "maskedFill(mask, value)",
  <T extends AnyTensor, M extends AnyTensor>(
    input: T,
    mask: FitsMask<T, M>,
    value: Operand,
  ): Tensor<PairShape<T, M>, T["dtype"]> =>
    wrap(masks.maskedFill(unwrap(input), unwrap(mask as M), term(value))),
  true,
);

/** The elements where the mask is true, in row-major order. x and the mask broadcast. Their number is found at the call. */
export const maskedSelect = declare(
  "maskedSelect(mask)",
  <T extends AnyTensor, M extends AnyTensor>(input: T, mask: FitsMask<T, M>): Tensor<[number], T["dtype"]> =>
    wrap(masks.maskedSelect(unwrap(input), unwrap(mask as M))),
);

/**
 * x with the elements of `source`, one after another, where the mask is true. If there are too few, an error is thrown when it is computed.
 */
export const maskedScatter = declare(
  "maskedScatter(mask, source)",
  <T extends AnyTensor, M extends AnyTensor>(
    input: T,
    mask: FitsMask<T, M>,
    source: AnyTensor,
  ): Tensor<PairShape<T, M>, T["dtype"]> => {
    const op = "maskedScatter";
    const x = unwrap(input);
    const from = unwrap(source);
    return wrap(masks.maskedScatter(op, x, unwrap(mask as M), from));
  },
  true,
);
