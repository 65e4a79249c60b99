/** Shapes as values and as types: their number of elements, which ones are valid, and how messages show them. */
import { ShapeError, showShape } from "../errors.ts";
import { checkIntegers } from "./arguments.ts";

/** The sizes of a tensor, outermost first; `[]` is the shape of a 0-d tensor. */
export type Shape = readonly number[];

/** A view of elements in row-major order: index i is at offset + Σ strides·i. */
export interface StridedView {
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
}

/** The most elements that a tensor may have: generated code has 32-bit positions. */
export const maximumElements = 2_147_483_647;

export function sameNumbers(a: readonly number[], b: readonly number[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** The product of the sizes, 1 for a 0-d shape. */
export function elementCount(shape: Shape): number {
  let count = 1;
  for (let axis = 0; axis < shape.length; axis++) count *= shape[axis]!;
  return count;
}

/**
 * Checks a shape: sizes are integers, not negative, and not too many elements in all.
 * @throws TypeError, ShapeError, RangeError in that order.
 */
export function checkShape(shape: Shape): void {
  checkIntegers("sizes", shape);
  for (let axis = 0; axis < shape.length; axis++) {
    if (shape[axis]! < 0) {
      throw new ShapeError(
        `Trying to create tensor with negative dimension ${shape[axis]}: ${showShape(shape)}`,
      );
    }
  }
  checkElementCount(shape);
}

/** @throws RangeError if a tensor of that shape would have more than 2^31 − 1 elements. */
export function checkElementCount(shape: Shape): void {
  const count = elementCount(shape);
  if (count > maximumElements)
    throw new RangeError(
      `numel: numel: integer multiplication overflow (${showShape(shape)} has ${count} elements, a tensor holds at most ${maximumElements})`,
    );
}

/** True when the rank of S is unknown until the program runs. */
export type UnknownRank<S extends readonly unknown[]> = number extends S["length"] ? true : false;

/** Whether two sizes may be equal. An unknown one may be any. */
export type Fits<A extends number, B extends number> = number extends A
  ? true
  : number extends B
    ? true
    : A extends B
      ? true
      : false;

/** The result of a shape rule: the shape. After an error it is unknown, so that one mistake gives one message. */
export type Ok<Result> = Result extends number[] ? Result : number[];

/** The message in the result of a shape rule; `never` when it is a shape. */
export type Failure<Result> = Extract<Result, string>;

/**
 * `Argument` itself, or the message of the rule that refuses it. `NoInfer` is on the message, since spreads within the rule would give the
 * type checker other candidates for the argument.
 */
export type Accept<Result, Argument> = [Failure<Result>] extends [never]
  ? Argument
  : NoInfer<Failure<Result>>;

/** The shape with every size unknown. */
export type Sizes<S extends readonly unknown[]> = { -readonly [Axis in keyof S]: number };

type ShowSize<Size> = number extends Size ? "?" : Size extends number | bigint ? `${Size}` : "?";

type ShowSizes<S extends readonly unknown[], Shown extends string = ""> = S extends readonly [
  infer Size,
  ...infer Rest,
]
  ? ShowSizes<Rest, Shown extends "" ? ShowSize<Size> : `${Shown}, ${ShowSize<Size>}`>
  : Shown;

/** A shape as messages show it: `[5, 3, 1]`, with `?` for an unknown size. */
export type ShowShape<S extends readonly unknown[]> =
  UnknownRank<S> extends true ? "[...]" : `[${ShowSizes<S>}]`;

/** The first invalid size, as a message; `never` when all are valid. */
type SizeFailure<S extends readonly number[]> = {
  [Axis in keyof S]: `${S[Axis]}` extends `-${string}`
    ? `Trying to create tensor with negative dimension ${S[Axis]}: ${ShowShape<S>}`
    : `${S[Axis]}` extends `${string}.${string}`
      ? `sizes must be integers, but one of ${ShowShape<S>} is ${S[Axis]}`
      : never;
}[number];

/** S if it is a valid shape, else the message. */
export type CheckShape<S extends readonly number[]> = [SizeFailure<S>] extends [never] ? S : SizeFailure<S>;
