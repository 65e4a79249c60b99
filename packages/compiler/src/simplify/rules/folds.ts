/**
 * Folds of what is repeated, moved, already folded, or of one element. A float sum has an order (docs/accumulation-order.md): its number
 * of elements, and whether it has lanes, must not change, unless the sum is exact in any order.
 */
import { type DType, elementCount, hasLanes, isFloat, type Reducer } from "@fuseau/ir";
import { P } from "ts-pattern";
import { beneathExpand, runsOf, sameLongAxes } from "../terms/axes.ts";
import { node, select, when } from "../terms/pattern.ts";
import { type Rule, rule } from "../terms/rule.ts";
import { isEmpty, type Term, type Terms } from "../terms/term.ts";
import { represents } from "./casts.ts";

const picks: ReadonlySet<Reducer> = new Set(["max", "min", "any", "all"]);
const isPosition = (fn: Reducer): boolean => fn === "argmax" || fn === "argmin";

/** True for folds whose result does not depend on order: extrema, and sums and products of integers, which wrap. */
const isUnordered = (fn: Reducer, dtype: DType): boolean =>
  picks.has(fn) || ((fn === "sum" || fn === "prod") && !isFloat(dtype));

/** So many rows whose running values are lanes pay for two transpositions. */
const SEVERAL = 8;

const x = select("x");
const axes = select("axes");
const hasElements = when((shape: readonly number[]) => elementCount(shape) > 0);
/** x, possibly repeated. */
const expand = { fn: "expand", node: { shape: P.select("repeated", hasElements) }, inputs: [x] } as const;
const fn = select("fn");
const pick = P.select("fn", P.union("max", "min", "any", "all"));
const position = P.union("argmax", "argmin");

/** A fold of an operand. */
const fold = <const F, const I>(fn: F, of: I) => node("reduce", { fn, axes }, of);

