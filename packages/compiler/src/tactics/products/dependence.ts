/** What the values of a loop nest depend on: axes, and memory that the nest itself writes. */
import {
  axesOfLoop,
  type Definition,
  type Integer,
  inline,
  isDefinition,
  isLoop,
  mentionsOf,
  type Operand,
  type ReduceStatement,
  type Statement,
  someInteger,
  statementsIn,
  visitStatements,
} from "@fuseau/ir";

export class Dependence {
  /** Definitions anywhere in the nest, by their locals. */
  readonly definitions: Map<number, Definition> = new Map();
  /** The loops around each definition, and around the stores to each buffer. */
  readonly #around = new Map<number, readonly number[]>();
  readonly #stored = new Map<number, readonly number[]>();
  readonly #folds = new Map<number, ReduceStatement>();
  readonly #axes = new Map<number, ReadonlySet<number>>();
  readonly #fixed = new Map<number, boolean>();

  constructor(nest: readonly Statement[]) {
    visitStatements(nest, {
      statement: (statement, around) => {
        const axes = (): number[] => around.flatMap(axesOfLoop).map(({ axis }) => axis);
        if (isDefinition(statement)) {
          this.definitions.set(statement.local, statement);
          this.#around.set(statement.local, axes());
        } else if (statement.kind === "store")
          this.#stored.set(statement.buffer, [...(this.#stored.get(statement.buffer) ?? []), ...axes()]);
        else if (statement.kind === "reduce")
          for (const { accumulator } of statement.accumulators) this.#folds.set(accumulator, statement);
      },
    });
  }

  /** The axes that a value depends on. */
  axesOf(operand: Operand): ReadonlySet<number> {
    return operand.kind === "local" ? this.axesOfLocal(operand.local) : new Set();
  }

  axesOfLocal(local: number): ReadonlySet<number> {
    const known = this.#axes.get(local);
    if (known !== undefined) return known;
    const definition = this.definitions.get(local);
    const axes = definition === undefined ? new Set<number>() : this.#axesOfAll([definition]);
    const stored = definition === undefined ? undefined : this.#stored.get(loadedBy(definition));
    // A load and a store in the same iteration of their common loops are of the same iteration.
    for (const axis of stored ?? []) if (this.#around.get(local)!.includes(axis)) axes.add(axis);
    this.#axes.set(local, axes);
    return axes;
  }

  #axesOfAll(statements: readonly Statement[]): Set<number> {
    const axes = new Set<number>();
    const mentions = mentionsOf(statements);
    for (const axis of mentions.axes) axes.add(axis);
    for (const local of mentions.locals) for (const axis of this.axesOfLocal(local)) axes.add(axis);
    for (const id of mentions.results) for (const axis of this.#axesOfFold(id)) axes.add(axis);
    return axes;
  }

  #axesOfFold(id: number): ReadonlySet<number> {
    const fold = this.#folds.get(id);
    if (fold === undefined) return new Set();
    const within = statementsIn([fold]);
    // Other folds of the loop may depend on this one: with a scan, an index may depend on its place so far.
    const own = within.filter((statement) => statement.kind === "accumulate" && statement.accumulator === id);
    const axes = this.#axesOfAll(own);
    for (const { axis } of within.filter(isLoop).flatMap(axesOfLoop)) axes.delete(axis);
    return axes;
  }

  /** False where the value depends on what the nest folds or stores. */
  isFixed(operand: Operand): boolean {
    return operand.kind !== "local" || this.#isFixedLocal(operand.local);
  }

  #isFixedLocal(local: number): boolean {
    const known = this.#fixed.get(local);
    if (known !== undefined) return known;
    const definition = this.definitions.get(local);
    const isFixed = definition === undefined || this.isFixedDefinition(definition);
    this.#fixed.set(local, isFixed);
    return isFixed;
  }

  isFixedDefinition(definition: Definition): boolean {
    if (
      definition.kind === "let" &&
      definition.value.kind === "load" &&
      this.#stored.has(definition.value.buffer)
    )
      return false;
    const { locals, results } = mentionsOf([definition]);
    return (
      ![...results].some((id) => this.#folds.has(id)) && [...locals].every((each) => this.#isFixedLocal(each))
    );
  }

  /** The axes that an integer depends on. */
  axesOfInteger(integer: Integer): ReadonlySet<number> {
    const axes = new Set<number>();
    someInteger(integer, (leaf) => {
      if (leaf.kind === "axis") axes.add(leaf.axis);
      if (leaf.kind === "local") for (const axis of this.axesOfLocal(leaf.local)) axes.add(axis);
      return false;
    });
    return axes;
  }

  /** Integers in terms of axes, sizes and locals from outside the nest. */
  inline(integer: Integer): Integer {
    return inline(integer, (local) => {
      const definition = this.definitions.get(local);
      return definition?.kind === "integer" ? definition.value : undefined;
    });
  }

  /** True when an integer depends on one of the axes, or is read from data within the nest. */
  varies(integer: Integer, axes: readonly number[] = []): boolean {
    return someInteger(
      integer,
      (leaf) =>
        (leaf.kind === "axis" && axes.includes(leaf.axis)) ||
        (leaf.kind === "local" && this.definitions.has(leaf.local)),
    );
  }
}

/** The buffer that a definition reads, or −1. */
const loadedBy = (definition: Definition): number =>
  definition.kind === "let" && definition.value.kind === "load" ? definition.value.buffer : -1;
