/** The phase that makes the sums of blocks of rows, and runs on each row what the loop IR does with them. */
import { type DType, type Integer, InternalError, type LoopAxis, type OfSizes } from "@fuseau/ir";
import { least, overUp, times } from "../../../tactics/integers.ts";
import { zero } from "../../../tactics/polynomial.ts";
import { type Nest, sumType } from "../../../tactics/products/nest.ts";
import type { Strided } from "../../../tactics/products/operand.ts";
import { blockRows, type PlannedProduct, type Step } from "../../../tactics/products/plan.ts";
import { repeatsOf } from "../../../tactics/products/repeats.ts";
import { storedAt } from "../../../tactics/products/stored.ts";
import {
  add,
  callWith,
  define,
  type Expression,
  less,
  min,
  mul,
  sub,
  type Variable,
  when,
} from "../encode/expression.ts";
import { writeBlock, writeRange } from "../loops/block.ts";
import { openAxes } from "../loops/places.ts";
import { isUnpacked, matmul, matmulWorkspace } from "../matmul/matmul.ts";
import { multiplyPacked, multiplyPackedWorkspace, multiplyTabled } from "../matmul/packed.ts";
import type { WrittenPhase } from "../plan/kernel.ts";
import type { PlannedPhase } from "../plan/phases.ts";
import { productOf, workOf } from "../plan/work.ts";
import { Site } from "../sites/site.ts";
import {
  type Context,
  type Extent,
  extentIn,
  forEachWorkItem,
  iterations,
  kept,
  knownIn,
  locate,
  PRODUCTS_AT_ONCE,
  tileRows,
} from "./context.ts";
import { packedPlace } from "./pack-phase.ts";
import { blockStrides, writeRight } from "./right.ts";
import type { LeftTables } from "./tables.ts";
import { TileHome } from "./tile-home.ts";

const ZERO: Integer = { kind: "literal", value: 0 };
const ONE: Integer = { kind: "literal", value: 1 };

export function writeMultiply(
  context: Context,
  planned: PlannedPhase,
  nest: Nest,
  steps: readonly Step[],
  ready: ReadonlyMap<PlannedProduct, Ready>,
  name: string,
): WrittenPhase {
  const { workspaces, numbering } = context;
  const dtypeOf = (buffer: number): DType => workspaces.dtypeOf(buffer);
  const { row, outer, shared } = nest;
  const extent = extentIn(planned);
  const rows = blockRows(nest, tileRows(context));
  const block = numbering.axis();
  const blocks = { axis: block.axis, extent: row === null ? ONE : overUp(row.extent, rows) };
  const own = workspaces.list.length;

  const repeats = row === null ? null : repeatsOf(nest, steps, blocks.extent, numbering);
  const walked = repeats === null ? [...outer, blocks] : [...outer.slice(0, -1), repeats.groups, blocks];
  const stored = storedAt(nest, steps, dtypeOf);
  const behind = stored === null ? steps : steps.slice(0, -1);

  const site = context.open(planned, name);
  const { target } = site.fn;
  const writeSteps = (around: Site, { first, last, isRepeated }: BlockAtHand): void => {
    writeBlock(around, shared);
    for (const each of behind) {
      if (each.kind === "multiply") {
        const { product } = each;
        const workspace = workspaces.add(sumType(product), productOf([extent(rows), extent(product.width)]));
        const made = ready.get(product) ?? { packed: null, tables: null };
        const block = { first, last, isRepeated };
        writeSums(context, around, nest, product, block, { ...made, tile: workspace, stored }, extent);
        around.accumulators.set(product.accumulator.accumulator, new TileHome(nest, product, workspace));
      } else if (row === null) writeBlock(around, each.body);
      else {
        const loop = { kind: "for", axis: row, ordered: false, body: each.body } as const;
        writeRange(around, loop, around.input(first.local, "i32"), last.local, row.axis);
      }
      around.flush();
    }
  };
  /** Computed in front of the work items: integers of the loop IR are divided at leisure there. */
  const inFront = (value: Integer): Integer => {
    const own = numbering.local();
    site.integers.set(own.local, site.input(kept(site, site.integer(value)).local, "i32"));
    return own;
  };
  const rowsHere = inFront(rows);
  const walkedHere = walked.map((axis): LoopAxis => ({ ...axis, extent: inFront(axis.extent) }));
  const sizeHere = repeats && inFront(repeats.size);
  forEachWorkItem(site, (item) => {
    const around = new Site(site.fn, site);
    openAxes(around, walkedHere, around.input(item, "i32"));
    const first = kept(around, around.integer(times(block, rowsHere)));
    const step = kept(around, around.integer(rowsHere));
    const m = kept(around, around.integer(row?.extent ?? ONE));
    const last = define(target, min(add(first, step), m));
    around.integers.set(nest.firstRow.local, around.input(first.local, "i32"));
    if (repeats === null || sizeHere === null) writeSteps(around, { first, last, isRepeated: null });
    else {
      const { loop, groups } = repeats;
      const begin = kept(around, around.integer(times({ kind: "axis", axis: groups.axis }, sizeHere)));
      const count = kept(around, around.integer(loop.extent));
      const end = define(target, min(add(begin, kept(around, around.integer(sizeHere))), count));
      around.flush();
      const at = target.local("i32");
      target.get(begin.local).set(at);
      target.forRange(at, end.local, 1, () => {
        const within = new Site(site.fn, around);
        within.axes.set(loop.axis, at);
        writeSteps(within, { first, last, isRepeated: less(begin, { local: at }) });
      });
    }
  });
  context.claim(own);
  site.flush();
  site.fn.finish();

  const workItems = iterations(walked, extent);
  const perRow = behind.map((each): OfSizes => {
    if (each.kind === "rows") return workOf(each.body, knownIn(planned));
    const products = productOf([extent(each.product.width), extent(each.product.depth.extent)]);
    return (sizes) => products(sizes) / PRODUCTS_AT_ONCE;
  });
  const repeated = repeats === null ? ONE : least(repeats.size, repeats.loop.extent);
  const rowsOfItem = productOf([extent(repeated), extent(rows)]);
  const work: OfSizes = (sizes) => rowsOfItem(sizes) * perRow.reduce((sum, each) => sum + each(sizes), 0);
  return { index: target.index, phase: { sequential: false, workItems, work } };
}

