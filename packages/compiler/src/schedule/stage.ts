/**
 * Stages: a node that is computed once for a row of its places and kept in scratch, or in a row of accumulators, for uses in other loops.
 * The home of a stage is the innermost block that contains all uses and in which the axes they share are known.
 */
import {
  type Axis,
  type Extent,
  type Index,
  plainAxis,
  type Strip,
  shareOf,
  whole,
  widthOf,
} from "../indexing/index-expression.ts";
import {
  addLet,
  addNest,
  addStore,
  addUse,
  axesOf,
  explainNotFused,
  factsAt,
  hoist,
  isBijection,
  nodeAt,
  offsetIn,
  type Sweep,
} from "./sweep.ts";
import {
  ancestorIn,
  type Block,
  type Buffer,
  commonBlock,
  evaluations,
  type Item,
  type Loop,
  link,
  type Nest,
  type NotFusedReason,
  reaches,
  type Store,
  type Value,
} from "./tree.ts";

interface Home {
  readonly block: Block;
  /** The row: the node's axes that the uses walk in loops of their own. The other axes are fixed within the home. */
  readonly row: readonly RowAxis[];
  /** A result that the kernel stores in any case and that can serve as the row's scratch. */
  readonly held: Held | null;
}

/** A stored result as scratch. */
interface Held {
  readonly store: Store;
  /** True when the result is the node itself. Otherwise the store overwrites the row after its last read. */
  readonly own: boolean;
}

/** One of the node's axes, and the part of it that is walked within the home. */
export interface RowAxis extends Extent {
  readonly axis: number;
}

/** The cells of scratch that the row needs. */
export const cellsOf = (row: readonly Extent[]): number =>
  row.reduce((count, extent) => count * widthOf(extent), 1);

/** The cell in which the element at an index of the node is kept. */
export function cellOf(sweep: Sweep, row: readonly RowAxis[], index: readonly Index[]): Index {
  const places = row.map((extent) => sweep.table.within(index[extent.axis] as Index, extent));
  return offsetIn(sweep, row.map(widthOf), places);
}

/**
 * A stage outside of all loops makes the same memory traffic as a kernel of its own. It saves a call, which pays while the kernel is
 * small. A long recording is cut into equal kernels only if its parts are kernels of their own. A result that the kernel stores needs no
 * extra memory.
 */
const ROOM_FOR_WHOLE = 1 / 4;

/** The home of a stage for the values, or the reason why there is none. */
export function findHome(sweep: Sweep, node: number, values: readonly Value[]): Home | NotFusedReason {
  const { size, cost } = factsAt(sweep, node);
  const { block, row } = whereAgreed(sweep, node, values);
  const cells = cellsOf(row);
  const { limits } = sweep;
  const held = findHeld(sweep, node, values, { block, row });
  const { ops } = (values[0] as Value).kernel;
  const isStored = sweep.buffers.has(node);
  if (held === null && !isStored && block.loop === null && ops >= limits.ops * ROOM_FOR_WHOLE) {
    explainNotFused(sweep, node, "too many ops", ops, limits.ops * ROOM_FOR_WHOLE);
    return "too many ops";
  }
  if (held === null && sweep.decide(cells > limits.scratch)) {
    explainNotFused(sweep, node, "scratch too large", cells, limits.scratch);
    return "scratch too large";
  }
  const recomputed = (runsOf(block, row) / size - 1) * cost;
  if (sweep.decide(recomputed > limits.recompute)) {
    explainNotFused(sweep, node, "recompute costs more than a buffer", recomputed, limits.recompute);
    return "recompute costs more than a buffer";
  }
  return { block, row, held };
}

/**
 * A result of the kernel that can serve as scratch. Either it is the node's own, which is stored in any case; or it has the node's shape
 * and is stored where the node is read for the last time, so that its memory is free before.
 */
function findHeld(
  sweep: Sweep,
  node: number,
  values: readonly Value[],
  home: Pick<Home, "block" | "row">,
): Held | null {
  const { dtype, shape } = nodeAt(sweep, node);
  const { size } = factsAt(sweep, node);
  if (runsOf(home.block, home.row) !== size) return null;
  for (const store of (values[0] as Value).kernel.stores) {
    const { buffer, value } = store;
    if (buffer.node === node) {
      const others = values.filter((other) => other !== value).flatMap((other) => other.users);
      const holder = values.includes(value) && isWithin(store, home.block) && ancestorIn(home.block, store);
      if (holder && holder !== store && mayPrecede(home.block, holder, others)) return { store, own: true };
      continue;
    }
    if (buffer.dtype !== dtype || buffer.cells !== size || store.combine !== "set" || store.holds) continue;
    // An update's buffer is overwritten by the copy of its base.
    if ((values[0] as Value).kernel.copies.has(buffer)) continue;
    // What stands outside of loops may be recomputed in each phase, so its operands must still be there.
    if (store.block.loop === null) continue;
    const last = values.filter((one) => offsetIn(sweep, shape, one.index) === store.at);
    const [read] = last;
    if (read === undefined || values.length !== 2 || last.length !== 1) continue;
    if (values.some(({ guards }) => guards.length > 0) || !isBijection(shape, read.index)) continue;
    const filler = values.find((one) => one !== read) as Value;
    const place = hoist(commonBlock(read.users), axesOf(read.index, []));
    const filling = findFillingLoop(values, home);
    if (place === store.block && filling?.value === filler) return { store, own: false };
  }
  return null;
}

