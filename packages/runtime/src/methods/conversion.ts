/** Other dtypes. */
import type { DType } from "@fuseau/ir";
import { declare, declareAs, type method } from "../declare/declaration.ts";
import { bitcast as bitsAs } from "../ops/bitcast.ts";
import { checkDType } from "../ops/creation.ts";
import { cast } from "../record.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";

/** The tensor itself when it has the dtype. */
function castTo<S extends number[], D extends DType>(x: Tensor<S, DType>, dtype: D): Tensor<S, D> {
  const value = unwrap(x);
  return value.node.dtype === dtype ? (x as Tensor<S, D>) : wrap(cast(value, dtype));
}

/**
 * The elements as `dtype`. Floats lose their fraction when they become integers, integers wrap at their width, and everything except 0
 * becomes true. `x` itself if it has the dtype.
 * @throws DTypeError for an unknown dtype.
 */
export const to = declare(
  "to(dtype)",
  <T extends AnyTensor, D extends DType>(input: T, dtype: D): Tensor<T[ShapeKey], NoInfer<D>> =>
    castTo(input, checkDType(dtype) as D),
);

/** {@link to} the dtype of `other`. */
export const typeAs = declare(
  "typeAs(other)",
  <T extends AnyTensor, B extends AnyTensor>(input: T, other: B): Tensor<T[ShapeKey], B["dtype"]> =>
    castTo(input, unwrap(other).node.dtype),
);

interface Conversion<D extends DType> {
  <T extends AnyTensor>(input: T): Tensor<T[ShapeKey], D>;
  readonly [method]: <T extends AnyTensor>(this: T) => Tensor<T[ShapeKey], D>;
}

const conversion = <D extends DType>(name: string, dtype: D): Conversion<D> =>
  declareAs(`${name}()`, (input: AnyTensor) => castTo(input, dtype));

/** `to("float32")`. */
export const float = conversion("float", "float32");

/** `to("float64")`. */
export const double = conversion("double", "float64");

/** `to("float16")`. */
export const half = conversion("half", "float16");

/** `to("int32")`. */
export const int = conversion("int", "int32");

/** `to("int64")`. */
export const long = conversion("long", "int64");

/** `to("int16")`. */
export const short = conversion("short", "int16");

/** `to("int8")`. */
export const char = conversion("char", "int8");

/** `to("uint8")`. */
export const byte = conversion("byte", "uint8");

/** `to("bool")`. */
export const bool = conversion("bool", "bool");

/**
 * The bits of the elements as `dtype` (PyTorch: `Tensor.view(dtype)`). It is a copy, computed at the call. If the dtype has another width,
 * the last axis becomes longer or shorter.
 * @throws DTypeError for bool, ShapeError when the last axis is no whole number of elements.
 */
export const bitcast = declare(
  "bitcast(dtype)",
  <T extends AnyTensor, D extends DType>(input: T, dtype: D): Tensor<number[], NoInfer<D>> =>
    wrap(bitsAs(unwrap(input), dtype)),
);
