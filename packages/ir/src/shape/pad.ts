/**
 * Axes made longer at their ends, or shorter where a width is negative. Widths are given for the last axis first, as in PyTorch's `pad`.
 */
import { ShapeError, showShape } from "../errors.ts";
import { checkIntegers } from "./arguments.ts";
import type { Add, Compare, Subtract } from "./arithmetic.ts";
import type { Ok, Shape, ShowShape, UnknownRank } from "./shape.ts";

/** How many places are added at each end of every axis; negative where places are removed. */
export interface PadWidths {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/**
 * Widths by axis, from a flat list of pairs whose first pair is for the last axis.
 * @throws ShapeError when the list is odd or too long, or removes more places than an axis has.
 */
export function padWidths(shape: Shape, widths: readonly number[]): PadWidths {
  checkIntegers("padding widths", widths);
  if (widths.length % 2 !== 0)
    throw new ShapeError(`Padding length must be divisible by 2 (widths ${showShape(widths)})`);
  if (widths.length > 2 * shape.length)
    throw new ShapeError(
      `Length of pad should be no more than twice the number of dimensions of the input. Pad length is ${widths.length} while the input has ${shape.length} dimensions.`,
    );
  const before = shape.map((_, axis) => widths[2 * (shape.length - 1 - axis)] ?? 0);
  const after = shape.map((_, axis) => widths[2 * (shape.length - 1 - axis) + 1] ?? 0);
  shape.forEach((size, axis) => {
    // Places are removed before others are added.
    const cut = size + Math.min(0, before[axis]!) + Math.min(0, after[axis]!);
    if (cut < 0)
      throw new ShapeError(
        `The input size ${size}, plus negative padding ${before[axis]} and ${after[axis]}, resulted in a negative output size, which is invalid. Check dimension ${axis} of your input.`,
      );
  });
  return { before, after };
}

type Widen<Size extends number, Width extends number> = number extends Width
  ? number
  : `${Width}` extends `-${infer Less extends number}`
    ? number extends Size
      ? number
      : Compare<Less, Size> extends "greater"
        ? null
        : Subtract<Size, Less>
    : Add<Size, Width>;

/** Places are removed before others are added. */
type WidenBoth<
  Size extends number,
  Before extends number,
  After extends number,
> = `${After}` extends `-${string}`
  ? Widen<Size, After> extends infer Cut extends number
    ? Widen<Cut, Before>
    : null
  : Widen<Size, Before> extends infer Cut extends number
    ? Widen<Cut, After>
    : null;

type Walk<
  S extends number[],
  Widths extends readonly number[],
  Rank,
  Whole extends readonly number[],
  Result extends number[] = [],
> = Widths extends readonly []
  ? [...S, ...Result]
  : Widths extends readonly [
        infer Before extends number,
        infer After extends number,
        ...infer Rest extends readonly number[],
      ]
    ? S extends [...infer Front extends number[], infer Size extends number]
      ? WidenBoth<Size, Before, After> extends infer Padded extends number
        ? Walk<Front, Rest, Rank, Whole, [Padded, ...Result]>
        : `The input size ${Size}, plus negative padding ${Before} and ${After}, resulted in a negative output size, which is invalid. Check dimension ${Front["length"]} of your input.`
      : `Length of pad should be no more than twice the number of dimensions of the input. Pad length is ${Whole["length"]} while the input has ${Rank & number} dimensions.`
    : `Padding length must be divisible by 2 (widths ${ShowShape<Whole>})`;

/** S padded by Widths, or the message. */
export type PadOrFail<S extends number[], Widths extends readonly number[]> =
  UnknownRank<S> extends true
    ? number[]
    : UnknownRank<Widths> extends true
      ? { [Axis in keyof S]: number }
      : Walk<S, Widths, S["length"], Widths>;

export type Pad<S extends number[], Widths extends readonly number[]> = Ok<PadOrFail<S, Widths>>;
