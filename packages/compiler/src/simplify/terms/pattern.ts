/**
 * Structural patterns of terms, in ts-pattern's language. They are compiled to predicates on first use: ts-pattern interprets a pattern
 * at every match, which would double the time to simplify. Its matchers run at the leaves.
 */
import { P } from "ts-pattern";
import type { GuardP, Matcher, SelectP } from "ts-pattern/types";
import type { Term } from "./term.ts";

/** The arguments of ts-pattern's matchers, where they are known: matching them directly allocates nothing. */
const names = new WeakMap<object, string>();
const tests = new WeakMap<object, (value: unknown) => boolean>();

/** Anything, selected under a name. */
export function select<const K extends string>(name: K): SelectP<K> {
  const pattern = P.select(name);
  names.set(pattern, name);
  return pattern;
}

/** A term that satisfies a predicate. */
export function when<V>(test: (value: V) => boolean): GuardP<V, never> {
  const pattern = P.when<V, typeof test>(test);
  tests.set(pattern, test as (value: unknown) => boolean);
  return pattern;
}

/** A term of one pointwise function, by its operands. */
export const op = <const F extends Term["fn"], const I extends readonly unknown[]>(
  fn: F,
  ...inputs: I
): { readonly fn: F; readonly inputs: I } => ({ fn, inputs });

/** A term of one node, by its attributes and operands. */
export const node = <const O extends Term["node"]["op"] & Term["fn"], A, const I extends readonly unknown[]>(
  op: O,
  attributes: A,
  ...inputs: I
): {
  readonly fn: O;
  readonly node: { readonly op: O; readonly attributes: A };
  readonly inputs: I;
} => ({ fn: op, node: { op, attributes }, inputs });

/** A term by its operands alone. */
export const of = <const I extends readonly unknown[]>(...inputs: I): { readonly inputs: I } => ({ inputs });

/** A term with such an operand at any position. */
export const ofAny = <const I>(operand: I): { readonly inputs: { readonly [k: number]: I } }[] =>
  [0, 1, 2].map((k) => ({ inputs: { [k]: operand } }));

/** A constant, its value selected under a name. */
export const constant = <const K extends string>(
  name: K,
): { readonly fn: "constant"; readonly value: SelectP<K> } => ({ fn: "constant", value: select(name) });

/** True for this value, as a float or an integer; 0 is not −0. */
export const isNumber = (value: number | bigint | undefined, wanted: number): boolean =>
  typeof value === "bigint" ? Number.isInteger(wanted) && value === BigInt(wanted) : Object.is(value, wanted);

/** A constant of this value. */
export const number = (
  wanted: number,
): { readonly fn: "constant"; readonly value: GuardP<Term["value"], never> } => ({
  fn: "constant",
  value: when((value) => isNumber(value, wanted)),
});

/** What a pattern of `V` selects, as pairs of a name and a type. */
type Picked<V, p> =
  p extends Matcher<infer _I, infer Sub, infer _Kind, infer Selected>
    ? Selected extends { readonly key: infer K extends string }
      ? [K, V & P.infer<Sub>]
      : never
    : p extends readonly unknown[]
      ? V extends readonly (infer E)[]
        ? Picked<E, p[number]>
        : never
      : p extends object
        ? { [K in keyof p]: Picked<Narrowed<V, p>[K & keyof Narrowed<V, p>], p[K]> }[keyof p]
        : never;

/** A node identified by its op. */
type Narrowed<V, p> = p extends { readonly op: infer O } ? Extract<V, { readonly op: O }> : V;

/** What a pattern of terms selects, by name. */
export type Selected<p> = { readonly [Pair in Picked<Term, p> as First<Pair>]: Second<Pair> };
type First<Pair> = Pair extends readonly [infer K extends string, unknown] ? K : never;
type Second<Pair> = Pair extends readonly [string, infer V] ? V : never;

/** The names of a pattern's selections. */
export type Selections = Record<string, unknown>;

/** True when the value matches. Selections are written into `into`, which is valid only then. */
export type Matches = (value: unknown, into: Selections) => boolean;

