/**
 * The steps for a block of rows. First, operands that are more than loads are computed into the workspace. Then all sums of the block are
 * computed. Then the loop IR's other statements run, row by row.
 */
import {
  buffersStoredIn,
  type Definition,
  type DType,
  definitionsOf,
  type Integer,
  isDefinition,
  isLoop,
  type LoopAxis,
  mentionsOf,
  type Operand,
  type ReduceStatement,
  type Statement,
  statementsIn,
} from "@fuseau/ir";
import { least, over, overUp, plus, rest, times } from "../integers.ts";
import { overwrittenBy } from "../overwritten.ts";
import {
  type Contraction,
  type Nest,
  nextContraction,
  type Product,
  type ProductElement,
  sumType,
} from "./nest.ts";
import {
  isUneven,
  type Place,
  plainLoad,
  type Separable,
  type Strided,
  separable,
  strided,
} from "./operand.ts";

export type Step =
  | { readonly kind: "multiply"; readonly product: PlannedProduct }
  /** Statements that are run for each row. */
  | { readonly kind: "rows"; readonly body: readonly Statement[] };

export interface PlannedProduct extends Product {
  /** The source of the left operand: memory with constant strides or tables, or a block of rows in a workspace. */
  readonly a: Strided | Separable | { readonly workspace: number };
  /** Memory with constant strides or tables. Null where it must be computed into the workspace. */
  readonly b: Strided | Separable | null;
  /** True when columns of a computed right operand are contiguous; else its elements along k are. */
  readonly contiguousColumns: boolean;
  /** The definitions that the right operand depends on, in the order of the loop IR. */
  readonly definitions: readonly Definition[];
}

/** The resources for a plan. */
interface Planning {
  readonly nest: Nest;
  readonly dtypeOf: (buffer: number) => DType;
  /** Adds a buffer of so many rows and columns. */
  readonly addBlock: (dtype: DType, rows: Integer, columns: Integer) => number;
  /** The columns of a block. */
  readonly rows: Integer;
}

/**
 * The rows of a block: whole tiles, enough to limit reads of the right operand, and few enough that each thread gets some blocks. Blocks
 * are of about equal size and even in number, so that two threads end together.
 */
export function blockRows({ row }: Nest, tile: number): Integer {
  if (row === null) return { kind: "literal", value: 1 };
  const most = times(12, plus(1, least(9, over(row.extent, 96))));
  const blocks = plus(1, over(plus(row.extent, -1), most));
  const even = plus(blocks, times(rest(blocks, 2), least(1, over(blocks, 2))));
  return times(tile, overUp(row.extent, times(tile, even)));
}

export function planSteps(planning: Planning, body: readonly Statement[]): Step[] {
  const { nest } = planning;
  const { dependence, row } = nest;
  const contraction = nextSplit(planning, body);
  if (contraction === null) return body.length === 0 ? [] : [{ kind: "rows", body }];
  const { products } = contraction;
  const definitions = definitionsAround(body, contraction);
  const fills: Step[] = [];
  const multiplications = products.map((product): Step => {
    const { left, right, column, depth, element } = product;
    const [from, to] = [left, right].map((operand) => elementLoad(planning, operand, element));
    const byTables = row !== null && column !== null && isReadByTables(product);
    const placeOf = (place: Place, lane: LoopAxis | null, mayBeTabled: boolean): Strided | Separable | null =>
      strided(dependence, place, lane?.axis ?? null, depth.axis) ??
      (mayBeTabled ? separable(dependence, place, lane?.axis ?? null, depth.axis) : null);
    const contiguousColumns = product.cells || isBetterAcross(nest, product, definitions);
    // Contiguous columns are computed in lanes, which is as quick as tables.
    const b = to ? placeOf(to, column, byTables && !contiguousColumns) : null;
    let a: PlannedProduct["a"] | null = from ? placeOf(from, row, byTables && b !== null) : null;
    if (a === null) {
      a = { workspace: planning.addBlock(element, planning.rows, depth.extent) };
      fills.push(...planSteps(planning, fillOf(nest, body, contraction, product, a.workspace)));
    }
    return { kind: "multiply", product: { ...product, a, b, contiguousColumns, definitions } };
  });
  const left = behindFixed(nest, body, contraction) ?? behind(planning, body, contraction) ?? [];
  return [...fills, ...multiplications, ...planSteps(planning, left)];
}

/** The load of an operand, if memory has the elements as they are multiplied. */
export function elementLoad(
  { nest, dtypeOf }: Pick<Planning, "nest" | "dtypeOf">,
  operand: Operand,
  element: ProductElement,
): Place | null {
  const found = plainLoad(nest.dependence, operand);
  return found !== null && dtypeOf(found.buffer) === element ? found : null;
}

/** True when tiles can read elements by tables: a sum is as wide as an element in memory. */
export const isReadByTables = (product: Product): boolean => sumType(product) === product.element;

/** Windows of an image: a constant stride along columns, and none along k. */
function isBetterAcross(
  { dependence }: Nest,
  { right, column, depth }: Product,
  definitions: readonly Definition[],
): boolean {
  if (column === null || right.kind !== "local") return false;
  const places = definitionsOf([right.local], definitions).flatMap((each) =>
    each.kind === "let" && each.value.kind === "load" ? [each.value.at] : [],
  );
  return (
    places.some((at) => isUneven(dependence, at, depth.axis)) &&
    !places.some((at) => isUneven(dependence, at, column.axis))
  );
}

