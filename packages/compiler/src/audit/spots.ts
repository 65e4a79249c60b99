/** The spot of each item of a kernel: how often it runs, in what kind of loop, and how much slower it is there. */
import { isFloat, pointwiseOps } from "@fuseau/ir";
import { type Axis, shareOf, widthOf } from "../indexing/index-expression.ts";
import type { Costs } from "../schedule/cost.ts";
import {
  areRepeated,
  aroundMatrix,
  elementsOf,
  foldsShortRows,
  hasWholeSteps,
  isExpensiveRow,
  isMadeFirst,
  SHORT_ROW,
  SHORTEST_ROW,
  sumsProduct,
} from "../schedule/rows.ts";
import type { Accumulate, Block, Guard, Item, Let, Loop } from "../schedule/tree.ts";
import { LONG_BODY } from "../tactics/lane-steps.ts";

/** The place of an item among the loops, and its cost factors. */
export interface Spot {
  /** How often it runs, and how many times as long an element takes as in a loop over memory. */
  readonly runs: number;
  readonly slow: number;
  /** A further factor: tests cut its loop into pieces, each with steps of its own. */
  readonly cut: number;
  /** A further factor in a fold of short rows, which are one row where its elements are stored. */
  readonly rows: number;
  /**
   * A factor for items within a window that is folded. Rows of an outer fold that begin between its lanes are taken element by element.
   * Under a test, or in another window, all elements are.
   */
  readonly misplaced: number;
  /** True in a short row that is summed by itself, or with others, or added to a row of sums. Reading such a row a second time costs little. */
  readonly inShortRow: boolean;
  /** The axis that its loop steps along. */
  readonly along: Axis | null;
  /** The axis of the rows that are in lanes, where a row is so short that its loop is unrolled. */
  readonly lanes: Axis | null;
  /** The scan whose loop contains it. */
  readonly scan: Loop | null;
  /** True of what is computed between the loops of a product: stored, it would be taken in any order. */
  readonly packed: boolean;
}

/** The spots of all items beneath a kernel's root. */
export function spotsIn(root: Block, costs: Costs): Map<Item, Spot> {
  const spots = new Map<Item, Spot>();
  visitBlock(
    root,
    null,
    {
      runs: 1,
      slow: 1,
      cut: 0,
      rows: 1,
      misplaced: 1,
      inShortRow: false,
      along: null,
      lanes: null,
      scan: null,
      packed: false,
    },
    costs,
    spots,
  );
  return spots;
}

function visitBlock(block: Block, loop: Loop | null, spot: Spot, costs: Costs, spots: Map<Item, Spot>): void {
  for (const item of block.items) {
    if (item.kind !== "loop") {
      spots.set(item, spot);
      continue;
    }
    const runs = item.axes.reduce(
      // Strips are cut already: within one, the extent is its width.
      (count, { extent, strip }) => count * shareOf({ size: strip?.size ?? extent, strip }),
      spot.runs,
    );
    const along = item.axes.at(-1) ?? null;
    const scan = item.role === "scan" ? item : spot.scan;
    const keys = block.items.some(({ kind }) => kind === "sort");
    const slow = slowness(item, loop, costs) * (keys ? costs.keyed : 1);
    const isSlow = costs.step > 1 && slow >= costs.step * costs.shortStep;
    const cut = slow < costs.serial ? cutIn(item, costs) : 0;
    const rows = foldsShortRows(item) ? shortRows(item, costs) : 1;
    const inShortRow = isSlow || rows > MADE_FIRST || isShortRow(item, loop, costs);
    const misplaced = isUnrolled(item, costs) && loop !== null ? misplacedWindow(item, loop, costs) : 1;
    const lanes = rowsInLanes(item, loop, costs);
    visitBlock(
      item.body,
      item,
      { runs, slow, cut, rows, misplaced, inShortRow, along, lanes, scan, packed: false },
      costs,
      spots,
    );
  }
}

/** The axis of the rows in whose lanes an unrolled row is; null for any other loop. */
function rowsInLanes({ role, axes, body }: Loop, around: Loop | null, costs: Costs): Axis | null {
  const { extent, strip } = axes.at(-1) as Axis;
  const isUnrolledRow =
    costs.step > 1 &&
    around?.role === "parallel" &&
    (role === "parallel" || aroundMatrix(around) !== null) &&
    axes.length === 1 &&
    widthOf({ size: extent, strip }) <= costs.short &&
    body.items.every(({ kind }) => kind !== "loop");
  return isUnrolledRow ? ((aroundMatrix(around) ?? around).axes.at(-1) ?? null) : null;
}

