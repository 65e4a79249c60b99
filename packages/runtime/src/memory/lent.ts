/** Arrays that the user has lent: never written, and the lender's to change once the tensor is gone. */
import type { DType, Shape, TypedArray } from "@fuseau/ir";
import { blameEarlier } from "../origin.ts";

/** How the user lent an array. */
export interface Lent {
  readonly op: string;
  readonly shape: Shape;
}

/** Buffers can be transferred and resized by whoever lent them. @throws TypeError where one was. */
export function checkLent({ op, shape }: Lent, dtype: DType, array: TypedArray, cells: number): void {
  if (array.length === cells) return;
  const error = new TypeError(
    `${op}: the array that a ${dtype} tensor of shape [${shape.join(", ")}] was lent holds ${array.length} of its ${cells} elements now: its buffer was transferred or resized (lend a copy: array.slice(), or let tensor(array) copy it)`,
  );
  throw blameEarlier(error);
}

/** Runs after which a lent array is taken for one that is read in a loop. */
const ONCE_AND_AGAIN = 3;
/** A lent array of no more than this part of a result is copied at once. */
const SMALL_PART = 64;

/** Whether a lent array of so many bytes is to be copied, for a result of so many to be computed from it once more. */
export const isWorthCopying = (uses: number, bytes: number, resultBytes: number): boolean =>
  uses >= ONCE_AND_AGAIN || bytes <= resultBytes / SMALL_PART;
