/**
 * Sums of alike terms in a backward pass. A weight that is read in each step of a loop gets a product from each, and Σ AₜBₜ is one product of
 * the Aₜ and the Bₜ beside each other; the same for the sums over rows that a bias gets. So the pass has a few nodes where it had as many as
 * steps, and no sum as large as the weight is stored for each.
 */
import { elementCount } from "@fuseau/ir";
import * as record from "../record.ts";
import { mayBeLookedThrough } from "../tape/step.ts";
import type { Value } from "../value.ts";

/** Fewer terms are added. */
const FEWEST = 3;
/** Sums over axes of more elements in all are not worth a copy of these, unless a product needs that too. */
const MOST_ROWS = 2 ** 18;

/** A value as another one with permuted axes: its axis k is axis `axes[k]` of `base`. */
interface Permuted {
  readonly base: Value;
  readonly axes: readonly number[];
}

/** An operand that may be joined to others along an axis of its base. */
interface Operand extends Permuted {
  readonly along: number;
}

/** A product, or a sum over axes. */
interface Term {
  readonly share: Value;
  readonly operands: readonly Operand[];
  /** The axes that are summed; none of a product. */
  readonly folded: readonly number[];
  readonly result: Permuted;
  /** Equal for terms that can be one. */
  readonly kind: string;
}

interface Joined {
  readonly values: readonly Value[];
  readonly axis: number;
  readonly joined: Value;
}

/** Joins lists of values. A list is joined once, whoever asks. */
export class Joins {
  readonly #known = new Map<Value, Joined[]>();

  find(values: readonly Value[], axis: number): Value | undefined {
    return this.#known
      .get(values[0] as Value)
      ?.find((known) => known.axis === axis && sameValues(known.values, values))?.joined;
  }

  of(values: readonly Value[], axis: number): Value {
    const known = this.find(values, axis);
    if (known !== undefined) return known;
    const joined = record.concat(values, axis);
    const first = values[0] as Value;
    this.#known.set(first, [...(this.#known.get(first) ?? []), { values, axis, joined }]);
    return joined;
  }
}

const sameValues = (a: readonly Value[], b: readonly Value[]): boolean =>
  a.length === b.length && a.every((value, k) => value === b[k]);

/** Values with the same sum. Terms that are alike come first, as one if that pays. */
export function joinAlike(shares: readonly Value[], joins: Joins): readonly Value[] {
  if (shares.length < FEWEST) return shares;
  const kinds = new Map<string, Term[]>();
  const others: Value[] = [];
  for (const share of shares) {
    const term = termOf(share);
    const known = term === null ? undefined : kinds.get(term.kind);
    // One number many times, as a state is in which a loop begins, is better left as it is.
    if (term === null || term.operands.some(({ base }) => base.node.op === "expand")) others.push(share);
    else if (known === undefined) kinds.set(term.kind, [term]);
    else known.push(term);
  }
  const groups = [...kinds.values()];
  if (!groups.some((terms) => paysToJoin(terms, joins))) return shares;
  return [
    ...groups.flatMap((terms) =>
      paysToJoin(terms, joins) ? [joined(terms, joins)] : terms.map(({ share }) => share),
    ),
    ...others,
  ];
}

/** Null for a value that is no product and no sum over rows, or has its elements. */
function termOf(share: Value): Term | null {
  const result = permutedFrom(share);
  const { base } = result;
  const { node, inputs } = base;
  if (!mayBeLookedThrough(base)) return null;
  if (node.op === "contract") {
    const rank = node.shape.length;
    const [a, b] = inputs.map(permutedFrom) as [Permuted, Permuted];
    const operands = [along(a, rank - 1), along(b, rank - 2)];
    return { share, operands, result, folded: [], kind: kindOf("contract", result, operands) };
  }
  if (node.op === "reduce" && node.attributes.fn === "sum") {
    const { axes: folded } = node.attributes;
    const x = inputs[0] as Value;
    if (folded.length === 0) return null;
    const operand = along({ base: x, axes: x.node.shape.map((_, axis) => axis) }, folded[0] as number);
    return { share, operands: [operand], result, folded, kind: kindOf(`sum ${folded}`, result, [operand]) };
  }
  return null;
}

/** The operand to be joined along one of its axes. */
const along = (permuted: Permuted, axis: number): Operand => ({
  ...permuted,
  along: permuted.axes[axis] as number,
});

/** Terms of one kind have operands of one dtype and, but for the axis along which they are joined, of one shape. */
const kindOf = (op: string, { base, axes }: Permuted, operands: readonly Operand[]): string =>
  [
    `${op} ${base.node.dtype} ${base.node.shape} by ${axes}`,
    ...operands.map((operand) => {
      const { dtype, shape } = operand.base.node;
      return `${dtype} ${shape.map((size, axis) => (axis === operand.along ? "*" : size))} by ${operand.axes}`;
    }),
  ].join("; ");

/** Looks through permutations. */
function permutedFrom(value: Value): Permuted {
  let base = value;
  let axes: readonly number[] = value.node.shape.map((_, axis) => axis);
  for (
    let { node } = base;
    node.op === "permute" && base.inputs.length > 0 && mayBeLookedThrough(base);
    { node } = base
  ) {
    const inner = node.attributes.axes;
    axes = axes.map((axis) => inner[axis] as number);
    base = base.inputs[0] as Value;
  }
  return { base, axes };
}

/**
 * A copy of the operands has to be cheaper than the sums of results that it spares. That is so where a term folds few elements for each of
 * its result.
 */
function paysToJoin(terms: readonly Term[], joins: Joins): boolean {
  if (terms.length < FEWEST) return false;
  const [first] = terms as [Term, ...Term[]];
  const lists = first.operands.map((operand, k) => ({
    values: terms.map(({ operands }) => (operands[k] as Operand).base),
    axis: operand.along,
  }));
  // A value that all terms share is better left as it is.
  if (lists.some(({ values }) => values[0] === values[1])) return false;
  if (lists.every(({ values, axis }) => joins.find(values, axis) !== undefined)) return true;
  const copied = lists.reduce(
    (sum, { values }) => sum + values.reduce((all, { node }) => all + elementCount(node.shape), 0),
    0,
  );
  if (first.folded.length > 0) return copied <= MOST_ROWS;
  return copied <= 2 * terms.length * elementCount(first.result.base.node.shape);
}

/** The sum of terms of one kind. */
function joined(terms: readonly Term[], joins: Joins): Value {
  const { operands, folded, result } = terms[0] as Term;
  const [a, b] = operands.map(({ axes, along }, k) =>
    permuted(
      joins.of(
        terms.map((term) => (term.operands[k] as Operand).base),
        along,
      ),
      axes,
    ),
  ) as [Value, Value | undefined];
  return permuted(b === undefined ? record.reduce("sum", a, folded) : record.contract(a, b), result.axes);
}

const permuted = (value: Value, axes: readonly number[]): Value =>
  axes.every((axis, k) => axis === k) ? value : record.permute(value, axes);