/** How many times as long an element takes in the body of a loop as in a long loop over memory. */
function slowness(loop: Loop, around: Loop | null, costs: Costs): number {
  const { role, axes, body } = loop;
  if (role === "scan") return costs.serial;
  // Elements that are stored in order have lanes for what is computed in front, but not in rows of fewer than a register has.
  if (loop.ordered && around !== null && elementsOf(loop) < SHORTEST_ROW) return costs.serial;
  if (costs.step > 1 && around !== null) {
    if (aroundMatrix(around) !== null) return costs.unrolled;
    const isNest = around.block.loop !== null && around.role === "parallel" && role === "parallel";
    if (isNest && (keepsMatrix(loop) || isFew(around, loop))) return costs.step * costs.shortStep;
    if (areRepeated(around)) return 1;
  }
  const inner = body.items.filter((item) => item.kind === "loop");
  // Items beside loops run once for all iterations of those, except beside loops that are unrolled.
  if (inner.some((each) => !isUnrolled(each, costs))) return 1;
  if (body.items.some(foldsInOrder)) return costs.serial;
  const { extent, strip } = axes.at(-1) as Axis;
  const length = widthOf({ size: extent, strip });
  const isShort = axes.length === 1 && length <= costs.short && around !== null;
  // Sums of a short row that is stored at the same time are made one by one.
  if (isShort && costs.step > 1 && role === "reduce" && body.items.some(({ kind }) => kind === "store"))
    return costs.step * costs.shortStep;
  if (foldsShortRows(loop)) return 1;
  const stepsOfRow = (): number =>
    isExpensiveRow(loop) && !areSeparate(loop) ? flattened(loop, costs) : stepsOf(length, costs);
  const unrolled = isShort && hasOneLane(around) ? costs.step * costs.shortStep : costs.unrolled;
  const steps = isShort || inner.length > 0 ? unrolled : stepsOfRow();
  return steps * (joins(body) ? costs.beside : 1);
}

/**
 * True of a loop that stores rows of a matrix to memory which all iterations around share: those are walked one by one. A row alone would be
 * private to each (tactics/privatise.ts).
 */
const keepsMatrix = ({ body }: Loop): boolean =>
  body.items.some(
    (item) => item.kind === "store" && item.buffer.role === "scratch" && item.at.axes.length > 1,
  );

/** The elements of so few short rows, in another loop, that laying them behind each other does not pay. */
const FEW_ELEMENTS = 64;

/** True of so few rows, unless they are whole vectors, which those of float16 never are. */
const isFew = (rows: Loop, row: Loop): boolean =>
  elementsOf(rows) * elementsOf(row) <= FEW_ELEMENTS &&
  (elementsOf(row) % SHORTEST_ROW !== 0 ||
    row.body.items.some((item) => item.kind === "let" && item.dtype === "float16"));

/** So few iterations of a loop within another do not fill lanes; and the units that begin and end it. */
const [FEW_LANES, BEGUN] = [8, 150];

/** How many times as long short folds take, which are unrolled, where the loop around them has so few iterations, each of `elements`. */
export function fewLanes(
  fold: Loop,
  around: Loop | null,
  costs: Costs,
  elements: number = elementsOf(fold),
): number {
  if (costs.step === 1 || fold.role !== "reduce" || around?.role !== "parallel") return 1;
  const outer = around.block.loop;
  const { extent, strip } = fold.axes.at(-1) as Axis;
  const lanes = elementsOf(around);
  if (!outer || outer.role === "scan" || lanes >= FEW_LANES || widthOf({ size: extent, strip }) > costs.short)
    return 1;
  const inLanes = aroundMatrix(fold);
  if (inLanes !== null && inLanes !== around) return 1;
  return (Math.ceil(lanes / 4) * 4 + BEGUN / elements) / lanes;
}

/** True of rows beside products, of what is looked up, or beside accumulators in memory: they are not laid behind each other. */
const areSeparate = ({ block, body }: Loop): boolean =>
  block.items.some((item) => item.kind === "loop" && sumsProduct(item)) ||
  body.items.some((item) => {
    if (item.kind !== "let") return item.kind === "lookup";
    const { definition } = item;
    return definition.kind === "load"
      ? definition.at.indirect.length > 0
      : definition.kind === "result" && definition.reduction.cells > 1;
  });

