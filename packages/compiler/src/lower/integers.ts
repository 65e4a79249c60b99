/**
 * Index expressions as integers of the loop IR. The part of an index that an outer loop decides becomes an integer in that loop's body,
 * shared by all accesses that have it. What remains is a base, the innermost axis and its stride.
 */
import { type Integer, InternalError, type Statement } from "@fuseau/ir";
import type { Decide } from "../decisions.ts";
import {
  type Atom,
  type Axis,
  axesBeneath,
  type Index,
  type Indirect,
  type Strip,
  type Term,
} from "../indexing/index-expression.ts";

/** A size to which Σ factor · number is added when the program runs. */
export interface BoundSize {
  readonly slot: number;
  readonly terms: readonly { readonly place: number; readonly factor: number }[];
}

/** A size that is the number of strips of `width`; the last may be narrower. */
export interface StripCount {
  readonly slot: number;
  readonly size: number;
  readonly width: number;
}

/** One level of loops: the axes that become known there and the integers that depend on nothing deeper. */
interface Level {
  readonly axes: readonly Axis[];
  readonly integers: Map<string, Integer>;
  readonly prologue: Statement[];
}

/** The stride of what is contiguous backwards. The text shows it for every axis, since the lanes may go along any of them. */
const BACKWARDS = -1;
/** Other strides of an innermost axis for which the emitted code differs: every second element. */
const writtenStrides: ReadonlySet<number> = new Set([2]);
/** Strides in tests: loops are cut where tests change, so the text must show them. */
const testedStrides: ReadonlySet<number> = new Set([...writtenStrides, -2, 3, 4]);

/** The longest row whose columns the text shows: several of them are in one vector. */
export const FEW_COLUMNS = 8;

export class Integers {
  readonly #levels: Level[] = [{ axes: [], integers: new Map(), prologue: [] }];
  readonly #axisNames = new Map<Axis, number>();
  /** For the axes of the open levels. */
  readonly #axisLevels = new Map<Axis, number>();
  readonly #newLocal: () => number;
  readonly #lookups = new Map<Indirect, number>();
  /** Axes whose extents are in the text. */
  readonly #inText = new Set<Axis>();
  /** Axes over contiguous rows: the rows' lengths. */
  readonly #rows = new Map<Axis, { readonly length: number; readonly integer: Integer }>();
  readonly sizes: number[] = [];
  readonly begins: BoundSize[] = [];
  readonly strips: StripCount[] = [];

  readonly #decide: Decide;

  constructor(newLocal: () => number, decide: Decide) {
    this.#newLocal = newLocal;
    this.#decide = decide;
  }

  /** Opens a level; gives the axes' numbers. */
  enter(axes: readonly Axis[], extents: readonly Integer[]): number[] {
    axes.forEach((axis, k) => {
      this.#axisLevels.set(axis, this.#levels.length);
      if (extents[k]!.kind === "literal") this.#inText.add(axis);
    });
    this.#levels.push({ axes, integers: new Map(), prologue: [] });
    return axes.map((axis) => {
      const name = this.#axisNames.size;
      this.#axisNames.set(axis, name);
      return name;
    });
  }

  /** Where a step of the axis is a whole row, the text says that the stride is the row's length, not just a number. */
  lieBehindEachOther(axis: Axis, length: number, integer: Integer): void {
    this.#rows.set(axis, { length, integer });
  }

  /** From here on this local holds the atom. */
  define(atom: Indirect, local: number): void {
    this.#lookups.set(atom, local);
  }

  /** Closes the innermost level; gives the integers that stand at its head. */
  leave(): Statement[] {
    const { axes, prologue } = this.#levels.pop() as Level;
    for (const axis of axes) this.#axisLevels.delete(axis);
    return prologue;
  }

  /** The integers that stand in front of all loops. */
  prologue(): Statement[] {
    return (this.#levels[0] as Level).prologue;
  }

  /** A parameter with this value. Each role has a slot of its own, so the text does not depend on which numbers happen to be equal. */
  size(value: number): Integer {
    this.sizes.push(value);
    return { kind: "size", slot: this.sizes.length - 1 };
  }

  /** The number of places of the axis. */
  extent({ extent, strips }: Axis): Integer {
    if (strips !== null)
      this.strips.push({ slot: this.sizes.length, size: strips.size, width: strips.width });
    return this.size(extent);
  }

  /** The number of places of the current strip: the width, but for the last. */
  widthOf({ axis, width, size }: Strip): Integer {
    const level = this.#levelOf(axis);
    return this.#local(level, `width${axis.id}*${width}`, () => {
      const before: Integer = { kind: "mul", left: this.#atom(axis), right: this.size(-width) };
      const left: Integer = { kind: "add", left: before, right: this.size(size) };
      return { kind: "min", left, right: this.size(width) };
    });
  }

