/** What the values of a loop nest rest on: axes, and memory that the nest itself writes. */
import type {
  Expression,
  ForStatement,
  Integer,
  Operand,
  ReduceStatement,
  Statement,
  Test,
} from "@fuseau/ir";

export type Definition = Extract<Statement, { readonly kind: "integer" | "let" | "index" }>;

export const isDefinition = (statement: Statement): statement is Definition =>
  statement.kind === "integer" || statement.kind === "let" || statement.kind === "index";

/** What a statement without statements in it mentions. */
interface Mentions {
  readonly axes: Set<number>;
  readonly locals: Set<number>;
  readonly results: Set<number>;
}

export class Dependence {
  /** Definitions anywhere in the nest, by their locals. */
  readonly definitions: Map<number, Definition> = new Map();
  /** The loops around each of them, and around what is stored to each buffer. */
  readonly #around = new Map<number, readonly number[]>();
  readonly #stored = new Map<number, readonly number[]>();
  readonly #folds = new Map<number, ReduceStatement>();
  readonly #axes = new Map<number, ReadonlySet<number>>();

  constructor(nest: readonly Statement[]) {
    for (const statement of nest) this.#enter(statement, []);
  }

  #enter(statement: Statement, around: readonly number[]): void {
    if (isDefinition(statement)) {
      this.definitions.set(statement.local, statement);
      this.#around.set(statement.local, around);
    } else if (statement.kind === "store") {
      this.#stored.set(statement.buffer, [...(this.#stored.get(statement.buffer) ?? []), ...around]);
    } else if (statement.kind === "for" || statement.kind === "reduce") {
      const within = [...around, ...axesOfLoop(statement)];
      if (statement.kind === "reduce") {
        for (const { accumulator } of statement.accumulators) this.#folds.set(accumulator, statement);
        for (const each of statement.row) this.#enter(each, within);
      }
      for (const each of statement.body) this.#enter(each, within);
    }
  }

  /** The axes that decide a value. */
  axesOf(operand: Operand): ReadonlySet<number> {
    return operand.kind === "local" ? this.axesOfLocal(operand.local) : new Set();
  }

  axesOfLocal(local: number): ReadonlySet<number> {
    const known = this.#axes.get(local);
    if (known !== undefined) return known;
    const definition = this.definitions.get(local);
    const axes = definition === undefined ? new Set<number>() : this.#axesOfAll([definition]);
    const stored = definition === undefined ? undefined : this.#stored.get(loadedBy(definition));
    // What is stored in an iteration of loops around both is read in the same one.
    for (const axis of stored ?? []) if (this.#around.get(local)!.includes(axis)) axes.add(axis);
    this.#axes.set(local, axes);
    return axes;
  }

  #axesOfAll(statements: readonly Statement[]): Set<number> {
    const axes = new Set<number>();
    for (const statement of statements) {
      const mentions = mentionsOf(statement);
      for (const axis of mentions.axes) axes.add(axis);
      for (const local of mentions.locals) for (const axis of this.axesOfLocal(local)) axes.add(axis);
      for (const id of mentions.results) for (const axis of this.#axesOfFold(id)) axes.add(axis);
    }
    return axes;
  }

  #axesOfFold(id: number): ReadonlySet<number> {
    const fold = this.#folds.get(id);
    if (fold === undefined) return new Set();
    const loops = [fold, ...loopsIn(fold.body)];
    const own = new Set(loops.flatMap(axesOfLoop));
    const within = loops.flatMap((loop) => loop.body).filter(({ kind }) => kind === "accumulate");
    const axes = this.#axesOfAll(within);
    for (const axis of own) axes.delete(axis);
    return axes;
  }

  /** False where the value rests on what the nest folds or stores. */
  isFixed(operand: Operand): boolean {
    return operand.kind !== "local" || this.#isFixedLocal(operand.local);
  }

  #isFixedLocal(local: number): boolean {
    const definition = this.definitions.get(local);
    return definition === undefined || this.isFixedDefinition(definition);
  }

  isFixedDefinition(definition: Definition): boolean {
    if (
      definition.kind === "let" &&
      definition.value.kind === "load" &&
      this.#stored.has(definition.value.buffer)
    )
      return false;
    const { locals, results } = mentionsOf(definition);
    return (
      ![...results].some((id) => this.#folds.has(id)) && [...locals].every((each) => this.#isFixedLocal(each))
    );
  }

  /** The axes that decide an integer. */
  axesOfInteger(integer: Integer): ReadonlySet<number> {
    return this.#axesOfAll([{ kind: "integer", local: -1, value: integer }]);
  }

  /** Integers in terms of axes, sizes and locals that are no integers of the nest. */
  inline(integer: Integer): Integer {
    switch (integer.kind) {
      case "literal":
      case "size":
      case "axis":
        return integer;
      case "local": {
        const definition = this.definitions.get(integer.local);
        return definition?.kind === "integer" ? this.inline(definition.value) : integer;
      }
      default:
        return { kind: integer.kind, left: this.inline(integer.left), right: this.inline(integer.right) };
    }
  }
}

