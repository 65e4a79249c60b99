/** Phases whose work items are iterations of loops, or blocks of rows in them. */
import type { Integer, LoopAxis, OfSizes, Statement } from "@fuseau/ir";
import { least, overUp, times } from "../../../tactics/integers.ts";
import { productOf } from "../../../tactics/of-sizes.ts";
import type { PlannedPhase } from "../../../tactics/phases.ts";
import type { BlockAsRow } from "../../../tactics/products/few-columns.ts";
import type { Nest } from "../../../tactics/products/nest.ts";
import { extentIn, iterations } from "../../../tactics/work.ts";
import { add, min, mul, sub, type Variable } from "../encode/expression.ts";
import { writeBlock, writeRange } from "../loops/block.ts";
import { openAxes } from "../loops/places.ts";
import type { WrittenPhase } from "../plan/kernel.ts";
import { parameters } from "../sites/phase-function.ts";
import { Site } from "../sites/site.ts";
import { type Context, kept } from "./context.ts";

export const ONE: Integer = { kind: "literal", value: 1 };

interface Items {
  readonly axes: readonly LoopAxis[];
  /** Integers that are computed once, in front of the work items: divisions are expensive. */
  readonly front?: readonly Integer[];
  /** Runs once, in front of the work items. */
  readonly before?: readonly Statement[];
  /** Writes a work item, given these integers. Workspaces that it adds belong to the phase alone. */
  write(site: Site, front: readonly Integer[]): void;
  /** An estimate of the elements of one work item. */
  readonly work: OfSizes;
}

export function writeItems(
  context: Context,
  planned: PlannedPhase,
  name: string,
  { axes, front = [], before = [], write, work }: Items,
): WrittenPhase {
  const { workspaces, numbering } = context;
  const own = workspaces.list.length;
  const site = context.open(planned, name);
  const { target } = site.fn;
  const inFront = (value: Integer): Integer => {
    const local = numbering.local();
    site.integers.set(local.local, site.input(kept(site, site.integer(value)).local, "i32"));
    return local;
  };
  const here = axes.map((axis): LoopAxis => ({ ...axis, extent: inFront(axis.extent) }));
  const integers = front.map(inFront);
  site.flush();
  writeBlock(site, before);
  site.flush();
  const item = target.local("i32");
  target.get(parameters.begin).set(item);
  target.forRange(item, parameters.end, 1, () => {
    const around = new Site(site.fn, site);
    openAxes(around, here, around.input(item, "i32"));
    write(around, integers);
  });
  context.claim(own);
  site.flush();
  site.fn.finish();
  const workItems = iterations(axes, extentIn(planned));
  return { index: target.index, phase: { sequential: false, workItems, work } };
}

/** The rows from `first` to `last`, for the iterations from `begin` to `end` of an outer loop. */
export interface RowBlock {
  readonly first: Variable;
  readonly last: Variable;
  readonly begin: Variable;
  readonly end: Variable;
}

interface RowBlocks {
  /** The rows of a block. */
  readonly rows: Integer;
  /** An outer loop, `size` consecutive iterations of which are one work item. */
  readonly together: { readonly loop: LoopAxis; readonly size: Integer } | null;
  readonly front?: readonly Integer[];
  readonly before?: readonly Statement[];
  write(site: Site, block: RowBlock, front: readonly Integer[]): void;
  /** An estimate of the elements that are computed for a row. */
  readonly work: OfSizes;
}

/** Work items are blocks of rows, for each iteration of the outer loops. */
export function writeRowBlocks(
  context: Context,
  planned: PlannedPhase,
  name: string,
  { row, outer, firstRow }: Nest,
  { rows, together, front = [], before = [], write, work }: RowBlocks,
): WrittenPhase {
  const extent = extentIn(planned);
  const [group, block] = [context.numbering.axis(), context.numbering.axis()];
  const { loop, size } = together ?? { loop: null, size: ONE };
  const rowsOfItem = productOf([extent(loop === null ? ONE : least(size, loop.extent)), extent(rows)]);
  return writeItems(context, planned, name, {
    axes: [
      ...outer.filter((each) => each !== loop),
      { axis: group.axis, extent: loop === null ? ONE : overUp(loop.extent, size) },
      { axis: block.axis, extent: row === null ? ONE : overUp(row.extent, rows) },
    ],
    front: [rows, size, ...front],
    before,
    write: (site, [rowsHere, sizeHere, ...others]) => {
      const value = (integer: Integer): Variable => kept(site, site.integer(integer));
      const part = (number: Integer, length: Integer, count: Integer): readonly [Variable, Variable] => {
        const start = value(times(number, length));
        return [start, site.fn.target.define(min(add(start, value(length)), value(count)))];
      };
      const [first, last] = part(block, rowsHere!, row?.extent ?? ONE);
      const [begin, end] = part(group, sizeHere!, loop?.extent ?? ONE);
      site.integers.set(firstRow.local, site.input(first.local, "i32"));
      write(site, { first, last, begin, end }, others);
    },
    work: productOf([rowsOfItem, work]),
  });
}

/** Writes the statements that run for each row of a block. */
export function writeRows(
  site: Site,
  { row }: Nest,
  { first, last }: RowBlock,
  body: readonly Statement[],
): void {
  if (row === null) writeBlock(site, body);
  else {
    const loop = { kind: "for", axis: row, ordered: false, body } as const;
    writeRange(site, loop, site.input(first.local, "i32"), last.local, row.axis);
  }
  site.flush();
}

/** Writes the same statements for the rows of a block as one. */
export function writeAsRow(
  site: Site,
  { row }: Nest,
  { first, last }: RowBlock,
  { before, elements, columns }: BlockAsRow,
): void {
  const block = new Site(site.fn, site);
  block.axes.set(row!.axis, first.local);
  writeBlock(block, before);
  const count = kept(block, block.integer(columns));
  const end = site.fn.target.define(mul(sub(last, first), count));
  writeRange(block, elements, block.code.scalar("i32", 0), end.local, elements.axis.axis);
  block.flush();
  site.flush();
}
