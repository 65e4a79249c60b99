/**
 * Remembers which programs were assembled for their first run. Most never come again, so nothing of them is kept but a hash. One that does
 * is compiled as a whole; if it is another program of the same hash, then that one is.
 */
import { LruCache } from "../cache/lru.ts";
import type { Extraction } from "./extract.ts";
import { isSamePurpose, type Purpose } from "./families.ts";

interface Mark {
  readonly purpose: Purpose;
  /** How many nodes were recorded. */
  readonly length: number;
  /** True once it has come again. */
  isTaken: boolean;
}

const marks = new LruCache<number, Mark>();
marks.setLimits(65_536, 2 ** 22);
const BYTES = 64;

export const clearAssembled = (): void => marks.clear();

export function noteAssembled({ hash, order }: Extraction, purpose: Purpose): void {
  marks.add(hash, { purpose, length: order.length, isTaken: false }, BYTES);
}

/** True if the program was assembled the last time that it was asked for. */
export function takeAssembled({ hash, order }: Extraction, purpose: Purpose): boolean {
  const mark = marks.find(
    hash,
    (known) => !known.isTaken && known.length === order.length && isSamePurpose(known.purpose, purpose),
  );
  if (mark === undefined) return false;
  mark.isTaken = true;
  return true;
}
