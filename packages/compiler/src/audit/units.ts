/** The cost of a value at the place where it is computed, in units, against its cost in a loop over memory. */
import { type DType, dtypes, isFloat, pointwiseOps } from "@fuseau/ir";
import type { Axis, Index, IndexTable } from "../indexing/index-expression.ts";
import { rowMajorStrides } from "../indexing/strides.ts";
import type { Costs } from "../schedule/cost.ts";
import { SHORTEST_ROW } from "../schedule/rows.ts";
import {
  type Block,
  type Definition,
  type Guard,
  type Item,
  type Let,
  letOf,
  letsOf,
  placeOf,
  type Value,
} from "../schedule/tree.ts";
import { isFlattened, isRandom } from "../tactics/lane-steps.ts";
import { joinsRow, type Spot, stepsOf } from "./spots.ts";

export interface Units {
  /** Its cost at this place, and in a loop over memory. */
  readonly here: number;
  readonly alone: number;
  /** The same with all operands in a cache. */
  readonly cached: number;
  /** The part of that which an expensive op takes in each step, and how many times as long beside strided loads. */
  readonly stepped: number;
  readonly jammed: number;
  /** The cost of loading its own elements at the same places, if it were stored. */
  readonly load: number;
  /** How much more its operands cost than that where they are read across memory order. */
  readonly across: number;
  /** How much more narrow ones cost in a cache where they are widened few at a time: there, and in short rows of accumulators. */
  readonly widened: number;
  /** How much more it costs outside lanes, where it has branches. */
  readonly branches: number;
  /** The nodes that it reads and that the same kernel computes. */
  readonly inputs: readonly number[];
  /** It reads the result of a fold. */
  readonly folded: boolean;
}

/** Null for loads and results: they do no work of a node's own. */
export function unitsOf(
  item: Let,
  { along, lanes }: Spot,
  costs: Costs,
  shape: readonly number[],
  table: IndexTable,
): Units | null {
  const { definition } = item;
  if (definition.kind !== "pointwise" && definition.kind !== "select") return null;
  const own = definition.kind === "pointwise" ? ownUnits(definition, item.dtype, costs) : 1;
  let here = own * wordUnits(item, along, costs);
  let alone = own;
  let cached = isTruncation(item) ? TRUNCATION : own;
  const inputs: number[] = [];
  let folded = false;
  let load = 1;
  if (definition.kind === "select")
    for (const { guards } of definition.cases) here += testUnits(guards, along, costs);
  const reads = letsOf(item);
  const areJoined = reads.filter(isGuarded).length > 1;
  const widening = (): number =>
    along === null || costs.step === 1 ? 0 : wideningUnits(item.block, along, costs);
  let widened = isTruncation(item) ? widening() : 0;
  for (const read of reads) {
    if (read.definition.kind === "load") {
      // What is the same in all lanes is loaded once.
      const isUniform = lanes !== null && !dependsOn(read.definition.at, lanes);
      const units = isUniform ? 1 : placeUnits(read.definition.at, along, costs);
      here += units > 1 && areJoined ? JOINED * units : units;
      load = Math.max(load, units);
      alone++;
      const isNarrow = dtypes[read.definition.buffer.dtype].bytes < WORD;
      cached += isNarrow ? NARROW : 1;
      if (isNarrow && dtypes[item.dtype].bytes >= WORD) widened += units > 1 ? SPREAD : widening();
    } else if (read.definition.kind === "index") {
      here += quotientsAlong(read.definition.at, along) * costs.quotient;
    } else if (read.definition.kind === "result") {
      // The value is in a register, or in memory that was just written: only the address costs anything.
      here += placeUnits(read.definition.cell, along, costs) - 1;
      folded = true;
    } else inputs.push(read.node);
  }
  if (load > 1 && isLongCast(definition)) here += LONG_ALONE - LONG;
  // What is chosen among, as by a roll, is one load for each element.
  const transposed =
    definition.kind === "select" || along === null || lanes === null
      ? []
      : reads.filter((read) => isTransposed(read, along, lanes));
  if (transposed.length > 1) here += TRANSPOSED * (transposed.length - 1);
  const stored = loadUnits(load, definition, shape, along, costs, table);
  const across = Math.max(0, load - stored);
  const stepped = definition.kind === "pointwise" && isFlattened(definition.fn) ? own * CACHED_UNIT : 0;
  const isJammed =
    stepped > 0 &&
    along !== null &&
    (item.block.items.some(isStridedAlong(along, costs)) ||
      item.block.items.filter(isReversedAlong(along)).length > 1);
  return {
    here,
    alone,
    cached: cached * CACHED_UNIT,
    stepped,
    jammed: isJammed ? JAMMED : 1,
    load: stored,
    across,
    widened,
    branches: costs.step > 1 && isTruncation(item) ? TRUNCATED_ALONE : 0,
    inputs,
    folded,
  };
}

