/** Sums of products over given axes, and products of several matrices. */
import {
  type Columns,
  checkInteger,
  checkIntegers,
  type Einsum,
  type Reduce,
  type Rows,
  ShapeError,
  type SumDType,
  showShape,
  type Tensordot,
  wrapAxis,
} from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { einsum as einsumOf } from "../ops/einsum.ts";
import { contractAxes } from "../ops/linear.ts";
import { unsqueeze, withShape } from "../ops/movement.ts";
import { checkNamedDTypes, onlyFloat } from "../ops/operand.ts";
import { mul } from "../ops/pointwise.ts";
import { matmul } from "../ops/product.ts";
import { sum } from "../ops/reduction.ts";
import * as record from "../record.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor, PairShape } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import { valuesOf } from "./lists.ts";

/**
 * Σ a·b along `dim` (−1) of the shape to which both broadcast (PyTorch: `linalg.vecdot`).
 * @throws ShapeError when the shapes do not broadcast, RangeError for an axis that does not exist, DTypeError for integers or bools, or
 * different dtypes.
 */
export const vecdot = declareFunction(
  "vecdot(a, b, { dim })",
  <const A extends AnyTensor, const B extends AnyTensor, const D extends number = -1>(
    a: A,
    b: B,
    options?: { readonly dim?: D },
  ): Tensor<Reduce<PairShape<A, B>, D>, A["dtype"]> => {
    const [x, y] = [unwrap(a), unwrap(b)];
    onlyFloat(x);
    checkNamedDTypes(["x", "y"], x, y);
    return wrap(sum(mul(x, y), options?.dim ?? -1, false, null));
  },
);

/** How many axes are summed, the last of one operand and the first of the other; or which, by operand. */
type ContractedAxes = number | readonly [readonly number[], readonly number[]];

/**
 * Sums products along axes: the last `dims` (2) of `a` with the first of `b`, or `[axes of a, axes of b]`.
 * @throws ShapeError when their sizes differ.
 */
export const tensordot = declareFunction(
  "tensordot(a, b, dims)",
  <const A extends AnyTensor, const B extends AnyTensor, const D extends ContractedAxes = 2>(
    a: A,
    b: B,
    dims?: D,
  ): Tensor<Tensordot<A[ShapeKey], B[ShapeKey], D>, A["dtype"]> =>
    wrap(overAxes(unwrap(a), unwrap(b), dims ?? 2)),
);

/**
 * Sums products along pairs of axes: the last `dims` of a with the first of b, or the axes listed for each.
 * @throws ShapeError when their sizes differ, RangeError for an axis that is listed twice.
 */
function overAxes(a: Value, b: Value, dims: ContractedAxes): Value {
  if (Array.isArray(dims) && dims.length !== 2)
    throw new TypeError("dims is a number of axes or two lists of axes, e.g. [[1], [0]]");
  const [left, right] = Array.isArray(dims) ? (dims as [number[], number[]]) : endAxes(a, b, dims as number);
  checkIntegers("dims[0]", left);
  checkIntegers("dims[1]", right);
  if (left.length !== right.length) throw new ShapeError("both dimension lists should have same length");
  const axesA = left.map((axis) => wrapAxis(axis, a.node.shape));
  const axesB = right.map((axis) => wrapAxis(axis, b.node.shape));
  for (const axes of [axesA, axesB]) {
    const twice = axes.find((axis, k) => axes.indexOf(axis) < k);
    if (twice !== undefined) throw new RangeError(`dim ${twice} appears multiple times in the list of dims`);
  }
  const alone: [number[], number[]] = [[], []];
  axesA.forEach((axis, k) => {
    const [one, other] = [a.node.shape[axis], b.node.shape[axesB[k]!]];
    // An axis of size 1 that meets a longer one is broadcast, so the longer one is summed by itself.
    if (one === other) return;
    if (one === 1) alone[1].push(axesB[k]!);
    else if (other === 1) alone[0].push(axis);
    else
      throw new ShapeError(
        `contracted dimensions need to match, but first has size ${one} in dim ${left[k]} and second has size ${other} in dim ${right[k]} (shapes ${showShape(a.node.shape)} and ${showShape(b.node.shape)})`,
      );
  });
  const [x, y] = [a, b].map((value, k) =>
    alone[k]!.length === 0 ? value : record.cast(sum(value, alone[k]!, true, null), value.node.dtype),
  ) as [Value, Value];
  return contractAxes(x, y, axesA, axesB);
}

function endAxes(a: Value, b: Value, dims: number): [number[], number[]] {
  checkInteger("dims", dims);
  if (dims < 0) throw new RangeError(`tensordot expects dims >= 0, but got dims=${dims}`);
  const rank = a.node.shape.length;
  if (dims > rank || dims > b.node.shape.length)
    throw new ShapeError(
      `tensordot expects dims <= the number of axes of both, but got dims=${dims} for shapes ${showShape(a.node.shape)} and ${showShape(b.node.shape)}`,
    );
  const first = Array.from({ length: dims }, (_, k) => k);
  return [first.map((k) => rank - dims + k), first];
}

