/** What the phases of a matrix product share while they are written. */
import type { Integer, LoopAxis } from "@fuseau/ir";
import { overUp, plus, times } from "../../../tactics/integers.ts";
import type { Numbering } from "../../../tactics/numbering.ts";
import type { PlannedPhase } from "../../../tactics/phases.ts";
import { add, multiply, type Polynomial, polynomialOf } from "../../../tactics/polynomial.ts";
import type { Nest, Product, ProductElement } from "../../../tactics/products/nest.ts";
import type { Strided } from "../../../tactics/products/operand.ts";
import type { Variable } from "../encode/expression.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import type { Register } from "../lanes/straight.ts";
import type { Kind } from "../matmul/kinds.ts";
import type { Workspaces } from "../plan/workspaces.ts";
import { keep } from "../sites/keep.ts";
import type { Site } from "../sites/site.ts";

export interface Context {
  readonly module: ModuleBuilder;
  readonly workspaces: Workspaces;
  readonly kinds: Readonly<Record<ProductElement, Kind>>;
  readonly numbering: Numbering;
  /** Begins the function of a phase. Its site knows the results of earlier phases that the phase reads. */
  open(planned: PlannedPhase, name: string): Site;
  /** The workspaces from number `from` on belong to the current phase alone; each thread needs its own. */
  claim(from: number): void;
}

/** Multiply-adds of a product that take as long as one pointwise addition. */
export const PRODUCTS_AT_ONCE = 8;

/** A number of rows that is a multiple of MR for every kind. */
export const tileRows = ({ kinds }: Context): number =>
  kinds.float32.mr === kinds.int32.mr ? kinds.int32.mr : 12;

/** Units of the packed right operand of one product, filled up to whole panels. */
export function packedCells({ kinds }: Context, { element, width, depth }: Product): Integer {
  const kind = kinds[element];
  const columns = times(overUp(width, kind.nr), kind.nr);
  return times(columns, overUp(depth.extent, kind.unitElements));
}

/** The outer loops that the right operand depends on: it is packed once for each of their iterations. */
export const packedAxes = ({ dependence, outer }: Nest, { right, column }: Product): LoopAxis[] =>
  outer.filter(
    ({ axis }) =>
      dependence.axesOf(right).has(axis) ||
      (column !== null && dependence.axesOfInteger(column.extent).has(axis)),
  );

/** Keeps a register of a site in a local, for use in formulas. */
export function kept(site: Site, register: Register): Variable {
  const local = site.fn.target.local("i32");
  keep(site, local, register);
  return { local };
}

/** The address of an operand's element in a lane, at k = 0, and its strides along lanes and along k, all in bytes. */
export function locate(
  site: Site,
  { buffer, base, alongLane, alongDepth }: Strided,
  lane: Integer,
  bytes: number,
): readonly [Variable, Variable, Variable] {
  const first: Polynomial = add(base, multiply(alongLane, polynomialOf(lane)));
  return [
    kept(site, site.addressOf(buffer, first, bytes)),
    kept(site, site.times(site.valueOf(alongLane), bytes)),
    kept(site, site.times(site.valueOf(alongDepth), bytes)),
  ];
}

/** The number of the current iteration of some loops, in row-major order. */
export const numberAmong = (axes: readonly LoopAxis[]): Integer =>
  axes.reduce<Integer>((place, { axis, extent }) => plus(times(place, extent), { kind: "axis", axis }), {
    kind: "literal",
    value: 0,
  });
