/** Parses the text of the loop IR: the inverse of print.ts. */
import { type DType, isDType } from "../dtype.ts";
import { type PointwiseOp, pointwiseOps } from "../pointwise/table.ts";
import { Cursor } from "./cursor.ts";
import {
  type AccumulationOrder,
  type Accumulator,
  type BufferParameter,
  type Choice,
  type Cut,
  defaultOrder,
  type Expression,
  type Fold,
  type Integer,
  type LoopAxis,
  type LoopKernel,
  type Operand,
  type Run,
  type Statement,
  type Test,
} from "./node.ts";
import { binarySymbols, combineSymbols } from "./symbols.ts";

/**
 * Parses what {@link printLoopKernel} printed. Blocks are recognised by their indentation, two spaces each from that of the first line.
 * Empty lines and further spaces within a line are skipped. Whether the kernel keeps the contract is not checked: see {@link
 * verifyLoopKernel}.
 * @throws SyntaxError with the line, the column, and what was expected there.
 */
export function parseLoopKernel(text: string): LoopKernel {
  const cursor = new Cursor(text);
  const indent = cursor.indent;
  const header = parseHeader(cursor);
  const kernel = { ...header, body: parseBody(cursor, indent + STEP) };
  if (!cursor.atEnd) throw cursor.fault(`a statement behind ${indent + STEP} spaces, or the end`);
  return kernel;
}

/** Spaces by which a block is indented. */
const STEP = 2;

function parseHeader(cursor: Cursor): Omit<LoopKernel, "body"> {
  cursor.need("kernel");
  cursor.need("(");
  const buffers = parseParameters(cursor, "b", (): BufferParameter => {
    const access = keyOf(cursor, "read, write, scratch or private", accesses);
    const dtype = parseDType(cursor);
    if (access !== "private") return { access, dtype };
    cursor.need("x");
    return { access, dtype, cells: parseInteger(cursor) };
  });
  cursor.need(";");
  cursor.need("sizes");
  const sizes = Number(need(cursor, "a number of sizes", /\d+/y));
  cursor.need(";");
  const scalars = parseParameters(cursor, "c", () => parseDType(cursor));
  const order = cursor.take(";") ? parseOrder(cursor) : defaultOrder;
  cursor.need(")");
  cursor.nextLine();
  return { buffers, sizes, scalars, order };
}

function parseOrder(cursor: Cursor): AccumulationOrder {
  cursor.need("blocks of");
  const block = Number(need(cursor, "a number of elements", /\d+/y));
  cursor.need(",");
  cursor.need("chunks of");
  return { block, chunk: Number(need(cursor, "a number of elements", /\d+/y)) };
}

/** Parameters, numbered from 0; there may be none. */
function parseParameters<P>(cursor: Cursor, prefix: string, parse: () => P): P[] {
  const found: P[] = [];
  while (found.length === 0 ? cursor.sees(/\w/y) && !cursor.sees(/sizes/y) : cursor.take(",")) {
    cursor.need(`${prefix}${found.length}`);
    cursor.need(":");
    found.push(parse());
  }
  return found;
}

// Statements

function parseBody(cursor: Cursor, indent: number): Statement[] {
  const body: Statement[] = [];
  while (cursor.indent >= indent) {
    if (cursor.indent > indent) throw cursor.fault(`a statement behind ${indent} spaces`);
    body.push(parseStatement(cursor, indent));
  }
  return body;
}

function parseStatement(cursor: Cursor, indent: number): Statement {
  if (cursor.take("for")) {
    const axis = parseAxis(cursor);
    const ordered = cursor.take("in order");
    const run = parseRun(cursor);
    cursor.nextLine();
    const body = parseBody(cursor, indent + STEP);
    return { kind: "for", axis, ordered, ...(run && { run }), body };
  }
  if (cursor.take("reduce")) return parseReduce(cursor, indent, false);
  if (cursor.take("scan")) return parseReduce(cursor, indent, true);
  const statement = parseSimple(cursor);
  cursor.nextLine();
  return statement;
}

