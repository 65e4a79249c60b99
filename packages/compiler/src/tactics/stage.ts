/** The step that copies the elements of a load to private memory, in front of the loops that read it. */
import {
  buffersStoredIn,
  type ForStatement,
  type Integer,
  inline,
  isDefinition,
  type LetStatement,
  mapStatements,
  type Statement,
  substitute,
} from "@fuseau/ir";
import { plus, times } from "./integers.ts";
import type { Numbering } from "./numbering.ts";
import { Refusal, runAs } from "./steps.ts";

/** The load, a statement in the body of the loops. */
export type Load = LetStatement;

interface Staging {
  /** The private buffer, with rows of `width` elements. */
  readonly buffer: number;
  readonly width: number;
  /** Rows that are copied together, and elements of each: a square that is transposed in registers. */
  readonly square: number;
}

/**
 * A loop over rows around one over columns, in a block of statements. The load's elements are copied with rows contiguous, and read with
 * columns contiguous. Gives the loops that copy and the loops that read. The law: the memory is not stored to, no test guards the load,
 * and its place depends on axes, sizes, and integers in front of it.
 */
export function stage(
  rows: ForStatement,
  load: Load,
  { buffer, width, square }: Staging,
  names: Numbering,
): readonly [ForStatement, ForStatement] | Refusal {
  const columns = rows.body.at(-1);
  const { value } = load;
  if (columns?.kind !== "for" || value.kind !== "load" || !columns.body.includes(load))
    return new Refusal(`v${load.local} is no load in two loops`);
  if (value.tests.length > 0) return new Refusal(`v${load.local} is loaded under a test`);
  if (buffersStoredIn(rows.body).has(value.buffer)) return new Refusal(`b${value.buffer} is stored to`);
  const within = [...rows.body, ...columns.body].filter(isDefinition);
  const integers = new Map(
    within.flatMap((each) => (each.kind === "integer" ? [[each.local, each.value] as const] : [])),
  );
  const at = inline(value.at, (local) => integers.get(local));
  const [row, column, local] = [names.axis(), names.axis(), names.local()];
  const own = new Map([
    [rows.axis.axis, row],
    [columns.axis.axis, column],
  ]);
  let known = true;
  const from = substitute(at, (name) => {
    if (name.kind === "axis") return own.get(name.axis) ?? name;
    known &&= !within.some((each) => each.local === name.local);
    return name;
  });
  if (!known) return new Refusal(`the place of v${load.local} is read from data`);
  const cell = (r: Integer, c: Integer): Integer => plus(times(r, width), c);
  const copy: Statement[] = [
    { ...load, local: local.local, value: { ...value, at: from } },
    { kind: "store", buffer, at: cell(row, column), value: local, combine: "set" },
  ];
  const inner = runAs(
    { kind: "for", axis: { axis: column.axis, extent: columns.axis.extent }, ordered: false, body: copy },
    { kind: "vector", lanes: square, copies: 1 },
  );
  if (inner instanceof Refusal) return inner;
  const outer = runAs(
    { kind: "for", axis: { axis: row.axis, extent: rows.axis.extent }, ordered: false, body: [inner] },
    { kind: "jam", copies: square },
  );
  if (outer instanceof Refusal) return outer;
  const staged = { ...value, buffer, at: cell(axis(rows), axis(columns)) };
  const reading = mapStatements(rows.body, (each) => (each === load ? { ...load, value: staged } : each));
  return [outer, { ...rows, body: reading }];
}

const axis = ({ axis: { axis: name } }: ForStatement): Integer => ({ kind: "axis", axis: name });
