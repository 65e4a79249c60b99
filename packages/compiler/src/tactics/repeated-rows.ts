/**
 * Short contiguous rows that share an operand: points less their mean, pixels by the norms of their channels. The shared operand is
 * repeated in private memory, often enough for a block. Then the elements of a block are walked as one row, and only the last step of a
 * block may be short.
 */
import {
  buffersStoredIn,
  definitionsOf,
  type Expression,
  type ForStatement,
  type Integer,
  inline,
  isLoop,
  type LetStatement,
  localsDefinedIn,
  mentionsOf,
  renameLocals,
  type Statement,
} from "@fuseau/ir";
import { isSized, least, over, plus, times } from "./integers.ts";
import { isFlattened, isRandom } from "./lane-steps.ts";
import { asNumber, type Polynomial, polynomialOf, textOf } from "./polynomial.ts";
import { raise, replaceAxis, split } from "./steps.ts";
import { isMatrixInText } from "./straight.ts";
import { stepAlong } from "./strides.ts";
import type { Scheduling, Tactic } from "./tactic.ts";

/** About how many elements a block has; at least one row. And the blocks of a work item, which share the repeated operand. */
const [ELEMENTS, BLOCKS] = [256, 64];

export const repeatedRows: Tactic = {
  name: "repeated rows",
  schedule: (statement, scheduling) => {
    const walked = walkedAsOne(statement, scheduling);
    return walked && [walked];
  },
};

/** The nest with its two innermost loops as one; null where they are not such rows. */
function walkedAsOne(statement: Statement, scheduling: Scheduling): ForStatement | null {
  if (statement.kind !== "for" || statement.ordered || statement.run !== undefined) return null;
  const inner = statement.body.at(-1);
  const before = statement.body.slice(0, -1);
  if (inner?.kind !== "for" || inner.ordered || inner.run !== undefined || !isSized(inner.axis.extent))
    return null;
  if (!before.every(({ kind }) => kind === "integer")) return behindFolds(statement, inner, scheduling);
  if (inner.body.at(-1)?.kind === "for") {
    const within = walkedAsOne(inner, scheduling);
    return within && { ...statement, run: { kind: "parallel" }, body: [...before, within] };
  }
  if (isMatrixInText(statement)) return null;
  const shared = sharedBy(statement, inner);
  return shared?.size ? inBlocks(statement, inner, shared, scheduling) : null;
}

/** Such rows behind the folds that made the operand they share: the rows of an iteration, which is a work item. */
function behindFolds(
  statement: ForStatement,
  rows: ForStatement,
  scheduling: Scheduling,
): ForStatement | null {
  const before = statement.body.slice(0, -1);
  const elements = rows.body.at(-1);
  if (elements?.kind !== "for" || elements.ordered || elements.run !== undefined) return null;
  if (!isSized(elements.axis.extent) || elements.body.at(-1)?.kind === "for") return null;
  // Repeating a row takes as long as a few cheap ops. Random words take five times as long where steps have no whole blocks, and other
  // expensive ops a third where the last step of a row is short.
  const isBefore = elements.body.some(isExpensive)
    ? (each: Statement) => isMade(each) || isRowMade(each)
    : isMade;
  if (!before.every(isBefore)) return null;
  const shared = sharedBy(rows, elements);
  if (!shared?.size) return null;
  const loops = laidOut(rows, elements, shared, scheduling);
  return { ...statement, run: { kind: "parallel" }, body: [...before, ...loops] };
}

const isExpensive = (each: Statement): boolean =>
  each.kind === "let" &&
  each.value.kind === "pointwise" &&
  (isRandom(each.value.fn) || isFlattened(each.value.fn));

const isMade = ({ kind }: Statement): boolean => kind === "integer" || kind === "reduce";

/** True of a loop over a row that makes the operand of what the folds gave. */
const isRowMade = (each: Statement): boolean =>
  each.kind === "for" && !each.ordered && each.run === undefined && !each.body.some(isLoop);