export const folds: readonly Rule[] = [
  rule({
    name: "fold of one element",
    at: ["reduce"],
    pattern: fold(fn, x),
    when: ({ x, axes }) => !isEmpty(x) && axes.every((axis) => x.node.shape[axis] === 1),
    law: "a fold of one element → the element: max, min and a product are it, Σ is 0 + x (−0 becomes 0), any and all ask whether it is 0, its place is 0",
    gives: ({ x, fn }, terms, { dtype, node: { shape } }) => {
      if (isPosition(fn)) return terms.full(dtype, 0, shape);
      const element = terms.reshape(terms.cast(x, dtype), shape);
      return fn === "sum" && isFloat(dtype)
        ? terms.pointwise("add", element, terms.constant(dtype, 0))
        : element;
    },
  }),
  rule({
    name: "scan of one element",
    at: ["scan"],
    pattern: node("scan", { fn: select("scanner"), axis: select("axis") }, x),
    when: ({ x, axis }) => x.node.shape[axis] === 1,
    law: "a scan along one element → the element: extrema and a product are it, Σ and log Σ exp are 0 + x (−0 becomes 0), its place is 0",
    gives: ({ x, scanner }, terms, { dtype, node: { shape } }) => {
      if (scanner === "lastArgmax" || scanner === "lastArgmin") return terms.full(dtype, 0, shape);
      if (x.dtype !== dtype) return undefined;
      const isSum = scanner === "sum" || scanner === "logaddexp";
      return isSum && isFloat(dtype) ? terms.pointwise("add", x, terms.constant(dtype, 0)) : x;
    },
  }),
  rule({
    name: "log-sum-exp along the last axis",
    at: ["scan"],
    pattern: node("scan", { fn: "logaddexp", axis: select("axis") }, x),
    when: ({ x: { node }, axis }) =>
      isFloat(node.dtype) &&
      axis > 0 &&
      axis === node.shape.length - 1 &&
      elementCount(node.shape.slice(0, axis)) >= SEVERAL,
    law: "a scan along the last axis → along the first of the operand transposed, and transposed back: each value is added to the same, and the running values of several rows are lanes",
    gives: ({ x, axis }, terms) => {
      const rows = Array.from({ length: axis }, (_, k) => k);
      const scanned = terms.scan("logaddexp", terms.permute(x, [axis, ...rows]), 0);
      return terms.permute(scanned, [...rows.map((k) => k + 1), 0]);
    },
  }),
  rule({
    name: "order of one element",
    at: ["argsort"],
    pattern: node("argsort", { axis: select("axis") }, x),
    when: ({ x, axis }) => x.node.shape[axis] === 1,
    law: "argsort of one element → 0",
    gives: (_, terms, { dtype, node: { shape } }) => terms.full(dtype, 0, shape),
  }),
  rule({
    name: "any of a cast",
    at: ["reduce"],
    pattern: fold(P.select("fn", P.union("any", "all")), { fn: "cast", dtype: "bool", inputs: [x] }),
    when: ({ x }) => !isEmpty(x),
    law: "any(cast(x, bool)) → any(x), all alike: both ask for elements that are not 0, and NaN is none",
    gives: ({ x, fn, axes }, terms) => terms.reduce(fn, x, axes),
  }),
  rule({
    name: "fold of expand along axes that stay",
    at: ["reduce"],
    pattern: fold(fn, expand),
    law: "fold(expand(x)) → expand(fold(x)) along axes that are kept: the elements of each result are the same, in the same order",
    gives: ({ x, repeated, fn, axes }, terms, { node }) => {
      const source = beneathExpand(x, repeated, terms);
      const once = repeated.map((size, axis) =>
        axes.includes(axis) ? size : (source.node.shape[axis] as number),
      );
      if (elementCount(once) === elementCount(repeated)) return undefined;
      // A last axis that is there once does not count, and the sum would have lanes.
      const keepsOrder =
        hasLanes(once, axes) === hasLanes(repeated, axes) || isUnordered(fn, x.dtype) || isPosition(fn);
      if (!keepsOrder) return undefined;
      return terms.expand(terms.reduce(fn, terms.expand(source, once), axes), node.shape);
    },
  }),
  rule({
    name: "pick of expand",
    at: ["reduce"],
    pattern: fold(pick, expand),
    law: "max, min, any, all of expand(x) → of x: an element counts once however often it is there",
    gives: ({ x, repeated, fn, axes }, terms) => {
      const source = unrepeated(x, repeated, axes, terms);
      return source && terms.reduce(fn, source.term, axes);
    },
  }),
  rule({
    name: "position in expand",
    at: ["reduce"],
    pattern: fold(position, expand),
    law: "argmax, argmin of one element repeated → 0, the first place",
    gives: ({ x, repeated, axes }, terms, { dtype, node }) =>
      unrepeated(x, repeated, axes, terms)?.isOne ? terms.full(dtype, 0, node.shape) : undefined,
  }),
  rule({
    name: "sum of integers repeated",
    at: ["reduce"],
    pattern: fold("sum", { ...expand, dtype: when((dtype: DType) => !isFloat(dtype)) }),
    law: "Σ of n times each integer → n · Σ (exact in wrapping integers)",
    gives: ({ x, repeated, axes }, terms) => {
      const source = unrepeated(x, repeated, axes, terms);
      return (
        source &&
        terms.pointwise("mul", terms.reduce("sum", source.term, axes), terms.constant("int64", source.times))
      );
    },
  }),
  rule({
    name: "sum of a float repeated",
    at: ["reduce"],
    pattern: { dtype: P.union("float16", "float32"), ...fold("sum", expand) },
    when: ({ repeated, axes }) => !hasLanes(repeated, axes),
    law: "Σ of one float16 or float32 n times → n · x + 0, where the sum has no lanes: float64 adds up n < 2²⁹ equal ones exactly, so both round n · x once; + 0 makes −0 the 0 that a sum of −0 is",
    gives: ({ x, repeated, axes }, terms, { dtype, node }) => {
      const source = unrepeated(x, repeated, axes, terms);
      if (!source?.isOne || source.times >= 2 ** 29 || !represents(dtype, source.times)) return undefined;
      const element = terms.reshape(source.term, node.shape);
      const product = terms.pointwise("mul", element, terms.constant(dtype, source.times));
      return terms.pointwise("add", product, terms.constant(dtype, 0));
    },
  }),
  rule({
    name: "sum of a constant repeated",
    at: ["reduce"],
    pattern: { dtype: P.when(isFloat), ...fold("sum", expand) },
    law: "Σ of a constant c n times → n · c, where every multiple of c up to it is exact in the narrowest accumulator",
    gives: ({ x, repeated, axes }, terms, { dtype, node }) => {
      const value = constantBeneath(x);
      if (typeof value !== "number") return undefined;
      const source = unrepeated(x, repeated, axes, terms);
      if (!source?.isOne) return undefined;
      const total = value * source.times;
      const bits = dtype === "float64" ? 53 : 24;
      return multipleOfUnit(value) * source.times <= 2 ** bits && represents(dtype, total)
        ? terms.full(dtype, total + 0, node.shape)
        : undefined;
    },
  }),
  rule({
    name: "fold of permute",
    at: ["reduce"],
    pattern: fold(fn, node("permute", { axes: select("order") }, x)),
    when: ({ x, fn }) => !isEmpty(x) && isUnordered(fn, x.dtype),
    law: "fold(permute(x)) → permute(fold(x)) for folds that give the same in any order",
    gives: ({ x, fn, axes, order }, terms) => {
      const folded = axes.map((axis) => order[axis] as number).sort((a, b) => a - b);
      const kept = order.filter((axis) => !folded.includes(axis));
      const ascending = [...kept].sort((a, b) => a - b);
      return terms.permute(
        terms.reduce(fn, x, folded),
        kept.map((axis) => ascending.indexOf(axis)),
      );
    },
  }),
  rule({
    name: "fold of reshape",
    at: ["reduce"],
    pattern: fold(fn, { fn: "reshape", node: { shape: select("before") }, inputs: [x] }),
    when: ({ x }) => !isEmpty(x),
    law: "fold(reshape(x)) → reshape(fold(x)) where whole runs of axes are folded and the others stay: the elements have the same numbers, and the last axis longer than 1 is folded in both or in none",
    gives: ({ x, before, fn, axes }, terms, { node: { shape } }) => {
      const folded: number[] = [];
      for (const { from, to } of runsOf(x.node.shape, before)) {
        const long = to.filter((axis) => before[axis] !== 1);
        const some = long.filter((axis) => axes.includes(axis));
        if (some.length > 0 && some.length < long.length) return undefined;
        if (some.length > 0) folded.push(...from);
      }
      const kept = x.node.shape.filter((_, axis) => !folded.includes(axis));
      return folded.length > 0 && sameLongAxes(kept, shape)
        ? terms.reshape(terms.reduce(fn, x, folded), shape)
        : undefined;
    },
  }),
];

