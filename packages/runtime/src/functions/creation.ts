/** Tensors from elements, and from nothing. PyTorch's functions of the same name; shapes are arrays of sizes. */

import type {
  Accept,
  CheckShape,
  DivideUp,
  DType,
  FloatScalar,
  Nested,
  NestedDType,
  NestedShapeOrFail,
  Ok,
  Promote,
  Scalar,
  ScalarDType,
  Subtract,
  TypedArray,
} from "@fuseau/ir";
import { operation } from "../entry/operation.ts";
import * as ops from "../ops/creation.ts";
import * as elements from "../ops/elements.ts";
import { float as floatScalar, isFloatScalar } from "../ops/operand.ts";
import { checkedTerm } from "../tensor/handle.ts";
import { Tensor, tensorArgument, wrap } from "../tensor/tensor.ts";
import type { AnyTensor, WithDType } from "../tensor/types.ts";
import { Value } from "../value.ts";

/** The dtype of what is made. */
export interface CreationOptions<D extends DType = DType> {
  readonly dtype?: D;
}

/** The dtype that a typed array stores. */
export type ArrayDType<A> = A extends Float32Array
  ? "float32"
  : A extends Float64Array
    ? "float64"
    : A extends Int32Array
      ? "int32"
      : A extends Uint8Array | Uint8ClampedArray
        ? "uint8"
        : A extends Int8Array
          ? "int8"
          : A extends Int16Array
            ? "int16"
            : A extends BigInt64Array
              ? "int64"
              : A extends Uint16Array
                ? "float16"
                : never;

type Data = Nested | elements.ElementArray;

/** The shape asked for; else that of the arrays. */
type DataShape<V, R extends readonly number[]> = [R] extends [never] ? Ok<ArrayShape<V>> : [...R];

type ArrayShape<V> = [V] extends [elements.ElementArray] ? [number] : NestedShapeOrFail<V>;

type DataDType<V> = V extends elements.ElementArray ? ArrayDType<V> : NestedDType<V>;

/**
 * A tensor over a copy of nested arrays or of a typed array. Numbers make float32, booleans bool, bigints int64, a typed
 * array what it stores, unless `dtype` is given. A flat array may be given another `shape`.
 * @throws ShapeError for ragged arrays or a shape that does not fit; RangeError for a number that the dtype does not hold.
 */
export const tensor: <
  const V extends Data,
  const R extends readonly number[] = never,
  D extends DType = DataDType<V>,
>(
  data: Accept<ArrayShape<V>, V>,
  options?: { readonly shape?: CheckShape<R>; readonly dtype?: D },
) => Tensor<DataShape<V, R>, NoInfer<D>> = operation(
  "tensor",
  "data, { dtype, shape }",
  (data: Data, options: { readonly shape?: readonly number[]; readonly dtype?: DType } = {}): AnyTensor => {
    const { shape, dtype } = options;
    if ((data as unknown) instanceof Tensor)
      throw new TypeError("tensor: that is a Tensor already; x.clone() copies it, x.to(dtype) casts it");
    if (Array.isArray(data) && data[0] instanceof Tensor)
      throw new TypeError("tensor: elements are tensors already; stack(tensors) makes one of them");
    if (!ArrayBuffer.isView(data)) return wrap(elements.fromNested("tensor", data, shape, dtype));
    const stored = elements.dtypeOfArray(data);
    if (stored === undefined) {
      throw new TypeError(
        `tensor: a ${(data as object).constructor.name} stores no dtype (fromTypedArray lends float16 bits)`,
      );
    }
    const result = ops.dtypeOr("tensor", dtype, stored);
    return wrap(
      elements.fromElements("tensor", data, elements.shapeFor("tensor", data.length, shape), result),
    );
  },
);

/**
 * A tensor over a typed array itself, without a copy. The array is lent: do not change it before what was recorded with it
 * is computed. It is never written here.
 * @throws ShapeError when the length does not fit the shape; DTypeError when the array does not store the dtype; RangeError for a byte
 * other than 0 and 1 where bool is asked for.
 */
export const fromTypedArray: <
  const V extends TypedArray | Uint8ClampedArray,
  const R extends readonly number[] = readonly [number],
  D extends DType = ArrayDType<V>,
