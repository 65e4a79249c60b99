/**
 * Tactic: windows that slide over an image in memory.
 *
 * Matches one product of a nest whose right operand is loads without tests: from column to column elements are even steps apart, and
 * along k they are wherever they are, but as far from the window's begin for all columns and rows. That is a convolution over what has
 * been padded. For targets with lanes.
 *
 * Makes: no packed right operand. A table says where along k each element stands, and tiles read it there (matmul/window-tile.ts). The
 * left operand, the filters, is packed once. Windows that follow each other in an outer loop are one call.
 *
 * Costs what the tiles' multiplications cost; the columns that are left over cost as many as a vector has.
 */
import type { Integer, LoopAxis } from "@fuseau/ir";
import { hasWindows } from "../matmul/window.ts";
import type { Workspaces } from "../plan/workspaces.ts";
import { type Monomial, type Polynomial, split } from "../sites/polynomial.ts";
import { polynomialOf } from "../sites/site.ts";
import type { Dependence } from "./dependence.ts";
import type { Nest } from "./match.ts";
import { alongAxis, plainLoad, type Strided } from "./operand.ts";
import type { PlannedProduct, Step } from "./plan.ts";

export interface Window {
  readonly buffer: number;
  /** Where the first column's first element is, by the outer loops. */
  readonly base: Polynomial;
  readonly alongColumn: Polynomial;
  /** How far behind that elements along k are. */
  readonly offset: Polynomial;
}

export interface WindowProduct {
  readonly product: PlannedProduct & { readonly a: Strided };
  readonly window: Window;
  /** The outer loop whose iterations are made together: the windows of one are even steps from those of the next. */
  readonly slide: LoopAxis | null;
}

/** The only product of a nest, if it is of windows; the steps behind it may do anything. */
export function windowProduct(
  nest: Nest,
  steps: readonly Step[],
  workspaces: Workspaces,
): WindowProduct | null {
  const [first, ...others] = steps;
  if (first?.kind !== "multiply" || others.some(({ kind }) => kind === "multiply")) return null;
  const { product } = first;
  const { a } = product;
  if ("workspace" in a || product.b !== null || product.column === null || !hasWindows(product.kind))
    return null;
  const window = windowOf(nest.dependence, product);
  if (window === null || workspaces.dtypeOf(window.buffer) !== product.element) return null;
  return { product: { ...product, a }, window, slide: slideOf(nest, product, window) };
}

function windowOf(dependence: Dependence, product: PlannedProduct): Window | null {
  const { right, column, depth } = product;
  const loaded = plainLoad(dependence, right);
  if (column === null || loaded === null) return null;
  const place = polynomialOf(dependence.inline(loaded.at));
  const decided = ({ factors }: Monomial, axis: number): boolean =>
    factors.some((each) => dependence.axesOfInteger(each).has(axis));
  const columns = evenStep(dependence, place, column.axis);
  if (columns === null) return null;
  const { along: alongColumn, rest } = columns;
  const { chosen: offset, rest: base } = split(rest, (each) => decided(each, depth.axis));
  const isOwn = [...offset.values()].every(({ factors }) =>
    factors.every((each) => isDecidedBy(dependence, each, depth.axis)),
  );
  const isFixed = [...base.values()].every(({ factors }) =>
    factors.every((each) => !dependence.varies(each)),
  );
  const isEven = [...alongColumn.values()].every(({ factors }) =>
    factors.every(({ kind }) => kind === "size"),
  );
  return isOwn && isFixed && isEven ? { buffer: loaded.buffer, base, alongColumn, offset } : null;
}

const isDecidedBy = (dependence: Dependence, factor: Integer, axis: number): boolean =>
  !dependence.varies(factor) && [...dependence.axesOfInteger(factor)].every((each) => each === axis);

/** The innermost outer loop that decides where windows begin and nothing else. */
function slideOf(
  { dependence, outer }: Nest,
  { left, column }: PlannedProduct,
  { base }: Window,
): LoopAxis | null {
  const isSlide = ({ axis }: LoopAxis): boolean =>
    !dependence.axesOf(left).has(axis) &&
    (column === null || !dependence.axesOfInteger(column.extent).has(axis)) &&
    evenStep(dependence, base, axis) !== null;
  return outer.filter(isSlide).at(-1) ?? null;
}

/** What a place gains with a step along an axis, and where it is at its start; null where the steps are uneven. */
export function evenStep(
  dependence: Dependence,
  place: Polynomial,
  axis: number,
): { readonly along: Polynomial; readonly rest: Polynomial } | null {
  const { along, rest } = alongAxis(place, axis);
  const isLeft = [...along.values(), ...rest.values()].some(({ factors }) =>
    factors.some((each) => dependence.axesOfInteger(each).has(axis)),
  );
  return isLeft ? null : { along, rest };
}
