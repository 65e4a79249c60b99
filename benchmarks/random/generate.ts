/** Random expressions of the kinds that programs are made of, each from its seed. */

import { Draft, type FloatDType } from "./draft.ts";
import { everydayForms } from "./everyday.ts";
import { expensiveForms } from "./expensive.ts";
import type { Expression } from "./expression.ts";
import { type Form, forms } from "./forms.ts";
import { addLoss } from "./losses.ts";
import { addPoints } from "./points.ts";

const FEWEST_CELLS = 1e4;
const MOST_CELLS = 1e6;
const FEWEST_EXPENSIVE_CELLS = 1e3;
/** How many times as many cells large arrays have at most; they have no fewer than others at most. */
const LARGE = 8;
/** So that no kind is another's. */
const FIRST_SEEDS = { plain: 0, expensive: 1e6, narrow: 2e6, everyday: 3e6, points: 4e6, losses: 5e6 };
const MOST_FORMS = 9;

/**
 * What expressions are made of: anything, what is expensive under what reads it, that on many rows of a few elements (points, classes,
 * small matrices in a batch), all of it with what else users write, points that are folded over several axes, or losses of a batch.
 */
export type Kind = keyof typeof FIRST_SEEDS;

export interface Wish {
  readonly kind: Kind;
  readonly dtype: FloatDType;
  /** Whether gradients are asked for too. */
  readonly isDifferentiated: boolean;
  /** Of arrays that no second-level cache holds. */
  readonly isLarge: boolean;
}

/** Cells of the first array. */
export interface Range {
  readonly fewest: number;
  readonly most: number;
}

/** Every form as often as its weight. */
const urnOf = (list: readonly Form[]): readonly Form[] =>
  list.flatMap((form) => new Array<Form>(form.weight).fill(form));

const urn = urnOf(forms);
const [made, read] = [urnOf(expensiveForms.made), urnOf(expensiveForms.read)];
const everyday = urnOf(everydayForms);
const anything = urnOf([...forms, ...everydayForms, ...everydayForms, ...expensiveForms.read]);

/** `part` of the cells that WebAssembly gets, for what is slower. */
export function generate(seed: number, wish: Wish, part = 1): Expression {
  const { kind, dtype, isDifferentiated, isLarge } = wish;
  const draft = new Draft(seed + FIRST_SEEDS[kind], kind === "narrow", dtype);
  const most = MOST_CELLS * part * (isLarge ? LARGE : 1);
  const fewest = isLarge
    ? MOST_CELLS * part
    : kind === "plain"
      ? FEWEST_CELLS * part
      : FEWEST_EXPENSIVE_CELLS;
  const range = { fewest, most };
  if (kind === "plain") addPlain(draft, range);
  else if (kind === "everyday") addEveryday(draft, range);
  else if (kind === "points") addPoints(draft, range);
  else if (kind === "losses") addLoss(draft, range);
  else addExpensive(draft, range);
  return draft.finish(isDifferentiated);
}

/** One or two that are expensive, pointwise calls and other forms between them, and mostly a reader at the end. */
function addExpensive(draft: Draft, { fewest, most }: Range): void {
  const cells = draft.magnitude(fewest, most);
  draft.floats(draft.isNarrow ? narrowShapeOf(draft, cells) : shapeOf(draft, cells));
  const add = (list: readonly Form[]): void => draft.pick(list).add(draft, most);
  for (let count = draft.between(1, 3); count > 0; count--) {
    if (draft.chance(0.4)) add(urn);
    add(made);
    if (draft.chance(0.4)) add(urn);
    if (draft.chance(0.5)) add(read);
  }
  if (draft.chance(0.8)) add(read);
}

/** At least one of the everyday forms, among others of any kind. */
function addEveryday(draft: Draft, { fewest, most }: Range): void {
  draft.floats(shapeOf(draft, draft.magnitude(fewest, most)));
  for (let count = draft.between(1, 5); count > 0; count--) {
    draft.pick(everyday).add(draft, most);
    if (draft.chance(0.6)) draft.pick(anything).add(draft, most);
  }
}

function addPlain(draft: Draft, { fewest, most }: Range): void {
  const cells = draft.magnitude(fewest, most);
  draft.floats(shapeOf(draft, cells));
  if (draft.chance(0.5)) draft.floats(draft.some().shape);
  const count = draft.between(2, MOST_FORMS);
  for (let k = 0; k < count; k++) draft.pick(urn).add(draft, most);
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