>(
  array: V,
  options?: { readonly shape?: CheckShape<R>; readonly dtype?: D },
) => Tensor<[...R], NoInfer<D>> = operation(
  "fromTypedArray",
  "array, { dtype, shape }",
  (
    array: TypedArray | Uint8ClampedArray,
    options: { readonly shape?: readonly number[]; readonly dtype?: DType } = {},
  ): AnyTensor => wrap(elements.lent("fromTypedArray", array, options.shape, options.dtype)),
);

/** One number as a 0-d tensor, float32 by default. */
export const scalarTensor: <D extends DType = "float32">(
  value: Scalar,
  options?: CreationOptions<D>,
) => Tensor<[], NoInfer<D>> = operation(
  "scalarTensor",
  "value, { dtype }",
  (value: Scalar, options?: CreationOptions): AnyTensor =>
    wrap(ops.full("scalarTensor", [], value, options?.dtype ?? "float32")),
);

/** `value` everywhere: int64 for an integer-valued number, bool for a boolean, else float32, unless `dtype` is given. */
export const full: <
  const R extends readonly number[],
  const V extends Scalar,
  D extends DType = ScalarDType<V>,
>(
  shape: CheckShape<R>,
  value: V,
  options?: CreationOptions<D>,
) => Tensor<[...R], NoInfer<D>> = operation(
  "full",
  "shape, value, { dtype }",
  (shape: readonly number[], value: Scalar, options?: CreationOptions): AnyTensor =>
    wrap(ops.full("full", shape, value, options?.dtype)),
);

/** Zeros, float32 by default. */
export const zeros: <const R extends readonly number[], D extends DType = "float32">(
  shape: CheckShape<R>,
  options?: CreationOptions<D>,
) => Tensor<[...R], NoInfer<D>> = operation(
  "zeros",
  "shape, { dtype }",
  (shape: readonly number[], options?: CreationOptions): AnyTensor =>
    wrap(ops.full("zeros", shape, 0, options?.dtype ?? "float32")),
);

/** Ones, float32 by default. */
export const ones: <const R extends readonly number[], D extends DType = "float32">(
  shape: CheckShape<R>,
  options?: CreationOptions<D>,
) => Tensor<[...R], NoInfer<D>> = operation(
  "ones",
  "shape, { dtype }",
  (shape: readonly number[], options?: CreationOptions): AnyTensor =>
    wrap(ops.full("ones", shape, 1, options?.dtype ?? "float32")),
);

/** Zeros of another tensor's shape and dtype. */
export const zerosLike: <T extends AnyTensor, D extends DType = T["dtype"]>(
  x: T,
  options?: CreationOptions<D>,
) => WithDType<T, NoInfer<D>> = operation(
  "zerosLike",
  "input, { dtype }",
  (x: AnyTensor, options?: CreationOptions): AnyTensor => like("zerosLike", x, 0, options),
);

/** Ones of another tensor's shape and dtype. */
export const onesLike: <T extends AnyTensor, D extends DType = T["dtype"]>(
  x: T,
  options?: CreationOptions<D>,
) => WithDType<T, NoInfer<D>> = operation(
  "onesLike",
  "input, { dtype }",
  (x: AnyTensor, options?: CreationOptions): AnyTensor => like("onesLike", x, 1, options),
);

/** `value` everywhere, of another tensor's shape and dtype. */
export const fullLike: <T extends AnyTensor, D extends DType = T["dtype"]>(
  x: T,
  value: Scalar,
  options?: CreationOptions<D>,
) => WithDType<T, NoInfer<D>> = operation(
  "fullLike",
  "input, value, { dtype }",
  (x: AnyTensor, value: Scalar, options?: CreationOptions): AnyTensor => like("fullLike", x, value, options),
);

/** `value` everywhere, a scalar or a 0-d tensor, of x's shape and dtype. */
export const fill: <T extends AnyTensor>(
  x: T,
  value: Scalar | Tensor<[], DType>,
) => WithDType<T, T["dtype"]> = operation(
  "fill",
  "input, value",
  (x: AnyTensor, value: Scalar | AnyTensor): AnyTensor => {
    const { shape, dtype } = tensorArgument("fill", "input", x).node;
    const filling = checkedTerm("fill", value);
    return wrap(
      filling instanceof Value
        ? ops.spread("fill", filling, shape, dtype)
        : ops.full("fill", shape, filling, dtype),
    );
  },
);

function like(op: string, x: AnyTensor, value: Scalar, options: CreationOptions | undefined): AnyTensor {
  const { shape, dtype } = tensorArgument(op, "input", x).node;
  return wrap(ops.full(op, shape, value, options?.dtype ?? dtype));
}