function isWithin(item: Item, block: Block): boolean {
  let { block: around } = item;
  while (around !== block && around.loop !== null) around = around.loop.block;
  return around === block;
}

/** The innermost block around the values in which the axes they share are known, and the axes that remain: the row. */
function whereAgreed(sweep: Sweep, node: number, values: readonly Value[]): Pick<Home, "block" | "row"> {
  const { shape } = nodeAt(sweep, node);
  const [first] = values as [Value, ...Value[]];
  const agreed = shape.map((extent, axis) => agreeOn(values, axis, extent));
  const strips = shape.map((extent, axis) => commonStrip(values, axis, extent));
  const agreedAxes = axesOf(
    first.index.filter((_, axis) => agreed[axis]),
    [],
  );
  for (const strip of strips) if (strip !== null) agreedAxes.add(strip.axis);
  const block = prefixOf(commonBlock(values.flatMap((value) => value.users)), agreedAxes);
  const known = enclosingAxes(block);

  const row: RowAxis[] = [];
  shape.forEach((extent, axis) => {
    if (agreed[axis] && (first.index[axis] as Index).axes.every((a) => known.has(a))) return;
    const strip = strips[axis] as Strip | null;
    row.push({
      axis,
      ...(strip !== null && known.has(strip.axis) ? { size: extent, strip } : whole(extent)),
    });
  });
  return { block, row };
}

/** Loops over the node's row in the home, if that computes nothing twice; else over all of the node at the root. */
export function addStageNest(sweep: Sweep, node: number, values: readonly Value[]): Nest {
  const [first] = values as [Value, ...Value[]];
  const { shape } = nodeAt(sweep, node);
  const home = whereAgreed(sweep, node, values);
  const isOnce = runsOf(home.block, home.row) === factsAt(sweep, node).size;
  if (isOnce && walksRest(shape, home.row, first.index)) return addRowNest(sweep, node, first, home);
  return addNest(sweep, first.kernel.root, shape.map(whole));
}

/** True when each axis outside of the row is walked by a loop of its own, so that the loops visit every place once. */
const walksRest = (shape: readonly number[], row: readonly RowAxis[], index: readonly Index[]): boolean => {
  const isRest = (axis: number): boolean => !row.some((known) => known.axis === axis);
  return isBijection(
    shape.filter((_, axis) => isRest(axis)),
    index.filter((_, axis) => isRest(axis)),
  );
};

/** Loops over the row; the other components of the node's index are those of the value. */
function addRowNest(
  sweep: Sweep,
  node: number,
  value: Value,
  { block, row }: Pick<Home, "block" | "row">,
): Nest {
  const nest = addNest(sweep, block, row);
  const index = nodeAt(sweep, node).shape.map((_, axis) => {
    const place = row.findIndex((known) => known.axis === axis);
    return place < 0 ? (value.index[axis] as Index) : (nest.index[place] as Index);
  });
  return { ...nest, index };
}

/** How often an element of the row is computed when the row is filled in `block`. */
const runsOf = (block: Block, row: readonly Extent[]): number =>
  Math.round(row.reduce((count, extent) => count * shareOf(extent), evaluations(block)));

/** The strip in which all values read the axis, each in a loop of its own. */
function commonStrip(values: readonly Value[], axis: number, extent: number): Strip | null {
  const plain = plainAxis(values[0]?.index[axis] as Index);
  // A slice has strips of its own extent, not of the node's.
  const strip = plain?.extent === extent ? plain.strip : null;
  const same = values.every(
    ({ index, guards }) => guards.length === 0 && plainAxis(index[axis] as Index)?.strip === strip,
  );
  return same ? strip : null;
}

function enclosingAxes(block: Block): Set<Axis> {
  const axes = new Set<Axis>();
  for (let loop = block.loop; loop !== null; loop = loop.block.loop)
    for (const axis of loop.axes) axes.add(axis);
  return axes;
}

/** True when all values read the axis at the same place, without a guard. */
function agreeOn(values: readonly Value[], axis: number, extent: number): boolean {
  const index = values[0]?.index[axis] as Index;
  return index.low >= 0 && index.high < extent && values.every((value) => value.index[axis] === index);
}

