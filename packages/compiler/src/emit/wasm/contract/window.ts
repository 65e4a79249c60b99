/**
 * Tactic: windows that slide over an image in memory.
 *
 * Matches one product of a nest whose right operand is loads without tests: from column to column elements are even steps apart, and
 * along k they are where a table says. That is a convolution over what has been padded, or the gradient of its image. For targets with
 * lanes.
 *
 * Makes: no packed right operand. Tiles read each element where it stands (matmul/window-tile.ts). The left operand, the filters, is
 * packed once. Windows that follow each other in an outer loop are one call.
 *
 * Costs what the tiles' multiplications cost; the columns that are left over cost as many as a vector has.
 */
import type { LoopAxis, Statement } from "@fuseau/ir";
import { asNumber, type Polynomial } from "../../../tactics/polynomial.ts";
import { hasWindows } from "../matmul/window.ts";
import type { Workspaces } from "../plan/workspaces.ts";
import { type Kinds, type Nest, nextContraction, type Product } from "./match.ts";
import { type Strided, stridedOperand } from "./operand.ts";
import { behindFixed } from "./plan.ts";
import { evenStep, type Separable, separable } from "./separable.ts";

export interface WindowProduct {
  readonly product: Product;
  /** Without tables where steps are even. */
  readonly left: Strided | Separable;
  readonly window: Separable;
  /** Elements from one column to the next. */
  readonly alongColumn: Polynomial;
  /** The outer loop whose iterations are made together: the windows of one are even steps from those of the next. */
  readonly slide: LoopAxis | null;
  /** What is done with the sums of a row. */
  readonly behind: readonly Statement[];
}

export function windowProduct(nest: Nest, kinds: Kinds, workspaces: Workspaces): WindowProduct | null {
  const { dependence, row } = nest;
  const contraction = nextContraction(nest, nest.body, kinds);
  const [product, ...others] = contraction?.products ?? [];
  if (contraction === null || product === undefined || others.length > 0) return null;
  const { column, depth, element, kind } = product;
  const behind = behindFixed(nest, nest.body, contraction);
  if (column === null || behind === null || !hasWindows(kind)) return null;
  if (nextContraction(nest, behind, kinds) !== null) return null;
  // What takes even steps along k too is packed faster than it is looked up.
  if (stridedOperand(dependence, product.right, column.axis, depth.axis) !== null) return null;
  const window = separable(dependence, product.right, column.axis, depth.axis);
  const left =
    stridedOperand(dependence, product.left, row?.axis ?? null, depth.axis) ??
    separable(dependence, product.left, row?.axis ?? null, depth.axis);
  if (window === null || left === null) return null;
  if ([window, left].some(({ buffer }) => workspaces.dtypeOf(buffer) !== element)) return null;
  const step = evenStep(dependence, window.byLane, column.axis);
  const isEven =
    step !== null &&
    [...step.along.values()].every(({ factors }) => factors.every((each) => each.kind === "size"));
  if (!isEven || asNumber(step.along) === 0) return null;
  const slide = slideOf(nest, product, window);
  return { product, left, window, alongColumn: step.along, slide, behind };
}

/** The innermost outer loop that decides where windows begin and nothing else. */
function slideOf(
  { dependence, outer }: Nest,
  { left, column }: Product,
  { base }: Separable,
): LoopAxis | null {
  const isSlide = ({ axis }: LoopAxis): boolean =>
    !dependence.axesOf(left).has(axis) &&
    (column === null || !dependence.axesOfInteger(column.extent).has(axis)) &&
    evenStep(dependence, base, axis) !== null;
  return outer.filter(isSlide).at(-1) ?? null;
}
