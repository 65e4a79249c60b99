/** Movements that are short for others. */
import type { Value } from "../value.ts";
import { withShape } from "./movement.ts";

/** With axes of size 1 until there are `rank`: in front, but for the third, which is the last. */
export function atLeast(rank: 1 | 2 | 3, x: Value): Value {
  const { shape } = x.node;
  if (shape.length >= rank) return x;
  if (rank === 3 && shape.length > 0)
    return withShape(x, shape.length === 1 ? [1, shape[0]!, 1] : [...shape, 1]);
  return withShape(x, [...Array.from({ length: rank - shape.length }, () => 1), ...shape]);
}
