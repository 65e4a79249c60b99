/** Points: rows of few columns, alone or in groups, that meet what broadcasts to them, and are folded over several axes. */
import type { Draft } from "./draft.ts";
import type { Term } from "./expression.ts";
import type { Range } from "./generate.ts";

const BINARY = ["sub", "sub", "mul", "mul", "add", "div", "maximum"];
const UNARY = ["square", "square", "abs", "neg", "relu", "exp", "tanh", "sqrt"];
const FOLDS = ["sum", "sum", "mean", "amax", "amin", "std", "var"];

export function addPoints(draft: Draft, { fewest, most }: Range): void {
  const columns = draft.chance(0.7) ? draft.between(2, 12) : draft.magnitude(12, 150);
  const rows = Math.max(2, Math.round(draft.magnitude(fewest, most) / columns));
  const groups = draft.magnitude(2, Math.min(100, rows));
  const shape = draft.chance(0.5)
    ? [rows, columns]
    : [groups, Math.max(2, Math.round(rows / groups)), columns];
  let points = draft.floats(shape);
  for (let count = draft.between(1, 5); count > 0; count--) {
    points = draft.chance(0.7)
      ? draft.call(draft.pick(BINARY), points, operand(draft, shape))
      : draft.call(draft.pick(UNARY), points);
    if (draft.chance(0.2)) points = draft.call("sub", points, folded(draft, points, true));
  }
  folded(draft, points, false);
  if (draft.chance(0.3)) folded(draft, points, false);
}

/** The points' shape with some axes of one, or less those in front. */
function operand(draft: Draft, shape: readonly number[]): Term {
  const broadcast = shape.map((size) => (draft.chance(0.5) ? size : 1));
  return draft.floats(draft.chance(0.3) ? broadcast.slice(1) : broadcast);
}

/** Over some of the axes, or over all of them as one. */
function folded(draft: Draft, points: Term, keepdim: boolean): Term {
  const axes = points.shape.map((_, axis) => axis);
  const kept = axes.slice(draft.chance(0.4) ? 0 : draft.between(0, axes.length - 1));
  return draft.call(draft.pick(FOLDS), points, draft.chance(0.8) ? kept : [draft.pick(axes)], { keepdim });
}