/** True of so few rows that they do not fill the lanes in which unrolled rows are. */
const hasOneLane = (rows: Loop): boolean => rows.role === "parallel" && elementsOf(rows) < SHORTEST_ROW;

/** How many times as long an element takes in rows that are laid behind each other, and padded: the padding is computed too. */
const PADDED = 1.25;

const flattened = (loop: Loop, costs: Costs): number => (costs.step > 1 && isCut(loop, costs) ? PADDED : 1);

/** How many times as long it takes where elements are stored to private memory first, in rows or groups of few, and without lanes. */
const [MADE_FIRST, TINY, WITHOUT_LANES] = [1.5, 3, 2];

/** Units of a row that is not, of each element or step of four in it that is taken by itself, and of an element in a long row. */
const [ROW, AMID] = [15, 17];
export const ELEMENT = 3;

/** How many times as long an element takes in a fold of short rows as in one row. */
function shortRows(fold: Loop, { step }: Costs): number {
  if (step === 1) return WITHOUT_LANES;
  const { extent } = fold.axes.at(-1) as Axis;
  if (isMadeFirst(fold)) return extent < 4 || elementsOf(fold) <= SHORT_ROW ? TINY : MADE_FIRST;
  // On average half of the lanes precede the next first one.
  const isPlaced = fold.body.items.some((item) => foldsFloats(item) && item.reduction.lanes === LANES);
  const lead = isPlaced && extent % 4 !== 0 ? Math.min(extent, (LANES - 1) / 2) : 0;
  const left = (extent - lead) % step;
  const alone = lead + Math.floor(left / 4) + (left % 4);
  return 1 + (ROW + AMID * alone) / extent / ELEMENT;
}

/** True of a loop whose elements are each added to one of a row of sums in memory. */
const joins = ({ items }: Block): boolean =>
  items.some(
    (item) => item.kind === "accumulate" && item.reduction.cells > 1 && item.reduction.loop.role === "reduce",
  );

/** True of a fold, but no product, whose elements each join one of a row of accumulators. */
export const joinsRow = (item: Item): boolean =>
  item.kind === "accumulate" && item.reduction.cells > 1 && item.reduction.fn !== "dot";

/** So few columns that expensive ops in them are quicker in rows laid behind each other than beside accumulators. */
function isShortRow({ axes, body }: Loop, around: Loop | null, costs: Costs): boolean {
  const { extent, strip } = axes.at(-1) as Axis;
  if (costs.step === 1 || around?.role !== "reduce" || !joins(body)) return false;
  const width = widthOf({ size: extent, strip });
  return width <= SHORT_ROW && !hasWholeSteps(width);
}

/** A window: the loop around it is the one with lanes. */
export const isUnrolled = (loop: Loop, costs: Costs): boolean =>
  isShortFold(loop, costs) && !loop.body.items.some(({ kind }) => kind === "loop");

/** A sum of floats along any axis but the last takes its elements in order, into one accumulator. */
export const foldsInOrder = (item: Item): boolean =>
  foldsFloats(item) && item.reduction.cells === 1 && item.reduction.lanes === 1;

/** Reducers whose bits depend on the order of elements. */
export const foldsFloats = (item: Item): item is Accumulate =>
  item.kind === "accumulate" &&
  (item.reduction.fn === "sum" || item.reduction.fn === "prod") &&
  isFloat(item.reduction.from);

/** A smaller slowdown than this is not worth a kernel. */
export const NEARLY_WHOLE = 1.15;

/** The cost of a loop's steps, relative to whole steps alone. */
export function stepsOf(length: number, { step, shortStep }: Costs): number {
  const rest = length % step;
  const short = Math.floor(rest / 4) + (rest % 4);
  const slow = ((Math.floor(length / step) + short * shortStep) * step) / length;
  return step === 1 || slow < NEARLY_WHOLE ? 1 : slow;
}

/** The cost of the steps of a fold over several axes whose rows begin at any of its lanes, relative to whole steps alone. */
function misplacedIn({ axes, role, body }: Loop, { step, shortStep }: Costs): number {
  const { extent } = axes.at(-1) as Axis;
  if (step === 1 || role !== "reduce" || axes.length === 1 || extent % LANES === 0) return 1;
  if (!body.items.some((item) => foldsFloats(item) && item.reduction.lanes === LANES)) return 1;
  // On average half of the lanes precede the next first one.
  const lead = Math.min(extent, (LANES - 1) / 2);
  const rest = (extent - lead) % step;
  const short = lead + Math.floor(rest / 4) + (rest % 4);
  return Math.max(1, ((Math.floor((extent - lead) / step) + short * shortStep) * step) / extent);
}