/** How many steps lead from Start to End, when all are known and not negative. */
type RangeSize<Start, End, Step> = Start extends number
  ? End extends number
    ? Step extends number
      ? `${Start}|${End}|${Step}` extends `${string}${"-" | "." | "e"}${string}`
        ? number
        : Step extends 0
          ? number
          : DivideUp<Subtract<End, Start>, Step>
      : number
    : number
  : number;

type RangeDType<Start, End, Step> = Promote<Promote<ScalarDType<Start>, ScalarDType<End>>, ScalarDType<Step>>;

/**
 * 0, 1 … up to and without `end`; or from `start` by `step`. Integers give int64, others float32, unless `dtype` is given.
 * @throws RangeError when the step is 0 or leads away from the end.
 */
export const arange: {
  <const E extends Scalar, D extends DType = RangeDType<0, E, 1>>(
    end: E,
    options?: CreationOptions<D>,
  ): Tensor<[RangeSize<0, E, 1>], NoInfer<D>>;

  <const A extends Scalar, const E extends Scalar, D extends DType = RangeDType<A, E, 1>>(
    start: A,
    end: E,
    options?: CreationOptions<D>,
  ): Tensor<[RangeSize<A, E, 1>], NoInfer<D>>;

  <
    const A extends Scalar,
    const E extends Scalar,
    const P extends Scalar,
    D extends DType = RangeDType<A, E, P>,
  >(
    start: A,
    end: E,
    step: P,
    options?: CreationOptions<D>,
  ): Tensor<[RangeSize<A, E, P>], NoInfer<D>>;
} = operation(
  "arange",
  "end, { dtype } | start, end, { dtype } | start, end, step, { dtype }",
  (first: Scalar, ...rest: readonly (Scalar | CreationOptions | undefined)[]): AnyTensor => {
    const bounds = [first, ...rest].filter(isScalar);
    const options = rest.find(
      (argument): argument is CreationOptions => argument !== undefined && !isScalar(argument),
    );
    const [start, end, step] = bounds.length === 1 ? [0, first, 1] : [first, bounds[1]!, bounds[2] ?? 1];
    return wrap(ops.arange(start, end, step, options?.dtype));
  },
);

/** Whatever is not options is taken for a scalar, so that it is refused as one. */
const isScalar = (argument: unknown): argument is Scalar =>
  argument !== undefined && (typeof argument !== "object" || argument === null || isFloatScalar(argument));

/** A count itself, or the message when it is negative or has a fraction. */
export type CheckCount<N extends number> = Accept<CheckShape<readonly [N]>, N>;

/**
 * `steps` numbers from `start` to `end`, both included; float32 by default. For an integer dtype `start` and `end` lose their
 * fraction first, and each number loses its own then, as in PyTorch.
 * @throws TypeError for steps with a fraction, RangeError for negative ones or a bound that the dtype does not hold.
 */
export const linspace: <const N extends number, D extends DType = "float32">(
  start: Scalar,
  end: Scalar,
  steps: CheckCount<N>,
  options?: CreationOptions<D>,
) => Tensor<[N], NoInfer<D>> = operation(
  "linspace",
  "start, end, steps, { dtype }",
  (start: Scalar, end: Scalar, steps: number, options?: CreationOptions): AnyTensor =>
    wrap(ops.linspace(start, end, steps, options?.dtype)),
);

/** Ones on the diagonal of a matrix, zeros elsewhere; float32 by default. */
export const eye: {
  <const N extends number, D extends DType = "float32">(
    n: N,
    options?: CreationOptions<D>,
  ): Tensor<[N, N], NoInfer<D>>;

  <const N extends number, const M extends number, D extends DType = "float32">(
    n: N,
    m: M,
    options?: CreationOptions<D>,
  ): Tensor<[N, M], NoInfer<D>>;
} = operation(
  "eye",
  "n, { dtype } | n, m, { dtype }",
  (n: number, second?: number | CreationOptions, third?: CreationOptions): AnyTensor => {
    const options = typeof second === "number" ? third : second;
    return wrap(ops.eye(n, typeof second === "number" ? second : n, options?.dtype));
  },
);

/**
 * Marks a number as a floating scalar: in JavaScript 2.0 is 2, and `x.mul(2)` leaves an int64 tensor int64, where
 * `x.mul(float(2))` gives float32, as `x * 2.0` does in PyTorch. @throws TypeError for what is no number.
 */
export const float: (value: number) => FloatScalar = operation("float", "value", floatScalar);