/** The outermost loops around `block`, as long as each of them is one of `axes`. */
function prefixOf(block: Block, axes: ReadonlySet<Axis>): Block {
  const outward: Block[] = [];
  for (let inner = block; inner.loop !== null; inner = inner.loop.block) outward.push(inner);
  let prefix = outward.at(-1)?.loop?.block ?? block;
  for (let inner = outward.pop(); inner?.loop?.axes.some((axis) => axes.has(axis)); inner = outward.pop())
    prefix = inner;
  return prefix;
}

/**
 * Fills scratch with the node's row and lets all other values read it. The row is filled in a loop that already walks it, where there is
 * one. Gives the one value that remains to be computed, in the filling loop.
 */
export function fillScratch(sweep: Sweep, node: number, values: readonly Value[], home: Home): Value {
  // All uses have the same index and differ in their guards alone, or the row has a single place: one value without guards serves them
  // all.
  if (cellsOf(home.row) === 1) return unify(sweep, values, home.row);
  const { dtype, shape } = nodeAt(sweep, node);
  const { held } = home;
  const buffer = held?.store.buffer ?? { role: "scratch", dtype, cells: cellsOf(home.row), node };
  const placeOf = (index: readonly Index[]): Index =>
    held === null ? cellOf(sweep, home.row, index) : offsetIn(sweep, shape, index);

  const store = held?.own ? held.store : addFill(sweep, node, values, home, buffer, placeOf);
  if (held !== null && !held.own) store.holds = true;
  for (const value of values) {
    if (value === store.value) continue;
    const at = placeOf(value.index);
    const place = hoist(commonBlock(value.users), axesOf([at], value.guards), home.block);
    const load = addLet(sweep, value, place, { kind: "load", buffer, at, guards: value.guards });
    link(load, store);
    if (held !== null && !held.own) {
      held.store.holds = true;
      link(held.store, load);
    }
  }
  return store.value;
}

/** Stores the row, in a loop that already walks it or in one of its own. */
function addFill(
  sweep: Sweep,
  node: number,
  values: readonly Value[],
  home: Home,
  buffer: Buffer,
  placeOf: (index: readonly Index[]) => Index,
): Store {
  const [first] = values as [Value, ...Value[]];
  const host = findFillingLoop(values, home);
  if (host !== undefined) {
    const { index } = host.value;
    return addStore(sweep, first.kernel, host.block, buffer, placeOf(index), index, node);
  }
  const { block, index } = addRowNest(sweep, node, first, home);
  return addStore(sweep, first.kernel, block, buffer, placeOf(index), index, node);
}

/** One value in place of several at the same index. It needs no guard, since the index is within the shape. */
function unify(sweep: Sweep, values: readonly Value[], row: readonly RowAxis[]): Value {
  const [first] = values as [Value, ...Value[]];
  const index = first.index.map((part, axis) =>
    row.some((known) => known.axis === axis) ? sweep.table.constant(0) : part,
  );
  const whole = addUse(
    sweep,
    first.kernel,
    first.node,
    index,
    [],
    values.flatMap((value) => value.users),
  );
  for (const value of values) if (value !== whole) value.place = { kind: "same", as: whole };
  return whole;
}

/** A value whose loops under the home walk the whole row once, and that may precede all other uses. */
function findFillingLoop(
  values: readonly Value[],
  home: Pick<Home, "block" | "row">,
): { value: Value; block: Block } | undefined {
  for (const value of values) {
    if (value.guards.length > 0 || !walksRow(home.row, value.index)) continue;
    const block = hoist(commonBlock(value.users), axesOf(value.index, []));
    if (block === home.block || evaluations(block) !== runsOf(home.block, home.row)) continue;
    const loop = ancestorIn(home.block, block.loop as Loop);
    const others = values.filter((other) => other !== value).flatMap((other) => other.users);
    if (mayPrecede(home.block, loop, others)) return { value, block };
  }
  return undefined;
}

function walksRow(row: readonly RowAxis[], index: readonly Index[]): boolean {
  const seen = new Set<Axis>();
  return row.every(({ axis, size, strip }) => {
    if (size === 1) return true;
    const plain = plainAxis(index[axis] as Index);
    if (plain === undefined || plain.extent !== size || seen.has(plain)) return false;
    if (strip !== null && plain.strip !== strip) return false;
    seen.add(plain);
    return true;
  });
}

/** True when every user may come after `loop`, an item of `block`. */
export function mayPrecede(block: Block, loop: Item, users: readonly Item[]): boolean {
  return users.every((user) => {
    const holder = ancestorIn(block, user);
    return holder !== loop && !reaches(loop, holder);
  });
}
