/**
 * Scans: at every place, the fold of the elements along an axis up to it. Each is PyTorch's op of the same name.
 * @throws RangeError for an axis that does not exist.
 */
import { type CheckAxes, checkInteger, type OptionOf, ShapeError, showShape, wrapAxis } from "@fuseau/ir";
import { running } from "../declare/along.ts";
import { declare } from "../declare/declaration.ts";
import { concat, narrowed } from "../ops/movement.ts";
import * as ops from "../ops/scan.ts";
import { type ShapeKey, type Tensor, unwrap, wrap, wrapEach } from "../tensor/handle.ts";
import { optionalTensor } from "../tensor/optional.ts";
import type { AnyTensor, Resized, Shortened, TripleDType } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import type { Extremes } from "./reduction.ts";

/** The running sum; int64 for integers and bools. */
export const cumsum = running("sum", "cumsum(dim, { dtype })", (x, dim, dtype) =>
  ops.running("cumsum", x, dim, dtype),
);

/** The running product; int64 for integers and bools. */
export const cumprod = running("sum", "cumprod(dim, { dtype })", (x, dim, dtype) =>
  ops.running("cumprod", x, dim, dtype),
);

/** The largest element so far, and its position; of equal ones the last. NaN counts as the largest. */
export const cummax = declare(
  "cummax(dim)",
  <T extends AnyTensor, const A extends number>(
    input: T,
    dim: CheckAxes<T[ShapeKey], A>,
  ): Extremes<T[ShapeKey], T["dtype"]> =>
    wrapEach(ops.runningExtreme("cummax", unwrap(input), dim as number)),
);

/** The smallest element so far, and its position; of equal ones the last. NaN counts as the smallest. */
export const cummin: typeof cummax = declare("cummin(dim)", (input, dim) =>
  wrapEach(ops.runningExtreme("cummin", unwrap(input), dim as number)),
);

/** The logarithm of the running sum of exponentials, without overflow. @throws DTypeError for integers and bools. */
export const logcumsumexp = declare(
  "logcumsumexp(dim)",
  <T extends AnyTensor, const A extends number>(
    input: T,
    dim: CheckAxes<T[ShapeKey], A>,
  ): Tensor<T[ShapeKey], T["dtype"]> => wrap(ops.logcumsumexp(unwrap(input), dim as number)),
);

/** Elements that `diff` puts before and after the tensor first. */
export interface DiffOptions {
  readonly prepend?: AnyTensor;
  readonly append?: AnyTensor;
}

/** Where something may be joined first, its size counts too. */
type DiffShape<S extends number[], N extends number, A extends number, O> = [
  keyof O & ("prepend" | "append"),
] extends [never]
  ? Shortened<S, A, N>
  : Resized<S, A>;

/**
 * Each element less the one before it along `dim` (−1), repeated `n` (1) times; for bools, whether the two differ.
 * @throws ShapeError for a 0-d tensor, or for ends that do not fit.
 */
export const diff = declare(
  "diff(n, dim, { prepend, append })",
  <
    T extends AnyTensor,
    const N extends number = 1,
    const A extends number = -1,
    const O extends DiffOptions = object,
  >(
    input: T,
    n: N = 1 as N,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: O,
  ): Tensor<
    DiffShape<T[ShapeKey], NoInfer<N>, NoInfer<A>, NoInfer<O>>,
    TripleDType<T, OptionOf<O, "prepend", T>, OptionOf<O, "append", T>>
  > => {
    const x = unwrap(input);
    const [prepend, append] = [optionalTensor(options?.prepend), optionalTensor(options?.append)];
    const { shape } = x.node;
    if (shape.length === 0) throw new ShapeError("diff expects input to be at least one-dimensional");
    checkInteger("n", n);
    if (n < 0) throw new RangeError(`order must be non-negative but got ${n}`);
    const axis = wrapAxis((dim ?? -1) as number, shape);
    for (const end of [prepend, append]) if (end !== null) checkEnd(x, end, axis);
    if (n === 0) return wrap(x);
    const parts = [prepend, x, append].filter((part) => part !== null);
    let result = parts.length === 1 ? x : concat("diff", parts, axis);
    if (n >= result.node.shape[axis]!) return wrap(narrowed(result, axis, 0, 0));
    for (let order = 0; order < n; order++) result = ops.differences(result, axis);
    return wrap(result);
  },
);

function checkEnd(x: Value, end: Value, axis: number): void {
  const { shape } = x.node;
  const other = end.node.shape;
  if (other.length !== shape.length)
    throw new ShapeError(
      `diff expects prepend or append to be same dimension as input (shapes ${showShape(other)} and ${showShape(shape)})`,
    );
  const wrong = shape.findIndex((size, at) => at !== axis && size !== other[at]);
  if (wrong < 0) return;
  throw new ShapeError(
    `diff expects the shape of tensor to prepend or append to match that of input except along the differencing dimension; input.size(${wrong}) = ${shape[wrong]}, but got tensor.size(${wrong}) = ${other[wrong]}`,
  );
}