function parseRun(cursor: Cursor): Run | null {
  if (cursor.take("parallel")) return { kind: "parallel" };
  if (cursor.take("unrolled"))
    return { kind: "unrolled", ...(cursor.take("transposed") && { transposed: true }) };
  if (cursor.take("jam")) return { kind: "jam", copies: parseCount(cursor) };
  if (!cursor.take("vector")) return null;
  const lanes = parseCount(cursor);
  const copies = cursor.take("x") ? parseCount(cursor) : 1;
  const masked = cursor.take("masked") ? { masked: parseCount(cursor) } : null;
  const spilled = cursor.take("spilled") ? { spilled: true as const } : null;
  return {
    kind: "vector",
    lanes,
    copies,
    ...masked,
    ...spilled,
    ...(cursor.take("cut") && { cut: parseCut(cursor) }),
  };
}

function parseCut(cursor: Cursor): Cut {
  const first = parseName(cursor, "x");
  cursor.need("at");
  const at = [parseInteger(cursor)];
  while (cursor.take(",")) at.push(parseInteger(cursor));
  return { first, at };
}

const parseCount = (cursor: Cursor): number => Number(need(cursor, "a number of iterations", /\d+\b/y));

function parseReduce(cursor: Cursor, indent: number, scan: boolean): Statement {
  const axes = [parseAxis(cursor)];
  while (cursor.take(",")) axes.push(parseAxis(cursor));
  const blocked = cursor.take("blocked");
  const aligned = cursor.take("aligned");
  const run = parseRun(cursor);
  if (run?.kind === "parallel") throw cursor.fault("a loop that folds and is parallel");
  cursor.nextLine();
  const within = indent + STEP;
  const accumulators: Accumulator[] = [];
  while (cursor.indent === within && cursor.sees(/a\d+ *=/y)) accumulators.push(parseAccumulator(cursor));
  let row: Statement[] = [];
  if (cursor.indent === within && cursor.take("row")) {
    cursor.nextLine();
    row = parseBody(cursor, within + STEP);
  }
  const body = parseBody(cursor, within);
  return { kind: "reduce", axes, accumulators, scan, blocked, aligned, ...(run && { run }), row, body };
}

function parseAccumulator(cursor: Cursor): Accumulator {
  const accumulator = parseName(cursor, "a");
  cursor.need("=");
  const fn = keyOf(cursor, "a fold", folds);
  const from = parseDType(cursor);
  cursor.need("->");
  const to = parseDType(cursor);
  cursor.need("lanes");
  const lanes = Number(need(cursor, "1, 8 or 16 lanes", /(?:1|8|16)\b/y)) as 1 | 8 | 16;
  const row = cursor.take("row") ? parseRow(cursor) : null;
  cursor.nextLine();
  return { accumulator, fn, from, to, lanes, row };
}

function parseRow(cursor: Cursor): NonNullable<Accumulator["row"]> {
  const cells = parseInteger(cursor);
  cursor.need("in");
  const partial = parseName(cursor, "b");
  const other = (): number | null => (cursor.take("-") ? null : parseName(cursor, "b"));
  return { cells, partial, compensation: other(), total: other(), position: other() };
}

