/** Running folds, differences and integrals as functions: `cumsum(x, 0)` is `x.cumsum(0)`. */
import {
  type CheckAxes,
  checkInteger,
  type DType,
  type Reduce,
  type Scalar,
  ShapeError,
  type SumDType,
  uniqueAxes,
  wrapAxes,
} from "@fuseau/ir";
import * as ops from "../ops/difference.ts";
import { checkTerm } from "../ops/operand.ts";
import type { ShapeKey } from "../tensor/handle.ts";
import type { DTypeOptions } from "../tensor/normalization.ts";
import type { Extremes } from "../tensor/reduction.ts";
import type { DiffOptions, Resized } from "../tensor/scan.ts";
import { receiver, Tensor, tensorArgument, unwrap, wrap } from "../tensor/tensor.ts";
import type { AnyTensor, Floated, Same } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/** {@link Tensor.cumsum} */
export function cumsum<T extends AnyTensor, const A extends number, D extends DType = SumDType<T["dtype"]>>(
  x: T,
  dim: CheckAxes<T[ShapeKey], A>,
  options?: DTypeOptions<D>,
): Tensor<T[ShapeKey], NoInfer<D>>;
export function cumsum(x: AnyTensor, dim: number, options?: DTypeOptions): AnyTensor {
  return receiver("cumsum", x).cumsum(dim, options);
}

/** {@link Tensor.cumprod} */
export function cumprod<T extends AnyTensor, const A extends number, D extends DType = SumDType<T["dtype"]>>(
  x: T,
  dim: CheckAxes<T[ShapeKey], A>,
  options?: DTypeOptions<D>,
): Tensor<T[ShapeKey], NoInfer<D>>;
export function cumprod(x: AnyTensor, dim: number, options?: DTypeOptions): AnyTensor {
  return receiver("cumprod", x).cumprod(dim, options);
}

/** {@link Tensor.cummax} */
export function cummax<T extends AnyTensor, const A extends number>(
  x: T,
  dim: CheckAxes<T[ShapeKey], A>,
): Extremes<T[ShapeKey], T["dtype"]>;
export function cummax(x: AnyTensor, dim: number): Extremes<number[], DType> {
  return receiver("cummax", x).cummax(dim);
}

/** {@link Tensor.cummin} */
export function cummin<T extends AnyTensor, const A extends number>(
  x: T,
  dim: CheckAxes<T[ShapeKey], A>,
): Extremes<T[ShapeKey], T["dtype"]>;
export function cummin(x: AnyTensor, dim: number): Extremes<number[], DType> {
  return receiver("cummin", x).cummin(dim);
}

/** {@link Tensor.logcumsumexp} */
export function logcumsumexp<T extends AnyTensor, const A extends number>(
  x: T,
  dim: CheckAxes<T[ShapeKey], A>,
): Same<T>;
export function logcumsumexp(x: AnyTensor, dim: number): AnyTensor {
  return receiver("logcumsumexp", x).logcumsumexp(dim);
}

/** {@link Tensor.diff} */
export function diff<T extends AnyTensor, const A extends number = -1>(
  x: T,
  n?: number,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: DiffOptions,
): Tensor<Resized<T[ShapeKey], A>, T["dtype"]>;
export function diff(x: AnyTensor, n = 1, dim = -1, options?: DiffOptions): AnyTensor {
  return receiver("diff", x).diff(n, dim, options);
}

/** The samples are at `x` (of y's shape, or 1-D along the axis), or `dx` (1) apart; along `dim` (−1). */
export interface TrapezoidOptions<A extends number = number> {
  readonly x?: AnyTensor | null;
  readonly dx?: Scalar;
  readonly dim?: A;
}

function distances(op: string, options: TrapezoidOptions): Value | Scalar {
  const { x, dx = 1 } = options;
  if (x != null) return tensorArgument(op, "x", x);
  checkTerm(op, dx);
  return dx;
}

/** The integral of samples `y` along an axis by the trapezoid rule. PyTorch: `trapezoid`. */
export function trapezoid<T extends AnyTensor, const A extends number = -1>(
  y: T,
  options?: TrapezoidOptions<A>,
): Tensor<Reduce<T[ShapeKey], A>, DType>;
export function trapezoid(y: AnyTensor, options: TrapezoidOptions = {}): AnyTensor {
  const samples = tensorArgument("trapezoid", "y", y);
  return wrap(ops.trapezoid("trapezoid", samples, distances("trapezoid", options), options.dim ?? -1));
}

/** {@link trapezoid}. */
export const trapz: typeof trapezoid = trapezoid;

/** The integral up to each sample after the first. PyTorch: `cumulative_trapezoid`. */
export function cumulativeTrapezoid<T extends AnyTensor, const A extends number = -1>(
  y: T,
  options: TrapezoidOptions<A> = {},
): Tensor<Resized<T[ShapeKey], A>, DType> {
  const samples = tensorArgument("cumulativeTrapezoid", "y", y);
  const by = distances("cumulativeTrapezoid", options);
  return wrap(ops.cumulativeTrapezoid(samples, by, options.dim ?? -1)) as never;
}

/**
 * Where the points are: `spacing` apart (1), or at coordinates, one for all axes or one each; along `dim`, an axis or several, or
 * all. `edgeOrder` is 1, or 2 for parabolas at the ends.
 */
export interface GradientOptions {
  readonly spacing?: number | AnyTensor | readonly (number | AnyTensor)[] | null;
  readonly dim?: number | readonly number[] | null;
  readonly edgeOrder?: 1 | 2;
}

/**
 * The derivative along each axis by central differences, one-sided at the ends. PyTorch: `gradient`.
 * @throws ShapeError for an axis that is too short, or spacings that are not one for each axis.
 */
export function gradient<T extends AnyTensor>(x: T, options: GradientOptions = {}): Floated<T>[] {
  const value = unwrap(receiver("gradient", x));
  const { spacing = 1, dim = null, edgeOrder = 1 } = options;
  checkInteger("gradient", "edgeOrder", edgeOrder);
  if (edgeOrder !== 1 && edgeOrder !== 2) {
    throw new RangeError("gradient: torch.gradient only supports edge_order=1 and edge_order=2.");
  }
  const { shape } = value.node;
  const axes = Array.isArray(dim) ? uniqueAxes("gradient", dim, shape) : wrapAxes("gradient", dim, shape);
  const steps = Array.isArray(spacing) ? spacing : axes.map(() => spacing ?? 1);
  if (steps.length !== axes.length) {
    const expected =
      dim === null
        ? `a list of length equal to 'self.dim() = ${axes.length}', but got a list of length ${steps.length}`
        : `it's spacing and dim arguments to have the same length, but got a spacing argument of length ${steps.length} and a dim argument of length ${axes.length}.`;
    throw new ShapeError(
      `gradient: torch.gradient expected spacing to be unspecified, a scalar or ${expected}`,
    );
  }
  return axes.map((axis, i) => {
    const step: number | AnyTensor = steps[i];
    const by = step instanceof Tensor ? unwrap(step) : step;
    return wrap(ops.gradient(value, axis, by, edgeOrder)) as never;
  });
}
