/**
 * Transpositions in blocks. A load in a nest reads across memory: its elements are contiguous along an outer axis and far apart along the
 * innermost one. Both axes are blocked, so that the cache lines of a block stay in the first caches until all of them have been read.
 * Within a block, squares are transposed in registers. Where the body is too long to be jammed, they are transposed on the way to private
 * memory. If the stores go across memory, as they may beside a fold, the two loops are interchanged first.
 */
import {
  buffersStoredIn,
  dtypes,
  type ForStatement,
  type Integer,
  inline,
  isDefinition,
  type Statement,
  statementsIn,
} from "@fuseau/ir";
import { isSized } from "./integers.ts";
import { factsOf } from "./lane-steps.ts";
import { type Polynomial, polynomialOf } from "./polynomial.ts";
import { sizeOf } from "./size.ts";
import { type Load, stage } from "./stage.ts";
import { Refusal, reorder, runAs, split } from "./steps.ts";
import { hasSymbolicStride, isContiguous } from "./strides.ts";
import type { Scheduling, Tactic } from "./tactic.ts";

/** Cache lines that a block reads across memory, and elements of each: both are whole lines. */
const [COLUMNS, ROWS] = [64, 64];

/** The fewest rows that are jammed: their columns are contiguous in memory, and loaded together. */
const JAMMED = 4;

/** The most instructions of all rows that are jammed. Expensive ops are too many: rows of odd length took three times as long jammed. */
const JAMMED_SIZE = 100;

/** Of whole nests. */
export const transposition: Tactic = {
  name: "transposition",
  schedule(statement, scheduling) {
    const loops = perfectNest(statement);
    return isWhole(loops) ? ofNest(loops, scheduling, "parallel") : null;
  },
};

/** Of nests in loops that have more in them, such as folds, or blocks of rows. */
export const innerTransposition: Tactic = {
  name: "inner transposition",
  schedule: (statement, scheduling) =>
    isWhole(perfectNest(statement)) ? null : transposedWithin(statement, scheduling),
};

/** Null if there is nothing to transpose. */
function transposedWithin(statement: Statement, scheduling: Scheduling): readonly Statement[] | null {
  if (statement.kind !== "for" || statement.ordered) return null;
  const loops = perfectNest(statement);
  if (isWhole(loops)) return ofNest(loops, scheduling, "serial");
  if (loops.length === 0 && statement.run?.kind !== "parallel") return null;
  const inner = loops.at(-1) ?? statement;
  const given = inner.body.map((each) => transposedWithin(each, scheduling));
  if (given.every((each) => each === null)) return null;
  return withInnermost(loops, [{ ...inner, body: inner.body.flatMap((each, k) => given[k] ?? [each]) }]);
}

/** How the loops around a block run. */
type Around = "parallel" | "serial";

const isWhole = (loops: readonly ForStatement[]): boolean => loops.at(-1)?.body.every(isSimple) === true;

/** The nest with other statements in place of its innermost loop. */
function withInnermost(
  loops: readonly ForStatement[],
  innermost: readonly Statement[],
): readonly Statement[] {
  let statements = innermost;
  for (const loop of loops.slice(0, -1).reverse())
    statements = [{ ...loop, body: [...loop.body.slice(0, -1), ...statements] }];
  return statements;
}

function ofNest(
  loops: readonly ForStatement[],
  scheduling: Scheduling,
  around: Around,
): readonly Statement[] | null {
  const [first, inner] = [loops[0], loops.at(-1)] as [ForStatement, ForStatement];
  if (inner.axis.extent.kind === "literal") return null;
  if (around === "parallel" && !loops.every(({ axis }) => isSized(axis.extent))) return null;
  if (isStoredAcross(loops)) {
    const turned = reorder(loops.at(-2) as ForStatement);
    if (turned instanceof Refusal) return null;
    const statements = withInnermost(loops.slice(0, -1), turned);
    const given = ofNest(perfectNest(statements.at(-1) as ForStatement), scheduling, around);
    return given && [...statements.slice(0, -1), ...given];
  }
  const across = readAcross(loops, inner);
  if (across === null) return null;
  const given = inwards(first, across, inner.axis.axis, scheduling, around);
  return given instanceof Refusal ? null : given;
}

/** Nested loops with nothing but definitions beside them, outermost first. */
function perfectNest(statement: Statement): ForStatement[] {
  const loops: ForStatement[] = [];
  let next: Statement | undefined = statement;
  while (next?.kind === "for" && !next.ordered && next.run === undefined) {
    loops.push(next);
    next = next.body.slice(0, -1).every(isDefinition) ? next.body.at(-1) : undefined;
  }
  return loops;
}

const isSimple = (statement: Statement): boolean =>
  statement.kind === "integer" ||
  statement.kind === "let" ||
  (statement.kind === "store" && statement.combine === "set");

interface Across {
  /** The axis along which the loads are contiguous. */
  readonly axis: number;
  /** The locals of the loads. */
  readonly loads: readonly number[];
}

function readAcross(loops: readonly ForStatement[], inner: ForStatement): Across | null {
  const placeOf = placesIn(loops);
  const stored = buffersStoredIn(inner.body);
  const outer = loops.slice(0, -1).map(({ axis }) => axis.axis);
  const found = new Map<number, number[]>();
  for (const each of inner.body) {
    if (each.kind !== "let" || each.value.kind !== "load") continue;
    const { buffer, at, tests } = each.value;
    if (tests.length > 0 || stored.has(buffer)) continue;
    const place = placeOf(at);
    if (!hasSymbolicStride(place, inner.axis.axis)) continue;
    const axis = outer.filter((other) => isContiguous(place, other)).at(-1);
    if (axis !== undefined) found.set(axis, [...(found.get(axis) ?? []), each.local]);
  }
  const [most] = [...found].sort(([, a], [, b]) => b.length - a.length);
  return most === undefined ? null : { axis: most[0], loads: most[1] };
}

