/**
 * Index expressions: `constant + Σ coefficient · atom`, where an atom is a loop axis, a quotient or a remainder, or an integer that is
 * bound or read from data when the program runs. They are pushed from consumers to producers and say where a value is read. At a buffer
 * their coefficients are the strides; a broadcast axis has no term. Equal expressions are one object within a table, so equality is
 * identity. A table lives for one compilation.
 *
 * Every expression is an index, so its value is never negative where it is evaluated; divisions may rely on it.
 */
import { mix } from "@fuseau/ir";

/** One loop variable in [0, extent). Within a strip it covers the part that the strip's own axis selects. */
export interface Axis {
  readonly kind: "axis";
  readonly id: number;
  readonly extent: number;
  readonly strip: Strip | null;
  /** Its places are strips of another axis: their width, and that axis's size. */
  readonly strips: Pick<Strip, "width" | "size"> | null;
  /** The axes that it stands for since loops were merged. Integers read from data still name those. */
  readonly merged: readonly Axis[];
}
/** An axis of `size` places is walked `width` at a time: strip k holds the places from k · width on. */
export interface Strip {
  readonly axis: Axis;
  readonly width: number;
  readonly size: number;
}
/** The iterations of a loop: all places of a size, or those of one strip. */
export interface Extent {
  readonly size: number;
  readonly strip: Strip | null;
}
/** ⌊of / by⌋ or `of mod by`; `of` is never negative. */
interface Division {
  readonly kind: "div" | "mod";
  readonly id: number;
  readonly of: Index;
  readonly by: number;
}
/** An integer in [0, extent) that is read from data at the given axes: a gather's index. */
export interface Indirect {
  readonly kind: "indirect";
  readonly id: number;
  readonly extent: number;
  readonly axes: readonly Axis[];
}
/** One of the program's numbers, in [0, extent), bound when it runs: the start of a slice or a window. */
export interface Bound {
  readonly kind: "bound";
  readonly id: number;
  readonly slot: number;
  readonly extent: number;
}
export type Atom = Axis | Division | Indirect | Bound;

export interface Term {
  readonly atom: Atom;
  readonly coefficient: number;
}

export interface Index {
  readonly id: number;
  readonly constant: number;
  /** Ascending by atom id; no coefficient is 0. */
  readonly terms: readonly Term[];
  /** The range of values, inclusive, when every axis runs over all of its extent. */
  readonly low: number;
  readonly high: number;
  /** The axes that the value depends on, those inside divisions included. */
  readonly axes: readonly Axis[];
  /** The integers read from data that it depends on, those inside divisions included. */
  readonly indirect: readonly Indirect[];
  /** How deep divisions of divisions are nested. */
  readonly depth: number;
}

/** Indexes of one hash. */
interface Interned {
  readonly index: Index;
  readonly next: Interned | undefined;
}

export class IndexTable {
  readonly #indices = new Map<number, Interned>();
  #count = 0;
  /** Those that are a single atom, by its id. */
  readonly #single: Index[] = [];
  readonly #divisions = new Map<string, Division>();
  readonly #bound = new Map<number, Bound>();
  #nextAtom = 0;

