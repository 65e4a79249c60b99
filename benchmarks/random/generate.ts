/** Random expressions of the kinds that programs are made of, each from its seed. */

import { Draft } from "./draft.ts";
import { expensiveForms } from "./expensive.ts";
import type { Expression } from "./expression.ts";
import { type Form, forms } from "./forms.ts";

const FEWEST_CELLS = 1e4;
const MOST_CELLS = 1e6;
const FEWEST_EXPENSIVE_CELLS = 1e3;
/** So that no kind is another's. */
const EXPENSIVE_SEEDS = 1e6;
const NARROW_SEEDS = 2e6;
const MOST_FORMS = 9;

/**
 * What expressions are made of: anything, what is expensive under what reads it, or that on many rows of a few elements: points, classes,
 * small matrices in a batch.
 */
export type Kind = "plain" | "expensive" | "narrow";

/** Every form as often as its weight. */
const urnOf = (list: readonly Form[]): readonly Form[] =>
  list.flatMap((form) => new Array<Form>(form.weight).fill(form));

const urn = urnOf(forms);
const [made, read] = [urnOf(expensiveForms.made), urnOf(expensiveForms.read)];

/** `part` of the cells that WebAssembly gets, for what is slower. */
export const generate = (seed: number, kind: Kind, part = 1): Expression =>
  kind === "plain" ? generatePlain(seed, part) : generateExpensive(seed, part, kind === "narrow");

/** One or two that are expensive, pointwise calls and other forms between them, and mostly a reader at the end. */
function generateExpensive(seed: number, part: number, isNarrow: boolean): Expression {
  const draft = new Draft(seed + (isNarrow ? NARROW_SEEDS : EXPENSIVE_SEEDS), isNarrow);
  const most = MOST_CELLS * part;
  const cells = draft.magnitude(FEWEST_EXPENSIVE_CELLS, most);
  draft.floats(isNarrow ? narrowShapeOf(draft, cells) : shapeOf(draft, cells));
  const add = (list: readonly Form[]): void => draft.pick(list).add(draft, most);
  for (let count = draft.between(1, 3); count > 0; count--) {
    if (draft.chance(0.4)) add(urn);
    add(made);
    if (draft.chance(0.4)) add(urn);
    if (draft.chance(0.5)) add(read);
  }
  if (draft.chance(0.8)) add(read);
  return draft.finish();
}

function generatePlain(seed: number, part: number): Expression {
  const draft = new Draft(seed);
  const most = MOST_CELLS * part;
  const cells = draft.magnitude(FEWEST_CELLS * part, most);
  draft.floats(shapeOf(draft, cells));
  if (draft.chance(0.5)) draft.floats(draft.some().shape);
  const count = draft.between(2, MOST_FORMS);
  for (let k = 0; k < count; k++) draft.pick(urn).add(draft, most);
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

/** Many rows of a few elements, or many small matrices. */
function narrowShapeOf(draft: Draft, cells: number): number[] {
  const few = draft.chance(0.5) ? [draft.few()] : [draft.few(), draft.few()];
  return [Math.max(2, Math.round(cells / few.reduce((count, size) => count * size))), ...few];
}
