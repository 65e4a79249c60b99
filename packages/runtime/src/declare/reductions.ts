/**
 * Families of operations that fold axes. `dim` is one axis, several, or all of them if it is left out, `null` or an empty list.
 * @throws RangeError for an axis that does not exist, ShapeError for one that is given twice.
 */
import type { Axes, CheckAxes, DType, Reduce } from "@fuseau/ir";
import { checkDType } from "../ops/creation.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import { declareAs, type method } from "./declaration.ts";
import { checkRule, type DTypeBy, type DTypeRule } from "./dtype-rules.ts";

/** `keepdim` keeps the folded axes with size 1. */
export interface FoldOptions<K extends boolean = boolean> {
  readonly keepdim?: K;
}

/** The elements are cast to `dtype` first. */
export interface DTypeOptions<D extends DType = DType> {
  readonly dtype?: D;
}

/** The elements are cast to `dtype` before they are folded. */
export interface SumOptions<K extends boolean = boolean, D extends DType = DType>
  extends FoldOptions<K>,
    DTypeOptions<D> {}

/**
 * The dtype that was asked for.
 * @throws DTypeError for an unknown dtype.
 */
export const askedDType = (options: DTypeOptions | undefined): DType | null =>
  options?.dtype === undefined ? null : checkDType(options.dtype);

/** Dim is the type of `dim`, Options those beside `keepdim`. */
export interface Reduction<R extends DTypeRule, Dim extends Axes = Axes, Options = unknown> {
  <T extends AnyTensor, const A extends Dim | null = null, const K extends boolean = false>(
    input: T,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: FoldOptions<K> & Options,
  ): Tensor<Reduce<T[ShapeKey], A, K>, DTypeBy<T["dtype"]>[R]>;
  readonly [method]: <
    T extends AnyTensor,
    const A extends Dim | null = null,
    const K extends boolean = false,
  >(
    this: T,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: FoldOptions<K> & Options,
  ) => Tensor<Reduce<T[ShapeKey], A, K>, DTypeBy<T["dtype"]>[R]>;
}

/** In the dtype of the rule, unless the caller asks for another. */
export interface CastReduction<R extends DTypeRule> {
  <
    T extends AnyTensor,
    const A extends Axes = null,
    const K extends boolean = false,
    D extends DType = DTypeBy<T["dtype"]>[R],
  >(
    input: T,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: SumOptions<K, D>,
  ): Tensor<Reduce<T[ShapeKey], A, K>, NoInfer<D>>;
  readonly [method]: <
    T extends AnyTensor,
    const A extends Axes = null,
    const K extends boolean = false,
    D extends DType = DTypeBy<T["dtype"]>[R],
  >(
    this: T,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: SumOptions<K, D>,
  ) => Tensor<Reduce<T[ShapeKey], A, K>, NoInfer<D>>;
}

export function reduction<R extends DTypeRule, Dim extends Axes = Axes, Options = unknown>(
  rule: R,
  call: string,
  run: (x: Value, dim: Dim | null, keepdim: boolean, options: Options | undefined) => Value,
): Reduction<R, Dim, Options> {
  return declareAs(call, (input: AnyTensor, dim: Dim | null = null, options?: FoldOptions & Options) => {
    const x = unwrap(input);
    return wrap(checkRule(rule, x, run(x, dim, options?.keepdim ?? false, options)));
  });
}

export function castReduction<R extends DTypeRule>(
  rule: R,
  call: string,
  run: (x: Value, dim: Axes, keepdim: boolean, dtype: DType | null) => Value,
): CastReduction<R> {
  return declareAs(call, (input: AnyTensor, dim: Axes = null, options?: SumOptions) => {
    const x = unwrap(input);
    const dtype = askedDType(options);
    const value = run(x, dim, options?.keepdim ?? false, dtype);
    return wrap(dtype === null ? checkRule(rule, x, value) : value);
  });
}
