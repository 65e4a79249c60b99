/**
 * The one traversal of the loop IR: what statements mention, and how to rewrite them. Passes and emitters use it, so that a new kind of
 * statement, expression or integer is added in one file. The *meaning* of each kind is not here: printers, verifiers, costs and emitters
 * switch over the kinds themselves.
 */
import type {
  Choice,
  Cut,
  Expression,
  ForStatement,
  Integer,
  LoopAxis,
  LoopKernel,
  Operand,
  ReduceStatement,
  Run,
  Statement,
  Test,
} from "./node.ts";

export type Loop = ForStatement | ReduceStatement;
/** A statement that gives a local its value. */
export type Definition = Extract<Statement, { readonly kind: "integer" | "let" | "index" }>;
/** An integer that is a name: an axis or a local. */
export type Name = Extract<Integer, { readonly kind: "axis" | "local" }>;

export const isLoop = (statement: Statement): statement is Loop =>
  statement.kind === "for" || statement.kind === "reduce";

export const isDefinition = (statement: Statement): statement is Definition =>
  statement.kind === "integer" || statement.kind === "let" || statement.kind === "index";

/** Outermost first. */
export const axesOfLoop = (loop: Loop): readonly LoopAxis[] =>
  loop.kind === "for" ? [loop.axis] : loop.axes;

/** The statements within a loop, in the order in which they run. */
export const bodyOfLoop = (loop: Loop): readonly Statement[] =>
  loop.kind === "for" || loop.row.length === 0 ? loop.body : [...loop.row, ...loop.body];

/** Where a loop is cut; null where it is not. */
export const cutOf = (run: Run | undefined): Cut | null => (run?.kind === "vector" && run.cut) || null;

// What a kernel mentions

/** A callback for each part of a statement. Any of them may be left out. */
export interface PartVisitor {
  readonly axis?: (axis: number) => void;
  /** Integers and values alike: they share one numbering. */
  readonly local?: (local: number) => void;
  /** An operand that is a value, a constant or a scalar. A value is also given to `local`. */
  readonly operand?: (operand: Operand) => void;
  /** A buffer that is read, written or sorted, or is of a row of accumulators. */
  readonly buffer?: (slot: number) => void;
  /** An accumulator whose result is read. */
  readonly result?: (accumulator: number) => void;
}

export interface Visitor extends PartVisitor {
  /**
   * Called before the statement's parts are visited, and those before the statements within it. `around` has the loops around it, outermost
   * first.
   */
  readonly statement?: (statement: Statement, around: readonly Loop[]) => void;
}

/** Visits all statements in their order, also those within loops, and their parts. */
export function visitStatements(
  body: readonly Statement[],
  visitor: Visitor,
  around: readonly Loop[] = [],
): void {
  for (const statement of body) {
    visitor.statement?.(statement, around);
    visitParts(statement, visitor);
    if (!isLoop(statement)) continue;
    const within = [...around, statement];
    if (statement.kind === "reduce") visitStatements(statement.row, visitor, within);
    visitStatements(statement.body, visitor, within);
  }
}

/** Visits the parts of the statement itself. Of a loop these are the extents and the accumulators, not the statements within. */
export function visitParts(statement: Statement, visitor: PartVisitor): void {
  switch (statement.kind) {
    case "integer":
      visitInteger(statement.value, visitor);
      break;
    case "let":
      visitExpression(statement.value, visitor);
      break;
    case "store":
      visitor.buffer?.(statement.buffer);
      visitInteger(statement.at, visitor);
      visitOperand(statement.value, visitor);
      break;
    case "index":
      visitOperand(statement.value, visitor);
      visitInteger(statement.size, visitor);
      visitInteger(statement.place, visitor);
      break;
    case "sort":
      visitor.buffer?.(statement.keys);
      if (statement.order !== null) visitor.buffer?.(statement.order);
      visitInteger(statement.length, visitor);
      visitInteger(statement.first, visitor);
      break;
    case "for":
      visitInteger(statement.axis.extent, visitor);
      visitCut(statement.run, visitor);
      break;
    case "reduce":
      visitCut(statement.run, visitor);
      for (const { extent } of statement.axes) visitInteger(extent, visitor);
      for (const { row } of statement.accumulators) {
        if (row === null) continue;
        visitInteger(row.cells, visitor);
        for (const slot of [row.partial, row.compensation, row.total, row.position])
          if (slot !== null) visitor.buffer?.(slot);
      }
      break;
    case "accumulate":
      visitInteger(statement.cell, visitor);
      visitInteger(statement.position, visitor);
      for (const value of statement.values) visitOperand(value, visitor);
      break;
    default:
      statement satisfies never;
  }
}

