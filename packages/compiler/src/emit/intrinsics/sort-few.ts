/** An insertion sort, for few keys. */
import type { TypedArray } from "@fuseau/ir";

export function sortFew(
  keys: TypedArray,
  order: Int32Array | null,
  length: number,
  descending: boolean,
): void {
  for (let k = 0; k < length; k++) {
    const key = keys[k]!;
    let at = k;
    for (; at > 0 && (descending ? precedes(keys[at - 1]!, key) : precedes(key, keys[at - 1]!)); at--) {
      keys[at] = keys[at - 1]!;
      if (order !== null) order[at] = order[at - 1]!;
    }
    keys[at] = key;
    if (order !== null) order[at] = k;
  }
}

/** True when a comes before b, ascending. NaN is the largest. */
function precedes(a: number | bigint, b: number | bigint): boolean {
  // biome-ignore lint/suspicious/noSelfCompare: NaN alone differs from itself, and a bigint is no argument of isNaN.
  return a < b || (b !== b && a === a);
}
