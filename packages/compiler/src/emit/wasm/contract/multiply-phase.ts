/** The phase that sums blocks of rows, and runs the loop IR's own statements on each row. */
import { type Integer, InternalError, type OfSizes } from "@fuseau/ir";
import { times } from "../../../tactics/integers.ts";
import { always, computed, itemsOf, productOf, scaled, sumOf } from "../../../tactics/of-sizes.ts";
import type { PlannedPhase } from "../../../tactics/phases.ts";
import { type BlockAsRow, blockAsRow } from "../../../tactics/products/few-columns.ts";
import { type Nest, sumType } from "../../../tactics/products/nest.ts";
import type { Strided } from "../../../tactics/products/operand.ts";
import { blockRows, type PlannedProduct, type Step } from "../../../tactics/products/plan.ts";
import { repeatsOf } from "../../../tactics/products/repeats.ts";
import { storedAt } from "../../../tactics/products/stored.ts";
import { type Extent, extentIn, knownIn, workOf } from "../../../tactics/work.ts";
import { type Expression, less, mul, sub, type Variable } from "../encode/expression.ts";
import { writeBlock } from "../loops/block.ts";
import { isUnpacked, matmul, matmulWorkspace } from "../matmul/matmul.ts";
import { keptWorkspace, multiplyPacked, multiplyPackedWorkspace, multiplyTabled } from "../matmul/packed.ts";
import type { WrittenPhase } from "../plan/kernel.ts";
import { Site } from "../sites/site.ts";
import { type Context, kept, locate, PRODUCTS_AT_ONCE, tileRows } from "./context.ts";
import { ONE, type RowBlock, writeAsRow, writeRowBlocks, writeRows } from "./items.ts";
import { packedPlace } from "./pack-phase.ts";
import { blockStrides, writeRight } from "./right.ts";
import type { OperandTables } from "./tables.ts";
import { TileHome } from "./tile-home.ts";

const ZERO: Integer = { kind: "literal", value: 0 };

export function writeMultiply(
  context: Context,
  planned: PlannedPhase,
  nest: Nest,
  steps: readonly Step[],
  ready: ReadonlyMap<PlannedProduct, Ready>,
  name: string,
): WrittenPhase {
  const { workspaces } = context;
  const extent = extentIn(planned);
  const rows = blockRows(nest, tileRows(context));
  const together = repeatsOf(nest, steps, rows);
  const stored = storedAt(nest, steps, (buffer) => workspaces.dtypeOf(buffer));
  const behind = stored === null ? steps : steps.slice(0, -1);
  const asRow = rowOfBlock(context, planned, nest, behind, rows);
  const perRow = behind.map((each): OfSizes => {
    if (each.kind === "rows") return workOf(each.body, knownIn(planned));
    const products = productOf([extent(each.product.width), extent(each.product.depth.extent)]);
    return scaled(products, 1 / PRODUCTS_AT_ONCE);
  });
  return writeRowBlocks(context, planned, name, nest, {
    rows,
    together,
    before: asRow?.filled ?? [],
    write: (around, block) => {
      const { target } = around.fn;
      around.flush();
      const at = target.define(block.begin);
      target.forRange(at.local, block.end.local, 1, () => {
        const site = new Site(around.fn, around);
        if (together !== null) site.axes.set(together.loop.axis, at.local);
        const isRepeated = together && less(block.begin, at);
        writeBlock(site, nest.shared);
        for (const each of behind) {
          if (each.kind === "rows") {
            if (asRow !== null && each === behind.at(-1)) writeAsRow(site, nest, block, asRow);
            else writeRows(site, nest, block, each.body);
          } else {
            const { product } = each;
            const tile = workspaces.add(sumType(product), productOf([extent(rows), extent(product.width)]));
            const made = ready.get(product) ?? { packed: null, tables: null };
            writeSums(
              context,
              site,
              nest,
              product,
              { ...block, isRepeated },
              { ...made, tile, stored },
              extent,
            );
            site.accumulators.set(product.accumulator.accumulator, new TileHome(nest, product, tile));
            site.flush();
          }
        }
      });
    },
    work: sumOf(perRow),
  });
}

/** The last step, where it is statements whose rows are walked as one. */
function rowOfBlock(
  { workspaces, numbering, claim }: Context,
  planned: PlannedPhase,
  nest: Nest,
  steps: readonly Step[],
  rows: Integer,
): BlockAsRow | null {
  const last = steps.at(-1);
  if (last?.kind !== "rows") return null;
  const products = steps.flatMap((step) => (step.kind === "multiply" ? [step.product] : []));
  const extent = extentIn(planned);
  const own = workspaces.list.length;
  const found = blockAsRow(nest, products, last.body, rows, {
    names: numbering,
    addPrivate: ({ dtype, cells }) => workspaces.add(dtype, extent(cells)),
  });
  claim(own);
  return found;
}