  /** A fresh loop variable. */
  axis(extent: number, strip: Strip | null = null, merged: readonly Axis[] = []): Axis {
    return { kind: "axis", id: this.#nextAtom++, extent, strip, strips: null, merged };
  }

  /** The strips of `width` in `size` places; the last may be narrower. */
  strip(size: number, width: number): Strip {
    return { axis: { ...this.axis(Math.ceil(size / width)), strips: { width, size } }, width, size };
  }

  /** A place of an extent, counted from the first of its strip. */
  within(place: Index, { strip }: Extent): Index {
    return strip === null ? place : this.add(place, this.scale(this.of(strip.axis), -strip.width));
  }

  /** A fresh integer read from data. */
  indirect(extent: number, axes: readonly Axis[]): Indirect {
    return { kind: "indirect", id: this.#nextAtom++, extent, axes };
  }

  /** The program's number in that slot: one atom, so that equal starts are equal indexes. */
  bound(slot: number, extent: number): Index {
    let atom = this.#bound.get(slot);
    if (atom === undefined) {
      atom = { kind: "bound", id: this.#nextAtom++, slot, extent };
      this.#bound.set(slot, atom);
    }
    return this.of(atom);
  }

  constant(value: number): Index {
    return this.#intern(value, []);
  }

  of(atom: Atom): Index {
    // An axis of extent 1 (or 0) is always at 0.
    if (atom.kind === "axis" && atom.extent <= 1) return this.constant(0);
    this.#single[atom.id] ??= this.#intern(0, [{ atom, coefficient: 1 }]);
    return this.#single[atom.id] as Index;
  }

  add(a: Index, b: Index): Index {
    if (b.terms.length === 0 && b.constant === 0) return a;
    if (a.terms.length === 0 && a.constant === 0) return b;
    return this.#combine(a.constant + b.constant, [...a.terms, ...b.terms]);
  }

  shift(a: Index, by: number): Index {
    return by === 0 ? a : this.#intern(a.constant + by, a.terms);
  }

  scale(a: Index, factor: number): Index {
    if (factor === 1) return a;
    if (factor === 0) return this.constant(0);
    const terms = a.terms.map(({ atom, coefficient }) => ({ atom, coefficient: coefficient * factor }));
    return this.#intern(a.constant * factor, terms);
  }

  /** Σ index[k] · strides[k]. */
  dot(index: readonly Index[], strides: readonly number[]): Index {
    let constant = 0;
    const terms: Term[] = [];
    index.forEach((part, k) => {
      const stride = strides[k] as number;
      if (stride === 0) return;
      constant += part.constant * stride;
      for (const { atom, coefficient } of part.terms) terms.push({ atom, coefficient: coefficient * stride });
    });
    return this.#combine(constant, terms);
  }

  /** ⌊a / by⌋ for a never negative and by > 0. */
  div(a: Index, by: number): Index {
    if (by === 1) return a;
    // (by·q + r) / by → q + r / by (exact while r is never negative)
    const { quotient, rest } = this.#split(a, by);
    if (rest.low < 0) return this.#division("div", a, by);
    if (rest.high < by) return quotient;
    return this.add(quotient, this.#divide(rest, by));
  }

  /** a mod by, for a never negative and by > 0. */
  mod(a: Index, by: number): Index {
    if (by === 1) return this.constant(0);
    // (by·q + r) mod by → r mod by (exact while r is never negative)
    const { rest } = this.#split(a, by);
    if (rest.low < 0) return this.#division("mod", a, by);
    if (rest.high < by) return rest;
    const single = onlyAtom(rest);
    // (e mod m·by) mod by → e mod by
    if (single?.kind === "mod" && single.by % by === 0) return this.mod(single.of, by);
    const factor = commonFactor(rest, by);
    // (g·e) mod (g·m) → g · (e mod m)
    if (factor > 1 && rest.constant % factor === 0) {
      return this.scale(this.mod(this.#reduce(rest, factor), by / factor), factor);
    }
    // (g·e + r) mod (g·m) → g · (e mod m) + r for 0 ≤ r < g
    const coarse = this.#coarse(rest, by);
    if (coarse !== null) {
      const { factor, multiples, below } = coarse;
      return this.add(this.scale(this.mod(multiples, by / factor), factor), below);
    }
    return this.#division("mod", rest, by);
  }

  /** `a` with each axis replaced by what `replacement` gives for it (undefined keeps it). */
  substitute(
    a: Index,
    replacement: (axis: Axis) => Index | undefined,
    known: Map<Index, Index> = new Map(),
  ): Index {
    // Divisions share their operands: each part is visited once.
    const done = known.get(a);
    if (done !== undefined) return done;
    let sum = this.constant(a.constant);
    for (const { atom, coefficient } of a.terms) {
      let part: Index;
      if (atom.kind === "axis") part = replacement(atom) ?? this.of(atom);
      else if (atom.kind === "indirect" || atom.kind === "bound") part = this.of(atom);
      else {
        const inner = this.substitute(atom.of, replacement, known);
        part = atom.kind === "div" ? this.div(inner, atom.by) : this.mod(inner, atom.by);
      }
      sum = this.add(sum, this.scale(part, coefficient));
    }
    known.set(a, sum);
    return sum;
  }

  #divide(a: Index, by: number): Index {
    // ⌊(a + ⌊e / m⌋) / by⌋ → ⌊(m·a + e) / (m·by)⌋
    const inner = a.terms.find(({ atom, coefficient }) => atom.kind === "div" && coefficient === 1)?.atom;
    if (inner?.kind === "div") {
      const rest = this.#intern(
        a.constant,
        a.terms.filter(({ atom }) => atom !== inner),
      );
      return this.div(this.add(this.scale(rest, inner.by), inner.of), inner.by * by);
    }
    const factor = commonFactor(a, by);
    // ⌊(g·e + c) / (g·m)⌋ → ⌊(e + ⌊c/g⌋) / m⌋
    if (factor > 1) return this.div(this.#reduce(a, factor), by / factor);
    // ⌊(g·e + r) / (g·m)⌋ → ⌊e / m⌋ for 0 ≤ r < g
    const coarse = this.#coarse(a, by);
    if (coarse !== null) return this.div(coarse.multiples, by / coarse.factor);
    return this.#division("div", a, by);
  }

  /** a = factor · multiples + below with 0 ≤ below < factor, where factor is the largest possible divisor of `by`; null where it is 1. */
  #coarse(a: Index, by: number): { factor: number; multiples: Index; below: Index } | null {
    const factors = a.terms.map(({ coefficient }) => greatestCommonDivisor(by, Math.abs(coefficient)));
    for (const factor of new Set(factors.sort((p, q) => q - p))) {
      if (factor === 1) break;
      const { quotient, rest } = this.#split(a, factor);
      if (rest.low >= 0 && rest.high < factor && quotient.low >= 0)
        return { factor, multiples: quotient, below: rest };
    }
    return null;
  }

  /** a = by · quotient + rest, with every multiple of `by` in the quotient. */
  #split(a: Index, by: number): { quotient: Index; rest: Index } {
    const whole: Term[] = [];
    const rest: Term[] = [];
    for (const term of a.terms) {
      if (term.coefficient % by === 0) whole.push({ atom: term.atom, coefficient: term.coefficient / by });
      else rest.push(term);
    }
    const constant = Math.floor(a.constant / by);
    return { quotient: this.#intern(constant, whole), rest: this.#intern(a.constant - constant * by, rest) };
  }

  /** Every coefficient divided by `factor`, which divides them all, and the constant rounded down. */
  #reduce(a: Index, factor: number): Index {
    const terms = a.terms.map(({ atom, coefficient }) => ({ atom, coefficient: coefficient / factor }));
    return this.#intern(Math.floor(a.constant / factor), terms);
  }

  #division(kind: "div" | "mod", of: Index, by: number): Index {
    const key = `${kind}${of.id},${by}`;
    let atom = this.#divisions.get(key);
    if (atom === undefined) {
      atom = { kind, id: this.#nextAtom++, of, by };
      this.#divisions.set(key, atom);
    }
    return this.#intern(0, [{ atom, coefficient: 1 }]);
  }

  #combine(constant: number, terms: readonly Term[]): Index {
    if (terms.length < 2)
      return this.#intern(constant, terms.length === 1 && terms[0]!.coefficient === 0 ? [] : terms);
    const sums = new Map<number, { atom: Atom; coefficient: number }>();
    for (const { atom, coefficient } of terms) {
      const known = sums.get(atom.id);
      if (known === undefined) sums.set(atom.id, { atom, coefficient });
      else known.coefficient += coefficient;
    }
    // k·m·(e div m) + k·(e mod m) → k·e, and k·m·((e div m) mod p) + k·(e mod m) → k·(e mod m·p)
    for (const { atom, coefficient } of sums.values()) {
      if (atom.kind !== "mod" || coefficient === 0) continue;
      // In the form that `div` gives: ⌊⌊k/3⌋/3⌋ is ⌊k/9⌋.
      const quotient = onlyAtom(this.div(atom.of, atom.by));
      const partner = quotient && partnerOf(quotient, coefficient * atom.by, sums.values());
      if (partner === undefined) continue;
      sums.delete(atom.id);
      sums.delete(partner.id);
      const both = partner === quotient ? atom.of : this.mod(atom.of, atom.by * (partner as Division).by);
      return this.add(this.#combine(constant, [...sums.values()]), this.scale(both, coefficient));
    }
    return this.#intern(
      constant,
      [...sums.values()].filter((term) => term.coefficient !== 0),
    );
  }

  #intern(constant: number, unsorted: readonly Term[]): Index {
    const terms = isAscending(unsorted) ? unsorted : [...unsorted].sort((a, b) => a.atom.id - b.atom.id);
    let hash = constant | 0;
    for (const { atom, coefficient } of terms) hash = mix(mix(hash, atom.id), coefficient | 0);
    const first = this.#indices.get(hash);
    for (let known = first; known !== undefined; known = known.next)
      if (known.index.constant === constant && sameTerms(known.index.terms, terms)) return known.index;
    const index = describe(this.#count++, constant, terms);
    this.#indices.set(hash, { index, next: first });
    return index;
  }
}

function sameTerms(a: readonly Term[], b: readonly Term[]): boolean {
  if (a.length !== b.length) return false;
  for (let k = 0; k < a.length; k++)
    if (a[k]!.atom.id !== b[k]!.atom.id || a[k]!.coefficient !== b[k]!.coefficient) return false;
  return true;
}

/** A multiple of the quotient, or of a remainder of it. */
function partnerOf(quotient: Atom, times: number, terms: Iterable<Term>): Atom | undefined {
  for (const { atom, coefficient } of terms)
    if (
      coefficient === times &&
      (atom === quotient || (atom.kind === "mod" && onlyAtom(atom.of) === quotient))
    )
      return atom;
  return undefined;
}

function isAscending(terms: readonly Term[]): boolean {
  for (let k = 1; k < terms.length; k++) if (terms[k - 1]!.atom.id > terms[k]!.atom.id) return false;
  return true;
}

function describe(id: number, constant: number, terms: readonly Term[]): Index {
  let low = constant;
  let high = constant;
  let axes: readonly Axis[] = [];
  let indirect: readonly Indirect[] = [];
  let depth = 0;
  for (const { atom, coefficient } of terms) {
    const [from, to] = rangeOf(atom);
    low += coefficient > 0 ? coefficient * from : coefficient * to;
    high += coefficient > 0 ? coefficient * to : coefficient * from;
    axes = united(axes, axesBeneath(atom));
    if (atom.kind === "indirect") indirect = united(indirect, [atom]);
    else if (atom.kind === "div" || atom.kind === "mod") {
      indirect = united(indirect, atom.of.indirect);
      depth = Math.max(depth, atom.of.depth + 1);
    }
  }
  return { id, constant, terms, low, high, axes, indirect, depth };
}

/** The union of two short lists. */
function united<T>(a: readonly T[], b: readonly T[]): readonly T[] {
  if (a.length === 0) return b;
  const more = b.filter((each) => !a.includes(each));
  return more.length === 0 ? a : [...a, ...more];
}

/** The axes that an atom depends on. */
export function axesBeneath(atom: Atom): readonly Axis[] {
  if (atom.kind === "axis") return [atom];
  if (atom.kind === "bound") return [];
  return atom.kind === "indirect" ? atom.axes : atom.of.axes;
}

function rangeOf(atom: Atom): [number, number] {
  if (atom.kind === "axis" || atom.kind === "indirect" || atom.kind === "bound")
    return [0, Math.max(0, atom.extent - 1)];
  if (atom.kind === "mod") return [0, Math.min(atom.by - 1, Math.max(0, atom.of.high))];
  return [Math.max(0, Math.floor(atom.of.low / atom.by)), Math.max(0, Math.floor(atom.of.high / atom.by))];
}

/** The atom, when the expression is just that. */
function onlyAtom(index: Index): Atom | undefined {
  const [term] = index.terms;
  return index.terms.length === 1 && index.constant === 0 && term?.coefficient === 1 ? term.atom : undefined;
}

export const whole = (size: number): Extent => ({ size, strip: null });

/** The largest number of consecutive places of the extent. */
export const widthOf = ({ size, strip }: Extent): number => (strip === null ? size : strip.width);

/** The average number of consecutive places: the strips together have all places of the extent. */
export const shareOf = ({ size, strip }: Extent): number =>
  strip === null ? size : size / strip.axis.extent;

export const sameExtents = (a: readonly Extent[], b: readonly Extent[]): boolean =>
  a.length === b.length && a.every(({ size, strip }, k) => size === b[k]?.size && strip === b[k]?.strip);

/** The axis, when the expression is a plain loop variable. */
export function plainAxis(index: Index): Axis | undefined {
  const atom = onlyAtom(index);
  return atom?.kind === "axis" ? atom : undefined;
}

function commonFactor(index: Index, by: number): number {
  let factor = by;
  for (const { coefficient } of index.terms) factor = greatestCommonDivisor(factor, Math.abs(coefficient));
  return factor;
}

function greatestCommonDivisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}
