/**
 * Matrix products that are written as a product and a sum: `a.unsqueeze(1).mul(b).sum(-1)`, convolutions of windows. And those that tiles
 * gain nothing for: of one row and one column, which are a product and a sum, and of one column and one row, which are elementwise.
 */
import { elementCount, isFloat } from "@fuseau/ir";
import { P } from "ts-pattern";
import { node, of, op, select } from "../terms/pattern.ts";
import { type Rule, rule } from "../terms/rule.ts";
import { liesAsOne, stridesOf } from "../terms/strides.ts";
import { isEmpty, type Term, type Terms } from "../terms/term.ts";

/** The fewest rows and columns of a product: how often each element of a factor is used. */
const REUSE = 8;
/** Products to be summed for each result. */
const SHORTEST = 4;
/** The longest row times a column that stays a contraction: it is unrolled, so that a sum saves nothing. */
const SHORT_DOT = 16;
/** The fewest multiplications: below, a call costs more. */
const SMALLEST = 4096;

/**
 * Unlike the other rules, these change bits: a contraction sums in its own order and does not round the products
 * (docs/accumulation-order.md), so that one too small for float32 is −0 where it was negative. They depend on the recorded graph alone and
 * run before fusion, so fused and eager agree.
 */
export const products: readonly Rule[] = [
  rule({
    name: "sum of products",
    at: ["reduce"],
    pattern: {
      dtype: P.union("float32", "float64"),
      ...node(
        "reduce",
        { fn: "sum", axes: select("axes") },
        { ...op("mul", select("a"), select("b")), node: { shape: select("shape") } },
      ),
    },
    law: "Σ a · b, where a and b each lack axes that the other brings → a contraction, which sums in its own order",
    gives: ({ a, b, shape, axes }, terms, { node }) => {
      const plan = planOf(a, b, shape, axes);
      return plan && terms.reshape(contraction(plan, shape, terms), node.shape);
    },
  }),
  rule({
    name: "dot products",
    at: ["contract"],
    pattern: { dtype: P.union("float32", "float64"), ...of(select("a"), select("b")) },
    law: "a · b of one row and one column → Σ a · b, whose order has lanes: no element is used twice, so that there are no tiles",
    gives: ({ a, b }, terms, { node: { shape } }) => {
      if (shape.at(-2) !== 1 || shape.at(-1) !== 1 || isEmpty(a)) return undefined;
      if ((a.node.shape.at(-1) as number) <= SHORT_DOT) return undefined;
      const row = terms.reshape(a, withoutAxis(a, -2));
      const column = terms.reshape(b, withoutAxis(b, -1));
      const sum = terms.reduce("sum", terms.pointwise("mul", row, column), [shape.length - 2]);
      return terms.reshape(sum, shape);
    },
  }),
  rule({
    name: "outer product",
    at: ["contract"],
    pattern: of(select("a"), select("b")),
    when: ({ a }, { dtype }) => a.node.shape.at(-1) === 1 && dtype !== "bool",
    law: "a · b of one column and one row → a · b + 0: a sum of one product is that product, but begins at 0",
    gives: ({ a, b }, terms, { dtype, node: { shape } }) => {
      const product = terms.pointwise("mul", a, b);
      return isFloat(dtype) ? terms.pointwise("add", product, terms.full(dtype, 0, shape)) : product;
    },
  }),
];

const withoutAxis = ({ node: { shape } }: Term, axis: -1 | -2): number[] =>
  shape.filter((_, k) => k !== shape.length + axis);

/** Axes of the product by their role in the contraction; those of size 1 are in no list. */
interface Plan {
  readonly left: Term;
  readonly right: Term;
  /** Batch axes. */
  readonly outer: readonly number[];
  readonly rows: readonly number[];
  readonly inner: readonly number[];
  readonly columns: readonly number[];
}

function planOf(a: Term, b: Term, shape: readonly number[], summed: readonly number[]): Plan | undefined {
  if (shape.includes(0)) return undefined;
  const long = shape.map((_, axis) => axis).filter((axis) => shape[axis] !== 1);
  const [inA, inB] = [a, b].map((factor) => new Set(axesOf(factor, shape.length))) as [
    Set<number>,
    Set<number>,
  ];
  const inner = long.filter((axis) => summed.includes(axis));
  if (inner.length === 0 || inner.some((axis) => !inA.has(axis) || !inB.has(axis))) return undefined;
  const kept = long.filter((axis) => !summed.includes(axis));
  const [ownA, ownB] = [kept.filter((axis) => !inB.has(axis)), kept.filter((axis) => !inA.has(axis))];
  // The factor with the last axis becomes the right one: the result then has the required memory order.
  const [left, right, ownLeft, ownRight] =
    (ownA.at(-1) ?? -1) < (ownB.at(-1) ?? -1) ? [a, b, ownA, ownB] : [b, a, ownB, ownA];
  const [rows, columns] = [lastAsOne(left, ownLeft, shape), lastAsOne(right, ownRight, shape)];
  const outer = kept.filter((axis) => !rows.includes(axis) && !columns.includes(axis));
  const size = (axes: readonly number[]): number => elementCount(axes.map((axis) => shape[axis] as number));
  const pays =
    size(rows) >= REUSE &&
    size(columns) >= REUSE &&
    size(inner) >= SHORTEST &&
    elementCount(shape) >= SMALLEST;
  return pays ? { left, right, outer, rows, inner, columns } : undefined;
}

/** The axes of a product of `rank` along which a factor is longer than 1. */
const axesOf = ({ node: { shape } }: Term, rank: number): number[] =>
  shape.flatMap((size, axis) => (size === 1 ? [] : [axis + rank - shape.length]));

/** As many of the axes, from the last on, as are contiguous in the factor. */
function lastAsOne(factor: Term, axes: readonly number[], shape: readonly number[]): readonly number[] {
  const strides = stridesOf(factor);
  const missing = shape.length - factor.node.shape.length;
  const known = strides && [...new Array<number>(missing).fill(0), ...strides];
  let first = axes.length - 1;
  while (known && first > 0 && liesAsOne(axes.slice(first - 1), shape, known)) first--;
  return axes.slice(Math.max(0, first));
}

/** The contraction with its axes in the product's order; reduced axes and those of size 1 are left out. */
function contraction(
  { left, right, outer, rows, inner, columns }: Plan,
  shape: readonly number[],
  terms: Terms,
): Term {
  const sizes = (axes: readonly number[]): number[] => axes.map((axis) => shape[axis] as number);
  const matrices = (factor: Term, first: readonly number[], second: readonly number[]): Term => {
    const own = axesOf(factor, shape.length);
    const order = [...outer.filter((axis) => own.includes(axis)), ...first, ...second];
    const moved = terms.permute(
      terms.reshape(factor, sizes(own)),
      order.map((axis) => own.indexOf(axis)),
    );
    const matrix = [elementCount(sizes(first)), elementCount(sizes(second))];
    const once = outer.map((axis) => (own.includes(axis) ? (shape[axis] as number) : 1));
    return terms.expand(terms.reshape(moved, [...once, ...matrix]), [...sizes(outer), ...matrix]);
  };
  const product = terms.contract(matrices(left, rows, inner), matrices(right, inner, columns));
  const order = [...outer, ...rows, ...columns];
  const kept = [...order].sort((p, q) => p - q);
  return terms.permute(
    terms.reshape(product, sizes(order)),
    kept.map((axis) => order.indexOf(axis)),
  );
}
