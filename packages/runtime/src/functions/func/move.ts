/** Moves axes to other places. */
import * as record from "../../record.ts";
import type { Value } from "../../value.ts";

export const without = (shape: readonly number[], axis: number): number[] =>
  shape.filter((_, k) => k !== axis);

export function moved(x: Value, from: number, to: number): Value {
  if (from === to) return x;
  const axes = without([...x.node.shape.keys()], from);
  axes.splice(to, 0, from);
  return record.permute(x, axes);
}