/** The fold's input with each element along the reduced axes once. */
interface Unrepeated {
  readonly term: Term;
  /** How often each element was repeated. */
  readonly times: number;
  /** True when a single element is left for each result. */
  readonly isOne: boolean;
}

function unrepeated(
  x: Term,
  repeated: readonly number[],
  axes: readonly number[],
  terms: Terms,
): Unrepeated | undefined {
  const source = beneathExpand(x, repeated, terms);
  const once = repeated.map((size, axis) =>
    axes.includes(axis) ? (source.node.shape[axis] as number) : size,
  );
  const times = elementCount(repeated) / elementCount(once);
  if (times === 1) return undefined;
  return { term: terms.expand(source, once), times, isOne: axes.every((axis) => once[axis] === 1) };
}

/** The value of a constant, possibly repeated. */
function constantBeneath(x: Term): number | bigint | undefined {
  let term = x;
  while (term.fn === "expand" || term.fn === "reshape") term = term.inputs[0] as Term;
  return term.value;
}

/** A float as an integer times the smallest possible power of two: its significant bits. */
function multipleOfUnit(value: number): number {
  let multiple = Math.abs(value);
  if (multiple === 0 || !Number.isFinite(multiple)) return multiple;
  while (!Number.isInteger(multiple)) multiple *= 2;
  while (multiple % 2 === 0) multiple /= 2;
  return multiple;
}
