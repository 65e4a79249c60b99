/**
 * Loop fission: splits a loop into several, one behind the other. Each does a part of the body for all iterations before the next begins.
 */
import {
  buffersStoredIn,
  type Definition,
  type ForStatement,
  type Integer,
  isDefinition,
  type LetStatement,
  localsDefinedIn,
  mentionsOf,
  type Operand,
  pointwiseOps,
  renameLocals,
  type Statement,
  statementsIn,
} from "@fuseau/ir";
import { decidedBy } from "./decided.ts";
import { integer } from "./integers.ts";
import { mayBeMasked } from "./masked.ts";
import { overwrittenBy } from "./overwritten.ts";
import { Refusal, replaceAxis } from "./steps.ts";
import type { Scheduling } from "./tactic.ts";

/**
 * Splits a loop of at most `cells` iterations, within a work item, into one for each part of its body. Values that a part takes from
 * earlier ones are stored in private memory, one element for each iteration. Integers, counters, and loads of memory that is not stored
 * to are recomputed instead.
 * The law: iterations are independent, each stores to places of its own, only the first part may fail, and a fold's result is read in the
 * fold's own part. Or only the last part looks places up: its stores may then be in any order, and the other parts store to places of
 * their own, in memory that is not read. Where a part fails, the kernel fails, whatever has been stored.
 */
export function fission(
  { axis: { axis, extent }, ordered, run, body }: ForStatement,
  parts: readonly (readonly Statement[])[],
  cells: Integer | number,
  { names, addPrivate, dtypeOf }: Scheduling,
): readonly ForStatement[] | Refusal {
  if (run !== undefined) return new Refusal(`x${axis} is scheduled already`);
  const stored = buffersStoredIn(body);
  const mayBeOverwritten = overwrittenBy(body, dtypeOf);
  const readsStored = (each: Statement): boolean =>
    each.kind === "let" && each.value.kind === "load" && stored.has(each.value.buffer);
  const storedLast = buffersStoredIn(parts.at(-1) ?? []);
  const isPure = (part: readonly Statement[]): boolean =>
    storesItsOwn(part, axis, body) &&
    storesAlone(part) &&
    looksNothingUp(part) &&
    !statementsIn(part).some(readsStored) &&
    ![...buffersStoredIn(part)].some((buffer) => storedLast.has(buffer));
  if (!parts.slice(0, -1).every(isPure)) {
    if (ordered) return new Refusal(`x${axis} is in order`);
    if (!storesItsOwn(body, axis)) return new Refusal(`x${axis} stores where another iteration may`);
    // If the first part fails, no other has begun.
    if (!parts.slice(1).every(mayBeMasked) || !storesAlone(parts[0] ?? []))
      return new Refusal(`x${axis} has in it what may fail, or adds to what stands there`);
  }
  if (!parts.every((part) => readsItsOwn(part, body)))
    return new Refusal(`x${axis} has a fold whose result another part reads`);
  const found = foundIn(body);
  const counters = countersIn(body);
  const isAnew = (each: Definition): boolean => {
    if (counters.has(each.local)) return true;
    if (each.kind !== "let" || each.value.kind !== "load") return each.kind === "integer";
    return !stored.has(each.value.buffer) && !mayBeOverwritten(each) && !restsOn(found, each);
  };
  const place = { kind: "axis", axis } as const;
  /** By local: the private memory that holds it. */
  const waiting = new Map<number, number>();
  const wait = ({ local, dtype }: LetStatement): number => {
    const buffer = waiting.get(local) ?? addPrivate({ dtype, access: "private", cells: integer(cells) });
    waiting.set(local, buffer);
    return buffer;
  };
  const taken = parts.map((part) => takenBy(part, body, isAnew));
  if (taken.flat().some((each) => each.kind !== "let" && found.has(each.local)))
    return new Refusal(`x${axis} has a part that works where another looks up`);
  const heads = taken.map((definitions) =>
    definitions.map((each): Definition => {
      if (isAnew(each) || each.kind !== "let") return each;
      return { ...each, value: { kind: "load", buffer: wait(each), at: place, tests: [] } };
    }),
  );
  return parts.map((part, k) => {
    const tail = part.flatMap((each): Statement[] => {
      const buffer = isDefinition(each) ? waiting.get(each.local) : undefined;
      if (buffer === undefined || !isDefinition(each)) return [];
      const value = { kind: "local", local: each.local } as const;
      return [{ kind: "store", buffer, at: place, value, combine: "set" }];
    });
    const head = heads[k] as readonly Definition[];
    const copies = new Map(head.map(({ local }) => [local, names.local().local]));
    const own = names.axis();
    const whole = renameLocals([...head, ...part, ...tail], copies);
    const isOrdered = ordered && k === parts.length - 1;
    const loop = { axis: own.axis, extent };
    return { kind: "for", axis: loop, ordered: isOrdered, body: replaceAxis(whole, axis, own) };
  });
}