interface BlockAtHand {
  readonly first: Variable;
  readonly last: Variable;
  /** Whether an iteration just before had the same left operands; null where none ever has. */
  readonly isRepeated: Expression | null;
}

/** What earlier phases have made for a product: the workspace with the packed right operand, and tables for the left one. */
export interface Ready {
  readonly packed: number | null;
  readonly tables: LeftTables | null;
}

interface Sums extends Ready {
  /** The workspace where sums are made, and stay unless they are stored as they are. */
  readonly tile: number;
  readonly stored: Strided | null;
}

/** Code for the sums of the rows from `first` to `last`. */
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
  const start = (at: Site, workspace: number): Variable => kept(at, at.addressOf(workspace, zero, 1));
  const scratchpad = (at: Site, bytes: OfSizes): Variable =>
    start(
      at,
      workspaces.add("int32", (sizes) => Math.ceil(bytes(sizes) / 4)),
    );
  const n = kept(site, site.integer(column?.extent ?? ONE));
  const k = kept(site, site.integer(depth.extent));
  const sums = [start(site, tile), kept(site, site.integer(width))];
  const to = stored === null ? sums : locate(site, stored, nest.firstRow, kind.unitBytes).slice(0, 2);
  const count = sub(last, first);

  if ("byLane" in a) {
    if (tables === null || packed === null) throw new InternalError("a product by tables has none");
    const at = (slot: number, place: Integer, bytes: number): Variable =>
      kept(site, site.addressOf(slot, site.polynomial(place), bytes));
    const inBytes = (elements: Expression): Expression => mul(elements, kind.unitBytes);
    callWith(target, multiplyTabled(module, kind), [
      kept(site, site.addressOf(a.buffer, a.base, kind.elementBytes)),
      at(tables.lane.workspace, nest.firstRow, 4),
      at(tables.depth.workspace, ZERO, 4),
      at(packed, packedPlace(context, nest, product), kind.unitBytes),
      ...[to[0]!, inBytes(to[1]!), sums[0]!, inBytes(sums[1]!), count, n, k],
    ]);
    return;
  }
  const left =
    "workspace" in a
      ? [start(site, a.workspace), k, 1]
      : locate(site, a, nest.row === null ? ZERO : nest.firstRow, kind.elementBytes);

  const meetPacked = (at: Site, workspace: number): void => {
    const from = kept(
      at,
      at.addressOf(workspace, at.polynomial(packedPlace(context, nest, product)), kind.unitBytes),
    );
    const room = scratchpad(at, (sizes) =>
      multiplyPackedWorkspace(kind, isRepeated === null ? 0 : deep(sizes)),
    );
    const keep = isRepeated === null ? [0, 0] : [1, isRepeated];
    callWith(target, multiplyPacked(module, kind), [
      ...[...left, from, ...to, ...sums],
      ...[count, n, k, room, ...keep],
    ]);
  };
  const meet = (at: Site, right: readonly Expression[]): void => {
    const room = scratchpad(at, (sizes) => matmulWorkspace(kind, wide(sizes), deep(sizes)));
    callWith(target, matmul(module, kind), [...left, ...right, ...to, count, n, k, room]);
  };
  const meetAsItStands = (at: Site, right: Strided): void => {
    const [from, columnStride, rowStride] = locate(at, right, ZERO, kind.elementBytes);
    meet(at, [from, rowStride, columnStride]);
  };

  if (packed !== null && b !== null) {
    const m = kept(site, site.integer(nest.row?.extent ?? ONE));
    when(
      target,
      isUnpacked(kind, m, n, k),
      () => meetAsItStands(new Site(site.fn, site), b),
      () => meetPacked(new Site(site.fn, site), packed),
    );
  } else if (packed !== null) meetPacked(site, packed);
  else if (b !== null) meetAsItStands(site, b);
  else {
    const block = workspaces.add(element, productOf([wide, deep]));
    writeRight(site, nest, product, block, { first: define(target, 0), columns: n }, width);
    const { row, column: next } = blockStrides(product, width);
    meet(site, [start(site, block), kept(site, site.integer(row)), kept(site, site.integer(next))]);
  }
}
