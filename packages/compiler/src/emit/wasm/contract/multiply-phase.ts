/** The phase that makes the sums of blocks of rows, and runs on each row what the loop IR does with them. */
import type { Integer } from "@fuseau/ir";
import {
  add,
  callWith,
  define,
  type Expression,
  min,
  sub,
  type Variable,
  when,
} from "../encode/expression.ts";
import { writeBlock, writeRange } from "../loops/block.ts";
import { openAxes } from "../loops/places.ts";
import { matmul, matmulWorkspace, multiplyPacked, multiplyPackedWorkspace } from "../matmul/matmul.ts";
import type { PlannedPhase } from "../plan/phases.ts";
import { type Known, workOf } from "../plan/work.ts";
import { zero } from "../sites/polynomial.ts";
import { Site } from "../sites/site.ts";
import type { WrittenPhase } from "../write-phases.ts";
import {
  type Context,
  type Extent,
  extentIn,
  forEachUnit,
  isThin,
  iterations,
  kept,
  knownIn,
  locate,
  sumType,
} from "./context.ts";
import { least, over, overUp, plus, times } from "./integers.ts";
import type { Nest } from "./match.ts";
import type { Strided } from "./operand.ts";
import { packedPlace } from "./pack-phase.ts";
import { FIRST_ROW, type PlannedProduct, type Step } from "./plan.ts";
import { blockStrides, writeRight } from "./right.ts";
import { TileHome } from "./tile-home.ts";

const BLOCK_AXIS = -2_000_004;
const ZERO: Integer = { kind: "literal", value: 0 };
const ONE: Integer = { kind: "literal", value: 1 };

/**
 * Rows of a block, whole tiles of every kind: enough that the right operand is not read too often, and so few that there are
 * some blocks for each thread.
 */
export const blockRows = ({ row }: Nest): Integer =>
  row === null ? ONE : times(12, plus(1, least(9, over(row.extent, 96))));

export function writeMultiply(
  context: Context,
  planned: PlannedPhase,
  nest: Nest,
  steps: readonly Step[],
  packed: ReadonlyMap<PlannedProduct, number>,
  name: string,
): WrittenPhase {
  const { areas } = context;
  const { row, outer, shared } = nest;
  const extent = extentIn(planned);
  const rows = blockRows(nest);
  const blocks = { axis: BLOCK_AXIS, extent: row === null ? ONE : overUp(row.extent, rows) };
  const own = areas.list.length;

  const site = context.open(planned, name);
  const { target } = site.fn;
  forEachUnit(site, (unit) => {
    const around = new Site(site.fn, site);
    openAxes(around, [...outer, blocks], around.input(unit, "i32"));
    const first = kept(around, around.integer(times({ kind: "axis", axis: BLOCK_AXIS }, rows)));
    const step = kept(around, around.integer(rows));
    const m = kept(around, around.integer(row?.extent ?? ONE));
    const last = define(target, min(add(first, step), m));
    around.integers.set(FIRST_ROW.local, around.input(first.local, "i32"));
    writeBlock(around, shared);
    for (const each of steps) {
      if (each.kind === "multiply") {
        const area = areas.add(
          sumType(each.product),
          (sizes) => extent(rows, sizes) * extent(each.product.width, sizes),
        );
        const from = packed.get(each.product) ?? null;
        writeSums(context, around, nest, each.product, { first, last }, from, extent, area);
        around.accumulators.set(each.product.accumulator.accumulator, new TileHome(nest, each.product, area));
      } else if (row === null) writeBlock(around, each.body);
      else {
        const loop = { kind: "for", axis: row, ordered: false, body: each.body } as const;
        writeRange(around, loop, around.input(first.local, "i32"), last.local, row.axis);
      }
      around.flush();
    }
  });
  context.claim(own);
  site.flush();
  site.fn.finish();

  const units = (sizes: readonly number[]): number => iterations([...outer, blocks], extent, sizes);
  const work = (sizes: readonly number[]): number => {
    const known = (): Known => new Map(knownIn(planned));
    const perRow = steps.map((each) =>
      each.kind === "rows"
        ? workOf(each.body, sizes, known())
        : (extent(each.product.width, sizes) * extent(each.product.depth.extent, sizes)) / PRODUCTS_AT_ONCE,
    );
    return extent(rows, sizes) * perRow.reduce((sum, each) => sum + each, 0);
  };
  return { index: target.index, phase: { sequential: false, units, work } };
}

/** Products that are summed in the time in which one element is added to another. */
const PRODUCTS_AT_ONCE = 8;

/** Code for the sums of the rows from `first` to `last`. */
function writeSums(
  context: Context,
  site: Site,
  nest: Nest,
  product: PlannedProduct,
  { first, last }: { readonly first: Variable; readonly last: Variable },
  packed: number | null,
  extent: Extent,
  tile: number,
): void {
  const { areas, module } = context;
  const { target } = site.fn;
  const { kind, element, a, b, depth, width, column } = product;
  const start = (at: Site, area: number): Variable => kept(at, at.addressOf(area, zero, 1));
  const workspace = (at: Site, bytes: (sizes: readonly number[]) => number): Variable =>
    start(
      at,
      areas.add("int32", (sizes) => Math.ceil(bytes(sizes) / 4)),
    );
  const n = kept(site, site.integer(column?.extent ?? ONE));
  const k = kept(site, site.integer(depth.extent));
  const left =
    "area" in a
      ? [start(site, a.area), k, 1]
      : locate(site, a, nest.row === null ? ZERO : FIRST_ROW, kind.elementBytes);
  const sums = [start(site, tile), kept(site, site.integer(width))];
  const count = sub(last, first);

  const meetPacked = (at: Site, area: number): void => {
    const from = kept(at, at.addressOf(area, at.polynomial(packedPlace(nest, product)), kind.unitBytes));
    const room = workspace(at, () => multiplyPackedWorkspace(kind));
    callWith(target, multiplyPacked(module, kind), [...left, from, ...sums, 0, count, n, k, room]);
  };
  const meet = (at: Site, right: readonly Expression[]): void => {
    const room = workspace(at, (sizes) =>
      matmulWorkspace(kind, extent(width, sizes), extent(depth.extent, sizes)),
    );
    callWith(target, matmul(module, kind), [...left, ...right, ...sums, count, n, k, room]);
  };
  const meetAsItStands = (at: Site, right: Strided): void => {
    const [from, columnStride, rowStride] = locate(at, right, ZERO, kind.elementBytes);
    meet(at, [from, rowStride, columnStride]);
  };

  if (packed !== null && b !== null) {
    const m = kept(site, site.integer(nest.row?.extent ?? ONE));
    when(
      target,
      isThin(m, n),
      () => meetAsItStands(new Site(site.fn, site), b),
      () => meetPacked(new Site(site.fn, site), packed),
    );
  } else if (packed !== null) meetPacked(site, packed);
  else if (b !== null) meetAsItStands(site, b);
  else {
    const block = areas.add(element, (sizes) => extent(width, sizes) * extent(depth.extent, sizes));
    writeRight(site, nest, product, block, { first: define(target, 0), columns: n }, width);
    const { row, column: next } = blockStrides(product, width);
    meet(site, [start(site, block), kept(site, site.integer(row)), kept(site, site.integer(next))]);
  }
}