type ShapesOf<L extends readonly AnyTensor[]> = { -readonly [K in keyof L]: L[K][ShapeKey] };

/**
 * A sum of products in Einstein's notation: `einsum("ij,jk->ik", a, b)` is `a.mm(b)`. A letter names an axis, which is summed if the output
 * lacks it. A letter that occurs twice in an operand takes its diagonal. `...` stands for the other axes, which broadcast. Without an
 * arrow, the output has the letters that occur once, in alphabetical order. An axis that one operand alone has is summed by itself, so that
 * integers and bool become int64 there, as in PyTorch.
 * @throws ShapeError for an equation that does not fit the operands.
 */
export const einsum = declareFunction(
  "einsum(equation, ...operands)",
  <const E extends string, const L extends readonly AnyTensor[]>(
    equation: E,
    ...operands: L
  ): Tensor<Einsum<E, ShapesOf<L>>, L[number]["dtype"] | SumDType<L[number]["dtype"]>> => {
    const list: readonly AnyTensor[] =
      operands.length === 1 && Array.isArray(operands[0]) ? operands[0] : operands;
    return wrap(einsumOf(equation, list.map(unwrap)));
  },
);

/** The rows of the first and the columns of the last. */
type ChainShape<L extends readonly AnyTensor[]> = L extends readonly [
  infer First extends AnyTensor,
  ...AnyTensor[],
  infer Last extends AnyTensor,
]
  ? [
      ...(First[ShapeKey] extends [number] ? [] : [Rows<First[ShapeKey]>]),
      ...(Last[ShapeKey] extends [number] ? [] : [Columns<Last[ShapeKey]>]),
    ]
  : number[];

/** The product of several matrices, in the order that takes the fewest multiplications. The first and the last may be vectors. */
export const multiDot = declareFunction(
  "multiDot(tensors)",
  <const L extends readonly AnyTensor[]>(tensors: L): Tensor<ChainShape<L>, L[number]["dtype"]> =>
    wrap(inBestOrder(valuesOf(tensors))),
);

/** The product of several matrices, in the order that takes the fewest multiplications. The first and the last may be vectors. */
function inBestOrder(values: readonly Value[]): Value {
  if (values.length < 2)
    throw new ShapeError(`multi_dot(): expected at least 2 tensors but got ${values.length}`);
  const last = values.length - 1;
  const matrices = values.map((value, k) => {
    const { shape } = value.node;
    if (shape.length === 2) return value;
    if (shape.length === 1 && (k === 0 || k === last)) return unsqueeze(value, k === 0 ? 0 : 1);
    throw new ShapeError(
      `multi_dot(): tensor ${k} must be ${k === 0 || k === last ? "1D or 2D" : "2D"} but got ${shape.length}D`,
    );
  });
  const sizes = [matrices[0]!.node.shape[0]!, ...matrices.map((value) => value.node.shape[1]!)];
  const product = ordered(matrices, splits(sizes), 0, last);
  const kept = product.node.shape.filter((_, axis) => values[axis === 0 ? 0 : last]!.node.shape.length === 2);
  return withShape(product, kept);
}

/** Where to split the product of matrices i to j, by the usual O(n³) dynamic program. */
function splits(sizes: readonly number[]): number[][] {
  const count = sizes.length - 1;
  const cost = Array.from({ length: count }, () => new Array<number>(count).fill(0));
  const split = Array.from({ length: count }, () => new Array<number>(count).fill(0));
  for (let length = 1; length < count; length++) {
    for (let i = 0; i + length < count; i++) {
      const j = i + length;
      let best = Infinity;
      for (let k = i; k < j; k++) {
        const total = cost[i]![k]! + cost[k + 1]![j]! + sizes[i]! * sizes[k + 1]! * sizes[j + 1]!;
        if (total < best) {
          best = total;
          split[i]![j] = k;
        }
      }
      cost[i]![j] = best;
    }
  }
  return split;
}

function ordered(
  matrices: readonly Value[],
  split: readonly (readonly number[])[],
  from: number,
  to: number,
): Value {
  if (from === to) return matrices[from]!;
  const at = split[from]![to]!;
  return matmul(ordered(matrices, split, from, at), ordered(matrices, split, at + 1, to));
}

/** {@link multiDot} of the arguments. */
export const chainMatmul = declareFunction(
  "chainMatmul(...tensors)",
  <const L extends readonly AnyTensor[]>(...tensors: L): Tensor<ChainShape<L>, L[number]["dtype"]> =>
    multiDot(tensors),
);
