/** Integrals and derivatives of samples along an axis. Each is PyTorch's op of the same name. */
import {
  checkInteger,
  type DType,
  type FloatResult,
  type Reduce,
  type Scalar,
  ShapeError,
  uniqueAxes,
  wrapAxes,
} from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import * as ops from "../ops/difference.ts";
import { checkTerm } from "../ops/operand.ts";
import { type ShapeKey, Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor, Resized } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/** The samples are at `x` (of y's shape, or 1-D along the axis), or `dx` (1) apart; along `dim` (−1). */
export interface TrapezoidOptions<A extends number = number> {
  readonly x?: AnyTensor | null;
  readonly dx?: Scalar;
  readonly dim?: A;
}

function distances({ x, dx = 1 }: TrapezoidOptions = {}): Value | Scalar {
  if (x != null) return unwrap(x);
  checkTerm(dx);
  return dx;
}

/** The integral of samples `y` along an axis by the trapezoid rule. PyTorch: `trapezoid`. */
export const trapezoid = declareFunction(
  "trapezoid(y, { x, dx, dim })",
  <T extends AnyTensor, const A extends number = -1>(
    y: T,
    options?: TrapezoidOptions<A>,
  ): Tensor<Reduce<T[ShapeKey], A>, DType> => {
    const samples = unwrap(y);
    return wrap(ops.trapezoid(samples, distances(options), options?.dim ?? -1));
  },
);

/** {@link trapezoid}. */
export const trapz: typeof trapezoid = declareFunction("trapz(y, { x, dx, dim })", trapezoid);

/** The integral up to each sample after the first. PyTorch: `cumulative_trapezoid`. */
export const cumulativeTrapezoid = declareFunction(
  "cumulativeTrapezoid(y, { x, dx, dim })",
  <T extends AnyTensor, const A extends number = -1>(
    y: T,
    options?: TrapezoidOptions<A>,
  ): Tensor<Resized<T[ShapeKey], A>, DType> => {
    const samples = unwrap(y);
    const by = distances(options);
    return wrap(ops.cumulativeTrapezoid(samples, by, options?.dim ?? -1));
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
export const gradient = declareFunction(
  "gradient(input, { spacing, dim, edgeOrder })",
  <T extends AnyTensor>(
    input: T,
    options: GradientOptions = {},
  ): Tensor<T[ShapeKey], FloatResult<T["dtype"]>>[] => {
    const x = unwrap(input);
    const { spacing = 1, dim = null, edgeOrder = 1 } = options;
    checkInteger("edgeOrder", edgeOrder);
    if (edgeOrder !== 1 && edgeOrder !== 2) {
      throw new RangeError("torch.gradient only supports edge_order=1 and edge_order=2.");
    }
    const { shape } = x.node;
    const axes = Array.isArray(dim) ? uniqueAxes(dim, shape) : wrapAxes(dim, shape);
    const steps: readonly (number | AnyTensor)[] = Array.isArray(spacing)
      ? spacing
      : axes.map(() => spacing ?? 1);
    if (steps.length !== axes.length) {
      const expected =
        dim === null
          ? `a list of length equal to 'self.dim() = ${axes.length}', but got a list of length ${steps.length}`
          : `it's spacing and dim arguments to have the same length, but got a spacing argument of length ${steps.length} and a dim argument of length ${axes.length}.`;
      throw new ShapeError(`torch.gradient expected spacing to be unspecified, a scalar or ${expected}`);
    }
    return axes.map((axis, i) => {
      const step = steps[i]!;
      return wrap(ops.gradient(x, axis, step instanceof Tensor ? unwrap(step) : step, edgeOrder));
    });
  },
);
