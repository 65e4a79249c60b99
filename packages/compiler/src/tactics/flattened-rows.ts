/**
 * Expensive ops of short rows, as one loop over the elements of many rows. A row of twenty elements fills one step of sixteen and a
 * quarter of another, which takes as long as a whole one. So there are three loops. The first stores the operands of the ops for all rows
 * of a block, one row behind the other. The second computes the ops over all of them. The third walks the rows and does the rest.
 */
import {
  axesOfLoop,
  buffersStoredIn,
  definitionsOf,
  type ForStatement,
  type Integer,
  inline,
  isDefinition,
  isLoop,
  type LetStatement,
  type Loop,
  type LoopAxis,
  localsDefinedIn,
  mentionsOf,
  renameLocals,
  type Statement,
  type StoreStatement,
  substitute,
} from "@fuseau/ir";
import { gatheredIn, hasUnreadIndex } from "./gathers.ts";
import { integer, isSized, plus, times } from "./integers.ts";
import { isFlattened } from "./lane-steps.ts";
import { mayBeMasked } from "./masked.ts";
import { overwrittenBy } from "./overwritten.ts";
import { asNumber, polynomialOf, textOf } from "./polynomial.ts";
import { replaceAxis } from "./steps.ts";
import { stepAlong } from "./strides.ts";
import type { Scheduling } from "./tactic.ts";

/** Storing more values than this costs as much as flattening saves. */
const MOST_WAITING = 3;

/** The place of a value in its row, and among the elements of all rows. */
interface Place {
  readonly buffer: number;
  readonly inRow: Integer;
  readonly inAll: Integer;
}

/** The only loop of a body, if it is a short row with expensive ops. */
export function expensiveRowOf(body: readonly Statement[]): Loop | null {
  const [row, ...others] = body.filter(isLoop);
  if (row === undefined || others.length > 0 || row.run !== undefined) return null;
  const [{ extent, short }, ...inner] = axesOfLoop(row) as [LoopAxis, ...LoopAxis[]];
  if (short !== true || inner.length > 0 || !isSized(extent)) return null;
  const isPlain = row.kind === "for" ? !row.ordered : !row.scan && row.row.length === 0;
  return isPlain && expensiveIn(row.body).length > 0 ? row : null;
}

/**
 * Splits a loop of at most `cells` iterations over such rows, within a work item, into three: the operands of the expensive ops, those
 * ops, and the rest. Operands and results in contiguous rows stay where they are, or are stored there; all others are stored to private
 * memory. The law: iterations are independent, none of the ops fails, and no operand is read from memory that the loop stores to, but at its
 * own place, before it is stored.
 */