function visitCut(run: Run | undefined, visitor: PartVisitor): void {
  for (const at of cutOf(run)?.at ?? []) visitInteger(at, visitor);
}

function visitExpression(expression: Expression, visitor: PartVisitor): void {
  switch (expression.kind) {
    case "pointwise":
      for (const arg of expression.args) visitOperand(arg, visitor);
      break;
    case "load":
      visitor.buffer?.(expression.buffer);
      visitInteger(expression.at, visitor);
      visitTests(expression.tests, visitor);
      break;
    case "select":
      for (const { tests, value } of expression.cases) {
        visitTests(tests, visitor);
        visitOperand(value, visitor);
      }
      visitOperand(expression.otherwise, visitor);
      break;
    case "index":
      visitInteger(expression.at, visitor);
      break;
    case "result":
      visitor.result?.(expression.accumulator);
      visitInteger(expression.cell, visitor);
      break;
    default:
      expression satisfies never;
  }
}

function visitTests(tests: readonly Test[], visitor: PartVisitor): void {
  for (const { at, low, high } of tests) {
    visitInteger(at, visitor);
    visitInteger(low, visitor);
    visitInteger(high, visitor);
  }
}

function visitOperand(operand: Operand, visitor: PartVisitor): void {
  visitor.operand?.(operand);
  if (operand.kind === "local") visitor.local?.(operand.local);
}

function visitInteger(integer: Integer | null, visitor: PartVisitor): void {
  if (integer === null) return;
  switch (integer.kind) {
    case "literal":
    case "size":
      break;
    case "axis":
      visitor.axis?.(integer.axis);
      break;
    case "local":
      visitor.local?.(integer.local);
      break;
    default:
      visitInteger(integer.left, visitor);
      visitInteger(integer.right, visitor);
  }
}

/** Everything that statements mention, also within loops. */
export interface Mentions {
  readonly axes: ReadonlySet<number>;
  /** Integers and values alike: they share one numbering. */
  readonly locals: ReadonlySet<number>;
  readonly buffers: ReadonlySet<number>;
  /** Accumulators whose results are read. */
  readonly results: ReadonlySet<number>;
}

export function mentionsOf(statements: readonly Statement[]): Mentions {
  const [axes, locals] = [new Set<number>(), new Set<number>()];
  const [buffers, results] = [new Set<number>(), new Set<number>()];
  visitStatements(statements, {
    axis: (axis) => axes.add(axis),
    local: (local) => locals.add(local),
    buffer: (slot) => buffers.add(slot),
    result: (accumulator) => results.add(accumulator),
  });
  return { axes, locals, buffers, results };
}

/** How many of a kernel's buffers the caller binds. Private buffers come after them. */
export const countBound = ({ buffers }: LoopKernel): number =>
  buffers.filter(({ access }) => access !== "private").length;

/** All statements in their order, also those within loops. */
export function statementsIn(body: readonly Statement[]): Statement[] {
  const all: Statement[] = [];
  const list = (statements: readonly Statement[]): void => {
    for (const statement of statements) {
      all.push(statement);
      if (isLoop(statement)) list(bodyOfLoop(statement));
    }
  };
  list(body);
  return all;
}

/** The locals that statements define, also within loops. */
export const localsDefinedIn = (body: readonly Statement[]): number[] =>
  statementsIn(body).flatMap((statement) => (isDefinition(statement) ? [statement.local] : []));

/** The buffers that statements store to, also within loops. */
export const buffersStoredIn = (body: readonly Statement[]): ReadonlySet<number> =>
  new Set(statementsIn(body).flatMap((statement) => (statement.kind === "store" ? [statement.buffer] : [])));

/** The definitions that the wanted locals depend on, in their order. */
export function definitionsOf(
  wanted: Iterable<number>,
  definitions: readonly Statement[],
): readonly Definition[] {
  const locals = new Set(wanted);
  const needed: Definition[] = [];
  for (let k = definitions.length - 1; k >= 0; k--) {
    const definition = definitions[k]!;
    if (!isDefinition(definition) || !locals.has(definition.local)) continue;
    needed.push(definition);
    visitParts(definition, { local: (local) => locals.add(local) });
  }
  return needed.reverse();
}

// Integers

/** True when `holds` is true of the integer or of one that it is made of. */
export function someInteger(integer: Integer, holds: (leaf: Integer) => boolean): boolean {
  switch (integer.kind) {
    case "literal":
    case "size":
    case "axis":
    case "local":
      return holds(integer);
    default:
      return someInteger(integer.left, holds) || someInteger(integer.right, holds);
  }
}