const isMatcher = (pattern: unknown): pattern is Matcher<unknown, unknown> =>
  typeof pattern === "object" && pattern !== null && P.matcher in pattern;

/** The pattern as a predicate: the same as ts-pattern's `match` for literals, tuples, objects and matchers. */
export function compile(pattern: unknown): Matches {
  if (typeof pattern !== "object" || pattern === null) return (value) => Object.is(value, pattern);
  const name = names.get(pattern);
  if (name !== undefined) {
    return (value, into) => {
      into[name] = value;
      return true;
    };
  }
  const test = tests.get(pattern);
  if (test !== undefined) return (value) => test(value);
  if (isMatcher(pattern)) {
    const { match } = pattern[P.matcher]();
    return (value, into) => {
      const { matched, selections } = match(value);
      if (matched && selections !== undefined) Object.assign(into, selections);
      return matched;
    };
  }
  // Cheap tests first: most terms fail there.
  const order = (part: unknown): number =>
    typeof part !== "object" || part === null || tests.has(part) ? 0 : isMatcher(part) ? 2 : 1;
  const parts = Object.entries(pattern).sort(([, a], [, b]) => order(a) - order(b));
  const matches = parts.map(([, part]) => compile(part));
  if (Array.isArray(pattern)) {
    const places = parts.map(([key]) => Number(key));
    return (value, into) => {
      if (!Array.isArray(value) || value.length !== places.length) return false;
      for (let k = 0; k < places.length; k++)
        if (!(matches[k] as Matches)(value[places[k] as number], into)) return false;
      return true;
    };
  }
  const readers = parts.map(([key]) => readerOf(key));
  return (value, into) => {
    if (typeof value !== "object" || value === null) return false;
    for (let k = 0; k < readers.length; k++)
      if (!(matches[k] as Matches)((readers[k] as Reader)(value), into)) return false;
    return true;
  };
}

type Reader = (value: object) => unknown;

/** One function for each property: V8 reads a property with a constant name much faster than with a variable one. */
const readers: { readonly [key: string]: Reader } = {
  fn: (value: { fn?: unknown }) => value.fn,
  inputs: (value: { inputs?: unknown }) => value.inputs,
  node: (value: { node?: unknown }) => value.node,
  dtype: (value: { dtype?: unknown }) => value.dtype,
  value: (value: { value?: unknown }) => value.value,
  shape: (value: { shape?: unknown }) => value.shape,
  op: (value: { op?: unknown }) => value.op,
  attributes: (value: { attributes?: unknown }) => value.attributes,
};
const readerOf = (key: string): Reader => readers[key] ?? ((value) => value[key as keyof object]);

/** The ops that the pattern allows for operand `k`; undefined if it does not restrict them. */
function opPattern(pattern: unknown, k: number): unknown {
  const { inputs } = pattern as { readonly inputs?: { readonly [k: number]: unknown } };
  const operand = inputs?.[k];
  return typeof operand === "object" && operand !== null && "fn" in operand ? operand.fn : undefined;
}

/** True when a pattern restricts the ops of operands and nothing else. */
export function saysOpsAlone(pattern: unknown): boolean {
  const { inputs = {}, ...rest } = pattern as { readonly inputs?: object };
  if (Array.isArray(inputs) || Object.keys(rest).length > 0) return false;
  return Object.values(inputs).every(
    (operand: { readonly fn?: unknown }) =>
      typeof operand.fn === "string" && Object.keys(operand).length === 1,
  );
}

/** The single op that the pattern allows for operand `k`; undefined where it allows several. */
export function opOf(pattern: unknown, k: number): string | undefined {
  const fn = opPattern(pattern, k);
  return typeof fn === "string" ? fn : undefined;
}

/** True when the pattern matches a first operand of this op, or a missing one. */
export function admitsFirst(pattern: unknown, op: Term["fn"] | undefined): boolean {
  const fn = opPattern(pattern, 0);
  if (isMatcher(fn)) return fn[P.matcher]().match(op).matched;
  return fn === undefined || fn === op;
}