/** True if all stores are contiguous along the loop around the innermost one. */
function isStoredAcross(loops: readonly ForStatement[]): boolean {
  const [rows, inner] = [loops.at(-2), loops.at(-1) as ForStatement];
  const stores = inner.body.filter((each) => each.kind === "store");
  if (rows === undefined || stores.length === 0) return false;
  const placeOf = placesIn(loops);
  return stores.every(({ at }) => {
    const place = placeOf(at);
    return isContiguous(place, rows.axis.axis) && hasSymbolicStride(place, inner.axis.axis);
  });
}

/** Places in the innermost loop, without the integers of the loops around. */
function placesIn(loops: readonly ForStatement[]): (at: Integer) => Polynomial {
  const integers = new Map<number, Integer>();
  for (const each of loops.flatMap(({ body }) => body))
    if (each.kind === "integer") integers.set(each.local, each.value);
  return (at) => polynomialOf(inline(at, (local) => integers.get(local)));
}

/** Moves the loop over the contiguous axis inwards until it is around the loop over columns. */
function inwards(
  loop: ForStatement,
  across: Across,
  columns: number,
  scheduling: Scheduling,
  around: Around,
): readonly Statement[] | Refusal {
  const inner = loop.body.at(-1) as ForStatement;
  if (loop.axis.axis !== across.axis) {
    const within = inwards(inner, across, columns, scheduling, around);
    if (within instanceof Refusal) return within;
    return running({ ...loop, body: [...loop.body.slice(0, -1), ...within] }, around);
  }
  if (inner.axis.axis === columns) return blocked(loop, inner, across.loads, scheduling, around);
  const swapped = reorder(loop);
  if (swapped instanceof Refusal) return swapped;
  const within = inwards(swapped.at(-1) as ForStatement, across, columns, scheduling, around);
  return within instanceof Refusal ? within : [...swapped.slice(0, -1), ...within];
}

function running(loop: ForStatement, around: Around): readonly Statement[] | Refusal {
  const run = around === "serial" ? loop : runAs(loop, { kind: around });
  return run instanceof Refusal ? run : [run];
}

/** The block as a loop of its own, with the strided loads transposed in registers, or first in private memory. */
function blocked(
  rows: ForStatement,
  columns: ForStatement,
  loads: readonly number[],
  scheduling: Scheduling,
  around: Around,
): readonly Statement[] | Refusal {
  const { names } = scheduling;
  const cut = split(
    { ...rows, body: [...rows.body.slice(0, -1), split(columns, COLUMNS, names)] },
    ROWS,
    names,
  );
  const swapped = reorder(cut.body.at(-1) as ForStatement);
  if (swapped instanceof Refusal) return swapped;
  const block = swapped.at(-1) as ForStatement;
  const body = inRegisters(block.body, scheduling) ?? inMemory(block.body, loads, scheduling);
  if (body instanceof Refusal) return body;
  const inner = running({ ...block, body }, around);
  if (inner instanceof Refusal) return inner;
  return running({ ...cut, body: [...cut.body.slice(0, -1), ...swapped.slice(0, -1), ...inner] }, around);
}

/** Jams as many rows as there are lanes, so that loads are squares. Null where that is too much code. */
function inRegisters(
  body: readonly Statement[],
  scheduling: Scheduling,
): readonly Statement[] | Refusal | null {
  const rows = body.at(-1) as ForStatement;
  const columns = rows.body.at(-1) as ForStatement;
  const lanes = scheduling.machine.register / factsOf(columns.body, scheduling).widest;
  const copies = Math.max(JAMMED, lanes);
  if (copies * sizeOf(columns.body) > JAMMED_SIZE) return null;
  const vector = runAs(columns, { kind: "vector", lanes, copies: copies / lanes });
  if (vector instanceof Refusal) return vector;
  const jammed = runAs({ ...rows, body: [...rows.body.slice(0, -1), vector] }, { kind: "jam", copies });
  return jammed instanceof Refusal ? jammed : [...body.slice(0, -1), jammed];
}

/** Copies the strided loads to a square of private memory, which the rows read. */
function inMemory(
  body: readonly Statement[],
  loads: readonly number[],
  { names, machine, dtypeOf, addPrivate }: Scheduling,
): readonly Statement[] | Refusal {
  let staged = body;
  for (const local of loads) {
    const reading = staged.at(-1) as ForStatement;
    const load = statementsIn(reading.body).find(
      (each): each is Load => each.kind === "let" && each.local === local,
    );
    if (load?.value.kind !== "load") return new Refusal(`v${local} is no load`);
    const dtype = dtypeOf(load.value.buffer);
    const cells: Integer = { kind: "literal", value: ROWS * COLUMNS };
    const buffer = addPrivate({ dtype, access: "private", cells });
    const square = machine.register / dtypes[dtype].bytes;
    const loops = stage(reading, load, { buffer, width: COLUMNS, square }, names);
    if (loops instanceof Refusal) return loops;
    staged = [...staged.slice(0, -1), ...loops];
  }
  return staged;
}
