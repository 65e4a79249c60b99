/**
 * The phases of a kernel: its top statements that loop, store or look up. What stands between them is pure and is computed anew
 * where it is needed.
 */
import type { Expression, Integer, LoopKernel, Operand, Statement, Test } from "@fuseau/ir";

export interface PlannedPhase {
  /** The statements at the top that it needs but are no phases, in their order. */
  readonly before: readonly Statement[];
  readonly statements: readonly Statement[];
}

/** Consecutive statements without loops are one phase, with what they need in between. */
export function planPhases({ body }: LoopKernel): PlannedPhase[] {
  if (body.length === 1) return [{ before: [], statements: body }];
  const groups: Statement[][] = [];
  let open: Statement[] | null = null;
  for (const statement of body) {
    if (isPure(statement)) continue;
    if (isLoop(statement)) {
      groups.push([statement]);
      open = null;
    } else if (open === null) {
      open = [statement];
      groups.push(open);
    } else open.push(statement);
  }
  return storesLast(groups, body).map((statements) => {
    const needed = neededBy(statements, body);
    if (isLoop(statements[0]!)) return { before: body.filter((each) => needed.has(each)), statements };
    return { before: [], statements: body.filter((each) => needed.has(each) || statements.includes(each)) };
  });
}

/**
 * Statements without loops behind all that loop, where those, and what is computed anew for them, read nothing of what they
 * store: a phase less for each, and what is read at the top of a buffer that they write over is then still there for every phase.
 */
function storesLast(
  groups: readonly (readonly Statement[])[],
  top: readonly Statement[],
): readonly (readonly Statement[])[] {
  const last: Statement[] = [];
  const kept = groups.filter((statements, k) => {
    if (isLoop(statements[0]!)) return true;
    const stored = new Set(statements.flatMap((each) => (each.kind === "store" ? [each.buffer] : [])));
    const read = groups
      .slice(k + 1)
      .filter((later) => isLoop(later[0]!))
      .some((later) =>
        [...buffersIn([...later, ...neededBy(later, top)])].some((buffer) => stored.has(buffer)),
      );
    if (!read) last.push(...statements);
    return read;
  });
  return last.length === 0 ? kept : [...kept, last];
}

const isPure = ({ kind }: Statement): boolean => kind === "integer" || kind === "let";
const isLoop = ({ kind }: Statement): boolean => kind === "for" || kind === "reduce" || kind === "sort";

/** What the statements rest on: integers, values and indexes at the top, and what those rest on. */
function neededBy(statements: readonly Statement[], top: readonly Statement[]): ReadonlySet<Statement> {
  const wanted = new Set<number>();
  for (const statement of statements) for (const local of localsOf(statement)) wanted.add(local);
  const needed = new Set<Statement>();
  for (const statement of [...top].reverse()) {
    const defines = statement.kind === "integer" || statement.kind === "let" || statement.kind === "index";
    if (!defines || !wanted.has(statement.local)) continue;
    needed.add(statement);
    for (const local of localsOf(statement)) wanted.add(local);
  }
  return needed;
}

/** The accumulators whose results are read in a statement. */
export function resultsIn(statements: readonly Statement[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (const statement of statements) {
    visit(statement, { accumulator: (id) => found.add(id) });
  }
  return found;
}

/** The buffers that statements touch, those of rows of accumulators among them. */
export function buffersIn(statements: readonly Statement[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (const statement of statements) visit(statement, { buffer: (slot) => found.add(slot) });
  return found;
}

/** The integers and values that a statement mentions, those in loops within it included. */
function localsOf(statement: Statement): Set<number> {
  const found = new Set<number>();
  visit(statement, { local: (local) => found.add(local) });
  return found;
}

interface Visitor {
  readonly local?: (local: number) => void;
  readonly accumulator?: (id: number) => void;
  readonly buffer?: (slot: number) => void;
}

function visit(statement: Statement, visitor: Visitor): void {
  const integer = (value: Integer | null): void => {
    if (value === null) return;
    if (value.kind === "local") visitor.local?.(value.local);
    else if (value.kind !== "literal" && value.kind !== "size" && value.kind !== "axis") {
      integer(value.left);
      integer(value.right);
    }
  };
  const operand = (value: Operand): void => {
    if (value.kind === "local") visitor.local?.(value.local);
  };
  const tests = (list: readonly Test[]): void => {
    for (const { at, low, high } of list) for (const part of [at, low, high]) integer(part);
  };
  const buffer = (slot: number | null): void => {
    if (slot !== null) visitor.buffer?.(slot);
  };
  const expression = (value: Expression): void => {
    switch (value.kind) {
      case "pointwise":
        value.args.forEach(operand);
        break;
      case "load":
        buffer(value.buffer);
        integer(value.at);
        tests(value.tests);
        break;
      case "select":
        for (const choice of value.cases) {
          tests(choice.tests);
          operand(choice.value);
        }
        operand(value.otherwise);
        break;
      case "index":
        integer(value.at);
        break;
      case "result":
        visitor.accumulator?.(value.accumulator);
        integer(value.cell);
        break;
      default:
        value satisfies never;
    }
  };
  switch (statement.kind) {
    case "integer":
      integer(statement.value);
      break;
    case "let":
      expression(statement.value);
      break;
    case "store":
      buffer(statement.buffer);
      integer(statement.at);
      operand(statement.value);
      break;
    case "index":
      operand(statement.value);
      integer(statement.size);
      integer(statement.place);
      break;
    case "sort":
      buffer(statement.keys);
      buffer(statement.order);
      integer(statement.length);
      integer(statement.first);
      break;
    case "for":
      integer(statement.axis.extent);
      for (const each of statement.body) visit(each, visitor);
      break;
    case "reduce":
      for (const { extent } of statement.axes) integer(extent);
      for (const { row } of statement.accumulators) {
        if (row === null) continue;
        integer(row.cells);
        for (const slot of [row.partial, row.compensation, row.total, row.position]) buffer(slot);
      }
      for (const each of [...statement.row, ...statement.body]) visit(each, visitor);
      break;
    case "accumulate":
      visitor.accumulator?.(statement.accumulator);
      integer(statement.cell);
      integer(statement.position);
      statement.values.forEach(operand);
      break;
    default:
      statement satisfies never;
  }
}
