/** Creates tensors from elements and from nothing. Each is PyTorch's function of the same name; shapes are arrays of sizes. */
import {
  type Accept,
  type CheckShape,
  checkInteger,
  type DivideUp,
  type DType,
  type Nested,
  type NestedDType,
  type NestedShapeOrFail,
  type Ok,
  type Promote,
  type Scalar,
  type ScalarDType,
  ShapeError,
  type Subtract,
  type TypedArray,
} from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { isOptions } from "../entry/inspect.ts";
import * as ops from "../ops/creation.ts";
import * as elements from "../ops/elements.ts";
import { checkTerm, float as floatScalar } from "../ops/operand.ts";
import { pow } from "../ops/pointwise.ts";
import { cast, constant } from "../record.ts";
import { withoutSlope } from "../tape/rule.ts";
import { checkedTerm, type ShapeKey, Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import { Value } from "../value.ts";
import { declareMade, type MadeOptions } from "./made.ts";

/** The dtype of the result. */
export interface CreationOptions<D extends DType = DType> extends MadeOptions {
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

type Data = Nested | elements.ElementArray | elements.OtherArray;

/** The given shape; otherwise that of the arrays. */
type DataShape<V, R extends readonly number[]> = [R] extends [never] ? Ok<ArrayShape<V>> : Given<R>;

/** A shape that options give. What a caller expects of the result gives none, as in `cat([x, tensor([1])])`. */
type Given<R extends readonly number[]> = [R] extends [infer Shape extends readonly number[]]
  ? [...Shape]
  : never;

type ArrayShape<V> = [V] extends [elements.ElementArray | elements.OtherArray]
  ? [number]
  : NestedShapeOrFail<V>;

type DataDType<V> = V extends elements.ElementArray ? ArrayDType<V> : NestedDType<V>;

/**
 * A tensor with a copy of nested arrays or of a typed array. Unless `dtype` is given, numbers give float32, booleans bool, bigints int64,
 * and a typed array its own dtype; a Uint16Array, Uint32Array or BigUint64Array stores none, and needs `dtype`. A flat array may be given another
 * `shape`.
 * @throws ShapeError for ragged arrays or a shape that does not fit; RangeError for a number that the dtype does not hold; TypeError for an
 * array that stores no dtype and is given none.
 */
export const tensor = declareMade(
  "tensor(data, { dtype, shape })",
  <const V extends Data, const R extends readonly number[] = never, D extends DType = DataDType<V>>(
    data: Accept<ArrayShape<V>, V>,
    options?: CreationOptions<D> & { readonly shape?: CheckShape<R> },
  ): Tensor<DataShape<V, R>, NoInfer<D>> =>
    wrap(dataValue(data as Data, options?.shape as readonly number[] | undefined, options?.dtype)),
);

function dataValue(data: Data, shape: readonly number[] | undefined, dtype: DType | undefined): Value {
  if ((data as unknown) instanceof Tensor)
    throw new TypeError("that is a Tensor already; x.clone() copies it, x.to(dtype) casts it");
  if (Array.isArray(data) && data[0] instanceof Tensor)
    throw new TypeError("elements are tensors already; stack(tensors) makes one of them");
  if (!ArrayBuffer.isView(data)) return elements.fromNested("tensor", data, shape, dtype);
  if (!elements.isOfNumbers(data))
    throw new TypeError("a DataView is no array of numbers; make a typed array over its buffer");
  const stored = elements.dtypeOfArray(data);
  if (stored === undefined && dtype === undefined)
    throw new TypeError(
      `a ${data.constructor.name} stores no dtype by itself; name one to convert to, e.g. { dtype: "int64" }${data instanceof Uint16Array ? " (fromTypedArray lends float16 bits)" : ""}`,
    );
  const result = ops.dtypeOr(dtype, stored as DType);
  return elements.fromElements("tensor", data, elements.shapeFor(data.length, shape), result);
}

/**
 * A tensor that reads a typed array itself, without a copy. The array is lent: it must not change before everything recorded with it is
 * computed. It is never written here.
 * @throws ShapeError when the length does not fit the shape; DTypeError when the array does not store the dtype; RangeError for a byte
 * other than 0 and 1 if the dtype is bool.
 */
export const fromTypedArray = declareMade(
  "fromTypedArray(array, { dtype, shape })",
  <
    const V extends TypedArray | Uint8ClampedArray,
    const R extends readonly number[] = readonly [number],
    D extends DType = ArrayDType<V>,
  >(
    array: V,
    options?: CreationOptions<D> & { readonly shape?: CheckShape<R> },
  ): Tensor<Given<R>, NoInfer<D>> =>
    wrap(
      elements.lent("fromTypedArray", array, options?.shape as readonly number[] | undefined, options?.dtype),
    ),
);

/** A tensor stays itself, or is cast to the dtype that is given. From anything else it makes a {@link tensor}, which is a copy. */
type AsTensor = typeof tensor &
  (<T extends AnyTensor, D extends DType = T["dtype"]>(
    data: T,
    options?: CreationOptions<D>,
  ) => Tensor<T[ShapeKey], NoInfer<D>>);

/** A tensor stays itself, or is cast to the dtype that is given. From anything else it makes a {@link tensor}, which is a copy. */
export const asTensor = declareMade("asTensor(data, { dtype, shape })", asTensorOf as AsTensor);

/** {@link asTensor}. */
export const asarray = declareMade("asarray(data, { dtype, shape })", asTensorOf as AsTensor);

function asTensorOf(data: unknown, options: CreationOptions = {}): AnyTensor {
  if (!(data instanceof Tensor))
    return (tensor as (data: unknown, options: CreationOptions) => AnyTensor)(data, options);
  const value = unwrap(data);
  const dtype = ops.dtypeOr(options.dtype, value.node.dtype);
  return dtype === value.node.dtype ? data : wrap(cast(value, dtype));
}

/** One number as a 0-d tensor, float32 by default. */
export const scalarTensor = declareMade(
  "scalarTensor(value, { dtype })",
  <D extends DType = "float32">(value: Scalar, options?: CreationOptions<D>): Tensor<[], NoInfer<D>> =>
    wrap(ops.full([], value, options?.dtype ?? "float32")),
);

/** `value` everywhere. Unless `dtype` is given, an integer-valued number gives int64, a boolean bool, and any other number float32. */
export const full = declareMade(
  "full(shape, value, { dtype })",
  <const R extends readonly number[], const V extends Scalar, D extends DType = ScalarDType<V>>(
    shape: CheckShape<R>,
    value: V,
    options?: CreationOptions<D>,
  ): Tensor<[...R], NoInfer<D>> => wrap(ops.full(shape as R, value, options?.dtype)),
);

/* @__NO_SIDE_EFFECTS__ */
const filled = (name: string, value: Scalar) =>
  declareMade(
    `${name}(shape, { dtype })`,
    <const R extends readonly number[], D extends DType = "float32">(
      shape: CheckShape<R>,
      options?: CreationOptions<D>,
    ): Tensor<[...R], NoInfer<D>> => wrap(ops.full(shape as R, value, options?.dtype ?? "float32")),
  );

/** Zeros, float32 by default. */
export const zeros = filled("zeros", 0);

/** Elements that are to be overwritten; zeros here. float32 by default. */
export const empty = filled("empty", 0);

/** Ones, float32 by default. */
export const ones = filled("ones", 1);

/* @__NO_SIDE_EFFECTS__ */
const filledLike = (name: string, value: Scalar) =>
  declareMade(
    `${name}(input, { dtype })`,
    <T extends AnyTensor, D extends DType = T["dtype"]>(
      x: T,
      options?: CreationOptions<D>,
    ): Tensor<T[ShapeKey], NoInfer<D>> => wrap(like(x, value, options)),
  );

function like(x: AnyTensor, value: Scalar, options: CreationOptions | undefined): Value {
  const { shape, dtype } = unwrap(x).node;
  return ops.full(shape, value, options?.dtype ?? dtype);
}

/** Zeros of another tensor's shape and dtype. */
export const zerosLike = filledLike("zerosLike", 0);

/** Elements that are to be overwritten, zeros here, of another tensor's shape and dtype. */
export const emptyLike = filledLike("emptyLike", 0);

/** Ones of another tensor's shape and dtype. */
export const onesLike = filledLike("onesLike", 1);

/** `value` everywhere, of another tensor's shape and dtype. */
export const fullLike = declareMade(
  "fullLike(input, value, { dtype })",
  <T extends AnyTensor, D extends DType = T["dtype"]>(
    x: T,
    value: Scalar,
    options?: CreationOptions<D>,
  ): Tensor<T[ShapeKey], NoInfer<D>> => wrap(like(x, value, options)),
);

/** `value` everywhere, a scalar or a 0-d tensor, of x's shape and dtype. */
export const fill = declareFunction(
  "fill(input, value)",
  <T extends AnyTensor>(x: T, value: Scalar | Tensor<[], DType>): Tensor<T[ShapeKey], T["dtype"]> => {
    const input = unwrap(x);
    const { shape, dtype } = input.node;
    const filling = checkedTerm(value);
    const filled =
      filling instanceof Value ? ops.spread(filling, shape, dtype) : ops.full(shape, filling, dtype);
    return wrap(withoutSlope("fill", [input], filled));
  },
);

/** The number of steps from Start to End, if both are known and not negative. */
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
 * 0, 1 … up to but without `end`; or from `start` on by `step`. Integers give int64, other numbers float32, unless `dtype` is given.
 * @throws RangeError when the step is 0 or has the wrong sign.
 */
export const arange = declareMade(
  "arange(end, { dtype } | start, end, { dtype } | start, end, step, { dtype })",
  recordRange,
);

function recordRange<const E extends Scalar, D extends DType = RangeDType<0, E, 1>>(
  end: E,
  options?: CreationOptions<D>,
): Tensor<[RangeSize<0, E, 1>], NoInfer<D>>;
function recordRange<const A extends Scalar, const E extends Scalar, D extends DType = RangeDType<A, E, 1>>(
  start: A,
  end: E,
  options?: CreationOptions<D>,
): Tensor<[RangeSize<A, E, 1>], NoInfer<D>>;
function recordRange<
  const A extends Scalar,
  const E extends Scalar,
  const P extends Scalar,
  D extends DType = RangeDType<A, E, P>,
>(start: A, end: E, step: P, options?: CreationOptions<D>): Tensor<[RangeSize<A, E, P>], NoInfer<D>>;
function recordRange(...given: readonly (Scalar | CreationOptions | undefined)[]): AnyTensor {
  let count = given.length;
  while (count > 1 && given[count - 1] === undefined) count--;
  const last = given[count - 1];
  const options = isOptions(last) ? (last as CreationOptions) : undefined;
  // Anything else counts as a bound, so that it is refused as one.
  const bounds = given.slice(0, options === undefined ? count : count - 1) as Scalar[];
  const [start, end, step] =
    bounds.length < 2
      ? [0, bounds[0]!, 1]
      : [bounds[0]!, bounds[1]!, bounds[2] === undefined ? 1 : bounds[2]];
  return wrap(ops.arange(start, end, step, options?.dtype));
}

/** The count itself, or the message if it is negative or has a fraction. */
export type CheckCount<N extends number> = Accept<CheckShape<readonly [N]>, N>;

/**
 * `steps` numbers from `start` to `end`, both included; float32 by default. For an integer dtype, `start` and `end` lose their fraction
 * first, and then each number loses its own, as in PyTorch.
 * @throws TypeError for steps with a fraction, RangeError for negative ones or a bound that the dtype does not hold.
 */
export const linspace = declareMade(
  "linspace(start, end, steps, { dtype })",
  <const N extends number, D extends DType = "float32">(
    start: Scalar,
    end: Scalar,
    steps: CheckCount<N>,
    options?: CreationOptions<D>,
  ): Tensor<[N], NoInfer<D>> => wrap(ops.linspace(start, end, steps as number, options?.dtype)),
);

/**
 * `steps` powers of `base` (10), from `base ** start` to `base ** end`; float32 by default. For an integer dtype, `start` and `end` lose
 * their fraction first, and then each power loses its own. Powers are computed in float64 and rounded once. PyTorch: `logspace`.
 * @throws TypeError for steps with a fraction, RangeError for negative ones or a bound that the dtype does not hold.
 */
export const logspace = declareMade(
  "logspace(start, end, steps, base, { dtype })",
  <const N extends number, D extends DType = "float32">(
    start: Scalar,
    end: Scalar,
    steps: CheckCount<N>,
    base = 10,
    options?: CreationOptions<D>,
  ): Tensor<[N], NoInfer<D>> => {
    const count = steps as number;
    checkTerm(base);
    const dtype = ops.checkSpacing([start, end], count, options?.dtype);
    if (count < 2) return wrap(ops.full([count], ops.numberOf(base) ** ops.numberOf(start), dtype));
    const powers = ops.spaced(ops.boundOf("start", start, dtype), ops.boundOf("end", end, dtype), count);
    return wrap(cast(pow(constant("float64", ops.numberOf(base)), powers), dtype));
  },
);

/** Ones on the diagonal of a matrix, zeros elsewhere; float32 by default. */
export const eye = declareMade("eye(n, { dtype } | n, m, { dtype })", recordEye);

function recordEye<const N extends number, D extends DType = "float32">(
  n: N,
  options?: CreationOptions<D>,
): Tensor<[N, N], NoInfer<D>>;
function recordEye<const N extends number, const M extends number, D extends DType = "float32">(
  n: N,
  m: M,
  options?: CreationOptions<D>,
): Tensor<[N, M], NoInfer<D>>;
function recordEye(n: number, second?: number | CreationOptions, third?: CreationOptions): AnyTensor {
  const [m, options] = (second === undefined || isOptions(second) ? [n, second] : [second, third]) as [
    number,
    CreationOptions | undefined,
  ];
  return wrap(ops.eye(n, m, options?.dtype));
}

/* @__NO_SIDE_EFFECTS__ */
const placesOf = (op: "trilIndices" | "triuIndices") =>
  declareFunction(
    `${op}(row, col, { dtype, offset })`,
    <D extends DType = "int64">(
      row: number,
      col: number,
      options?: { readonly dtype?: D; readonly offset?: number },
    ): Tensor<[2, number], NoInfer<D>> => {
      const offset = options?.offset ?? 0;
      checkInteger("offset", offset);
      for (const [name, size] of [
        ["row", row],
        ["col", col],
      ] as const) {
        checkInteger(name, size);
        if (size < 0) throw new ShapeError(`${name} must be non-negative, got${size}`);
      }
      const rows: number[] = [];
      const columns: number[] = [];
      for (let at = 0; at < row; at++) {
        const [first, end] =
          op === "trilIndices" ? [0, Math.min(col, at + offset + 1)] : [Math.max(0, at + offset), col];
        for (let column = first; column < end; column++) {
          rows.push(at);
          columns.push(column);
        }
      }
      const dtype = (options?.dtype ?? "int64") as D;
      return tensor([...rows, ...columns], { shape: [2, rows.length], dtype });
    },
  );

/** The rows (first) and columns (second) of the places on and below a diagonal of a `row` × `col` matrix, as int64. */
export const trilIndices = placesOf("trilIndices");

/** The rows (first) and columns (second) of the places on and above a diagonal of a `row` × `col` matrix, as int64. */
export const triuIndices = placesOf("triuIndices");

/**
 * Marks a number as a floating scalar. In JavaScript 2.0 is 2, and `x.mul(2)` leaves an int64 tensor int64; `x.mul(float(2))` gives
 * float32, as `x * 2.0` does in PyTorch.
 * @throws TypeError for what is no number.
 */
export const float = declareFunction("float(value)", floatScalar);
