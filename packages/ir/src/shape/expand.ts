/** Repeating axes of size 1 and missing leading ones, without a copy. */
import { ShapeError, showShape } from "../errors.ts";
import { checkIntegers } from "./arguments.ts";
import { checkElementCount, type Ok, type Shape, type ShowShape, type UnknownRank } from "./shape.ts";

/**
 * `sizes` with −1 replaced by the existing size. `kind` is PyTorch's name of the tensor's dtype, for its message.
 * @throws ShapeError at the last axis that would change but is not of size 1, or when there are fewer sizes than axes.
 */
export function expandedShape(shape: Shape, sizes: readonly number[], kind = "Float"): Shape {
  checkIntegers("sizes", sizes);
  const missing = sizes.length - shape.length;
  if (missing < 0)
    throw new ShapeError(
      `expand(torch.${kind}Tensor{${showShape(shape)}}, size=${showShape(sizes)}): the number of sizes provided (${sizes.length}) must be greater or equal to the number of dimensions in the tensor (${shape.length})`,
    );
  const expanded = new Array<number>(sizes.length);
  for (let axis = sizes.length - 1; axis >= 0; axis--) {
    expanded[axis] = axis < missing ? leadingSize(shape, sizes, axis) : expandedSize(shape, sizes, axis);
  }
  checkElementCount(expanded);
  return expanded;
}

function expandedSize(shape: Shape, sizes: readonly number[], axis: number): number {
  const size = sizes[axis]!;
  const existing = shape[axis - sizes.length + shape.length]!;
  if (size === -1 || size === existing) return existing;
  if (existing === 1 && size >= 0) return size;
  throw new ShapeError(
    `The expanded size of the tensor (${size}) must match the existing size (${existing}) at non-singleton dimension ${axis}.  Target sizes: ${showShape(sizes)}.  Tensor sizes: ${showShape(shape)}`,
  );
}

function leadingSize(shape: Shape, sizes: readonly number[], axis: number): number {
  const size = sizes[axis]!;
  if (size >= 0) return size;
  throw new ShapeError(
    `The expanded size of the tensor (${size}) isn't allowed in a leading, non-existing dimension ${axis} (sizes ${showShape(sizes)}, shape ${showShape(shape)})`,
  );
}

type Step<Existing extends number, Size extends number> = Size extends -1
  ? Existing
  : Existing extends 1
    ? Size
    : number extends Existing
      ? Size
      : number extends Size
        ? Existing
        : Existing extends Size
          ? Existing
          : null;

/** The sizes of new leading axes: −1 is not allowed there. */
type Leading<R extends readonly number[], Axis extends 0[] = []> = R extends readonly [
  infer Size extends number,
  ...infer Rest extends readonly number[],
]
  ? `${Size}` extends `-${string}`
    ? `The expanded size of the tensor (${Size}) isn't allowed in a leading, non-existing dimension ${Axis["length"]}`
    : Leading<Rest, [...Axis, 0]>
  : null;

type Align<
  S extends readonly number[],
  R extends readonly number[],
  WholeS extends readonly number[],
  WholeR extends readonly number[],
  Result extends number[] = [],
> = S extends readonly [...infer RestOfS extends readonly number[], infer Existing extends number]
  ? R extends readonly [...infer RestOfR extends readonly number[], infer Size extends number]
    ? Step<Existing, Size> extends infer Expanded extends number
      ? Align<RestOfS, RestOfR, WholeS, WholeR, [Expanded, ...Result]>
      : `The expanded size of the tensor (${Size}) must match the existing size (${Existing}) at non-singleton dimension ${RestOfR["length"]}.  Target sizes: ${ShowShape<WholeR>}.  Tensor sizes: ${ShowShape<WholeS>}`
    : `the number of sizes provided (${WholeR["length"]}) must be greater or equal to the number of dimensions in the tensor (${WholeS["length"]})`
  : Leading<R> extends infer Message extends string
    ? Message
    : [...R, ...Result];

/** S expanded to the sizes R, or the message. */
export type ExpandOrFail<S extends number[], R extends readonly number[]> =
  UnknownRank<R> extends true
    ? number[]
    : UnknownRank<S> extends true
      ? { -readonly [Axis in keyof R]: R[Axis] extends -1 ? number : R[Axis] }
      : Align<S, R, S, R>;

export type Expand<S extends number[], R extends readonly number[]> = Ok<ExpandOrFail<S, R>>;