/** Units of the item's own work, each time it runs. */
export function unitsOfItem(item: Item): number {
  if (item.kind === "accumulate") return 2;
  return item.kind === "let" && item.definition.kind === "pointwise"
    ? pointwiseOps[item.definition.fn].cost
    : 0;
}

/**
 * Units of loading an element of the value itself at its place in such a loop, if it were stored; null where the loop's axis is made of
 * others. All operands are read at one index.
 */
export function storedUnits(
  definition: Definition,
  shape: readonly number[],
  along: Axis | null,
  costs: Costs,
): number | null {
  const index = indexOf(definition, shape);
  if (index === null || !index.some((at) => dependsOn(at, along))) return null;
  let stride = 0;
  let cells = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const at = index[axis]!;
    if (along !== null && (quotientsAlong(at, along) > 0 || isLookedUpAlong(at, along))) return null;
    stride += strideAlong(at, along as Axis) * cells;
    cells *= shape[axis]!;
  }
  return strideUnits(stride, costs);
}

/** Units of loading its own elements, if its operands take `load`. What is looked up is looked up for the stored value too. */
function loadUnits(
  load: number,
  definition: Definition,
  shape: readonly number[],
  along: Axis | null,
  costs: Costs,
  table: IndexTable,
): number {
  if (load <= 1) return load;
  if (load <= costs.strided) return storedUnits(definition, shape, along, costs) ?? load;
  if (load < costs.scattered + costs.quotient) return load;
  return Math.min(load, mergedUnits(definition, shape, along, costs, table));
}

/**
 * As `storedUnits`, where the loop's axis is made of several: those that lie beside each other in the stored value are walked as one.
 * Infinite where not all operands are read at one index.
 */
function mergedUnits(
  definition: Definition,
  shape: readonly number[],
  along: Axis | null,
  costs: Costs,
  table: IndexTable,
): number {
  const index = indexOf(definition, shape);
  if (index === null) return Number.POSITIVE_INFINITY;
  return placeUnits(table.dot(index, rowMajorStrides(shape)), along, costs);
}

/** The index at which all operands of an op are read; null if they are read at others than the value's own. */
function indexOf(definition: Definition, shape: readonly number[]): readonly Index[] | null {
  const index = definition.kind === "pointwise" ? definition.args[0]?.index : undefined;
  return index?.length === shape.length ? index : null;
}

/** What an op or a load takes in a cache, as a part of its units. */
export const CACHED_UNIT = 0.45;

/**
 * Units of a narrow element, or of a cast of floats to integers, more than in a long row in memory order: among short rows or beside strided
 * loads, and of a strided one.
 */
const [AMONG, SPREAD] = [2.5, 5];

/**
 * How many times as long an expensive op takes where rows are jammed, so that strided loads of several are transposed in registers, or where
 * operands that are read backwards are copied to private memory.
 */
const JAMMED = 1.25;

const isReversedAlong =
  (along: Axis) =>
  (item: Item): boolean =>
    item.kind === "let" && item.definition.kind === "load" && strideAlong(item.definition.at, along) < 0;

const isStridedAlong =
  (along: Axis, costs: Costs) =>
  (item: Item): boolean =>
    item.kind === "let" &&
    item.definition.kind === "load" &&
    placeUnits(item.definition.at, along, costs) > 1;

function wideningUnits({ items, loop }: Block, along: Axis, costs: Costs): number {
  const isShort = stepsOf(along.extent, costs) > 1;
  const isSlow = items.some((item) => (isShort && joinsRow(item)) || isStridedAlong(along, costs)(item));
  if (isSlow) return AMONG;
  // Windows of a few elements are unrolled, and the loop around them has the lanes.
  const around = loop?.role === "reduce" && along.extent < SHORTEST_ROW ? loop.block.loop?.axes.at(-1) : null;
  return around && items.some(isStridedAlong(around, costs)) ? SPREAD : 0;
}

/** Bytes of a word. Wider elements have fewer lanes; narrower ones are widened. */
export const WORD = 4;

/** Units in a cache: of a load of narrow elements, and of a cast of floats to integers. */
const [NARROW, TRUNCATION] = [3, 4];

/** Units that a cast of a float to an integer takes longer outside lanes. */
const TRUNCATED_ALONE = 8;

const isTruncation = ({ definition, dtype }: Let): boolean =>
  definition.kind === "pointwise" && definition.fn === "cast" && isFloat(definition.from) && !isFloat(dtype);

/** Units of a cast of int64, which has half the lanes; and of one whose elements are loaded by themselves. */
const [LONG, LONG_ALONE] = [5, 20];

const isLongCast = (definition: Definition): boolean =>
  definition.kind === "pointwise" && definition.fn === "cast" && definition.from === "int64";

/** Units of rounding a float to float16, which takes a dozen instructions. */
const HALF = 8;

const ownUnits = (definition: Definition & { kind: "pointwise" }, dtype: DType, { ops }: Costs): number => {
  if (definition.fn === "cast" && dtype === "float16" && isFloat(definition.from)) return HALF;
  return isLongCast(definition) ? LONG : (ops[definition.fn] ?? pointwiseOps[definition.fn].cost);
};

