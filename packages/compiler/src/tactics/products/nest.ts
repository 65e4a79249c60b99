/**
 * Which loop nests are matrix products. The loops around a `reduce` with `dot` accumulators are classified by the operands that depend on
 * them: rows decide the left one alone, columns the right one alone, and all others are outer loops.
 */
import {
  type AccumulateStatement,
  type Accumulator,
  buffersStoredIn,
  type Definition,
  type DType,
  dtypes,
  type ForStatement,
  type Integer,
  isDefinition,
  type LoopAxis,
  type Operand,
  type ReduceStatement,
  type Statement,
  substitute,
} from "@fuseau/ir";
import { hasUnreadIndex } from "../gathers.ts";
import { isAtMost } from "../integers.ts";
import type { Numbering } from "../numbering.ts";
import { asNumber } from "../polynomial.ts";
import { Dependence } from "./dependence.ts";
import { isUneven, plainLoad, strided } from "./operand.ts";

/** The dtypes of the operands. */
export type ProductElement = "float32" | "float64" | "int8" | "uint8" | "int16" | "int32";

/** The dtypes of the sums. */
export const sumType = ({ element }: Product): "float32" | "float64" | "int32" =>
  element === "float32" || element === "float64" ? element : "int32";

/** Products that share their loops. */
export interface Nest {
  readonly dependence: Dependence;
  /** Loops whose iterations are separate products, and the definitions that depend on them. */
  readonly outer: readonly LoopAxis[];
  readonly shared: readonly Definition[];
  /** Null for a single row. */
  readonly row: LoopAxis | null;
  /** The first row of the current block. */
  readonly firstRow: Extract<Integer, { readonly kind: "local" }>;
  /** The statements of each row, the products among them. */
  readonly body: readonly Statement[];
}

/** One accumulator of a reduce loop. */
export interface Product {
  readonly accumulator: Accumulator;
  /** The dtype in which the operands are multiplied. */
  readonly element: ProductElement;
  readonly depth: LoopAxis;
  /** Null for a single column. */
  readonly column: LoopAxis | null;
  /** The most columns for which a row has sums; the loop over them may be shorter. */
  readonly width: Integer;
  /** True when the loop over columns is inside the reduce loop, with a row of accumulators. */
  readonly cells: boolean;
  readonly left: Operand;
  readonly right: Operand;
}

/** A reduce loop whose accumulators are all products. */
export interface Contraction {
  readonly products: readonly Product[];
  readonly statement: ReduceStatement;
  /** The statement of the body that is, or contains, the reduce loop. */
  readonly at: number;
}

export function matchNest(statement: Statement, numbering: Numbering): Nest | null {
  const loops = perfectLoops(statement);
  const [first] = loops;
  if (first === undefined || loops.at(-1)!.axis.extent.kind === "literal") return null;
  // Tiles compute nothing of the operands beyond what they read.
  if (hasUnreadIndex([statement])) return null;
  const dependence = new Dependence([first]);
  const firstRow = numbering.local();
  let sliding: Nest | null = null;
  for (const single of [false, true]) {
    for (const depth of [loops.length, loops.length - 1]) {
      const nest = nestAt(dependence, loops, depth, single, firstRow);
      if (nest === null) continue;
      if (isUnrolled(nest)) return null;
      if (!rowsAreWindows(nest)) return nest;
      sliding ??= nest;
    }
  }
  return sliding;
}

/** The longest sum of a single row or column that is unrolled; and of several rows, for which packing a column costs more than its products. */
const [UNROLLED, UNROLLED_COLUMNS] = [16, 4];
/** And of rows of narrow integers that are transposed: tiles multiply two of them at once. */
const UNROLLED_NARROW = 4;

/**
 * Sums that are so short that they are unrolled, of elements that lie side by side, as where a filter slides along rows, or where the few
 * channels of each pixel are mixed: lanes read them where they are. Short rows times one vector are transposed in registers.
 */
function isUnrolled(nest: Nest): boolean {
  const { dependence, row } = nest;
  return nextContraction(nest, nest.body)!.products.every(
    ({ element, left, right, column, depth, cells }) => {
      const lane = column ?? row;
      const most = row === null || column === null ? UNROLLED : UNROLLED_COLUMNS;
      if (cells || lane === null || !isAtMost(depth.extent, most)) return false;
      const load = plainLoad(dependence, column === null ? left : right);
      const place = load && strided(dependence, load, lane.axis, depth.axis);
      if (place === null) return false;
      if (Math.abs(asNumber(place.alongLane) ?? 0) === 1) return true;
      const longest = dtypes[element].bytes < 4 ? UNROLLED_NARROW : UNROLLED;
      return column === null && asNumber(place.alongDepth) === 1 && isAtMost(depth.extent, longest);
    },
  );
}