/** The buffer that a definition reads, or −1. */
const loadedBy = (definition: Definition): number =>
  definition.kind === "let" && definition.value.kind === "load" ? definition.value.buffer : -1;

type Loop = ForStatement | ReduceStatement;

const axesOfLoop = (loop: Loop): number[] =>
  loop.kind === "for" ? [loop.axis.axis] : loop.axes.map(({ axis }) => axis);

function loopsIn(body: readonly Statement[]): Loop[] {
  return body.flatMap((statement) =>
    statement.kind === "for" || statement.kind === "reduce" ? [statement, ...loopsIn(statement.body)] : [],
  );
}

/** The locals that definitions mention. */
export const localsOf = (definitions: readonly Definition[]): number[] =>
  definitions.flatMap((each) => [...mentionsOf(each).locals]);

/** Those of the definitions that the wanted locals rest on, in their order. */
export function neededFor(wanted: Iterable<number>, definitions: readonly Definition[]): Definition[] {
  const locals = new Set(wanted);
  const needed: Definition[] = [];
  for (const definition of [...definitions].reverse()) {
    if (!locals.has(definition.local)) continue;
    needed.unshift(definition);
    for (const local of mentionsOf(definition).locals) locals.add(local);
  }
  return needed;
}

export function mentionsOf(statement: Statement): Mentions {
  const axes = new Set<number>();
  const locals = new Set<number>();
  const results = new Set<number>();
  const integer = (value: Integer | null): void => {
    if (value === null || value.kind === "literal" || value.kind === "size") return;
    if (value.kind === "axis") axes.add(value.axis);
    else if (value.kind === "local") locals.add(value.local);
    else {
      integer(value.left);
      integer(value.right);
    }
  };
  const operand = (value: Operand): void => {
    if (value.kind === "local") locals.add(value.local);
  };
  const tests = (list: readonly Test[]): void => {
    for (const { at, low, high } of list) for (const part of [at, low, high]) integer(part);
  };
  const expression = (value: Expression): void => {
    switch (value.kind) {
      case "pointwise":
        value.args.forEach(operand);
        break;
      case "load":
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
        results.add(value.accumulator);
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
      integer(statement.at);
      operand(statement.value);
      break;
    case "index":
      operand(statement.value);
      integer(statement.size);
      integer(statement.place);
      break;
    case "accumulate":
      integer(statement.cell);
      statement.values.forEach(operand);
      break;
    case "for":
      integer(statement.axis.extent);
      break;
    case "reduce":
      for (const { extent } of statement.axes) integer(extent);
      break;
    case "sort":
      integer(statement.length);
      if (statement.first !== null) integer(statement.first);
      break;
    default:
      statement satisfies never;
  }
  return { axes, locals, results };
}
