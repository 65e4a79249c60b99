/**
 * Families of operations that compute each element from its neighbours along an axis: scans, softmax and their like.
 * @throws RangeError for an axis that does not exist.
 */
import type { CheckAxes, DType } from "@fuseau/ir";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import { declareAs, type inPlace, type method } from "./declaration.ts";
import { checkRule, type DTypeBy, type DTypeRule } from "./dtype-rules.ts";
import { askedDType, type DTypeOptions } from "./reductions.ts";

/** In the dtype of the rule, unless the caller asks for another. */
export interface Along<R extends DTypeRule> {
  <T extends AnyTensor, const A extends number, D extends DType = DTypeBy<T["dtype"]>[R]>(
    input: T,
    dim: CheckAxes<T[ShapeKey], A>,
    options?: DTypeOptions<D>,
  ): Tensor<T[ShapeKey], NoInfer<D>>;
  readonly [method]: <T extends AnyTensor, const A extends number, D extends DType = DTypeBy<T["dtype"]>[R]>(
    this: T,
    dim: CheckAxes<T[ShapeKey], A>,
    options?: DTypeOptions<D>,
  ) => Tensor<T[ShapeKey], NoInfer<D>>;
}

/** The form in place keeps x's dtype. */
export interface Running<R extends DTypeRule> extends Along<R> {
  readonly [inPlace]: <T extends AnyTensor, const A extends number>(
    this: T,
    dim: CheckAxes<T[ShapeKey], A>,
  ) => T;
}

type Run = (x: Value, dim: number, dtype: DType | null) => Value;

const asked = (rule: DTypeRule, run: Run) => (input: AnyTensor, dim: number, options?: DTypeOptions) => {
  const x = unwrap(input);
  const dtype = askedDType(options);
  const value = run(x, dim, dtype);
  return wrap(dtype === null ? checkRule(rule, x, value) : value);
};

export const along = <R extends DTypeRule>(rule: R, call: string, run: Run): Along<R> =>
  declareAs(call, asked(rule, run));

export const running = <R extends DTypeRule>(rule: R, call: string, run: Run): Running<R> =>
  declareAs(call, asked(rule, run), (input: AnyTensor, dim: number) =>
    wrap(run(unwrap(input), dim, input.dtype)),
  );
