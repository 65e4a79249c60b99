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
import { operation } from "../entry/operation.ts";
import * as ops from "../ops/difference.ts";
import { checkTerm } from "../ops/operand.ts";
import type { ShapeKey } from "../tensor/handle.ts";
import type { DTypeOptions } from "../tensor/normalization.ts";
import type { Extremes } from "../tensor/reduction.ts";
import type { DiffOptions, Resized } from "../tensor/scan.ts";
import { receiver, Tensor, tensorArgument, unwrap, wrap } from "../tensor/tensor.ts";
import type { AnyTensor, Floated, Same } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import { functionOf } from "./function-of.ts";

/** {@link Tensor.cumsum} */
export const cumsum: <T extends AnyTensor, const A extends number, D extends DType = SumDType<T["dtype"]>>(
  x: T,
  dim: CheckAxes<T[ShapeKey], A>,
  options?: DTypeOptions<D>,
) => Tensor<T[ShapeKey], NoInfer<D>> = functionOf("cumsum");

/** {@link Tensor.cumprod} */
export const cumprod: <T extends AnyTensor, const A extends number, D extends DType = SumDType<T["dtype"]>>(
  x: T,
  dim: CheckAxes<T[ShapeKey], A>,
  options?: DTypeOptions<D>,
) => Tensor<T[ShapeKey], NoInfer<D>> = functionOf("cumprod");

/** {@link Tensor.cummax} */
export const cummax: <T extends AnyTensor, const A extends number>(
  x: T,
  dim: CheckAxes<T[ShapeKey], A>,
) => Extremes<T[ShapeKey], T["dtype"]> = functionOf("cummax");

/** {@link Tensor.cummin} */
export const cummin: <T extends AnyTensor, const A extends number>(
  x: T,
  dim: CheckAxes<T[ShapeKey], A>,
) => Extremes<T[ShapeKey], T["dtype"]> = functionOf("cummin");

/** {@link Tensor.logcumsumexp} */
export const logcumsumexp: <T extends AnyTensor, const A extends number>(
  x: T,
  dim: CheckAxes<T[ShapeKey], A>,
) => Same<T> = functionOf("logcumsumexp");

/** {@link Tensor.diff} */
export const diff: <T extends AnyTensor, const A extends number = -1>(
  x: T,
  n?: number,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: DiffOptions,
) => Tensor<Resized<T[ShapeKey], A>, T["dtype"]> = functionOf("diff");

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
export const trapezoid: <T extends AnyTensor, const A extends number = -1>(
  y: T,
  options?: TrapezoidOptions<A>,
) => Tensor<Reduce<T[ShapeKey], A>, DType> = operation(
  "trapezoid",
  "y, { x, dx, dim }",
  (y: AnyTensor, options: TrapezoidOptions = {}): AnyTensor => {
    const samples = tensorArgument("trapezoid", "y", y);
    return wrap(ops.trapezoid("trapezoid", samples, distances("trapezoid", options), options.dim ?? -1));
  },
);

/** {@link trapezoid}. */
export const trapz: typeof trapezoid = trapezoid;

/** The integral up to each sample after the first. PyTorch: `cumulative_trapezoid`. */
export const cumulativeTrapezoid: <T extends AnyTensor, const A extends number = -1>(
  y: T,
  options?: TrapezoidOptions<A>,
) => Tensor<Resized<T[ShapeKey], A>, DType> = operation(
  "cumulativeTrapezoid",
  "y, { x, dx, dim }",
  <T extends AnyTensor, const A extends number = -1>(
    y: T,
    options: TrapezoidOptions<A> = {},
  ): Tensor<Resized<T[ShapeKey], A>, DType> => {
    const samples = tensorArgument("cumulativeTrapezoid", "y", y);
    const by = distances("cumulativeTrapezoid", options);
    return wrap(ops.cumulativeTrapezoid(samples, by, options.dim ?? -1)) as never;
  },
);

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
export const gradient: <T extends AnyTensor>(x: T, options?: GradientOptions) => Floated<T>[] = operation(
  "gradient",
  "input, { spacing, dim, edgeOrder }",
  <T extends AnyTensor>(x: T, options: GradientOptions = {}): Floated<T>[] => {
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
  },
);
