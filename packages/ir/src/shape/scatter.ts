/**
 * Which index and source can be scattered into which target. All have one rank. The index is no longer than the source along any axis, and
 * no longer than the target along any axis except the one that is scattered along. Nothing broadcasts.
 */
import { ShapeError, showShape } from "../errors.ts";
import { type WrapAxis, wrapAxis } from "./axes.ts";
import { type AtLeastOneAxis, atLeastOneAxis, type IsEmpty, type LongerAxis } from "./gather.ts";
import { elementCount, type Shape, type ShowShape, sameNumbers, type UnknownRank } from "./shape.ts";

/**
 * The wrapped axis to scatter along. `source` is null where one number is scattered. An empty index always fits.
 * @throws RangeError for an axis that does not exist; ShapeError for ranks that differ or an index that is too long.
 */
export function scatterAxis(shape: Shape, dim: number, index: Shape, source: Shape | null): number {
  const axis = wrapAxis(dim, shape);
  if (elementCount(index) === 0) return axis;
  const sizes = atLeastOneAxis(shape);
  const lengths = atLeastOneAxis(index);
  checkRanks("self", sizes, shape, lengths, index);
  const given = source === null ? null : atLeastOneAxis(source);
  if (given !== null && source !== null) checkRanks("src", given, source, lengths, index);
  const tooLong = lengths.some(
    (length, at) => (at !== axis && length > sizes[at]!) || (given !== null && length > given[at]!),
  );
  if (!tooLong) return axis;
  const andSource = source === null ? "" : ` and to be smaller size than src ${showShape(source)}`;
  throw new ShapeError(
    `Expected index ${showShape(index)} to be smaller than self ${showShape(shape)} apart from dimension ${axis}${andSource}`,
  );
}

function checkRanks(name: string, sizes: Shape, shape: Shape, lengths: Shape, index: Shape): void {
  if (sizes.length === lengths.length) return;
  throw new ShapeError(
    `Index tensor must have the same number of dimensions as ${name} tensor (index ${showShape(index)}, ${name} ${showShape(shape)})`,
  );
}

/**
 * The wrapped axis of `indexAdd` and its like, whose index is a list of places along it. Each place has a slice of `source`.
 * @throws ShapeError for an index of several axes, or unless the source has a slice of the target's shape for each place.
 */
export function sliceAxis(torchOp: string, shape: Shape, dim: number, index: Shape, source: Shape): number {
  const axis = wrapAxis(dim, shape);
  const places = elementCount(index);
  const refuse = (message: string): never => {
    throw new ShapeError(
      `${torchOp}_(): ${message} (self ${showShape(shape)}, index ${showShape(index)}, source ${showShape(source)})`,
    );
  };
  if (index.length > 1) refuse(`Index is supposed to be a vector, but got dim: ${index.length}`);
  const sizes = atLeastOneAxis(shape);
  const given = atLeastOneAxis(source);
  if (axis >= given.length) {
    refuse(`Indexing dim ${axis} is out of bounds of the source tensor with dim ${source.length}`);
  }
  if (given[axis] !== places) {
    refuse(
      `Number of indices (${places}) should be equal to source.size(dim): (${given[axis]}), for dim: ${axis}`,
    );
  }
  if (sizes.length !== given.length || sizes.some((size, at) => at !== axis && size !== given[at])) {
    refuse("source tensor shape must match self tensor shape, excluding the specified dimension.");
  }
  return axis;
}

type AnyLonger<I extends number[], R extends number[]> = [LongerAxis<R, I, -1>] extends [never]
  ? false
  : true;

/** The message about a scattered source of shape R, or about one number. */
type AndSource<R> = R extends number[] ? ` and to be smaller size than src ${ShowShape<R>}` : "";

type RankOf<S extends number[]> = AtLeastOneAxis<S>["length"];

type SourceFailure<S extends number[], Axis, I extends number[], R> = R extends number[]
  ? UnknownRank<R> extends true
    ? never
    : RankOf<I> extends RankOf<R>
      ? AnyLonger<AtLeastOneAxis<I>, AtLeastOneAxis<R>> extends true
        ? `Expected index ${ShowShape<I>} to be smaller than self ${ShowShape<S>} apart from dimension ${Axis & number}${AndSource<R>}`
        : never
      : `Index tensor must have the same number of dimensions as src tensor (index ${ShowShape<I>}, src ${ShowShape<R>})`
  : never;

/** The message for an index I and a source R (null: one number) that cannot be scattered into S; `never` when they can. */
export type ScatterFailure<
  S extends number[],
  A extends number,
  I extends number[],
  R extends number[] | null,
> =
  UnknownRank<S> extends true
    ? never
    : WrapAxis<S, A> extends infer Axis
      ? Axis extends string
        ? Axis
        : UnknownRank<I> extends true
          ? never
          : IsEmpty<I> extends true
            ? never
            : RankOf<I> extends RankOf<S>
              ? number extends Axis
                ? SourceFailure<S, Axis, I, R>
                : [LongerAxis<AtLeastOneAxis<S>, AtLeastOneAxis<I>, Axis>] extends [never]
                  ? SourceFailure<S, Axis, I, R>
                  : `Expected index ${ShowShape<I>} to be smaller than self ${ShowShape<S>} apart from dimension ${Axis & number}${AndSource<R>}`
              : `Index tensor must have the same number of dimensions as self tensor (index ${ShowShape<I>}, self ${ShowShape<S>})`
      : never;

/** {@link sliceAxis} with the message of `indexCopy`. */
export function copyAxis(shape: Shape, dim: number, index: Shape, source: Shape): number {
  const axis = wrapAxis(dim, shape);
  const places = elementCount(index);
  const refuse = (message: string): never => {
    throw new ShapeError(`index_copy_(): ${message}`);
  };
  if (index.length > 1) refuse(`Index should have dimension 1 or 0 (got ${index.length})`);
  if (source.length === 0 && places !== 1) {
    refuse(`When source is scalar, index should have one element (got ${places})`);
  }
  if (source.length !== shape.length && source.length !== 0 && shape.length !== 0) {
    refuse(
      `When source and destination are not scalars, their dimensionality must match. Source dimensionality (${source.length}), destination dimensionality (${shape.length})`,
    );
  }
  const off = (sizes: Shape): Shape => sizes.filter((_, at) => at !== axis);
  if (!sameNumbers(off(shape), off(source))) {
    refuse(
      `Source/destination tensor must have same slice shapes. Destination slice shape: ${showShape(off(shape))} at dimension ${axis} and source slice shape: ${showShape(off(source))} at dimension 0.`,
    );
  }
  if (source.length > 0 && places !== source[axis]) {
    refuse(`Number of indices (${places}) should be equal to source.size(dim) (${source[axis]})`);
  }
  return axis;
}