/**
 * The locals that are the same in all rows, at each place of a row; null unless all values depend on them and on contiguous rows alone.
 * With `isOwn`, results are of the kind that each element has for itself, if it is true of them, or of none.
 */
export function sharedBy(
  rows: ForStatement,
  elements: ForStatement,
  isOwn?: (result: Result) => boolean,
): ReadonlySet<number> | null {
  const { axis: row } = rows.axis;
  const { axis: along, extent } = elements.axis;
  const integers = new Map<number, Integer>();
  const length = textOf(polynomialOf(extent));
  const stored = buffersStoredIn(elements.body);
  const loadedInPlace: (Expression & { readonly kind: "load" })[] = [];
  const shared = new Set<number>();
  const kinds = new Map<number, Kind>();
  const placeOf = (at: Integer): Polynomial => polynomialOf(inline(at, (local) => integers.get(local)));
  const kindOfPlace = (at: Integer): Kind | null => {
    const place = placeOf(at);
    const [across, step] = [stepAlong(place, row), stepAlong(place, along)];
    if (across === null || step === null) return null;
    if (across.length === 0) return step.length === 0 ? "uniform" : "shared";
    return asNumber(step) === 1 && textOf(across) === length ? "own" : null;
  };
  const kindOf = (value: Expression): Kind | null => {
    switch (value.kind) {
      case "load": {
        const kind = value.tests.length > 0 ? null : kindOfPlace(value.at);
        if (!stored.has(value.buffer)) return kind;
        loadedInPlace.push(value);
        return kind === "own" ? kind : null;
      }
      case "result": {
        if (isOwn !== undefined) return isOwn(value) ? "own" : null;
        const kind = kindOfPlace(value.cell);
        return kind === "own" ? null : kind;
      }
      case "index":
        return kindOfPlace(value.at) === "own" ? "own" : null;
      case "pointwise": {
        const args = value.args.map((each) => (each.kind === "local" ? kinds.get(each.local)! : "uniform"));
        return args.includes("own") ? "own" : args.includes("shared") ? "shared" : "uniform";
      }
      default:
        return null;
    }
  };
  for (const each of [...rows.body.slice(0, -1), ...elements.body]) {
    if (each.kind === "integer") integers.set(each.local, each.value);
    else if (each.kind === "store") {
      if (each.combine !== "set" || kindOfPlace(each.at) !== "own") return null;
    } else if (each.kind === "let") {
      const kind = kindOf(each.value);
      if (kind === null) return null;
      kinds.set(each.local, kind);
      if (kind === "shared") shared.add(each.local);
    } else return null;
  }
  // An element may be stored where it was read, and nowhere else where others are read.
  const isElsewhere = ({ buffer, at }: (typeof loadedInPlace)[number]): boolean =>
    elements.body.some(
      (each) =>
        each.kind === "store" && each.buffer === buffer && textOf(placeOf(each.at)) !== textOf(placeOf(at)),
    );
  return loadedInPlace.some(isElsewhere) ? null : shared;
}

export type Result = Extract<Expression, { readonly kind: "result" }>;

/** Which elements have the same value: all, those at one place of all rows, or none. */
type Kind = "uniform" | "shared" | "own";

/** Work items of several blocks. Each begins by repeating the shared values. */
function inBlocks(
  rows: ForStatement,
  elements: ForStatement,
  shared: ReadonlySet<number>,
  scheduling: Scheduling,
): ForStatement {
  const items = split(rows, times(rowsOf(elements.axis.extent), BLOCKS), scheduling.names);
  const item = items.body.at(-1) as ForStatement;
  const loops = laidOut(item, elements, shared, scheduling);
  return { ...items, run: { kind: "parallel" }, body: [...items.body.slice(0, -1), ...loops] };
}

/** The loop that repeats the shared values, and that over the blocks of rows. */
function laidOut(
  rows: ForStatement,
  elements: ForStatement,
  shared: ReadonlySet<number>,
  scheduling: Scheduling,
): readonly Statement[] {
  const { names } = scheduling;
  const { extent: length } = elements.axis;
  const count = rowsOf(length);
  const blocks = split(rows, count, names);
  const kept = keptOf(valuesIn(elements, shared), times(length, count), scheduling);
  const filled = repeated(rows, elements, least(rows.axis.extent, count), kept, scheduling);
  const walked = asOneRow(blocks.body.at(-1) as ForStatement, length, { shared, kept }, scheduling);
  return [filled, { ...blocks, body: [...blocks.body.slice(0, -1), ...walked] }];
}