/**
 * How many times as expensive each load of a joined operand is, where the operands are not rows of memory: no transposition in registers
 * helps there.
 */
const JOINED = 2;

/** Units of each further load of short rows that are transposed in registers. Without tests, and read forwards, they are one long row. */
const TRANSPOSED = 4;

function isTransposed({ definition }: Let, along: Axis, lanes: Axis): boolean {
  if (definition.kind !== "load" || !dependsOn(definition.at, along) || !dependsOn(definition.at, lanes))
    return false;
  return definition.guards.length > 0 || strideAlong(definition.at, along) < 0;
}

const isGuarded = ({ definition }: Let): boolean =>
  definition.kind === "load" && definition.guards.length > 0;

/**
 * Words of a block. The counters of a value made of several words are consecutive, so a neighbour's counter is at most this much further.
 */
const BLOCK = 4;

/** How many times as much a random word costs as in one row of all counters. */
function wordUnits({ definition }: Let, along: Axis | null, costs: Costs): number {
  if (definition.kind !== "pointwise" || along === null || !isRandom(definition.fn)) return 1;
  const counter = counterOf(definition.args[0] as Value);
  if (counter === null || !dependsOn(counter.at, along)) return 1;
  const stride = Math.abs(strideAlong(counter.at, along));
  if (counter.words === 1 && (stride === 0 || stride > BLOCK)) return costs.scatteredWords;
  return 1 + (costs.wordsAmid - 1) * amidBlock(counter, along);
}

/** What part of the rows along an axis begins amid a block, so that no step has whole blocks. */
function amidBlock({ at, words }: Counter, along: Axis): number {
  const steps = at.terms.map(({ atom, coefficient }) => (atom === along ? 0 : coefficient * words));
  if (steps.some((step) => step % 2 !== 0)) return 3 / 4;
  if (steps.some((step) => step % BLOCK !== 0)) return 1 / 2;
  return (at.constant * words) % BLOCK === 0 ? 0 : 1;
}

interface Counter {
  readonly at: Index;
  /** How many are between neighbours. */
  readonly words: number;
}

/** An index, or a multiple of it, from where a generator is: that is at the beginning of a block. */
function counterOf(value: Value): Counter | null {
  const definition = letOf(value)?.definition;
  if (definition?.kind === "index") return { at: definition.at, words: 1 };
  if (definition?.kind !== "pointwise" || definition.args.length !== 2) return null;
  const [first, second] = definition.args as readonly [Value, Value];
  const [counter, by] = [counterOf(first), placeOf(second)];
  if (counter === null || (by?.kind !== "constant" && by?.kind !== "scalar")) return null;
  if (definition.fn === "add") return counter;
  const isMultiple = definition.fn === "mul" && by.kind === "constant";
  return isMultiple ? { ...counter, words: counter.words * Number(by.value) } : null;
}

export const strideAlong = ({ terms }: Index, along: Axis): number =>
  terms.find(({ atom }) => atom === along)?.coefficient ?? 0;

/** A test along a plain axis splits its loop into pieces; any other test is evaluated for each element. */
const testUnits = (guards: readonly Guard[], along: Axis | null, costs: Costs): number =>
  guards.reduce((sum, { at }) => sum + (changesPlainly(at, along) ? 0 : costs.test), 0);

const changesPlainly = ({ terms }: Index, along: Axis | null): boolean =>
  terms.every(({ atom }) => {
    if (atom.kind === "axis" || atom.kind === "bound") return true;
    return atom.kind !== "indirect" && !dependsOn(atom.of, along);
  });

const dependsOn = ({ axes }: { readonly axes: readonly Axis[] }, axis: Axis | null): boolean =>
  axis !== null && (axes.includes(axis) || axis.merged.some((part) => axes.includes(part)));

/** The cost of a load or a store. */
export function placeUnits(at: Index, along: Axis | null, costs: Costs): number {
  if (along === null || !dependsOn(at, along)) return 1;
  const quotients = quotientsAlong(at, along);
  if (quotients > 0 || isLookedUpAlong(at, along)) return costs.scattered + quotients * costs.quotient;
  return strideUnits(strideAlong(at, along), costs);
}

const isLookedUpAlong = ({ indirect }: Index, along: Axis): boolean =>
  indirect.some((atom) => dependsOn(atom, along));

function strideUnits(stride: number, { everySecond, strided }: Costs): number {
  if (Math.abs(stride) <= 1) return 1;
  return stride === 2 ? everySecond : strided;
}

/** How many quotients and rests a place has that change from element to element. */
export const quotientsAlong = ({ terms }: Index, along: Axis | null): number =>
  terms.filter(
    ({ atom }) =>
      atom.kind !== "axis" && atom.kind !== "bound" && atom.kind !== "indirect" && dependsOn(atom.of, along),
  ).length;
