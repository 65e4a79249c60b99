/** The shape after axes are folded. */

import { ShapeError, showShape } from "../errors.ts";
import type { RemoveAt, WrapAxes } from "./axes.ts";
import type { Ok, Shape, Sizes, UnknownRank } from "./shape.ts";

/** The shape with `axes` (wrapped) removed, or kept with size 1. */
export function reducedShape(shape: Shape, axes: readonly number[], keepdim: boolean): Shape {
  const reduced = new Array<number>(keepdim ? shape.length : shape.length - axes.length);
  let next = 0;
  for (let axis = 0; axis < shape.length; axis++) {
    if (!axes.includes(axis)) reduced[next++] = shape[axis] as number;
    else if (keepdim) reduced[next++] = 1;
  }
  return reduced;
}

/** True where the last axis longer than 1 is folded: float sums and products have lanes then (docs/accumulation-order.md). */
export function hasLanes(shape: Shape, axes: readonly number[]): boolean {
  let last = shape.length - 1;
  while (last > 0 && shape[last] === 1) last--;
  return axes.includes(last);
}

/**
 * Refuses to fold no elements with an op that has no value for them (max, min, argmax …).
 * @throws RangeError for one axis, ShapeError when all are folded.
 */
export function checkNotEmpty(shape: Shape, axes: readonly number[], all: boolean): void {
  for (let k = 0; k < axes.length; k++)
    if (shape[axes[k] as number] === 0) throw ofNothing(shape, axes[k] as number, all);
}

function ofNothing(shape: Shape, axis: number, all: boolean): Error {
  if (all) {
    return new ShapeError(
      `(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument. (shape ${showShape(shape)})`,
    );
  }
  return new RangeError(
    `(): Expected reduction dim ${axis} to have non-zero size. (shape ${showShape(shape)})`,
  );
}

type OneAxisLess<S extends number[]> = S extends [number, ...infer Rest extends number[]] ? Sizes<Rest> : [];

type Fold<S extends number[], Axis, Keep> = [Axis] extends [null]
  ? Keep extends true
    ? { [Position in keyof S]: 1 }
    : []
  : number extends Axis
    ? Keep extends true
      ? Sizes<S>
      : number[]
    : Keep extends true
      ? { [Position in keyof S]: Position extends `${Axis & number}` ? 1 : S[Position] }
      : RemoveAt<S, Axis>;

/** The shape after folding the axes A, or the message; one for each member of a union. */
export type ReduceOrFail<S extends number[], A, Keep = false> = A extends unknown
  ? FoldOrFail<S, A, Keep>
  : never;

type FoldOrFail<S extends number[], A, Keep> =
  WrapAxes<S, A> extends infer Axis
    ? [Axis] extends [string]
      ? Axis
      : boolean extends Keep
        ? number[]
        : UnknownRank<S> extends true
          ? [Axis, Keep] extends [null, false]
            ? []
            : number[]
          : [number, A] extends [Axis, number]
            ? Keep extends true
              ? Sizes<S>
              : OneAxisLess<S>
            : Fold<S, Axis, Keep>
    : never;

/** The shape after folding the axes A. */
export type Reduce<S extends number[], A, Keep = false> = Ok<ReduceOrFail<S, A, Keep>>;

/** The type of the `dim` argument: as given, or the message. A is inferred from what is given alone, so that it may be `number | null`. */
export type CheckAxes<S extends number[], A> = [Extract<WrapAxes<S, A>, string>] extends [never]
  ? A
  : Extract<WrapAxes<S, NoInfer<A>>, string>;