/** A statement of one line. */
function parseSimple(cursor: Cursor): Statement {
  if (cursor.sees(/i\d/y)) {
    const local = parseName(cursor, "i");
    cursor.need("=");
    return cursor.take("index")
      ? parseIndex(cursor, local)
      : { kind: "integer", local, value: parseInteger(cursor) };
  }
  if (cursor.sees(/v\d/y)) {
    const local = parseName(cursor, "v");
    cursor.need(":");
    const dtype = parseDType(cursor);
    cursor.need("=");
    return { kind: "let", local, dtype, value: parseExpression(cursor) };
  }
  if (cursor.sees(/a\d/y)) {
    const accumulator = parseName(cursor, "a");
    const cell = parseBracketed(cursor);
    cursor.need("<-");
    const values = [parseOperand(cursor)];
    while (cursor.take(",")) values.push(parseOperand(cursor));
    cursor.need("@");
    return { kind: "accumulate", accumulator, cell, values, position: parseInteger(cursor) };
  }
  if (cursor.sees(/b\d+ *\[/y)) {
    const buffer = parseName(cursor, "b");
    const at = parseBracketed(cursor);
    const combine = keyWritten(cursor, "= or another way to combine", combineSymbols);
    return { kind: "store", buffer, at, value: parseOperand(cursor), combine };
  }
  if (cursor.sees(/b\d|sorted\b/y)) return parseSort(cursor);
  throw cursor.fault("a statement");
}

function parseIndex(cursor: Cursor, local: number): Statement {
  cursor.need(".");
  const dtype = parseDType(cursor);
  const value = parseOperand(cursor);
  cursor.need("<");
  const size = parseInteger(cursor);
  cursor.need("of axis");
  const axis = Number(need(cursor, "the number of an axis", /\d+/y));
  cursor.need("@");
  return { kind: "index", local, dtype, value, size, axis, place: parseInteger(cursor) };
}

function parseSort(cursor: Cursor): Statement {
  let order: number | null = null;
  let first: Integer | null = null;
  if (cursor.sees(/b\d+ *=/y)) {
    order = parseName(cursor, "b");
    cursor.need("=");
    if (cursor.take("first")) {
      first = parseInteger(cursor);
      cursor.need("of");
    }
    cursor.need("order of");
  }
  const sorted = cursor.take("sorted");
  const keys = parseName(cursor, "b");
  cursor.need("<");
  const length = parseInteger(cursor);
  const descending = cursor.take("descending");
  return { kind: "sort", keys, order, sorted, length, first, descending };
}

// Expressions

function parseExpression(cursor: Cursor): Expression {
  if (cursor.sees(/b\d/y)) {
    const buffer = parseName(cursor, "b");
    return { kind: "load", buffer, at: parseBracketed(cursor), tests: parseTests(cursor) };
  }
  if (cursor.take("select")) return parseSelect(cursor);
  if (cursor.take("index")) return { kind: "index", at: parseInteger(cursor) };
  if (cursor.take("result")) {
    const accumulator = parseName(cursor, "a");
    return { kind: "result", accumulator, cell: parseBracketed(cursor) };
  }
  const fn = keyOf<PointwiseOp>(cursor, "an expression", pointwiseOps);
  cursor.need(".");
  const from = parseDType(cursor);
  cursor.need("(");
  const args = [parseOperand(cursor)];
  while (cursor.take(",")) args.push(parseOperand(cursor));
  cursor.need(")");
  return { kind: "pointwise", fn, from, args };
}

function parseSelect(cursor: Cursor): Expression {
  const cases: Choice[] = [];
  for (;;) {
    const value = parseOperand(cursor);
    const tests = parseTests(cursor);
    if (cursor.take(",")) {
      cursor.need("else");
      cases.push({ tests, value });
    } else if (tests.length === 0) return { kind: "select", cases, otherwise: value };
    else throw cursor.fault('","');
  }
}

function parseTests(cursor: Cursor): Test[] {
  if (!cursor.take("if")) return [];
  const tests = [parseTest(cursor)];
  while (cursor.take("and")) tests.push(parseTest(cursor));
  return tests;
}

function parseTest(cursor: Cursor): Test {
  const first = parseInteger(cursor);
  const bounded = cursor.take("<=");
  const at = bounded ? parseInteger(cursor) : first;
  const high = cursor.take("<") ? parseInteger(cursor) : null;
  return { at, low: bounded ? first : null, high };
}

function parseOperand(cursor: Cursor): Operand {
  if (cursor.sees(/v\d/y)) return { kind: "local", local: parseName(cursor, "v") };
  if (cursor.sees(/c\d/y)) return { kind: "scalar", slot: parseName(cursor, "c") };
  const int64 = cursor.sees(/[^ ,):]*:int64\b/y);
  const text = cursor.match(int64 ? /-?\d+(?=:)/y : /-?(?:\d+(?:\.\d+)?(?:e[+-]\d+)?|Infinity)|NaN/y);
  if (text === null) throw cursor.fault(int64 ? "a whole number" : "a value, a scalar or a constant");
  cursor.need(":");
  const dtype = parseDType(cursor);
  return { kind: "constant", value: int64 ? BigInt(text[0]) : Number(text[0]), dtype };
}

