/** Integrals and derivatives of samples along an axis. Each is PyTorch's op of the same name. */
import {
  checkInteger,
  type FloatResult,
  type Reduce,
  reducedShape,
  type Scalar,
  ShapeError,
  showShape,
  uniqueAxes,
  wrapAxes,
  wrapAxis,
} from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { full } from "../ops/creation.ts";
import { narrowed, neighbours, select, withShape } from "../ops/movement.ts";
import { checkTerm, type Term } from "../ops/operand.ts";
import { add, div, mul, sub } from "../ops/pointwise.ts";
import { sum } from "../ops/reduction.ts";
import { differences, running } from "../ops/scan.ts";
import * as record from "../record.ts";
import { type ShapeKey, Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor, PairDType, Resized } from "../tensor/types.ts";
import { Value } from "../value.ts";

/** Where the samples are: at `x` (of y's shape, or 1-D along the axis), or `dx` (1) apart. The axis is `dim` (−1). */
export interface TrapezoidOptions<A extends number = number, X = AnyTensor | null> {
  readonly x?: X;
  readonly dx?: Scalar;
  readonly dim?: A;
}

/** The shape of samples; it is not known where their places have a shape that is neither y's nor 1-D. */
type Sampled<T extends AnyTensor, X> = X extends AnyTensor
  ? X[ShapeKey] extends T[ShapeKey] | [number]
    ? T[ShapeKey]
    : number[]
  : T[ShapeKey];

type Integrated<T extends AnyTensor, X> = FloatResult<X extends AnyTensor ? PairDType<T, X> : T["dtype"]>;

function distances({ x, dx = 1 }: TrapezoidOptions = {}): Value | Scalar {
  if (x != null) return unwrap(x);
  checkTerm(dx);
  return dx;
}

/** The distances between the sample points: a scalar, or differences of coordinates, broadcast to y's axes. */
function apart(y: Value, axis: number, by: Value | Scalar): Term {
  if (!(by instanceof Value)) return by;
  const rank = y.node.shape.length;
  const { shape } = by.node;
  if (shape.length === 1 && shape[0] !== y.node.shape[axis])
    throw new ShapeError(
      `There must be one \`x\` value for each sample point (x has shape ${showShape(shape)}, y ${showShape(y.node.shape)} along dimension ${axis})`,
    );
  const aligned =
    shape.length === 1
      ? y.node.shape.map((_, at) => (at === axis ? shape[0]! : 1))
      : [...Array.from({ length: Math.max(0, rank - shape.length) }, () => 1), ...shape];
  const points = withShape(by, aligned);
  // As in PyTorch, the axis is counted on y, also where x has more axes.
  const { left, right } = neighbours(points, axis);
  return sub(right, left);
}

/** The samples with their axis, the distance of each from the next, and the sums of neighbours. */
function sampled(y: AnyTensor, options: TrapezoidOptions | undefined) {
  const value = unwrap(y);
  const by = distances(options);
  const axis = wrapAxis(options?.dim ?? -1, value.node.shape);
  const pairs = (): Value => {
    const { left, right } = neighbours(value, axis);
    return add(left, right);
  };
  return { value, axis, pairs, spaced: (): Term => apart(value, axis, by) };
}

/** The integral of samples `y` along an axis by the trapezoid rule. PyTorch: `trapezoid`. */
export const trapezoid = declareFunction(
  "trapezoid(y, { x, dx, dim })",
  <T extends AnyTensor, const A extends number = -1, X extends AnyTensor | null = null>(
    y: T,
    options?: TrapezoidOptions<A, X>,
  ): Tensor<Reduce<Sampled<T, X>, A>, Integrated<T, X>> => {
    const { value, axis, spaced, pairs } = sampled(y, options);
    const { shape, dtype } = value.node;
    if (shape[axis] === 0) return wrap(full(reducedShape(shape, [axis], false), 0, dtype));
    const step = spaced();
    if (step instanceof Value) return wrap(div(sum(mul(pairs(), step), axis, false, null), 2));
    const ends = add(select(value, axis, 0), select(value, axis, -1));
    return wrap(mul(sub(sum(value, axis, false, null), mul(ends, 0.5)), step));
  },
);

/** {@link trapezoid}. */
export const trapz: typeof trapezoid = declareFunction("trapz(y, { x, dx, dim })", trapezoid);