/** The first contraction whose sums can be computed for a whole block before they are used. */
function nextSplit(planning: Planning, body: readonly Statement[]): Contraction | null {
  const { nest } = planning;
  const found = nextContraction(nest, body);
  if (found === null || isFixed(nest, found)) return found;
  return found.products.length === 1 && behind(planning, body, found) !== null ? found : null;
}

/** The statements in front of a contraction whose left operands depend on nothing that the nest computes; null for others. */
export const behindFixed = (
  nest: Nest,
  body: readonly Statement[],
  contraction: Contraction,
): readonly Statement[] | null => (isFixed(nest, contraction) ? without(body, contraction.statement) : null);

const isFixed = ({ dependence }: Nest, { products }: Contraction): boolean =>
  products.every(({ left }) => dependence.isFixed(left));

/**
 * The statements behind a contraction whose left operand depends on what precedes it, with the definitions of that which they need. Null
 * where they need more, or where stores may overwrite that.
 */
function behind(
  { nest: { dependence }, dtypeOf }: Planning,
  body: readonly Statement[],
  { at, statement }: Contraction,
): Statement[] | null {
  const beside = body.slice(0, at);
  const front = statementsIn(beside);
  const mayBeOverwritten = overwrittenBy(beside, dtypeOf);
  const rest = without(body, statement).slice(at);
  const needed = definitionsOf(mentionsOf(rest).locals, beside);
  const stored = buffersStoredIn(front);
  const folded = front.flatMap((each) => (each.kind === "accumulate" ? [each.accumulator] : []));
  const readsFront = statementsIn(rest).some((each) => {
    if (each.kind !== "let") return false;
    if (each.value.kind === "load") return stored.has(each.value.buffer);
    return each.value.kind === "result" && folded.includes(each.value.accumulator);
  });
  if (readsFront || !needed.every((each) => dependence.isFixedDefinition(each) && !mayBeOverwritten(each)))
    return null;
  return [...needed, ...rest];
}

/** The statement that writes a row of the left operand to its place in a block. */
function fillOf(
  nest: Nest,
  body: readonly Statement[],
  { statement, at }: Contraction,
  { left, depth }: Product,
  workspace: number,
): Statement[] {
  const { dependence } = nest;
  const place = rowPlace(nest, depth.extent, { kind: "axis", axis: depth.axis });
  const store: Statement = { kind: "store", buffer: workspace, at: place, value: left, combine: "set" };
  const loop = (statements: readonly Statement[]): Statement => ({
    kind: "for",
    axis: depth,
    ordered: false,
    body: [...statements, store],
  });
  const front = body.slice(0, at);
  const beside = definitionsBeside(body, statement, at);
  const inside = insideOf(statement);
  const wanted = left.kind === "local" ? [left.local] : [];
  if (!dependence.isFixed(left)) {
    const loops = inside.filter((each) => !isDefinition(each));
    const locals = mentionsOf(loops).locals;
    const needed = definitionsOf([...wanted, ...locals], [...beside, ...inside].filter(isDefinition));
    const isNeeded = (each: Statement): boolean => !isDefinition(each) || needed.includes(each);
    return [...front, ...beside.filter(isNeeded), loop(inside.filter(isNeeded))];
  }
  const needed = definitionsOf(wanted, [...front, ...beside, ...inside].filter(isDefinition));
  const deep = (each: Definition): boolean => dependence.axesOfLocal(each.local).has(depth.axis);
  return [...needed.filter((each) => !deep(each)), loop(needed.filter(deep))];
}

/** The cell of the current row and place, in a block with so many cells in a row. */
export const rowPlace = ({ row, firstRow }: Nest, cells: Integer, place: Integer): Integer =>
  row === null
    ? place
    : plus(times(plus({ kind: "axis", axis: row.axis }, times(firstRow, -1)), cells), place);

/** All statements but the loop over columns and the folds. */
const insideOf = ({ row, body }: ReduceStatement): Statement[] => {
  const last = body.at(-1);
  return [...row, ...(last?.kind === "for" ? body.slice(0, -1) : body)].filter(
    ({ kind }) => kind !== "accumulate",
  );
};

/** The definitions in the loop over columns, in front of the fold. */
function definitionsBeside(body: readonly Statement[], fold: ReduceStatement, at: number): Definition[] {
  const loop = body[at]!;
  if (loop === fold || !isLoop(loop)) return [];
  const front = loop.body.slice(0, loop.body.indexOf(fold));
  return [...(loop.kind === "reduce" ? loop.row : []), ...front].filter(isDefinition);
}

/** The definitions in front of the fold and in it. */
function definitionsAround(body: readonly Statement[], { statement, at }: Contraction): Definition[] {
  const last = statement.body.at(-1);
  const columns = last?.kind === "for" ? last.body : [];
  const around = [...body.slice(0, at), ...definitionsBeside(body, statement, at)];
  return [...around, ...insideOf(statement), ...columns].filter(isDefinition);
}

/**
 * The body without one reduce loop, which is in it or in one of its loops. The lanes of that loop were chosen for both parts; they are
 * chosen anew, since the rest alone may interleave more.
 */
const without = (body: readonly Statement[], taken: ReduceStatement): Statement[] =>
  body.flatMap((each): readonly Statement[] => {
    if (each === taken) return [];
    if (!isLoop(each) || !each.body.includes(taken)) return [each];
    const rest = each.body.filter((inner) => inner !== taken);
    const { run, ...loop } = each;
    return [run?.kind === "vector" ? { ...loop, body: rest } : { ...each, body: rest }];
  });