// Integers

function parseInteger(cursor: Cursor): Integer {
  if (cursor.take("(")) {
    const left = parseInteger(cursor);
    const kind = keyWritten(cursor, "+, *, /, % or min", binarySymbols);
    const right = parseInteger(cursor);
    cursor.need(")");
    return { kind, left, right };
  }
  if (cursor.sees(/n\d/y)) return { kind: "size", slot: parseName(cursor, "n") };
  if (cursor.sees(/x\d/y)) return { kind: "axis", axis: parseName(cursor, "x") };
  if (cursor.sees(/i\d/y)) return { kind: "local", local: parseName(cursor, "i") };
  return { kind: "literal", value: Number(need(cursor, "an integer", /-?\d+/y)) };
}

function parseBracketed(cursor: Cursor): Integer {
  cursor.need("[");
  const integer = parseInteger(cursor);
  cursor.need("]");
  return integer;
}

function parseAxis(cursor: Cursor): LoopAxis {
  const axis = parseName(cursor, "x");
  cursor.need("<");
  const extent = parseInteger(cursor);
  return { axis, extent, ...(cursor.take("short") && { short: true }) };
}

// Words

const accesses = { read: true, write: true, scratch: true, private: true } as const satisfies Record<
  BufferParameter["access"],
  true
>;

const folds: Readonly<Record<Fold, true>> = {
  sum: true,
  prod: true,
  max: true,
  min: true,
  any: true,
  all: true,
  argmax: true,
  argmin: true,
  dot: true,
  logaddexp: true,
  lastArgmax: true,
  lastArgmin: true,
  lastMax: true,
  lastMin: true,
};

function need(cursor: Cursor, expected: string, pattern: RegExp): string {
  const found = cursor.match(pattern);
  if (found === null) throw cursor.fault(expected);
  return found[0];
}

/** The number of a name such as `v12`. */
const parseName = (cursor: Cursor, prefix: keyof typeof names): number =>
  Number(need(cursor, names[prefix].expected, names[prefix].pattern).slice(1));

const names = {
  a: { expected: "an accumulator such as a0", pattern: /a\d+\b/y },
  b: { expected: "a buffer such as b0", pattern: /b\d+\b/y },
  c: { expected: "a scalar such as c0", pattern: /c\d+\b/y },
  i: { expected: "an integer such as i0", pattern: /i\d+\b/y },
  n: { expected: "a size such as n0", pattern: /n\d+\b/y },
  v: { expected: "a value such as v0", pattern: /v\d+\b/y },
  x: { expected: "an axis such as x0", pattern: /x\d+\b/y },
} as const;

const parseDType = (cursor: Cursor): DType => cursor.word("a dtype", isDType);

/** Reads a word that is a key of the table. */
const keyOf = <K extends string>(cursor: Cursor, expected: string, table: Readonly<Record<K, unknown>>): K =>
  cursor.word(expected, (word): word is K => Object.hasOwn(table, word));

/** Reads a symbol, and gives its key. */
function keyWritten<K extends string>(
  cursor: Cursor,
  expected: string,
  symbols: Readonly<Record<K, string>>,
): K {
  for (const key in symbols) if (cursor.take(symbols[key])) return key;
  throw cursor.fault(expected);
}