export function flattenRows(
  rows: ForStatement,
  cells: Integer | number,
  { names, addPrivate, dtypeOf }: Scheduling,
): readonly Statement[] | null {
  const { axis, ordered, run, body } = rows;
  const row = expensiveRowOf(body);
  if (row === null || ordered || run !== undefined || hasUnreadIndex(body)) return null;
  const [along] = axesOfLoop(row) as [LoopAxis];
  const around = body.slice(0, body.indexOf(row));
  const all = [...around, ...row.body];
  const firstOf = rowBehindRow(all, axis, along);

  const expensive = new Set<Statement>(expensiveIn(row.body));
  const flat = flatIn(row.body, firstOf);
  const work = definitionsOf(
    localsDefinedIn([...expensive]),
    row.body.filter((each) => expensive.has(each) || flat.has(each)),
  ) as readonly LetStatement[];
  const inputs = valuesOf(all, work);
  const taken = definitionsOf(localsDefinedIn(inputs), all);
  const mayChange = changedBy(all);
  const isFixed = (each: Statement): boolean =>
    each.kind === "integer" || (each.kind === "let" && !mayChange(each));
  // What a row looks up in front of its loop, it looks up where its operands are stored: in no lanes, so it may fail.
  const inRows = [...taken.filter((each) => each.kind !== "index" || !around.includes(each)), ...work];
  if (!inRows.every(isFixed) || !mayBeMasked(inRows)) return null;

  const rest = row.body.filter((each) => !expensive.has(each));
  const ends = rest.filter((each) => !isDefinition(each));
  const mayBeOverwritten = overwrittenBy(rest, dtypeOf);
  const rowsOf = (values: readonly LetStatement[]): StoreStatement[] =>
    ends.filter(
      (each): each is StoreStatement =>
        each.kind === "store" &&
        each.combine === "set" &&
        firstOf(each.at) !== null &&
        values.some((one) => one.local === localOf(each) && one.dtype === dtypeOf(each.buffer)),
    );
  const results = rowsOf(work.filter((each) => expensive.has(each)));
  // The ops take operands from where they are stored, unless they load what that overwrites.
  const operands = work.some(mayBeOverwritten) ? [] : inputs.flatMap((input) => rowsOf([input]).slice(0, 1));
  const behind = ends.filter((each) => ![...results, ...operands].some((one) => one === each));
  const isReadBehind = leadingTo(behind, [...around, ...rest]).some(
    (each) => isDefinition(each) && mayBeOverwritten(each),
  );
  const [early, filling] = isReadBehind ? [[], []] : [results, operands];
  const later = isReadBehind ? ends : behind;
  const outputs = valuesOf(work, leadingTo(later, rest));
  const waiting = outputs.filter((value) => !early.some((each) => localOf(each) === value.local));
  if (inputs.length + waiting.length > MOST_WAITING) return null;

  const end = names.axis();
  const places = new Map<number, Place>();
  for (const { local, dtype } of [...inputs, ...waiting]) {
    if (filling.some((each) => localOf(each) === local)) continue;
    const buffer = addPrivate({ dtype, access: "private", cells: times(along.extent, cells) });
    places.set(local, { buffer, inRow: plus(times(axisOf(axis), along.extent), axisOf(along)), inAll: end });
  }
  const firsts: Statement[] = [];
  const inAll = (at: Integer): Integer => {
    const first = names.local();
    firsts.push({ kind: "integer", local: first.local, value: firstOf(at)! });
    return plus(first, end);
  };
  const placed = work.map((value): LetStatement => {
    const load = value.value;
    return load.kind === "load" ? { ...value, value: { ...load, at: inAll(load.at) } } : value;
  });
  const storedAt = (each: StoreStatement): StoreStatement => {
    const stored = { ...each, at: inAll(each.at) };
    places.set(localOf(each), { buffer: each.buffer, inRow: each.at, inAll: stored.at });
    return stored;
  };
  // A value may be stored twice, each time at a place of its own.
  const storedEarly = early.map(storedAt);
  filling.forEach(storedAt);
  const read = (value: LetStatement, at: "inRow" | "inAll"): LetStatement => {
    const place = places.get(value.local)!;
    return { ...value, value: { kind: "load", buffer: place.buffer, at: place[at], tests: [] } };
  };
  const written = ({ local }: LetStatement, at: "inRow" | "inAll"): Statement => {
    const place = places.get(local)!;
    return {
      kind: "store",
      buffer: place.buffer,
      at: place[at],
      value: { kind: "local", local },
      combine: "set",
    };
  };
  /** A loop of its own: all names in it are new. */
  const loop = ({ axis, extent }: LoopAxis, body: readonly Statement[]): ForStatement => {
    const copies = new Map(localsDefinedIn(body).map((local) => [local, names.local().local]));
    const own = names.axis();
    const renamed = replaceAxis(renameLocals(body, copies), axis, own);
    return { kind: "for", axis: { axis: own.axis, extent }, ordered: false, body: renamed };
  };

  const filled = inputs.map((value) => written(value, "inRow"));
  const isAround = (each: Statement): boolean => around.includes(each);
  const made = definitionsOf([...localsDefinedIn(inputs), ...mentionsOf(filling).locals], all);
  const fill = [
    ...made.filter(isAround),
    loop(along, [...made.filter((each) => !isAround(each)), ...filled]),
  ];
  const worked = [
    ...inputs.map((value) => read(value, "inAll")),
    ...placed,
    ...waiting.map((value) => written(value, "inAll")),
    ...storedEarly,
  ];
  const walked = [...outputs.map((value) => read(value, "inRow")), ...rest];
  const isStore = ({ kind }: Statement): boolean => kind === "store";
  const isFold = (each: Statement): boolean => !isStore(each);
  // Stores go lane by lane where masked lanes are folded. They are moved behind all loads.
  const stores = later.filter(isStore);
  const walks: Statement[] =
    row.kind === "reduce" ? [{ ...row, body: leadingTo(later.filter(isFold), walked) }] : [];
  if (stores.length > 0) walks.push(loop(along, leadingTo(stores, walked)));
  const others = body.flatMap((each) => (each === row ? walks : each));
  const left = others.filter((each) => !isDefinition(each));
  return [
    ...firsts,
    ...(inputs.length > 0 ? [loop(axis, fill)] : []),
    loop({ axis: end.axis, extent: times(axis.extent, along.extent) }, worked),
    ...(left.length > 0 ? [{ ...rows, body: leadingTo(left, others) }] : []),
  ];
}

