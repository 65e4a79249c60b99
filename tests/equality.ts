/**
 * Typed arrays are compared element for element, as `toEqual` says they are: of one kind and length, −0 and 0 apart, NaN equal to NaN.
 * Vitest's own comparison walks them by their keys, which takes a hundred times as long. What differs is still shown by Vitest.
 */
import { expect } from "vitest";

const isTypedArray = (value: unknown): value is ArrayLike<number | bigint> =>
  ArrayBuffer.isView(value) && !(value instanceof DataView);

function sameElements(a: ArrayLike<unknown>, b: ArrayLike<unknown>): boolean {
  if (a.length !== b.length) return false;
  for (let k = 0; k < a.length; k++) if (!Object.is(a[k], b[k])) return false;
  return true;
}

expect.addEqualityTesters([
  // Undefined leaves it to Vitest: what are no typed arrays, and those of two kinds, which differ.
  (a, b) =>
    isTypedArray(a) && isTypedArray(b) && a.constructor === b.constructor ? sameElements(a, b) : undefined,
]);