interface BlockAtHand extends RowBlock {
  /** True if the previous iteration had the same left operands, which are still packed; null if no iteration shares them. */
  readonly isRepeated: Expression | null;
}

/** What earlier phases have prepared for a product: the workspace of the packed right operand, and tables for the left one. */
export interface Ready {
  readonly packed: number | null;
  readonly tables: OperandTables | null;
}

interface Sums extends Ready {
  /** The workspace of the sums. They stay there, unless `stored` says that they are written to a result directly. */
  readonly tile: number;
  readonly stored: Strided | null;
}

/** Computes the sums of the rows from `first` to `last`. */
function writeSums(
  context: Context,
  site: Site,
  nest: Nest,
  product: PlannedProduct,
  { first, last, isRepeated }: BlockAtHand,
  { packed, tables, tile, stored }: Sums,
  extent: Extent,
): void {
  const { kinds, workspaces, module } = context;
  const { target } = site.fn;
  const { element, a, b, depth, width, column } = product;
  const kind = kinds[element];
  const [wide, deep] = [extent(width), extent(depth.extent)];
  const value = (integer: Integer): Variable => kept(site, site.integer(integer));
  const addressOf = (slot: number, place: Integer, bytes: number): Variable =>
    kept(site, site.addressOf(slot, site.polynomial(place), bytes));
  const start = (slot: number): Variable => addressOf(slot, ZERO, 1);
  const workspace = (bytes: OfSizes): Variable => start(workspaces.add("int32", itemsOf(bytes, 4)));
  const [n, k] = [value(column?.extent ?? ONE), value(depth.extent)];
  const sums = [start(tile), value(times(width, kind.unitBytes))];
  const to = stored === null ? sums : locate(site, stored, nest.firstRow, kind.unitBytes).slice(0, 2);
  const count = sub(last, first);
  const panels =
    packed === null ? null : addressOf(packed, packedPlace(context, nest, product), kind.unitBytes);

  if ("byLane" in a) {
    if (tables === null || panels === null) throw new InternalError("a product by tables has none");
    target.call(multiplyTabled(module, kind), [
      kept(site, site.addressOf(a.buffer, a.base, kind.elementBytes)),
      ...[addressOf(tables.lane.workspace, nest.firstRow, 4), start(tables.depth.workspace)],
      ...[panels, ...to, ...sums, count, n, k],
    ]);
    return;
  }
  const left =
    "workspace" in a
      ? [start(a.workspace), mul(k, kind.elementBytes), kind.elementBytes]
      : locate(site, a, nest.row === null ? ZERO : nest.firstRow, kind.elementBytes);
  /** B in memory: its own, or a workspace into which it is computed. */
  const right = (): readonly Expression[] => {
    if (b !== null && "alongLane" in b) {
      const [from, columnStride, rowStride] = locate(site, b, ZERO, kind.elementBytes);
      return [from, rowStride, columnStride];
    }
    const block = workspaces.add(element, productOf([wide, deep]));
    writeRight(site, nest, product, block, { first: target.define(0), columns: n }, width);
    const strides = blockStrides(product, width);
    const bytes = (elements: Integer): Variable => value(times(elements, kind.elementBytes));
    return [start(block), bytes(strides.row), bytes(strides.column)];
  };
  const unpacked = (): (() => void) => {
    const room = workspace(computed([wide, deep], matmulWorkspace(kind)));
    const operands = [...left, ...right(), ...to, count, n, k, room];
    return () => target.call(matmul(module, kind), operands);
  };
  if (panels === null) {
    unpacked()();
    return;
  }
  const keep = isRepeated === null ? [0, 0] : [1, isRepeated];
  const room = workspace(
    isRepeated === null ? always(multiplyPackedWorkspace(kind)) : computed([deep], keptWorkspace(kind)),
  );
  const multiply = () =>
    target.call(multiplyPacked(module, kind), [
      ...[...left, panels, ...to, ...sums],
      ...[count, n, k, room, ...keep],
    ]);
  if (b === null || "byLane" in b) multiply();
  else {
    const isBetter = isUnpacked(kind, value(nest.row?.extent ?? ONE), n, k);
    target.when(isBetter, unpacked(), multiply);
  }
}
