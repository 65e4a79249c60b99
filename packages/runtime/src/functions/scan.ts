/**
 * At every place, the fold of what stands along an axis up to there. Each is PyTorch's op of the same name.
 * @throws RangeError for an axis that does not exist.
 */
import type { CheckAxes } from "@fuseau/ir";
import { running } from "../declare/along.ts";
import { declare } from "../declare/declaration.ts";
import * as differences from "../ops/difference.ts";
import * as ops from "../ops/scan.ts";
import { type ShapeKey, type Tensor, unwrap, wrap, wrapEach } from "../tensor/handle.ts";
import { optionalTensor } from "../tensor/optional.ts";
import type { AnyTensor, Resized } from "../tensor/types.ts";
import type { Extremes } from "./reduction.ts";

/** The running sum; of integers and bools as int64. */
export const cumsum = running("sum", "cumsum(dim, { dtype })", (x, dim, dtype) =>
  ops.running("cumsum", x, dim, dtype),
);

/** The running product; of integers and bools as int64. */
export const cumprod = running("sum", "cumprod(dim, { dtype })", (x, dim, dtype) =>
  ops.running("cumprod", x, dim, dtype),
);

/** The largest so far, and its place: of equal ones the last. NaN wins. */
export const cummax = declare(
  "cummax(dim)",
  <T extends AnyTensor, const A extends number>(
    input: T,
    dim: CheckAxes<T[ShapeKey], A>,
  ): Extremes<T[ShapeKey], T["dtype"]> =>
    wrapEach(ops.runningExtreme("cummax", unwrap(input), dim as number)),
);

/** The smallest so far, and its place: of equal ones the last. NaN wins. */
export const cummin = declare(
  "cummin(dim)",
  <T extends AnyTensor, const A extends number>(
    input: T,
    dim: CheckAxes<T[ShapeKey], A>,
  ): Extremes<T[ShapeKey], T["dtype"]> =>
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

/** What `diff` puts before and behind the elements first. */
export interface DiffOptions {
  readonly prepend?: AnyTensor;
  readonly append?: AnyTensor;
}

/**
 * Each place less the one before along `dim` (−1), `n` (1) times over; of bools whether they differ.
 * @throws ShapeError for a 0-d tensor, or for ends that do not fit.
 */
export const diff = declare(
  "diff(n, dim, { prepend, append })",
  <T extends AnyTensor, const A extends number = -1>(
    input: T,
    n: number = 1,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: DiffOptions,
  ): Tensor<Resized<T[ShapeKey], A>, T["dtype"]> => {
    const x = unwrap(input);
    const before = optionalTensor(options?.prepend);
    const after = optionalTensor(options?.append);
    return wrap(differences.diff(x, n, (dim ?? -1) as number, before, after));
  },
);