/** Windows with a single column are treated as columns with a single row: those are read in place. */
function rowsAreWindows(nest: Nest): boolean {
  const { dependence } = nest;
  const { left, column, depth } = nextContraction(nest, nest.body)!.products[0]!;
  const load = column === null ? plainLoad(dependence, left) : null;
  return load !== null && isUneven(dependence, load.at, depth.axis);
}

/** Perfectly nested loops, up to definitions. */
function perfectLoops(statement: Statement): ForStatement[] {
  const loops: ForStatement[] = [];
  let next: Statement | undefined = statement;
  while (next?.kind === "for" && !next.ordered) {
    loops.push(next);
    const beside: readonly Statement[] = next.body.filter((each) => !isDefinition(each));
    next = beside.length === 1 ? beside[0] : undefined;
  }
  return loops;
}

/** The nest whose body is that of the loop at some depth. `single` allows one row or column. */
function nestAt(
  dependence: Dependence,
  loops: readonly ForStatement[],
  depth: number,
  single: boolean,
  firstRow: Nest["firstRow"],
): Nest | null {
  const around = loops.slice(0, depth);
  const { body } = around.at(-1) ?? { body: [] };
  for (const { statement, column } of dotsIn(body)) {
    const products = operandsOf(dependence, statement, column);
    const [product] = products ?? [];
    if (product === undefined) continue;
    const row = rowAmong(dependence, around, product)?.axis ?? null;
    if ((row === null || product.column === null) && !single) continue;
    if (row === null && product.column === null) continue;
    const definitions = around.slice(0, -1).flatMap((loop) => loop.body.filter(isDefinition));
    const ofRow = (each: Definition): boolean =>
      row !== null && dependence.axesOfLocal(each.local).has(row.axis);
    const nest: Nest = {
      dependence,
      outer: around.filter(({ axis }) => axis !== row).map(({ axis }) => inlined(dependence, axis)),
      shared: definitions.filter((each) => !ofRow(each)),
      row: row && inlined(dependence, row),
      firstRow,
      body: [...definitions.filter(ofRow), ...body],
    };
    if (isRegular(nest) && nextContraction(nest, nest.body) !== null) return nest;
  }
  return null;
}

const inlined = (dependence: Dependence, { axis, extent }: LoopAxis): LoopAxis => ({
  axis,
  extent: dependence.inline(extent),
});

/** The innermost loop on which the left operand alone depends; with a single column, either operand. */
function rowAmong(
  dependence: Dependence,
  loops: readonly ForStatement[],
  { left, right, column }: Product,
): ForStatement | null {
  const decides = ({ axis }: ForStatement, operand: Operand): boolean =>
    dependence.axesOf(operand).has(axis.axis);
  const rows = loops.filter(
    (loop) => decides(loop, left) !== decides(loop, right) && (column === null || decides(loop, left)),
  );
  return rows.at(-1) ?? null;
}

/** True when no loop's extent depends on another axis. */
const isRegular = ({ dependence, outer, row }: Nest): boolean =>
  [...outer, ...(row === null ? [] : [row])].every(({ extent }) => isConstant(dependence, extent));

function isConstant(dependence: Dependence, integer: Integer): boolean {
  return dependence.axesOfInteger(integer).size === 0 && !dependence.varies(integer);
}

/** The first reduce loop in a row's statements that consists of products of this nest. */
export function nextContraction(nest: Nest, body: readonly Statement[]): Contraction | null {
  for (const { statement, column, at } of dotsIn(body)) {
    const products = operandsOf(nest.dependence, statement, column)?.map((each) => oriented(nest, each));
    if (products?.every((product) => fits(nest, product))) return { products, statement, at };
  }
  return null;
}

/** With a single column, the operand that depends on rows is the left one. */
function oriented({ dependence, row }: Nest, product: Product): Product {
  const { left, right, column } = product;
  if (column !== null || row === null || dependence.axesOf(left).has(row.axis)) return product;
  return { ...product, left: right, right: left };
}