/**
 * How many times as long a window takes under a test; in a window of several axes or among several, neither of which has lanes; and in a
 * short row of windows, which does not fill the lanes.
 */
const [UNDER_TEST, IN_WINDOW, IN_SHORT_ROW] = [2, 6, 3];

/** How many times as long a window takes in the body of a loop as in a loop over memory. */
function misplacedWindow(window: Loop, loop: Loop, costs: Costs): number {
  const isPlain = window.axes.length === 1 && loop.axes.length === 1;
  const isInShort = costs.step > 1 && isShortFold(loop, costs) && (!isPlain || aroundMatrix(loop) === null);
  const inWindow = isInShort ? (isPlain ? IN_SHORT_ROW : IN_WINDOW) : 1;
  // The accumulation order fixes the steps of a fold of floats; each step holds the values of that many windows.
  const isHeld = costs.step > 1 && !isShortFold(loop, costs) && loop.body.items.some(foldsFloats);
  const held = isHeld ? 1 + HELD * expensiveIn(window) : 1;
  return Math.max(misplacedIn(loop, costs), isCut(loop, costs) ? UNDER_TEST : 1, inWindow, held);
}

/** How much more expensive ops cost, as a fraction, for each unit that a plain element of a window takes. */
const HELD = 0.25;

const expensiveIn = ({ body }: Loop): number =>
  body.items.reduce((sum, item) => {
    const op = item.kind === "let" && item.definition.kind === "pointwise" ? item.definition.fn : null;
    const cost = op === null ? 0 : pointwiseOps[op].cost;
    return cost >= LONG_BODY ? sum + cost : sum;
  }, 0);

const isShortFold = (loop: Loop, { step }: Costs): boolean =>
  loop.role === "reduce" && elementsOf(loop) <= step;

const isCut = ({ axes, body }: Loop, { step }: Costs): boolean =>
  step > 1 &&
  body.items.some(
    (item) =>
      item.kind === "let" &&
      guardsOf(item).some(({ at }) => at.terms.some(({ atom }) => atom === axes.at(-1))),
  );

/** The factor of a fold of floats in order. */
export const LANES = 8;

/** The cost of the steps of all pieces into which tests cut a loop, beyond that of the loop as one. */
function cutIn({ axes, role, ordered, body }: Loop, costs: Costs): number {
  const along = axes.at(-1) as Axis;
  if (costs.step === 1 || body.items.some((item) => item.kind === "loop")) return 0;
  const length = widthOf({ size: along.extent, strip: along.strip });
  const places = new Set<number>();
  // Where a test depends on other axes too, those decide where it cuts.
  for (const item of body.items)
    for (const { at, low, high } of item.kind === "let" ? guardsOf(item) : [])
      if (at.terms.some(({ atom }) => atom === along))
        for (const bound of [low, high]) places.add(at.terms.length === 1 ? bound - at.constant : length / 2);
  const ends = [...places].filter((place) => place > 0 && place < length).sort((a, b) => a - b);
  // Between cuts the latency of a short step is not hidden. The rest of a fold is taken element by element, that of other loops in lanes.
  const stepsFor = (cells: number): number => {
    const rest = cells % costs.step;
    const last = role === "reduce" ? rest % 4 : Math.min(rest % 4, 1);
    return Math.floor(cells / costs.step) + Math.floor(rest / 4) + last;
  };
  let [steps, start] = [-stepsFor(length), 0];
  for (const end of [...ends, length]) {
    // Elements of a fold have fixed lanes: short steps lead up to the next first lane.
    const lead = role === "reduce" ? Math.min(end - start, -start & (LANES - 1)) : 0;
    steps += stepsFor(lead) + stepsFor(end - start - lead);
    start = end;
  }
  const begun = ordered ? PIECE * ends.length : 0;
  return (steps * costs.step + begun) / length;
}

/** Steps of one element that each further piece of a loop in order costs. */
const PIECE = 20;

export const guardsOf = ({ definition }: Let): readonly Guard[] =>
  definition.kind === "select" ? definition.cases.flatMap(({ guards }) => guards) : [];
