/**
 * Steps: rewrites of loops that keep every bit, each with its law. A step whose law does not hold gives a {@link Refusal}.
 * docs/scheduled-loops.md has the list.
 */
import {
  buffersStoredIn,
  type Definition,
  type ForStatement,
  type Integer,
  isDefinition,
  isLoop,
  mapIntegers,
  mentionsOf,
  type Run,
  type Statement,
  substitute,
} from "@fuseau/ir";
import { decidedBy } from "./decided.ts";
import { hasLoopCarriedDependence, isScatter } from "./dependence.ts";
import { least, overUp, plus, times } from "./integers.ts";
import { mayBeMasked } from "./masked.ts";
import type { Numbering } from "./numbering.ts";

/** Why a step does not apply. */
export class Refusal {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/**
 * Splits a loop into blocks of `size` iterations around a loop over the places of a block, the last of which may be shorter. Both loops
 * keep the order of the original.
 */
export function split(
  { axis: { axis, extent }, ordered, body }: ForStatement,
  size: number | Integer,
  names: Numbering,
): ForStatement {
  const [block, place, first, width] = [names.axis(), names.axis(), names.local(), names.local()];
  const inner: ForStatement = {
    kind: "for",
    axis: { axis: place.axis, extent: width },
    ordered,
    body: replaceAxis(body, axis, plus(first, place)),
  };
  const head: Statement[] = [
    { kind: "integer", local: first.local, value: times(block, size) },
    { kind: "integer", local: width.local, value: least(plus(extent, times(first, -1)), size) },
  ];
  return {
    kind: "for",
    axis: { axis: block.axis, extent: overUp(extent, size) },
    ordered,
    body: [...head, inner],
  };
}

/** The statements with an integer in place of an axis. */
export const replaceAxis = (body: readonly Statement[], axis: number, by: Integer): readonly Statement[] =>
  mapIntegers(body, (integer) =>
    substitute(integer, (name) => (name.kind === "axis" && name.axis === axis ? by : name)),
  );

/**
 * Interchanges a loop with the one inside it. Both have independent iterations, and only definitions stand between them. Integers that do
 * not depend on the loop move in front of it. All other definitions are recomputed in the inner loop, so they must not depend on what is
 * stored there. The extent of the inner loop is the same in all iterations.
 */
export function reorder(outer: ForStatement): readonly Statement[] | Refusal {
  const inner = outer.body.at(-1);
  const between = outer.body.slice(0, -1);
  const name = `x${outer.axis.axis}`;
  if (inner?.kind !== "for" || !between.every(isDefinition)) return new Refusal(`${name} is no perfect nest`);
  if (outer.run !== undefined || inner.run !== undefined) return new Refusal(`${name} is scheduled already`);
  if (outer.ordered || inner.ordered) return new Refusal(`${name} or the loop within is in order`);
  if (between.some(({ kind }) => kind === "index"))
    return new Refusal(`${name} looks up an index, which may fail`);
  if (decidedBy(outer.axis.axis, between).integer(inner.axis.extent))
    return new Refusal(`${name} decides how long the loop within is`);
  const stored = buffersStoredIn(inner.body);
  if (between.some((each) => stored.has(loadedBy(each))))
    return new Refusal(`what ${name} reads in front of the loop within is stored there`);
  const [raised, rest] = invariant(outer);
  const anew = rest.slice(0, -1);
  return [...raised, { ...inner, body: raise({ ...outer, body: [...anew, ...inner.body] }) }];
}

/** Hoists the definitions at the head of a loop that do not depend on it. */
export function raise(loop: ForStatement): readonly Statement[] {
  const [raised, body] = invariant(loop);
  return [...raised, { ...loop, body }];
}

/** The definitions at the head of a loop that depend neither on it nor on what it stores, and the other statements. */
function invariant({
  axis: { axis },
  body,
}: ForStatement): readonly [readonly Statement[], readonly Statement[]] {
  const end = body.findIndex((each) => !isDefinition(each));
  const head = body.slice(0, end < 0 ? body.length : end).filter(isDefinition);
  const own = decidedBy(axis, head);
  const stored = buffersStoredIn(body);
  const staying = new Set<number>();
  const raised = head.filter((each) => {
    const stays =
      own.has(each.local) ||
      stored.has(loadedBy(each)) ||
      [...mentionsOf([each]).locals].some((local) => staying.has(local));
    if (stays) staying.add(each.local);
    return !stays;
  });
  return [raised, body.filter((each) => !raised.some((other) => other === each))];
}

/** Sets how a loop runs; the law depends on the kind of run. */
export function runAs(loop: ForStatement, run: Run): ForStatement | Refusal {
  const { axis, extent } = loop.axis;
  const refused = (why: string): Refusal => new Refusal(`x${axis} ${why}`);
  if (run.kind === "unrolled") {
    if (extent.kind !== "literal") return refused("has an extent that is not in the text");
    return loop.body.every(isUnrolled) ? { ...loop, run } : refused("has loops in it that are not unrolled");
  }
  if (run.kind === "parallel") return loop.ordered ? refused("is in order") : { ...loop, run };
  const inner = loop.body.at(-1);
  const both = run.kind === "jam" && inner?.kind === "for" && !inner.ordered ? inner.axis.axis : null;
  if (hasLoopCarriedDependence(loop.body, axis, both))
    return refused("reads what another iteration may store");
  if (run.kind === "vector") {
    if (!loop.body.every(isUnrolled)) return refused("has loops in it that are not unrolled");
    if (loop.ordered && !isScatter(loop.body)) return refused("is in order, and stores to a buffer twice");
    if (run.masked !== undefined && (loop.ordered || !mayBeMasked(loop.body)))
      return refused("has in it what a lane without an iteration may not do");
    return { ...loop, run };
  }
  const before = loop.body.slice(0, -1);
  if (loop.ordered) return refused("is in order");
  if (inner?.kind !== "for" || inner.run?.kind !== "vector" || !before.every(isDefinition))
    return refused("has more in it than one vector");
  return decidedBy(axis, before).integer(inner.axis.extent)
    ? refused("decides how long the loop within is")
    : { ...loop, run };
}

/** No loop, or one that does not loop when it runs. */
const isUnrolled = (statement: Statement): boolean =>
  statement.kind !== "sort" &&
  (!isLoop(statement) ||
    (statement.kind === "for" && statement.run?.kind === "unrolled" && statement.body.every(isUnrolled)));

/** The buffer that a definition reads, or −1. */
const loadedBy = (definition: Definition): number =>
  definition.kind === "let" && definition.value.kind === "load" ? definition.value.buffer : -1;