const axisOf = ({ axis }: LoopAxis): Integer => ({ kind: "axis", axis });

const localOf = ({ value }: StoreStatement): number => (value.kind === "local" ? value.local : -1);

/** The values among the statements that others take. */
function valuesOf(body: readonly Statement[], others: readonly Statement[]): readonly LetStatement[] {
  const [taken, own] = [mentionsOf(others).locals, new Set(localsDefinedIn(others))];
  return body.filter(
    (each): each is LetStatement => each.kind === "let" && taken.has(each.local) && !own.has(each.local),
  );
}

/** These statements, and the statements of the body that they need. */
function leadingTo(ends: readonly Statement[], body: readonly Statement[]): readonly Statement[] {
  const kept = new Set<Statement>([...definitionsOf(mentionsOf(ends).locals, body), ...ends]);
  return body.filter((each) => kept.has(each));
}

/** Whether a value is loaded from memory that is stored to at any other place, or before it. */
function changedBy(body: readonly Statement[]): (value: LetStatement) => boolean {
  const whole = inlined(body);
  const placeOf = (at: Integer): string => textOf(polynomialOf(whole(at)));
  const stored = buffersStoredIn(body);
  return (statement) => {
    const { value } = statement;
    if (value.kind !== "load" || !stored.has(value.buffer)) return false;
    const behind = body.slice(body.indexOf(statement));
    const isOwn = (each: Statement): boolean =>
      each.kind === "store" && placeOf(each.at) === placeOf(value.at) && behind.includes(each);
    return !body.filter((each) => buffersStoredIn([each]).has(value.buffer)).every(isOwn);
  };
}

/** Integers with those that they are made of. */
function inlined(body: readonly Statement[]): (at: Integer) => Integer {
  const integers = new Map(
    body.flatMap((each) => (each.kind === "integer" ? [[each.local, each.value]] : [])),
  );
  return (at) => inline(at, (local) => integers.get(local));
}

/** The place of the first element, if the rows that are read or stored there are contiguous. Gathered elements may be anywhere. */
function rowBehindRow(
  body: readonly Statement[],
  { axis: row }: LoopAxis,
  { axis: along, extent }: LoopAxis,
): (at: Integer) => Integer | null {
  const inline = inlined(body);
  const length = textOf(polynomialOf(extent));
  const isLookedUp = gatheredIn(body);
  return (at) => {
    const whole = inline(at);
    const place = polynomialOf(whole);
    if (isLookedUp(place)) return null;
    const [across, step] = [stepAlong(place, row), stepAlong(place, along)];
    if (across === null || step === null || asNumber(step) !== 1 || textOf(across) !== length) return null;
    return substitute(whole, (name) =>
      name.kind === "axis" && (name.axis === row || name.axis === along) ? integer(0) : name,
    );
  };
}

/** Loads from contiguous rows, and values that depend on nothing else in the row. */
function flatIn(
  body: readonly Statement[],
  firstOf: (at: Integer) => Integer | null,
): ReadonlySet<Statement> {
  const [flat, locals] = [new Set<Statement>(), new Set<number>()];
  for (const each of body) {
    if (each.kind !== "let") continue;
    const { value } = each;
    const isFlat =
      value.kind === "load"
        ? value.tests.length === 0 && firstOf(value.at) !== null
        : value.kind === "pointwise" &&
          value.args.every((arg) => arg.kind !== "local" || locals.has(arg.local));
    if (!isFlat) continue;
    flat.add(each);
    locals.add(each.local);
  }
  return flat;
}

/** The expensive ops of a body, and the ops between two of them. */
function expensiveIn(body: readonly Statement[]): readonly LetStatement[] {
  const ops = body.filter((each) => each.kind === "let" && each.value.kind === "pointwise") as LetStatement[];
  const isExpensive = ({ value }: LetStatement): boolean =>
    value.kind === "pointwise" && isFlattened(value.fn);
  const wanted = new Set<Statement>(definitionsOf(localsDefinedIn(ops.filter(isExpensive)), ops));
  const resting = new Set<number>();
  return ops.filter((each) => {
    if (!isExpensive(each) && ![...mentionsOf([each]).locals].some((local) => resting.has(local)))
      return false;
    resting.add(each.local);
    return wanted.has(each);
  });
}