  /** True of an index along axes whose extents are in the text, so that in unrolled loops a test of it needs no code. */
  isInText = ({ terms }: Index): boolean =>
    terms.length > 0 && terms.every(({ atom }) => atom.kind === "axis" && this.#inText.has(atom));

  /** Such an index, with its numbers in the text. */
  inText({ constant, terms }: Index): Integer {
    const ofTerm = ({ atom, coefficient }: Term): Integer => {
      const right: Integer = { kind: "literal", value: coefficient };
      return coefficient === 1 ? this.#atom(atom) : { kind: "mul", left: this.#atom(atom), right };
    };
    const sum = terms.map(ofTerm).reduce((left, right) => ({ kind: "add", left, right }));
    return constant === 0 ? sum : { kind: "add", left: sum, right: { kind: "literal", value: constant } };
  }

  of({ constant, terms }: Index, isTested = false): Integer {
    // What is bound when the program runs is added to the constant, in one parameter.
    const bound: BoundSize["terms"][number][] = [];
    // An integer read from data is known after the head of its block, so it cannot be part of it.
    const late: Term[] = [];
    const byLevel = this.#levels.map((): Term[] => []);
    for (const term of terms) {
      const { atom, coefficient } = term;
      if (atom.kind === "bound") bound.push({ place: atom.slot, factor: coefficient });
      else if (isLate(atom)) late.push(term);
      else byLevel[this.#levelOf(atom)]?.push(term);
    }
    const written = isTested ? testedStrides : writtenStrides;
    // A column of short rows is written, so that the text shows which elements are in one vector.
    const column = constant % this.#rowOf(byLevel.at(-1)!);
    const begin = constant - column;
    let key = `${begin}`;
    for (const { place, factor } of bound) key += `+${place}*${factor}`;
    let sum: Integer | null =
      begin === 0 && bound.length === 0
        ? null
        : this.#shared(0, `k${key}`, () => this.#beginning(begin, bound));
    byLevel.forEach((own, level) => {
      if (own.length === 0) return;
      for (const { atom, coefficient } of own) {
        const isOther = isTested && written.has(coefficient) && !writtenStrides.has(coefficient);
        key += `|${atom.id}*${coefficient}${isOther ? " written" : ""}`;
      }
      const outer: Integer | null = sum;
      const isInnermost = level === byLevel.length - 1;
      const build = (): Integer =>
        own.reduce<Integer | null>(
          (left, term) => this.#plus(left, term, isInnermost ? written : null),
          outer,
        ) as Integer;
      sum = isInnermost ? this.#shared(level, key, build) : this.#local(level, key, build);
    });
    for (const term of late) sum = this.#plus(sum, term);
    const right: Integer = { kind: "literal", value: column };
    if (column === 0) return sum ?? right;
    return { kind: "add", left: sum as Integer, right };
  }

  /** The length of the short rows that the innermost loop walks across; 1 if it walks across none. */
  #rowOf(terms: readonly Term[]): number {
    const [{ atom, coefficient }] = terms.length === 1 ? (terms as [Term]) : [{ atom: null, coefficient: 1 }];
    const isShort = atom?.kind === "axis" && coefficient > 1 && coefficient <= FEW_COLUMNS;
    return this.#decide(isShort) ? coefficient : 1;
  }

  #beginning(constant: number, terms: BoundSize["terms"]): Integer {
    if (terms.length > 0) this.begins.push({ slot: this.sizes.length, terms });
    return this.size(constant);
  }

  #plus(
    left: Integer | null,
    { atom, coefficient }: Term,
    written: ReadonlySet<number> | null = null,
  ): Integer {
    const factor = this.#atom(atom);
    const isWritten =
      atom.kind === "axis" && (coefficient === BACKWARDS || written?.has(coefficient) === true);
    const row = atom.kind === "axis" ? this.#rows.get(atom) : undefined;
    const stride = (): Integer => {
      if (row?.length === coefficient) return row.integer;
      return isWritten ? { kind: "literal", value: coefficient } : this.size(coefficient);
    };
    const right: Integer = coefficient === 1 ? factor : { kind: "mul", left: factor, right: stride() };
    return left === null ? right : { kind: "add", left, right };
  }

  #atom(atom: Atom): Integer {
    if (atom.kind === "axis") return { kind: "axis", axis: this.#axisNames.get(atom) as number };
    if (atom.kind === "indirect") return { kind: "local", local: this.#lookups.get(atom) as number };
    if (atom.kind === "bound") throw new InternalError("a bound integer stands with the constant");
    if (isLate(atom)) return { kind: atom.kind, left: this.of(atom.of), right: this.size(atom.by) };
    return this.#local(this.#levelOf(atom), `${atom.kind}${atom.of.id}/${atom.by}`, () => ({
      kind: atom.kind,
      left: this.of(atom.of),
      right: this.size(atom.by),
    }));
  }

  /** The value in a local at the level, unless it is a local already. */
  #local(level: number, key: string, build: () => Integer): Integer {
    return this.#shared(level, key, () => {
      const value = build();
      if (
        value.kind !== "add" &&
        value.kind !== "mul" &&
        value.kind !== "div" &&
        value.kind !== "mod" &&
        value.kind !== "min"
      )
        return value;
      const local = this.#newLocal();
      (this.#levels[level] as Level).prologue.push({ kind: "integer", local, value });
      return { kind: "local", local };
    });
  }

  /** Made once for all accesses that have it. */
  #shared(level: number, key: string, build: () => Integer): Integer {
    const { integers } = this.#levels[level] as Level;
    let integer = integers.get(key);
    if (integer === undefined) {
      integer = build();
      integers.set(key, integer);
    }
    return integer;
  }

  /** The level at which the atom becomes known: the deepest of its axes'. */
  #levelOf(atom: Atom): number {
    if (atom.kind === "axis") return this.#axisLevels.get(atom) ?? 0;
    return axesBeneath(atom).reduce((level, axis) => Math.max(level, this.#axisLevels.get(axis) ?? 0), 0);
  }
}

/** True when the atom, or one beneath it, is read from data. */
const isLate = (atom: Atom): boolean =>
  atom.kind === "indirect" || ((atom.kind === "div" || atom.kind === "mod") && atom.of.indirect.length > 0);
