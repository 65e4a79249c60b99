/**
 * Folds of what is repeated, moved, folded already or of one element. A float sum has an order (docs/summation.md): its
 * elements' numbers, and whether it has lanes, must stay what they were; or the sum must be exact in any order.
 */
import { type DType, elementCount, isFloat, type ReduceNode, type Reducer } from "@fuseau/ir";
import { beneathExpand, runsOf, sameLongAxes } from "../axes.ts";
import type { Rule } from "../rule.ts";
import { isEmpty, type Term, type Terms } from "../term.ts";
import { represents } from "./casts.ts";

const fold = (
  law: string,
  gives: (x: Term, node: ReduceNode, terms: Terms, term: Term) => Term | undefined,
): Rule => ({
  at: ["reduce"],
  law,
  apply: (term, terms) => {
    const [x] = term.inputs as [Term];
    if (term.node.op !== "reduce" || isEmpty(x)) return undefined;
    return gives(x, term.node, terms, term);
  },
});

const picks: ReadonlySet<Reducer> = new Set(["max", "min", "any", "all"]);
const isPosition = (fn: Reducer): boolean => fn === "argmax" || fn === "argmin";

/** True for folds that give the same in any order: picks, and sums and products of integers, which wrap. */
const isUnordered = (fn: Reducer, dtype: DType): boolean =>
  picks.has(fn) || ((fn === "sum" || fn === "prod") && !isFloat(dtype));

/** True where a sum or product of floats keeps 8 lanes for each result, and so an order across them. */
const hasLanes = (axes: readonly number[], rank: number): boolean => axes.includes(rank - 1);