/** The integer with its names replaced by what `replace` gives. An integer that does not change stays the same object. */
export function substitute(integer: Integer, replace: (name: Name) => Integer): Integer {
  switch (integer.kind) {
    case "literal":
    case "size":
      return integer;
    case "axis":
    case "local":
      return replace(integer);
    default: {
      const left = substitute(integer.left, replace);
      const right = substitute(integer.right, replace);
      return left === integer.left && right === integer.right ? integer : { kind: integer.kind, left, right };
    }
  }
}

/** The integer with its locals replaced by their values, and so on in those. A local that has no value stays. */
export function inline(integer: Integer, meaning: (local: number) => Integer | undefined): Integer {
  return substitute(integer, (name) => {
    const value = name.kind === "local" ? meaning(name.local) : undefined;
    return value === undefined ? name : inline(value, meaning);
  });
}

// Rewriting

/**
 * The statements, each replaced by what `change` gives for it: one, several or none. The statements within a loop are changed before the
 * loop is. What does not change stays the same object.
 */
export function mapStatements(
  body: readonly Statement[],
  change: (statement: Statement) => Statement | readonly Statement[],
): readonly Statement[] {
  let changed = false;
  const result: Statement[] = [];
  for (const statement of body) {
    const given = change(mapWithin(statement, change));
    changed ||= given !== statement;
    if ("kind" in given) result.push(given);
    else result.push(...given);
  }
  return changed ? result : body;
}

function mapWithin(statement: Statement, change: Parameters<typeof mapStatements>[1]): Statement {
  if (!isLoop(statement)) return statement;
  const body = mapStatements(statement.body, change);
  if (statement.kind === "for") return body === statement.body ? statement : { ...statement, body };
  const row = mapStatements(statement.row, change);
  return body === statement.body && row === statement.row ? statement : { ...statement, row, body };
}

/** The statements, also within loops, with every integer in them replaced by what `change` gives for it. */
export function mapIntegers(
  body: readonly Statement[],
  change: (integer: Integer) => Integer,
): readonly Statement[] {
  const axis = (each: LoopAxis): LoopAxis => ({ ...each, extent: change(each.extent) });
  const test = ({ at, low, high }: Test): Test => ({
    at: change(at),
    low: low && change(low),
    high: high && change(high),
  });
  const value = (expression: Expression): Expression => {
    if (expression.kind === "load")
      return { ...expression, at: change(expression.at), tests: expression.tests.map(test) };
    if (expression.kind === "index") return { ...expression, at: change(expression.at) };
    if (expression.kind === "result") return { ...expression, cell: change(expression.cell) };
    if (expression.kind === "pointwise") return expression;
    const cases = expression.cases.map((choice) => ({ ...choice, tests: choice.tests.map(test) }));
    return { ...expression, cases };
  };
  const runOf = ({ run }: Loop) =>
    run?.kind === "vector" && run.cut !== undefined
      ? { run: { ...run, cut: { ...run.cut, at: run.cut.at.map(change) } } }
      : null;
  return mapStatements(body, (statement): Statement => {
    switch (statement.kind) {
      case "integer":
        return { ...statement, value: change(statement.value) };
      case "let":
        return { ...statement, value: value(statement.value) };
      case "store":
        return { ...statement, at: change(statement.at) };
      case "index":
        return { ...statement, size: change(statement.size), place: change(statement.place) };
      case "sort":
        return {
          ...statement,
          length: change(statement.length),
          first: statement.first && change(statement.first),
        };
      case "for":
        return { ...statement, ...runOf(statement), axis: axis(statement.axis) };
      case "reduce":
        return {
          ...statement,
          ...runOf(statement),
          axes: statement.axes.map(axis),
          accumulators: statement.accumulators.map((each) =>
            each.row === null ? each : { ...each, row: { ...each.row, cells: change(each.row.cells) } },
          ),
        };
      case "accumulate":
        return { ...statement, cell: change(statement.cell), position: change(statement.position) };
      default:
        return statement satisfies never;
    }
  });
}

/** The statement with each of its tests replaced by what `change` gives for it. */
export function mapTests(statement: Statement, change: (test: Test) => Test): Statement {
  if (statement.kind !== "let") return statement;
  const { value } = statement;
  if (value.kind === "load") return { ...statement, value: { ...value, tests: value.tests.map(change) } };
  if (value.kind !== "select") return statement;
  const cases = value.cases.map((choice): Choice => ({ ...choice, tests: choice.tests.map(change) }));
  return { ...statement, value: { ...value, cases } };
}
