/** The step that gives each iteration of a loop a private row of memory, where every iteration fills the same row anew. */
import {
  axesOfLoop,
  type ForStatement,
  type Integer,
  isDefinition,
  isLoop,
  mapStatements,
  mentionsOf,
  type Statement,
  statementsIn,
} from "@fuseau/ir";
import { decidedBy } from "./decided.ts";
import { isSized, plus, times } from "./integers.ts";
import { Refusal } from "./steps.ts";
import type { Scheduling } from "./tactic.ts";

/**
 * A loop of at most `cells` iterations, within a work item, with its rows of scratch in private memory. The law: sizes give the length of
 * each row, every element of it is stored by a loop over the row, and no statement takes it as a whole.
 */
export function privatise(
  loop: ForStatement,
  cells: Integer | number,
  { addPrivate, dtypeOf, isScratch }: Scheduling,
): ForStatement | Refusal {
  const { axis } = loop.axis;
  const statements = statementsIn(loop.body);
  const decided = decidedBy(axis, statements.filter(isDefinition));
  const extents = new Map(
    statements
      .filter(isLoop)
      .flatMap((each) => axesOfLoop(each).map(({ axis: name, extent }) => [name, extent] as const)),
  );
  const rows = new Map<number, { readonly buffer: number; readonly width: Integer }>();
  for (const each of statements) {
    if (each.kind !== "store" || rows.has(each.buffer) || decided.integer(each.at)) continue;
    const width = each.at.kind === "axis" ? extents.get(each.at.axis) : undefined;
    if (!isScratch(each.buffer) || width === undefined || !isSized(width))
      return new Refusal(`b${each.buffer} is no row of scratch whose length sizes say`);
    const buffer = addPrivate({ dtype: dtypeOf(each.buffer), access: "private", cells: times(width, cells) });
    rows.set(each.buffer, { buffer, width });
  }
  let holds = true;
  const own = <A extends { readonly buffer: number; readonly at: Integer }>(access: A): A => {
    const row = rows.get(access.buffer);
    if (row === undefined) return access;
    return { ...access, buffer: row.buffer, at: plus(times({ kind: "axis", axis }, row.width), access.at) };
  };
  const body = mapStatements(loop.body, (each): Statement => {
    if (each.kind === "store") {
      holds &&= !rows.has(each.buffer) || (each.at.kind === "axis" && extents.has(each.at.axis));
      return own(each);
    }
    return each.kind === "let" && each.value.kind === "load" ? { ...each, value: own(each.value) } : each;
  });
  // Sorts and rows of accumulators take a buffer as a whole.
  const { buffers } = mentionsOf(body);
  holds &&= [...rows.keys()].every((buffer) => !buffers.has(buffer));
  return holds
    ? { ...loop, body }
    : new Refusal(`x${axis} stores a row in other ways than along it, or takes it as a whole`);
}
