import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { numbersNow } from "./host.ts";
import { concat } from "./movement.ts";
import { extreme } from "./reduction.ts";

/** The smallest and the largest element, computed now. */
export function extentNow(op: string, x: Value): readonly [smallest: number, largest: number] {
  const both = [extreme(op, "min", x, null, false), extreme(op, "max", x, null, false)];
  const rows = both.map((value) => record.reshape(value, [1]));
  const [smallest, largest] = numbersNow(op, concat(op, rows, 0)) as [number, number];
  return [smallest, largest];
}