/** What is given to these loops. */
export type Given = Pick<Scheduling, "names" | "addPrivate">;

/** The shared values that others depend on. */
export function valuesIn({ body }: ForStatement, shared: ReadonlySet<number>): readonly LetStatement[] {
  const read = mentionsOf(body.filter((each) => !isShared(each, shared))).locals;
  return body.filter((each): each is LetStatement => isShared(each, shared) && read.has(each.local));
}

/** The same, with memory of so many cells for each. */
export const keptOf = (
  values: readonly LetStatement[],
  cells: Integer,
  { addPrivate }: Given,
): readonly Kept[] =>
  values.map((value) => ({ value, buffer: addPrivate({ dtype: value.dtype, access: "private", cells }) }));

/** The body of the elements, with the kept values as loads at the place along the row. */
export function withKept({ axis, body }: ForStatement, { shared, kept }: Repeated): readonly Statement[] {
  const at: Integer = { kind: "axis", axis: axis.axis };
  const loads = kept.map(({ value, buffer }): Statement => {
    return { ...value, value: { kind: "load", buffer, at, tests: [] } };
  });
  return [...loads, ...body.filter((each) => !isShared(each, shared))];
}

/** A shared value that others depend on, and the private memory in which it is repeated. */
interface Kept {
  readonly value: LetStatement;
  readonly buffer: number;
}

interface Repeated {
  readonly shared: ReadonlySet<number>;
  readonly kept: readonly Kept[];
}

const isShared = (each: Statement, shared: ReadonlySet<number>): each is LetStatement =>
  each.kind === "let" && shared.has(each.local);

/** The shared values, repeated for `count` rows: copies of their definitions, and stores. */
export function repeated(
  rows: ForStatement,
  elements: ForStatement,
  count: Integer,
  kept: readonly Kept[],
  { names }: Given,
): ForStatement {
  const all = [...rows.body.slice(0, -1), ...elements.body];
  const made = definitionsOf(
    kept.map(({ value }) => value.local),
    all,
  );
  const { extent: length } = elements.axis;
  const [row, column] = [names.axis(), names.axis()];
  const at = plus(times(row, length), column);
  const stores = kept.map(({ value: { local }, buffer }): Statement => {
    return { kind: "store", buffer, at, value: { kind: "local", local }, combine: "set" };
  });
  const copies = new Map(localsDefinedIn(made).map((local) => [local, names.local().local]));
  const body = replaceAxis(renameLocals([...made, ...stores], copies), elements.axis.axis, column);
  return loopOver(row, count, [loopOver(column, length, body)]);
}

/** A block of rows as one, given the place of its first row. */
function asOneRow(
  { axis, body }: ForStatement,
  length: Integer,
  shared: Repeated,
  { names }: Scheduling,
): readonly Statement[] {
  const element = names.axis();
  const first = replaceAxis(body, axis.axis, { kind: "literal", value: 0 });
  const elements = first.at(-1) as ForStatement;
  const walked = replaceAxis(
    [...first.slice(0, -1), ...withKept(elements, shared)],
    elements.axis.axis,
    element,
  );
  return raise(loopOver(element, times(axis.extent, length), walked));
}

/** How many rows a block has. */
function rowsOf(length: Integer): Integer {
  if (length.kind === "literal")
    return { kind: "literal", value: Math.ceil(ELEMENTS / Math.max(1, length.value)) };
  return plus(over({ kind: "literal", value: ELEMENTS }, plus(length, 1)), 1);
}

const loopOver = (
  { axis }: { readonly axis: number },
  extent: Integer,
  body: readonly Statement[],
): ForStatement => ({ kind: "for", axis: { axis, extent }, ordered: false, body });
