/** Arrays that the user has lent. They are never written, and the lender may change them once the tensor is gone. */
import type { DType, Shape, TypedArray } from "@fuseau/ir";
import { blameEarlier } from "../origin.ts";

/** What the user lent, and for which tensor. */
export interface Lent {
  readonly op: string;
  readonly shape: Shape;
}

/**
 * The lender can transfer or resize a buffer.
 * @throws TypeError if one was.
 */
export function checkLent({ op, shape }: Lent, dtype: DType, array: TypedArray, cells: number): void {
  if (array.length === cells) return;
  const error = new TypeError(
    `${op}: the array that a ${dtype} tensor of shape [${shape.join(", ")}] was lent holds ${array.length} of its ${cells} elements now: its buffer was transferred or resized (lend a copy: array.slice(), or let tensor(array) copy it)`,
  );
  throw blameEarlier(error);
}

/** After so many runs an array is assumed to be read in a loop. */
export const ONCE_AND_AGAIN = 3;
/** A lent array of at most this part of a result is copied at once. */
const SMALL_PART = 64;

/** True if a lent array is worth copying, so that a result can be computed from it once more. */
export const isWorthCopying = (uses: number, bytes: number, resultBytes: number): boolean =>
  uses >= ONCE_AND_AGAIN || bytes <= resultBytes / SMALL_PART;