/** True when each operand depends on its own axes and outer ones alone, and the right one is the same for all rows. */
function fits({ dependence, outer, row }: Nest, { left, right, depth, column }: Product): boolean {
  if (row === null && column === null) return false;
  const common = [...outer.map(({ axis }) => axis), depth.axis];
  const within = (axes: ReadonlySet<number>, own: LoopAxis | null): boolean =>
    [...axes].every((axis) => common.includes(axis) || axis === own?.axis);
  if (!within(dependence.axesOf(left), row) || !within(dependence.axesOf(right), column)) return false;
  if (!dependence.isFixed(right) || !isConstant(dependence, depth.extent)) return false;
  return (
    column === null ||
    (within(dependence.axesOfInteger(column.extent), null) && !dependence.varies(column.extent))
  );
}

interface Dot {
  readonly statement: ReduceStatement;
  /** The loop around it, within the body. */
  readonly column: LoopAxis | null;
  readonly at: number;
}

function dotsIn(body: readonly Statement[]): Dot[] {
  return body.flatMap((statement, at): Dot[] => {
    if (isDot(statement)) return [{ statement, column: null, at }];
    const loop = loopOf(statement);
    if (loop === null) return [];
    return loop.body.filter(isDot).map((dot) => ({ statement: dot, column: loop.axis, at }));
  });
}

/** A loop over one axis. */
function loopOf(
  statement: Statement,
): { readonly axis: LoopAxis; readonly body: readonly Statement[] } | null {
  if (statement.kind === "for") return statement;
  const isSingle = statement.kind === "reduce" && statement.axes.length === 1;
  return isSingle ? { axis: statement.axes[0]!, body: statement.body } : null;
}

/** A reduce loop without other statements. */
const isDot = (statement: Statement): statement is ReduceStatement =>
  statement.kind === "reduce" &&
  !statement.scan &&
  buffersStoredIn([statement]).size === 0 &&
  statement.axes.length === 1 &&
  statement.accumulators.every(({ fn }) => fn === "dot");

const elementOf: Readonly<Partial<Record<DType, ProductElement>>> = {
  // float16 is float32 until it is stored.
  float16: "float32",
  float32: "float32",
  float64: "float64",
  int8: "int8",
  uint8: "uint8",
  int16: "int16",
  int32: "int32",
};

/** The accumulators of a reduce loop as products, if one operand of each depends on columns. */
function operandsOf(
  dependence: Dependence,
  { accumulators, axes, body }: ReduceStatement,
  around: LoopAxis | null,
): Product[] | null {
  const last = body.at(-1);
  const inner = last?.kind === "for" ? last : null;
  const loop = inner?.axis ?? around;
  const column = loop && inlined(dependence, loop);
  if (inner !== null && around !== null) return null;
  const folded = (inner?.body ?? body).filter(
    (each): each is AccumulateStatement => each.kind === "accumulate",
  );
  const products = accumulators.map((accumulator): Product | null => {
    const { row, from } = accumulator;
    const element = elementOf[from];
    const found = folded.filter((each) => each.accumulator === accumulator.accumulator);
    const [statement] = found;
    if (element === undefined || statement === undefined || found.length > 1) return null;
    if ((row !== null) !== (inner !== null) || !isPlainCell(statement.cell, inner)) return null;
    const [a, b] = statement.values as [Operand, Operand];
    const byColumn = (operand: Operand): boolean =>
      column !== null && dependence.axesOf(operand).has(column.axis);
    if (column !== null && byColumn(a) === byColumn(b)) return null;
    const swapped = byColumn(a);
    return {
      accumulator,
      element,
      depth: inlined(dependence, axes[0]!),
      column,
      width: row === null ? widest(column) : dependence.inline(row.cells),
      cells: inner !== null,
      left: swapped ? b : a,
      right: swapped ? a : b,
    };
  });
  return products.every((product) => product !== null) ? products : null;
}

/** The largest number of columns: that of an axis's first strip. */
function widest(column: LoopAxis | null): Integer {
  if (column === null) return { kind: "literal", value: 1 };
  return substitute(column.extent, (name) => (name.kind === "axis" ? { kind: "literal", value: 0 } : name));
}

/** Cells are the places of the loop over columns. */
const isPlainCell = (cell: Integer, inner: ForStatement | null): boolean =>
  inner === null || (cell.kind === "axis" && cell.axis === inner.axis.axis);
