/** Random expressions of the kinds that programs are made of, each from its seed. */
import { Draft } from "./draft.ts";
import type { Expression } from "./expression.ts";
import { forms } from "./forms.ts";

const FEWEST_CELLS = 1e4;
const MOST_CELLS = 1e6;
const MOST_FORMS = 9;

/** Every form as often as its weight. */
const urn = forms.flatMap((form) => new Array<typeof form>(form.weight).fill(form));

export function generate(seed: number): Expression {
  const draft = new Draft(seed);
  const cells = draft.magnitude(FEWEST_CELLS, MOST_CELLS);
  draft.floats(shapeOf(draft, cells));
  if (draft.chance(0.5)) draft.floats(draft.some().shape);
  const count = draft.between(2, MOST_FORMS);
  for (let k = 0; k < count; k++) draft.pick(urn).add(draft, MOST_CELLS);
  return draft.finish();
}

/** One to four axes, of about so many cells together. */
function shapeOf(draft: Draft, cells: number): number[] {
  const rank = draft.pick([1, 2, 2, 2, 2, 3, 3, 4]);
  const shape: number[] = [];
  let left = cells;
  for (let axis = rank; axis > 1; axis--) {
    const even = left ** (1 / axis);
    const size = Math.max(2, Math.min(left, draft.magnitude(even / 4, even * 4)));
    shape.push(size);
    left = Math.max(2, Math.round(left / size));
  }
  return [...shape, left];
}
