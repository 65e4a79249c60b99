/**
 * A stored node that is put together of others, as boxes of places: concatenations, padding, and what is computed of them. With loops of
 * its own, each box computes what it holds, and no element tests which of the operands it comes from.
 */
import { type ConcatNode, elementCount, type Node, type PadNode, pointwiseOps } from "@fuseau/ir";
import { type Axis, type Index, type IndexTable, whole } from "../indexing/index-expression.ts";
import { isFlattened } from "../tactics/lane-steps.ts";
import { THREADS } from "./loop-order.ts";
import { broadcastIndex, isMovement, moveIndex } from "./movement.ts";
import { UNROLLED_ROW } from "./rows.ts";
import { Search, type Use } from "./search.ts";
import { addNest, addStore, factsAt, inputsAt, nodeAt, offsetIn, type Sweep } from "./sweep.ts";
import type { Buffer, Kernel, Store } from "./tree.ts";

/** The places from `low` on along an axis. */
interface Range {
  readonly low: number;
  readonly size: number;
}

/** By axis. */
export type Box = readonly Range[];

/** Nodes searched beneath the one that a kernel is made for, so that the search stays linear. */
const LOOKAHEAD = 128;

/** The most boxes along one axis, and along several; and the most text of all of them: additions, of which a load takes about as much as four. */
const [MOST_IN_ROW, MOST_BOXES] = [32, 9];
const MOST_TEXT = 800;
const LOAD = 4;

/** Elements of a result for which tests take no longer than the loops of boxes. */
const FEWEST = 64;

/**
 * The boxes in the order of memory, and whether each is quicker in loops of its own than in rows that all of them share: where an expensive
 * op or a fold is computed, or an operand is transposed.
 */
interface Boxes {
  readonly boxes: readonly Box[];
  readonly haveOwnLoops: boolean;
}

/** Null if nothing is put together, or boxes cost more than tests. */
export const boxesOf = (sweep: Sweep, node: number): Boxes | null =>
  foundBoxes(sweep, node, true) ?? (joinsJoined(sweep, node) ? foundBoxes(sweep, node, false) : null);

const joinsJoined = (sweep: Sweep, node: number): boolean =>
  nodeAt(sweep, node).op === "concat" &&
  inputsAt(sweep, node).some((each) => nodeAt(sweep, each).op === "concat");

/** `isDeep`: boxes are cut where the parts of parts end too. */
function foundBoxes(sweep: Sweep, node: number, isDeep: boolean): Boxes | null {
  if (!factsAt(sweep, node).hasParts) return null;
  const { shape } = nodeAt(sweep, node);
  const whole = shape.map((size): Range => ({ low: 0, size }));
  const size = elementCount(shape);
  if (sweep.decide(size < FEWEST)) return null;
  const found: Box[] = [];
  const left: Box[] = [whole];
  const cut = new Set<number>();
  let [text, haveOwnLoops, folded] = [0, false, 0];
  for (let box = left.pop(); box !== undefined; box = left.pop()) {
    const content = contentOf(sweep, node, box, isDeep);
    if (content === null) return null;
    if (content.parts.length > 0) {
      left.push(...content.parts);
      cut.add(content.axis);
    } else {
      found.push(box);
      // A short row is unrolled.
      const row = box.reduce((last, { size: each }) => (each === 1 ? last : each), 1);
      text += content.text * sweep.decide(row <= UNROLLED_ROW ? row : 1);
      haveOwnLoops ||= content.hasOwnLoops || content.folds;
      // Two boxes would compute a fold of both twice.
      if (content.folds && ++folded > 1) return null;
    }
    const most = cut.size > 1 ? MOST_BOXES : MOST_IN_ROW;
    if (found.length + left.length > most || text > MOST_TEXT) return null;
  }
  return found.length === 1 ? null : { boxes: found, haveOwnLoops };
}

/** What a box holds: parts along an axis that come from different operands, in descending order, or as much text of one kind. */
interface Content {
  readonly parts: readonly Box[];
  readonly axis: number;
  readonly text: number;
  readonly hasOwnLoops: boolean;
  /** A fold is computed, in loops within those of the box. */
  readonly folds: boolean;
}

/** Null where a scan is computed, whose loops are not these. */
function contentOf(sweep: Sweep, first: number, box: Box, isDeep: boolean): Content | null {
  const { table } = sweep;
  const axes = box.map(({ size }) => table.axis(size));
  const search = new Search(LOOKAHEAD);
  search.visit(
    first,
    axes.map((axis, k) => table.shift(table.of(axis), (box[k] as Range).low)),
  );
  let [text, hasOwnLoops, folds] = [0, false, false];
  for (const { node, index } of search.uses) {
    const known = nodeAt(sweep, node);
    const inputs = inputsAt(sweep, node);
    if (node !== first && (isStored(sweep, node) || known.op === "input")) {
      text += LOAD;
      hasOwnLoops ||= sweep.decide(isTransposed(offsetIn(sweep, known.shape, index), axes));
      continue;
    }
    if (node !== first) sweep.thoughtComputed.add(node);
    if (known.op === "scan") return null;
    if (known.op === "reduce") folds = true;
    else if (isMovement(known)) search.visit(inputs[0] as number, moveIndex(table, known, index));
    else if (known.op === "pointwise") {
      const { cost, instructions } = pointwiseOps[known.attributes.fn];
      text += instructions ?? cost;
      hasOwnLoops ||= isFlattened(known.attributes.fn);
      known.inputs.forEach((input, k) => {
        search.visit(inputs[k] as number, broadcastIndex(table, input.shape, index));
      });
    } else if (known.op !== "concat" && known.op !== "pad") text += LOAD;
    else if (!isDeep && node !== first) text += LOAD * inputs.length;
    else {
      const { at, starts, uses } =
        known.op === "concat" ? joined(table, known, index) : padded(table, known, index);
      for (const { node: operand, index: own } of uses) search.visit(inputs[operand] as number, own);
      const along = at === null ? null : onlyTerm(at);
      const walked = along === null ? -1 : axes.indexOf(along.axis);
      if (at === null || along === null || walked < 0) continue;
      const { low, size } = box[walked] as Range;
      const begins = starts.map((start) => placeOf(start, at, along.step)).sort((a, b) => a - b);
      const ranges = [0, ...begins].map((begin, k) => ({
        low: low + begin,
        size: (begins[k] ?? size) - begin,
      }));
      const parts = ranges.map((range) => box.map((whole, k) => (k === walked ? range : whole)));
      return { parts: parts.reverse(), axis: walked, text, hasOwnLoops, folds };
    }
  }
  return { parts: [], axis: -1, text, hasOwnLoops, folds };
}

