/**
 * Broadcasting. Sizes are aligned from the end. Two sizes fit when they are equal, when one is 1, or when one is missing; in the last two
 * cases the result has the other one. Source: https://pytorch.org/docs/stable/notes/broadcasting.html
 */
import { ShapeError, showShape } from "../errors.ts";
import {
  checkElementCount,
  type Ok,
  type Shape,
  type ShowShape,
  type Sizes,
  type UnknownRank,
} from "./shape.ts";

/**
 * The shape that both broadcast to. If an operand already has it, the operand's own array is returned.
 * @throws ShapeError at the last axis that does not fit.
 */
export function broadcastShapes(a: Shape, b: Shape): Shape {
  if (a === b) return a;
  const rankA = a.length;
  const rankB = b.length;
  const rank = Math.max(rankA, rankB);
  let isA = rankA === rank;
  let isB = rankB === rank;
  for (let fromEnd = 1; fromEnd <= rank; fromEnd++) {
    const sizeA = fromEnd <= rankA ? a[rankA - fromEnd]! : 1;
    const sizeB = fromEnd <= rankB ? b[rankB - fromEnd]! : 1;
    if (sizeA === sizeB) continue;
    if (sizeB === 1) isB = false;
    else if (sizeA === 1) isA = false;
    else throw mismatch(a, b, sizeA, sizeB, rank - fromEnd);
  }
  if (isA) return a;
  if (isB) return b;
  return widened(a, b, rank);
}

/** The broadcast shape of shapes that are known to fit. */
function widened(a: Shape, b: Shape, rank: number): Shape {
  const shape = new Array<number>(rank);
  for (let fromEnd = 1; fromEnd <= rank; fromEnd++) {
    const sizeA = fromEnd <= a.length ? a[a.length - fromEnd]! : 1;
    const sizeB = fromEnd <= b.length ? b[b.length - fromEnd]! : 1;
    shape[rank - fromEnd] = sizeA === 1 ? sizeB : sizeA;
  }
  checkElementCount(shape);
  return shape;
}

const mismatch = (a: Shape, b: Shape, sizeA: number, sizeB: number, axis: number): ShapeError =>
  new ShapeError(
    `The size of tensor a (${sizeA}) must match the size of tensor b (${sizeB}) at non-singleton dimension ${axis} (shapes ${showShape(a)} and ${showShape(b)})`,
  );

/**
 * The size that both broadcast to, or `null`. An unknown size beside a known one other than 1 gives the known one: at run time it must be
 * that or 1.
 */
export type MeetSizes<A extends number, B extends number> = A extends 1
  ? B
  : B extends 1
    ? A
    : number extends A
      ? B
      : number extends B
        ? A
        : A extends B
          ? A
          : null;

/** The rank of the longer one. */
type LongerRank<A extends number[], B extends number[]> = A extends [...Sizes<B>, ...number[]]
  ? A["length"]
  : B["length"];

type Align<A extends number[], B extends number[], Result extends number[] = []> = A extends [
  ...infer RestOfA extends number[],
  infer X extends number,
]
  ? B extends [...infer RestOfB extends number[], infer Y extends number]
    ? MeetSizes<X, Y> extends infer Size extends number
      ? Align<RestOfA, RestOfB, [Size, ...Result]>
      : `The size of tensor a (${X}) must match the size of tensor b (${Y}) at non-singleton dimension ${LongerRank<RestOfA, RestOfB> & number}`
    : [...A, ...Result]
  : [...B, ...Result];

type AlignOrFail<A extends number[], B extends number[]> =
  Align<A, B> extends infer Result
    ? Result extends string
      ? `${Result} (shapes ${ShowShape<A>} and ${ShowShape<B>})`
      : Result
    : never;

/** The shape that both broadcast to, or the message. The side that is usually literal is examined first. */
export type BroadcastOrFail<A extends number[], B extends number[]> = B extends []
  ? A
  : A extends []
    ? B
    : UnknownRank<B> extends true
      ? number[]
      : UnknownRank<A> extends true
        ? number[]
        : A extends B
          ? B extends A
            ? A
            : AlignOrFail<A, B>
          : AlignOrFail<A, B>;

/** The shape that both broadcast to; unknown if they do not. */
export type Broadcast<A extends number[], B extends number[]> = Ok<BroadcastOrFail<A, B>>;
