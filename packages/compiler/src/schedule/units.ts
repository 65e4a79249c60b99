/** What a value costs where it stands, in units, against a loop over memory. */
import { elementCount, pointwiseOps } from "@fuseau/ir";
import type { Axis, Index } from "../indexing/index-expression.ts";
import type { Costs } from "./cost.ts";
import type { Spot } from "./spots.ts";
import { type Guard, type Let, letOf, letsOf, type Value } from "./tree.ts";

export interface Units {
  /** What it costs where it stands, and in a loop over memory. */
  readonly here: number;
  readonly alone: number;
  /** What a load of its own elements would take at the same places, if it were stored. */
  readonly load: number;
  /** The nodes that it reads and that are computed in the kernel too. */
  readonly inputs: readonly number[];
  /** It reads the result of a fold. */
  readonly folded: boolean;
}

/** Null for what is no work of a node's own: loads, results. */
export function unitsOf(item: Let, { along }: Spot, costs: Costs, shape: readonly number[]): Units | null {
  const { definition } = item;
  if (definition.kind !== "pointwise" && definition.kind !== "select") return null;
  const own =
    definition.kind === "pointwise" ? (costs.ops[definition.fn] ?? pointwiseOps[definition.fn].cost) : 1;
  let here = own * (isWordApart(item, along) ? costs.wordsApart : 1);
  let alone = own;
  const inputs: number[] = [];
  let folded = false;
  let load = 1;
  const elements = elementCount(shape);
  // Instead of quotients: its last axis, and several as one, are in the order that they are stored in, as an operand that is as large is.
  const isInOrder = along !== null && (along.extent === shape.at(-1) || along.extent === elements);
  let scattered = isInOrder ? 1 : Number.POSITIVE_INFINITY;
  if (definition.kind === "select")
    for (const { guards } of definition.cases) here += testUnits(guards, along, costs);
  const reads = letsOf(item);
  const areJoined = reads.filter(isGuarded).length > 1;
  for (const read of reads) {
    if (read.definition.kind === "load") {
      const units = placeUnits(read.definition.at, along, costs);
      here += units > 1 && areJoined ? JOINED * units : units;
      load = Math.max(load, units);
      if (read.definition.buffer.cells === elements) scattered = Math.min(scattered, units);
      alone++;
    } else if (read.definition.kind === "result") {
      // A register, or memory that has just been written: what it costs is to find the place.
      here += placeUnits(read.definition.cell, along, costs) - 1;
      folded = true;
    } else inputs.push(read.node);
  }
  if (load >= costs.scattered + costs.quotient) load = Math.min(load, scattered);
  return { here, alone, load, inputs, folded };
}

/** How many times as much each load costs of those that are joined, where they are no rows of memory: nothing turns them in registers. */
const JOINED = 2;

const isGuarded = ({ definition }: Let): boolean =>
  definition.kind === "load" && definition.guards.length > 0;

/** Words of a block. What is made of several words has their counters in a row: its neighbour's is so much further at most. */
const BLOCK = 4;

/** A random word whose neighbours are not of its block, nor of the next one. */
function isWordApart({ definition }: Let, along: Axis | null): boolean {
  if (definition.kind !== "pointwise" || along === null) return false;
  if (definition.fn !== "randomWord" && definition.fn !== "randomNormal") return false;
  const counter = letOf(definition.args[0] as Value)?.definition;
  if (counter?.kind !== "index" || !dependsOn(counter.at, along)) return false;
  const stride = Math.abs(strideAlong(counter.at, along));
  return stride === 0 || stride > BLOCK;
}

const strideAlong = ({ terms }: Index, along: Axis): number =>
  terms.find(({ atom }) => atom === along)?.coefficient ?? 0;

/** A test along a plain axis cuts its loop; any other is asked for each element. */
const testUnits = (guards: readonly Guard[], along: Axis | null, costs: Costs): number =>
  guards.reduce((sum, { at }) => sum + (changesPlainly(at, along) ? 0 : costs.test), 0);

const changesPlainly = ({ terms }: Index, along: Axis | null): boolean =>
  terms.every(({ atom }) => {
    if (atom.kind === "axis" || atom.kind === "bound") return true;
    return atom.kind !== "indirect" && !dependsOn(atom.of, along);
  });

const dependsOn = ({ axes }: Index, axis: Axis | null): boolean => axis !== null && axes.includes(axis);

/** Of a load, or a store. */
export function placeUnits(at: Index, along: Axis | null, costs: Costs): number {
  if (along === null || !dependsOn(at, along)) return 1;
  const quotients = at.terms.filter(
    ({ atom }) =>
      atom.kind !== "axis" && atom.kind !== "bound" && atom.kind !== "indirect" && dependsOn(atom.of, along),
  ).length;
  if (quotients > 0 || at.indirect.length > 0) return costs.scattered + quotients * costs.quotient;
  const stride = strideAlong(at, along);
  if (Math.abs(stride) <= 1) return 1;
  return stride === 2 ? costs.everySecond : costs.apart;
}