/** Integers that are read from data, and those that depend on them. */
export function foundIn(body: readonly Statement[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (const each of body)
    if (each.kind === "index" || (each.kind === "integer" && restsOn(found, each))) found.add(each.local);
  return found;
}

/**
 * Counters: what follows from indexes and scalars alone, by cheap ops. To compute them again costs less than to store them, and random
 * words are made in blocks only where their counters are seen to follow one another.
 */
export function countersIn(body: readonly Statement[]): ReadonlySet<number> {
  const found = foundIn(body);
  const counters = new Set<number>();
  for (const each of body) if (isCounter(each, counters, found)) counters.add(each.local);
  return counters;
}

/** The most that an op of a counter costs. */
const CHEAP = 2;

function isCounter(
  each: Statement,
  counters: ReadonlySet<number>,
  found: ReadonlySet<number>,
): each is LetStatement {
  if (each.kind !== "let") return false;
  const { value } = each;
  if (value.kind === "index") return !restsOn(found, each);
  if (value.kind !== "pointwise" || pointwiseOps[value.fn].cost > CHEAP) return false;
  const isGiven = (arg: Operand): boolean => arg.kind !== "local" || counters.has(arg.local);
  return value.args.every(isGiven) && value.args.some(({ kind }) => kind === "local");
}

export const restsOn = (found: ReadonlySet<number>, statement: Statement): boolean =>
  [...mentionsOf([statement]).locals].some((local) => found.has(local));

/** The definitions that a part takes from earlier ones, and what recomputing some of them needs. */
function takenBy(
  part: readonly Statement[],
  body: readonly Statement[],
  isAnew: (each: Definition) => boolean,
): readonly Definition[] {
  const own = new Set(localsDefinedIn(part));
  const wanted = new Set(mentionsOf(part).locals);
  const taken: Definition[] = [];
  for (const each of body.filter(isDefinition).reverse()) {
    if (own.has(each.local) || !wanted.has(each.local)) continue;
    taken.push(each);
    if (isAnew(each)) for (const local of mentionsOf([each]).locals) wanted.add(local);
  }
  return taken.reverse();
}

const looksNothingUp = (body: readonly Statement[]): boolean =>
  statementsIn(body).every(({ kind }) => kind !== "index");

/** True when no update adds to a stored element. */
const storesAlone = (body: readonly Statement[]): boolean =>
  statementsIn(body).every((each) => each.kind !== "store" || each.combine === "set");

/** The results of a fold are in registers, whose scope is their part. Those of loops around are there in all parts. */
function readsItsOwn(part: readonly Statement[], body: readonly Statement[]): boolean {
  const foldsIn = (statements: readonly Statement[]): readonly number[] =>
    statementsIn(statements).flatMap((each) =>
      each.kind === "reduce" ? each.accumulators.map(({ accumulator }) => accumulator) : [],
    );
  const own = foldsIn(part);
  const others = foldsIn(body).filter((accumulator) => !own.includes(accumulator));
  return !others.some((accumulator) => mentionsOf(part).results.has(accumulator));
}

/** Rows of accumulators, and keys that are sorted, are memory that every iteration fills anew. */
function storesItsOwn(part: readonly Statement[], axis: number, body = part): boolean {
  const decided = decidedBy(axis, statementsIn(body).filter(isDefinition));
  return statementsIn(part).every((each) => {
    if (each.kind === "store") return decided.integer(each.at);
    if (each.kind === "reduce") return each.accumulators.every(({ row }) => row === null);
    return each.kind !== "sort";
  });
}