/** The integral up to each sample after the first. PyTorch: `cumulative_trapezoid`. */
export const cumulativeTrapezoid = declareFunction(
  "cumulativeTrapezoid(y, { x, dx, dim })",
  <T extends AnyTensor, const A extends number = -1, X extends AnyTensor | null = null>(
    y: T,
    options?: TrapezoidOptions<A, X>,
  ): Tensor<Resized<Sampled<T, X>, A>, Integrated<T, X>> => {
    const { value, axis, spaced, pairs } = sampled(y, options);
    if (value.node.shape[axis] === 0) return wrap(value);
    return wrap(div(running("cumsum", mul(pairs(), spaced()), axis, null), 2));
  },
);

/**
 * Where the samples are: `spacing` (1) apart, or at coordinates; one for all axes, or a list of one for each. The axes are `dim`: one,
 * several, or all by default. With `edgeOrder` 2, derivatives at the ends come from parabolas; default 1.
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
    if (edgeOrder !== 1 && edgeOrder !== 2)
      throw new RangeError("torch.gradient only supports edge_order=1 and edge_order=2.");
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
      return wrap(slope(x, axis, step instanceof Tensor ? unwrap(step) : step, edgeOrder));
    });
  },
);

/**
 * The derivative along one axis: central differences inside, one-sided ones of order `edge` (1 or 2) at the ends. The samples are `step`
 * apart, or at `coordinates` (1-D).
 */
function slope(x: Value, axis: number, by: Value | number, edge: number): Value {
  const size = x.node.shape[axis]!;
  if (size <= edge)
    throw new ShapeError(
      `torch.gradient expected each dimension size to be at least edge_order+1 (dimension ${axis} of ${showShape(x.node.shape)} has size ${size})`,
    );
  const parts = by instanceof Value ? uneven(x, axis, by, edge) : even(x, axis, by, edge);
  return record.concat(parts, axis);
}

function even(x: Value, axis: number, step: number, edge: number): Value[] {
  const size = x.node.shape[axis]!;
  const at = (place: number, length = 1): Value => narrowed(x, axis, place, length);
  const center = div(sub(at(2, size - 2), at(0, size - 2)), step * 2);
  if (edge === 1) {
    const first = div(sub(at(1), at(0)), step);
    const last = div(sub(at(size - 1), at(size - 2)), step);
    return [first, center, last];
  }
  const ends = (a: Value, b: Value, c: Value): Value =>
    div(add(sub(mul(a, -1.5), mul(b, -2)), mul(c, -0.5)), step);
  const first = ends(at(0), at(1), at(2));
  const last = ends(at(size - 1), at(size - 2), at(size - 3));
  return [first, center, mul(last, -1)];
}

function uneven(x: Value, axis: number, coordinates: Value, edge: number): Value[] {
  const { shape } = x.node;
  const size = shape[axis]!;
  if (coordinates.node.shape.length === 0)
    throw new ShapeError("diff expects input to be at least one-dimensional");
  const steps = withShape(
    differences(coordinates, 0),
    shape.map((_, other) => (other === axis ? size - 1 : 1)),
  );
  const at = (place: number, length = 1): Value => narrowed(x, axis, place, length);
  const gap = (place: number, length = 1): Value => narrowed(steps, axis, place, length);
  const [before, after] = [gap(0, size - 2), gap(1, size - 2)];
  const a = div(mul(after, -1), mul(before, add(before, after)));
  const b = div(sub(after, before), mul(before, after));
  const c = div(before, mul(after, add(before, after)));
  const center = add(add(mul(a, at(0, size - 2)), mul(b, at(1, size - 2))), mul(c, at(2, size - 2)));
  if (edge === 1) {
    const first = div(sub(at(1), at(0)), gap(0));
    const last = div(sub(at(size - 1), at(size - 2)), gap(size - 2));
    return [first, center, last];
  }
  const first = outer(at(0), at(1), at(2), gap(0), gap(1));
  const last = outer(at(size - 1), at(size - 2), at(size - 3), gap(size - 2), gap(size - 3));
  return [first, center, mul(last, -1)];
}

/** The derivative at the first of three points by the parabola through them. The distances between them are `near`, then `far`. */
function outer(first: Value, second: Value, third: Value, near: Value, far: Value): Value {
  const both = add(near, far);
  const a = div(mul(add(both, near), -1), mul(near, both));
  const b = div(both, mul(near, far));
  const c = div(mul(near, -1), mul(far, both));
  return add(add(mul(a, first), mul(b, second)), mul(c, third));
}
