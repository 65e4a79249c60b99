/**
 * Stages: a node computed once for a row of its places and kept in scratch (or in a row of accumulators) for uses that
 * walk other loops. The home of a stage is the innermost block around all uses in which the axes they agree on are known.
 */
import { type Axis, type Index, plainAxis } from "../layout/index-expression.ts";
import {
  addLet,
  addNest,
  addStore,
  axesOf,
  demand,
  explainNotFused,
  factsAt,
  hoist,
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
  type NotFusedReason,
  reaches,
  type Value,
} from "./tree.ts";

export interface Home {
  readonly block: Block;
  /** The node's axes that the uses walk differently: the row. The others are fixed within the home. */
  readonly row: readonly number[];
  readonly cells: number;
}

/** Where a stage for the values would stand, or why it may not. */
export function findHome(sweep: Sweep, node: number, values: readonly Value[]): Home | NotFusedReason {
  const { shape } = nodeAt(sweep, node);
  const { size, cost } = factsAt(sweep, node);
  const agreed = new Set(
    shape.map((_, axis) => axis).filter((axis) => agreeOn(values, axis, shape[axis] as number)),
  );
  const [first] = values as [Value, ...Value[]];
  const agreedAxes = axesOf(
    first.index.filter((_, axis) => agreed.has(axis)),
    [],
  );
  const block = prefixOf(commonBlock(values.flatMap((value) => value.users)), agreedAxes);
  const known = enclosingAxes(block);
  const fixed = shape.map(
    (_, axis) => agreed.has(axis) && (first.index[axis] as Index).axes.every((a) => known.has(a)),
  );

  const row = shape.map((_, axis) => axis).filter((axis) => !fixed[axis]);
  const cells = row.reduce((count, axis) => count * (shape[axis] as number), 1);
  const { limits } = sweep;
  if (cells > limits.scratch) {
    explainNotFused(sweep, node, "scratch too large", cells, limits.scratch);
    return "scratch too large";
  }
  const recomputed = ((evaluations(block) * cells) / size - 1) * cost;
  if (recomputed > limits.recompute) {
    explainNotFused(sweep, node, "recompute costs more than a buffer", recomputed, limits.recompute);
    return "recompute costs more than a buffer";
  }
  return { block, row, cells };
}

function enclosingAxes(block: Block): Set<Axis> {
  const axes = new Set<Axis>();
  for (let loop = block.loop; loop !== null; loop = loop.block.loop)
    for (const axis of loop.axes) axes.add(axis);
  return axes;
}

/** All values read the axis at one place, and need no guard to. */
function agreeOn(values: readonly Value[], axis: number, extent: number): boolean {
  const index = values[0]?.index[axis] as Index;
  return index.low >= 0 && index.high < extent && values.every((value) => value.index[axis] === index);
}

/** The outermost loops around `block`, as far as each of them is one of `axes`. */
function prefixOf(block: Block, axes: ReadonlySet<Axis>): Block {
  const outward: Block[] = [];
  for (let inner = block; inner.loop !== null; inner = inner.loop.block) outward.push(inner);
  let prefix = outward.at(-1)?.loop?.block ?? block;
  for (let inner = outward.pop(); inner?.loop?.axes.some((axis) => axes.has(axis)); inner = outward.pop())
    prefix = inner;
  return prefix;
}

/**
 * Fills scratch with the node's row, in a loop that walks it anyway when there is one, and points the other values at it.
 * Gives the one value that is still to be computed, in the filling loop.
 */
export function fillScratch(sweep: Sweep, node: number, values: readonly Value[], home: Home): Value {
  // All uses agree on every axis and differ in what guards them alone: one value serves them, unguarded.
  if (home.row.length === 0) return unify(sweep, values);
  const { dtype, shape } = nodeAt(sweep, node);
  const rowShape = home.row.map((axis) => shape[axis] as number);
  const [first] = values as [Value, ...Value[]];
  const scratch: Buffer = { role: "scratch", dtype, cells: home.cells, node };
  const cellOf = (index: readonly Index[]): Index =>
    offsetIn(
      sweep,
      rowShape,
      home.row.map((axis) => index[axis] as Index),
    );

  const host = findFillingLoop(sweep, node, values, home);
  let index: readonly Index[];
  let block: Block;
  if (host !== undefined) {
    ({ index } = host.value);
    ({ block } = host);
  } else {
    const nest = addNest(sweep, home.block, rowShape);
    ({ block } = nest);
    index = shape.map((_, axis) => {
      const place = home.row.indexOf(axis);
      return place < 0 ? (first.index[axis] as Index) : (nest.index[place] as Index);
    });
  }
  const store = addStore(sweep, first.kernel, block, scratch, cellOf(index), index);
  for (const value of values) {
    if (value === store.value) continue;
    const at = cellOf(value.index);
    const place = hoist(commonBlock(value.users), axesOf([at], value.guards), home.block);
    link(addLet(sweep, value, place, { kind: "load", buffer: scratch, at, guards: value.guards }), store);
  }
  return store.value;
}

/** One value in place of several at the same index, which needs no guard since it is within the shape. */
function unify(sweep: Sweep, values: readonly Value[]): Value {
  const [first] = values as [Value, ...Value[]];
  const whole = demand(
    sweep,
    first.kernel,
    first.node,
    first.index,
    [],
    values.flatMap((value) => value.users),
  );
  for (const value of values) if (value !== whole) value.place = { kind: "same", as: whole };
  return whole;
}

/** A value whose own loops under the home walk the whole row once, and that no other use must precede. */
function findFillingLoop(
  sweep: Sweep,
  node: number,
  values: readonly Value[],
  home: Home,
): { value: Value; block: Block } | undefined {
  const { shape } = nodeAt(sweep, node);
  for (const value of values) {
    if (value.guards.length > 0 || !walksRow(shape, value.index, home.row)) continue;
    const block = hoist(commonBlock(value.users), axesOf(value.index, []));
    if (block === home.block || evaluations(block) !== evaluations(home.block) * home.cells) continue;
    const loop = ancestorIn(home.block, block.loop as Loop);
    const others = values.filter((other) => other !== value).flatMap((other) => other.users);
    if (mayPrecede(home.block, loop, others)) return { value, block };
  }
  return undefined;
}

function walksRow(shape: readonly number[], index: readonly Index[], row: readonly number[]): boolean {
  const seen = new Set<Axis>();
  return row.every((axis) => {
    if (shape[axis] === 1) return true;
    const plain = plainAxis(index[axis] as Index);
    if (plain === undefined || plain.extent !== shape[axis] || seen.has(plain)) return false;
    seen.add(plain);
    return true;
  });
}

/** True when everything in `users` may come after `loop`, an item of `block`. */
export function mayPrecede(block: Block, loop: Item, users: readonly Item[]): boolean {
  return users.every((user) => {
    const holder = ancestorIn(block, user);
    return holder !== loop && !reaches(loop, holder);
  });
}