export const folds: readonly Rule[] = [
  fold(
    "a fold of one element → the element: max, min and a product are it, Σ is 0 + x (−0 becomes 0), any and all ask whether it is 0, its place is 0",
    (x, { attributes: { fn, axes }, dtype, shape }, terms) => {
      if (axes.some((axis) => x.node.shape[axis] !== 1)) return undefined;
      if (isPosition(fn)) return terms.full(dtype, 0, shape);
      const element = terms.reshape(terms.cast(x, dtype), shape);
      return fn === "sum" && isFloat(dtype)
        ? terms.pointwise("add", element, terms.constant(dtype, 0))
        : element;
    },
  ),
  fold(
    "any(cast(x, bool)) → any(x), all alike: both ask for elements that are not 0, and NaN is none",
    (x, { attributes: { fn, axes } }, terms) => {
      const asks = (fn === "any" || fn === "all") && x.fn === "cast" && x.dtype === "bool";
      return asks ? terms.reduce(fn, x.inputs[0] as Term, axes) : undefined;
    },
  ),
  fold(
    "fold(expand(x)) → expand(fold(x)) along axes that are kept: the elements of each result are the same, in the same order",
    (x, { attributes: { fn, axes }, shape }, terms) => {
      if (x.fn !== "expand") return undefined;
      const source = beneathExpand(x, terms);
      const once = x.node.shape.map((size, axis) =>
        axes.includes(axis) ? size : (source.node.shape[axis] as number),
      );
      if (elementCount(once) === elementCount(x.node.shape)) return undefined;
      return terms.expand(terms.reduce(fn, terms.expand(source, once), axes), shape);
    },
  ),
  fold(
    "max, min, any, all of expand(x) → of x: an element counts once however often it is there",
    (x, { attributes: { fn, axes } }, terms) => {
      const source = picks.has(fn) ? unrepeated(x, axes, terms) : undefined;
      return source && terms.reduce(fn, source.term, axes);
    },
  ),
  fold(
    "argmax, argmin of one element repeated → 0, the first place",
    (x, { attributes: { fn, axes }, dtype, shape }, terms) => {
      const source = isPosition(fn) ? unrepeated(x, axes, terms) : undefined;
      return source?.isOne ? terms.full(dtype, 0, shape) : undefined;
    },
  ),
  fold(
    "Σ of n times each integer → n · Σ (exact in wrapping integers)",
    (x, { attributes: { fn, axes } }, terms) => {
      const source = fn === "sum" && !isFloat(x.dtype) ? unrepeated(x, axes, terms) : undefined;
      if (source === undefined) return undefined;
      return terms.pointwise(
        "mul",
        terms.reduce("sum", source.term, axes),
        terms.constant("int64", source.times),
      );
    },
  ),
  fold(
    "Σ of one float16 or float32 n times → n · x + 0, where the sum has no lanes: float64 adds up n < 2²⁹ equal ones exactly, so both round n · x once; + 0 makes −0 the 0 that a sum of −0 is",
    (x, { attributes: { fn, axes }, dtype, shape }, terms) => {
      if (fn !== "sum" || (dtype !== "float32" && dtype !== "float16")) return undefined;
      if (hasLanes(axes, x.node.shape.length)) return undefined;
      const source = unrepeated(x, axes, terms);
      if (!source?.isOne || source.times >= 2 ** 29 || !represents(dtype, source.times)) return undefined;
      const element = terms.reshape(source.term, shape);
      const product = terms.pointwise("mul", element, terms.constant(dtype, source.times));
      return terms.pointwise("add", product, terms.constant(dtype, 0));
    },
  ),
  fold(
    "Σ of a constant c n times → n · c, where every multiple of c up to it is exact in the narrowest accumulator",
    (x, { attributes: { fn, axes }, dtype, shape }, terms) => {
      if (fn !== "sum" || !isFloat(dtype)) return undefined;
      const source = unrepeated(x, axes, terms);
      const value = constantBeneath(x);
      if (!source?.isOne || typeof value !== "number") return undefined;
      const total = value * source.times;
      const bits = dtype === "float64" ? 53 : 24;
      return multipleOfUnit(value) * source.times <= 2 ** bits && represents(dtype, total)
        ? terms.full(dtype, total + 0, shape)
        : undefined;
    },
  ),
  fold(
    "fold(permute(x)) → permute(fold(x)) for folds that give the same in any order",
    (x, { attributes: { fn, axes } }, terms) => {
      if (x.node.op !== "permute" || !isUnordered(fn, x.dtype)) return undefined;
      const order = x.node.attributes.axes;
      const folded = axes.map((axis) => order[axis] as number).sort((a, b) => a - b);
      const kept = order.filter((axis) => !folded.includes(axis));
      const ascending = [...kept].sort((a, b) => a - b);
      return terms.permute(
        terms.reduce(fn, x.inputs[0] as Term, folded),
        kept.map((axis) => ascending.indexOf(axis)),
      );
    },
  ),
  fold(
    "fold(reshape(x)) → reshape(fold(x)) where whole runs of axes are folded and the others stay: the elements have the same numbers",
    (x, { attributes: { fn, axes }, shape }, terms) => {
      if (x.fn !== "reshape") return undefined;
      const [source] = x.inputs as [Term];
      const last = axes.includes(x.node.shape.length - 1);
      const folded: number[] = [];
      for (const { from, to } of runsOf(source.node.shape, x.node.shape)) {
        const long = to.filter((axis) => x.node.shape[axis] !== 1);
        const some = long.filter((axis) => axes.includes(axis));
        if (some.length > 0 && some.length < long.length) return undefined;
        if (long.length === 0 ? last : some.length > 0) folded.push(...from);
      }
      const kept = source.node.shape.filter((_, axis) => !folded.includes(axis));
      const keepsOrder =
        hasLanes(folded, source.node.shape.length) === last || isUnordered(fn, x.dtype) || isPosition(fn);
      return folded.length > 0 && keepsOrder && sameLongAxes(kept, shape)
        ? terms.reshape(terms.reduce(fn, source, folded), shape)
        : undefined;
    },
  ),
];

/** What is left of a fold's input when what is repeated along the folded axes is there once. */
interface Unrepeated {
  readonly term: Term;
  /** How often each element was there. */
  readonly times: number;
  /** True when a single element is left for each result. */
  readonly isOne: boolean;
}

function unrepeated(x: Term, axes: readonly number[], terms: Terms): Unrepeated | undefined {
  if (x.fn !== "expand") return undefined;
  const source = beneathExpand(x, terms);
  const once = x.node.shape.map((size, axis) =>
    axes.includes(axis) ? (source.node.shape[axis] as number) : size,
  );
  const times = elementCount(x.node.shape) / elementCount(once);
  if (times === 1) return undefined;
  return { term: terms.expand(source, once), times, isOne: axes.every((axis) => once[axis] === 1) };
}

/** The value of a constant beneath any repetition. */
function constantBeneath(x: Term): number | bigint | undefined {
  let term = x;
  while (term.fn === "expand" || term.fn === "reshape") term = term.inputs[0] as Term;
  return term.value;
}

/** A float as a whole multiple of a power of two, as small as can be: its significant bits as an integer. */
function multipleOfUnit(value: number): number {
  let multiple = Math.abs(value);
  if (multiple === 0 || !Number.isFinite(multiple)) return multiple;
  while (!Number.isInteger(multiple)) multiple *= 2;
  while (multiple % 2 === 0) multiple /= 2;
  return multiple;
}