export const isStored = (sweep: Sweep, node: number): boolean =>
  sweep.wanted.has(node) ||
  sweep.unfused.has(node) ||
  sweep.kept.has(node) ||
  (!sweep.fuse && !isMovement(nodeAt(sweep, node)));

/** True of an operand whose neighbours in memory lie along another axis than the last of a box. */
function isTransposed({ terms }: Index, axes: readonly Axis[]): boolean {
  const last = axes.filter(({ extent }) => extent > 1).at(-1);
  const stepOf = (axis: Axis): number | undefined => terms.find(({ atom }) => atom === axis)?.coefficient;
  if (last === undefined || (stepOf(last) ?? 1) === 1) return false;
  return axes.some((axis) => stepOf(axis) === 1);
}

/** The axis of an index that depends on nothing else, and its step; null of any other. */
function onlyTerm({ terms }: Index): { readonly axis: Axis; readonly step: number } | null {
  const [term] = terms;
  return term?.atom.kind === "axis" && terms.length === 1
    ? { axis: term.atom, step: term.coefficient }
    : null;
}

/** The first place along the axis from which on the index is at least `start`; or less, if it falls. */
const placeOf = (start: number, { constant }: Index, step: number): number =>
  step > 0 ? Math.ceil((start - constant) / step) : Math.floor((constant - start) / -step) + 1;

/** Where other operands begin at an index along one axis, in ascending order; and the operands that all of it reads. */
interface Operands {
  readonly at: Index | null;
  readonly starts: readonly number[];
  readonly uses: readonly Use[];
}

const startsWithin = ({ low, high }: Index, start: number): boolean => low < start && start <= high;

function joined(table: IndexTable, node: ConcatNode, index: readonly Index[]): Operands {
  const { axis } = node.attributes;
  const at = index[axis] as Index;
  let start = 0;
  const starts = node.inputs.map(({ shape }) => {
    const own = start;
    start += shape[axis] as number;
    return own;
  });
  const within = [...new Set(starts)].filter((each) => startsWithin(at, each));
  if (within.length > 0) return { at, starts: within, uses: [] };
  const operand = starts.filter((each) => each <= at.low).length - 1;
  const own = index.map((part, k) => (k === axis ? table.shift(part, -(starts[operand] as number)) : part));
  return { at: null, starts: [], uses: [{ node: operand, index: own }] };
}

function padded(table: IndexTable, node: PadNode, index: readonly Index[]): Operands {
  const { before } = node.attributes;
  const { shape } = node.inputs[0] as Node;
  const own = index.map((part, axis) => table.shift(part, -(before[axis] as number)));
  const isOutside = own.some(({ low, high }, axis) => high < 0 || low >= (shape[axis] as number));
  if (isOutside) return { at: null, starts: [], uses: [] };
  for (const [axis, at] of own.entries()) {
    // Once, where nothing is padded.
    const within = [...new Set([0, shape[axis] as number])].filter((each) => startsWithin(at, each));
    if (within.length > 0) return { at, starts: within, uses: [] };
  }
  return { at: null, starts: [], uses: [{ node: 0, index: own }] };
}

/** Elements of an outer iteration that stay in the cache while the boxes of it are computed, one after another. */
const ROW = 16_384;

/**
 * Adds a nest for each box, in a kernel that has no loops yet. Boxes of a short row lie in the loops over the rows, so that what all of them
 * read is in the cache. With loops of its own, an expensive op or a fold is computed for many rows at once, and a transposed operand is read
 * in squares.
 */
export function storeInBoxes(
  sweep: Sweep,
  kernel: Kernel,
  node: number,
  { boxes, haveOwnLoops }: Boxes,
  buffer: Buffer,
): readonly Store[] {
  const { shape } = nodeAt(sweep, node);
  const cut = shape.findIndex((size, axis) => boxes.some((box) => (box[axis] as Range).size !== size));
  const row = elementCount(shape.slice(cut));
  const isShared = sweep.decide(!haveOwnLoops && row <= ROW && factsAt(sweep, node).size / row >= THREADS);
  const outer = addNest(sweep, kernel.root, isShared ? shape.slice(0, cut).map(whole) : []);
  return boxes.map((box) => {
    const own = box.slice(outer.extents.length);
    const inner = addNest(
      sweep,
      outer.block,
      own.map(({ size }) => whole(size)),
    );
    const shifted = inner.index.map((part, k) => sweep.table.shift(part, (own[k] as Range).low));
    const index = [...outer.index, ...shifted];
    const at = offsetIn(sweep, shape, index);
    return addStore(sweep, kernel, inner.block, buffer, at, index, node);
  });
}
