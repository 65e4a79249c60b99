/** Shapes joined along an axis (`cat`), and along a new one (`stack`). */
import { ShapeError, showShape } from "../errors.ts";
import type { Add } from "./arithmetic.ts";
import { type ReplaceAt, type SizeAt, type WrapAxis, wrapAxis } from "./axes.ts";
import type { Ok, Shape, ShowShape, UnknownRank } from "./shape.ts";
import type { InsertOrFail } from "./squeeze.ts";

/** True for a shape `[0]` beside shapes of another rank: as in PyTorch, it counts as no tensor at all. */
export const isLegacyEmpty = (shape: Shape): boolean => shape.length === 1 && shape[0] === 0;

/**
 * The wrapped axis along which the shapes are joined.
 * @throws ShapeError if they differ along another axis, or there are none; RangeError for an axis that does not exist.
 */
export function concatAxis(shapes: readonly Shape[], axis: number): number {
  if (shapes.length === 0) throw new ShapeError(`torch.cat(): expected a non-empty list of Tensors`);
  const joined = shapes.find((shape) => !isLegacyEmpty(shape)) ?? shapes[0]!;
  const at = wrapAxis(axis, joined);
  if (joined.length === 0)
    throw new ShapeError(`zero-dimensional tensor (at position 0) cannot be concatenated (use stack)`);
  shapes.forEach((shape, i) => {
    if (isLegacyEmpty(shape)) return;
    if (shape.length !== joined.length)
      throw new ShapeError(
        `Tensors must have same number of dimensions: got ${joined.length} and ${shape.length} (shapes ${showShape(joined)} and ${showShape(shape)})`,
      );
    shape.forEach((size, other) => {
      if (other !== at && size !== joined[other])
        throw new ShapeError(
          `Sizes of tensors must match except in dimension ${at}. Expected size ${joined[other]} but got size ${size} for tensor number ${i} in the list. (shapes ${showShape(joined)} and ${showShape(shape)})`,
        );
    });
  });
  return at;
}

/** @throws ShapeError unless the shapes are all equal and there is at least one. */
export function checkStack(shapes: readonly Shape[]): void {
  const first = shapes[0];
  if (first === undefined) throw new ShapeError(`stack expects a non-empty TensorList`);
  shapes.forEach((shape, i) => {
    if (shape.length === first.length && shape.every((size, axis) => size === first[axis])) return;
    throw new ShapeError(
      `stack expects each tensor to be equal size, but got ${showShape(first)} at entry 0 and ${showShape(shape)} at entry ${i}`,
    );
  });
}

/** Whether B may follow A: they are equal except along the axis. An unknown size fits any. */
type Follows<A extends number[], B extends number[], Axis> = {
  [Position in keyof A]: Position extends `${Axis & number}`
    ? never
    : Position extends keyof B
      ? number extends A[Position] | B[Position]
        ? never
        : A[Position] extends B[Position]
          ? never
          : Position
      : never;
}[number];

type JoinRest<
  Joined extends number[],
  Rest extends readonly number[][],
  Axis,
  Index extends 0[],
> = Rest extends readonly [infer Next extends number[], ...infer Later extends readonly number[][]]
  ? UnknownRank<Next> extends true
    ? number[]
    : Next extends [0]
      ? JoinRest<Joined, Later, Axis, [...Index, 0]>
      : Next["length"] extends Joined["length"]
        ? Follows<Joined, Next, Axis> extends infer Different
          ? [Different] extends [never]
            ? JoinRest<
                ReplaceAt<Joined, Axis, Add<SizeAt<Joined, Axis>, SizeAt<Next, Axis>>>,
                Later,
                Axis,
                [...Index, 0]
              >
            : `Sizes of tensors must match except in dimension ${Axis & number}. Expected size ${SizeOf<Joined, Different>} but got size ${SizeOf<Next, Different>} for tensor number ${Index["length"]} in the list. (shapes ${ShowShape<Joined>} and ${ShowShape<Next>})`
          : never
        : `Tensors must have same number of dimensions: got ${Joined["length"]} and ${Next["length"]} (shapes ${ShowShape<Joined>} and ${ShowShape<Next>})`
  : Joined;

type SizeOf<S extends number[], Position> = Position extends keyof S ? S[Position] & number : number;

type Join<
  Shapes extends readonly number[][],
  Axis extends number,
  Index extends 0[] = [],
> = Shapes extends readonly [infer First extends number[], ...infer Rest extends readonly number[][]]
  ? UnknownRank<First> extends true
    ? number[]
    : [First, Rest] extends [[0], readonly [unknown, ...unknown[]]]
      ? Join<Rest, Axis, [...Index, 0]> extends infer Joined
        ? Joined
        : never
      : First extends []
        ? "zero-dimensional tensor (at position 0) cannot be concatenated (use stack)"
        : WrapAxis<First, Axis> extends infer At
          ? At extends string
            ? At
            : JoinRest<First, Rest, At, [...Index, 0]>
          : never
  : "torch.cat(): expected a non-empty list of Tensors";

/** The shape of an unknown number of tensors of shape S, joined. */
type JoinMany<S extends number[], Axis extends number> =
  UnknownRank<S> extends true
    ? number[]
    : WrapAxis<S, Axis> extends infer At
      ? At extends string
        ? At
        : ReplaceAt<S, At, number>
      : never;

/** The shapes joined along Axis, or the message. */
export type ConcatOrFail<Shapes extends readonly number[][], Axis extends number> =
  UnknownRank<Shapes> extends true ? JoinMany<Shapes[number], Axis> : Join<Shapes, Axis>;

export type Concat<Shapes extends readonly number[][], Axis extends number> = Ok<ConcatOrFail<Shapes, Axis>>;

type AllEqual<
  First extends number[],
  Rest extends readonly number[][],
  Index extends 0[] = [0],
> = Rest extends readonly [infer Next extends number[], ...infer Later extends readonly number[][]]
  ? [Same<First, Next>, Same<Next, First>] extends [true, true]
    ? AllEqual<First, Later, [...Index, 0]>
    : `stack expects each tensor to be equal size, but got ${ShowShape<First>} at entry 0 and ${ShowShape<Next>} at entry ${Index["length"]}`
  : null;

/** True when A may be equal to B: an unknown size may be any. */
type Same<A extends number[], B extends number[]> =
  UnknownRank<A> extends true
    ? true
    : UnknownRank<B> extends true
      ? true
      : A["length"] extends B["length"]
        ? { [Axis in keyof A]: number extends A[Axis] ? B[Axis & keyof B] : A[Axis] } extends B
          ? true
          : false
        : false;

/** The shapes stacked along a new Axis, or the message. */
export type StackOrFail<Shapes extends readonly number[][], Axis extends number> =
  UnknownRank<Shapes> extends true
    ? InsertOrFail<Shapes[number], Axis, number>
    : Shapes extends readonly [infer First extends number[], ...infer Rest extends readonly number[][]]
      ? AllEqual<First, Rest> extends infer Message extends string
        ? Message
        : InsertOrFail<First, Axis, Shapes["length"] & number>
      : "stack expects a non-empty TensorList";

export type Stack<Shapes extends readonly number[][], Axis extends number> = Ok<StackOrFail<Shapes, Axis>>;
