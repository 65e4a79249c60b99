/**
 * Tactic: windows that slide over an image in memory.
 *
 * Matches one product of a nest whose right operand is unguarded loads, and whose left one is loads or a constant, as a box filter has.
 * Along columns the loads have a constant stride, and along k their places are in a table. This is a convolution over padded memory, or the gradient of its image. For targets with lanes.
 *
 * Makes: no packed right operand. Tiles read each element in place (`emit/wasm/matmul/window-tile.ts`). The left operand, the filters, is
 * packed once. Consecutive windows of an outer loop are one call.
 *
 * Costs the tiles' multiplications; the remaining columns cost as much as a whole vector.
 */
import type { DType, LoopAxis, Operand, Statement } from "@fuseau/ir";
import { asNumber, type Polynomial } from "../polynomial.ts";
import { stepAlong } from "../strides.ts";
import type { Dependence } from "./dependence.ts";
import { type Nest, nextContraction, type Product } from "./nest.ts";
import { type Place, type Separable, type Strided, separable, strided } from "./operand.ts";
import { behindFixed, elementLoad, isReadByTables } from "./plan.ts";

export interface WindowProduct {
  readonly product: Product;
  /** In memory, or one value for all elements. */
  readonly left: Strided | Separable | { readonly value: Operand };
  readonly window: Separable;
  /** Elements from one column to the next. */
  readonly alongColumn: Polynomial;
  /** The outer loop whose iterations are computed together: its windows have a constant stride. */
  readonly slide: LoopAxis | null;
  /** The statements that use the sums of a row. */
  readonly behind: readonly Statement[];
}

export function windowProduct(nest: Nest, dtypeOf: (buffer: number) => DType): WindowProduct | null {
  const { dependence, row } = nest;
  const contraction = nextContraction(nest, nest.body);
  const [product, ...others] = contraction?.products ?? [];
  if (contraction === null || product === undefined || others.length > 0) return null;
  const { column, depth, element } = product;
  const behind = behindFixed(nest, nest.body, contraction);
  if (column === null || behind === null || !isReadByTables(product)) return null;
  if (nextContraction(nest, behind) !== null) return null;
  const from = elementLoad({ nest, dtypeOf }, product.left, element);
  const to = elementLoad({ nest, dtypeOf }, product.right, element);
  // With a constant stride along k too, packing is faster than tables.
  if (to === null || strided(dependence, to, column.axis, depth.axis) !== null) return null;
  const window = separable(dependence, to, column.axis, depth.axis);
  const left =
    from === null ? sameEverywhere(product.left) : inMemory(dependence, from, row?.axis ?? null, depth.axis);
  const alongColumn = window && stepAlong(window.byLane, column.axis);
  if (window === null || left === null || alongColumn === null || asNumber(alongColumn) === 0) return null;
  const isEven = alongColumn.every(({ factors }) => factors.every((each) => each.kind === "size"));
  return isEven
    ? { product, left, window, alongColumn, slide: slideOf(nest, product, window), behind }
    : null;
}

const sameEverywhere = (operand: Operand): { readonly value: Operand } | null =>
  operand.kind === "local" ? null : { value: operand };

const inMemory = (
  dependence: Dependence,
  from: Place,
  lane: number | null,
  depth: number,
): Strided | Separable | null =>
  strided(dependence, from, lane, depth) ?? separable(dependence, from, lane, depth);

/** The innermost outer loop that decides where windows begin, and nothing else. */
function slideOf(
  { dependence, outer }: Nest,
  { left, column }: Product,
  { base }: Separable,
): LoopAxis | null {
  const isSlide = ({ axis }: LoopAxis): boolean =>
    !dependence.axesOf(left).has(axis) &&
    (column === null || !dependence.axesOfInteger(column.extent).has(axis)) &&
    stepAlong(base, axis) !== null;
  return outer.filter(isSlide).at(-1) ?? null;
}
