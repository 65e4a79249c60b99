/** Short rows that are contiguous in memory and share an operand: they may be walked as one. */
import { defaultOrder } from "@fuseau/ir";
import type { Axis, Index } from "../indexing/index-expression.ts";
import { isFlattened } from "../tactics/lane-steps.ts";
import { sizeOfOp, UNROLLED_SIZE } from "../tactics/size.ts";
import type { Block, Buffer, Item, Loop } from "./tree.ts";

/** The longest rows that gain from it. */
export const SHORT_ROW = 128;

/** The longest row that is not divided among two threads, and whose steps do not hide each other's latency. */
export const NARROW_ROW = 32;

/** The longest row within another loop that targets with lanes unroll. */
export const UNROLLED_ROW = 16;

/** Elements of a quarter of a second-level cache. What is walked again after more of them may be read from memory again. */
export const CACHED: number = 1 << 16;

/** In shorter rows, accumulators in memory cost more than reading in memory order saves. */
export const SHORTEST_ROW = 4;

/** Short rows in a short loop, of at most this many elements in all, become straight-line code. */
export const SHORT_NEST = 50;

/** The most elements of a fold that is unrolled where neighbours of the loop around it lie side by side: those are lanes. */
const UNROLLED_FOLD = 64;

/**
 * The folds in a loop over such neighbours, as rolling sums down columns, whose own elements lie far apart. None if another loop is beside
 * them: all are in one vector.
 */
export function foldsInLanes({ axes, body }: Loop): readonly Loop[] {
  const lanes = axes.at(-1) as Axis;
  const loops = body.items.filter((item) => item.kind === "loop");
  return lanes.extent > UNROLLED_ROW && loops.every((loop) => isFoldAcross(loop, lanes)) ? loops : [];
}

function isFoldAcross({ role, axes, body }: Loop, lanes: Axis): boolean {
  const [{ extent, strip }, ...others] = axes as [Axis, ...Axis[]];
  if (role !== "reduce" || others.length > 0 || strip !== null || extent > UNROLLED_FOLD) return false;
  let isInLanes = false;
  for (const item of body.items) {
    if (item.kind === "accumulate" && item.reduction.fn !== "dot" && item.reduction.cells === 1) continue;
    if (item.kind !== "let") return false;
    const { definition } = item;
    if (definition.kind !== "load") continue;
    const step = definition.at.terms.find(({ atom }) => atom === lanes)?.coefficient ?? 0;
    if (definition.guards.length > 0 || definition.at.indirect.length > 0) return false;
    if (step !== 1 && (step !== 0 || definition.at.axes.includes(lanes))) return false;
    isInLanes ||= step === 1;
  }
  return isInLanes;
}

/** The longest rows whose expensive ops are computed for many rows at once, unless they have whole steps. */
const [EXPENSIVE_ROW, STEP] = [320, 16];

/** True of a row of a whole number of steps, at least four. */
export const hasWholeSteps = (extent: number): boolean => extent >= 4 * STEP && extent % STEP === 0;

/** True of a loop over such a short row, with an expensive op for each element. */
export function isExpensiveRow({ axes, role, block, body }: Loop): boolean {
  const [{ extent, strip }] = axes as [Axis];
  if (role === "scan" || axes.length > 1 || strip !== null) return false;
  // Rows that depend on each other are not laid behind each other.
  if (block.loop === null || block.loop.role !== "parallel") return false;
  if (extent > EXPENSIVE_ROW || hasWholeSteps(extent)) return false;
  return (
    body.items.every(({ kind }) => kind !== "loop") &&
    body.items.some(
      (item) =>
        item.kind === "let" && item.definition.kind === "pointwise" && isFlattened(item.definition.fn),
    )
  );
}

export const elementsOf = ({ axes }: Loop): number => axes.reduce((count, { extent }) => count * extent, 1);

/**
 * True of a fold over several axes whose last one is so short: its rows begin and end amid steps. A window, which has one operand and few
 * elements, is no such fold.
 */
export function foldsShortRows(loop: Loop): boolean {
  const { axes, role, body } = loop;
  const { extent, strip } = axes.at(-1) as Axis;
  if (role !== "reduce" || axes.length === 1 || strip !== null) return false;
  const loads = body.items.filter((item) => item.kind === "let" && item.definition.kind === "load");
  return (
    extent <= SHORT_ROW &&
    extent % STEP !== 0 &&
    elementsOf(loop) >= (loads.length > 1 ? SHORT_NEST : SHORT_ROW)
  );
}

/** True of such a fold whose elements are first stored to private memory (tactics/folded-rows.ts): in another loop, and of one block. */
export const isMadeFirst = (loop: Loop): boolean =>
  foldsShortRows(loop) && loop.block.loop !== null && elementsOf(loop) <= defaultOrder.block;

/** The first expensive row in the body of another loop. */
export const expensiveRowIn = ({ items }: Block): Loop | undefined =>
  items.find((item): item is Loop => item.kind === "loop" && isExpensiveRow(item));

/** True within the loop of a fold or a scan, and in a loop over a row beside one. */
export function isInRows({ loop }: Block): boolean {
  if (loop === null) return false;
  if (loop.role !== "parallel") return true;
  return (
    isInRows(loop.block) || loop.block.items.some((each) => each.kind === "loop" && each.role === "reduce")
  );
}

/**
 * The loop whose iterations are lanes where this one is within a small matrix, of which there is one in each iteration: all of the matrix
 * becomes straight-line code, whatever loops it has. Null for any other loop.
 */
export function aroundMatrix(loop: Loop): Loop | null {
  for (let matrix = loop; matrix.block.loop !== null; matrix = matrix.block.loop) {
    if (!isText(matrix)) return null;
    const around = matrix.block.loop;
    const isNest = matrix !== loop || loop.body.items.some(({ kind }) => kind === "loop");
    const fillsLanes = around.role === "parallel" && elementsOf(around) >= SHORTEST_ROW;
    if (isNest && fillsLanes && (around.block.loop === null || !isText(around)))
      return isInFold(around) ? null : around;
  }
  return null;
}

const isInFold = ({ block }: Loop): boolean =>
  block.loop !== null && (block.loop.role !== "parallel" || isInFold(block.loop));

/** True of a loop that may be straight-line code, with all loops in it. What is stored in lanes is not loaded beside. */
function isText(loop: Loop): boolean {
  const [stored, loaded] = [new Set<Buffer>(), new Set<Buffer>()];
  const { elements, size } = textOf(loop, stored, loaded);
  return elements <= SHORT_NEST && size <= UNROLLED_SIZE && ![...stored].some((buffer) => loaded.has(buffer));
}

/** The elements of all loops in a loop, and the estimated size of its text; infinite where it cannot be straight-line code. */
function textOf(
  loop: Loop,
  stored: Set<Buffer>,
  loaded: Set<Buffer>,
): { readonly elements: number; readonly size: number } {
  const { role, axes, body } = loop;
  const count = elementsOf(loop);
  if (role === "scan" || axes.some(({ extent, strip }) => strip !== null || extent > UNROLLED_ROW))
    return { elements: Number.POSITIVE_INFINITY, size: Number.POSITIVE_INFINITY };
  let [elements, size] = [0, 0];
  for (const item of body.items) {
    if (item.kind === "loop") {
      const inner = textOf(item, stored, loaded);
      elements += inner.elements;
      size += inner.size;
      continue;
    }
    if (item.kind === "store") stored.add(item.buffer);
    const definition = item.kind === "let" ? item.definition : null;
    if (definition?.kind === "load") loaded.add(definition.buffer);
    size += definition?.kind === "pointwise" ? sizeOfOp(definition.fn) : 1;
  }
  return { elements: count * Math.max(1, elements), size: count * size };
}

/** True of a short loop over short folds, which become straight-line code. */
export function isNestOfFolds({ axes, block, body }: Loop): boolean {
  const [{ extent }, ...others] = axes as [Axis];
  const folds = body.items.filter((item) => item.kind === "loop");
  return (
    block.loop !== null &&
    others.length === 0 &&
    folds.length > 0 &&
    folds.every(
      (fold) =>
        fold.role === "reduce" &&
        fold.axes.length === 1 &&
        fold.body.items.every(({ kind }) => kind !== "loop") &&
        elementsOf(fold) <= UNROLLED_ROW &&
        extent * elementsOf(fold) <= SHORT_NEST,
    )
  );
}

/** The block's only item, if that is a parallel loop. */
export function onlyLoop(block: Block): Loop | undefined {
  const [inner] = block.items;
  return block.items.length === 1 && inner?.kind === "loop" && inner.role === "parallel" ? inner : undefined;
}

/**
 * The loop over so few columns of a product's row that its steps are short. What follows the sums is walked along several rows
 * (tactics/products/few-columns.ts), if rows lie one behind the other, and share what they do not have for themselves.
 */
export function fewColumnsIn({ role, ordered, axes, body }: Loop): Loop | undefined {
  const last = body.items.at(-1);
  if (role !== "parallel" || ordered || last?.kind !== "loop" || last.role !== "parallel") return undefined;
  const isCut = ({ strip, strips }: Axis): boolean => strip !== null || strips !== null;
  if ([...axes, ...last.axes].some(isCut) || elementsOf(last) > UNROLLED_ROW) return undefined;
  const folds = [...body.items, ...last.body.items].filter((item) => item.kind === "loop" && item !== last);
  const [fold] = folds as Loop[];
  if (folds.length > 1 || fold?.role !== "reduce" || !sumsProduct(fold)) return undefined;
  const [[row], [along]] = [axes as [Axis], last.axes as [Axis]];
  const isIn = (item: Item): boolean => {
    if (item.kind === "loop") return item === last || item === fold;
    if (item.kind === "store") return item.combine === "set" && isFlat(item.at, row, along);
    if (item.kind !== "let") return false;
    const { definition } = item;
    if (definition.kind === "pointwise" || definition.kind === "result") return true;
    if (definition.kind !== "load" || definition.guards.length > 0) return false;
    return !definition.at.axes.includes(row) || isFlat(definition.at, row, along);
  };
  return [...body.items, ...last.body.items].every(isIn) ? last : undefined;
}

/** True of a loop in which a product is summed. */
export const sumsProduct = ({ body }: Loop): boolean =>
  body.items.some((item) =>
    item.kind === "loop" ? sumsProduct(item) : item.kind === "accumulate" && item.reduction.fn === "dot",
  );

/** True of a loop over short rows whose elements depend only on the element itself and on operands that all rows share. */
export function areRepeated(rows: Loop): boolean {
  const elements = onlyLoop(rows.body);
  if (
    aroundMatrix(rows) !== null ||
    rows.role !== "parallel" ||
    rows.ordered ||
    elements === undefined ||
    elements.ordered
  )
    return false;
  const [row] = rows.axes as [Axis];
  const [along] = elements.axes as [Axis];
  const isCut = ({ strip, strips }: Axis): boolean => strip !== null || strips !== null;
  if (isCut(row) || isCut(along) || along.extent > SHORT_ROW) return false;
  let isRepeated = false;
  const isShared = ({ axes }: Index): boolean => {
    isRepeated ||= axes.includes(along);
    return !axes.includes(row);
  };
  const isIn = (item: Item): boolean => {
    if (item.kind === "store") return item.combine === "set" && isFlat(item.at, row, along);
    if (item.kind !== "let") return false;
    const { definition } = item;
    if (definition.kind === "pointwise") return true;
    if (definition.kind === "index") return isFlat(definition.at, row, along);
    if (definition.kind === "result") return isShared(definition.cell);
    if (definition.kind !== "load" || definition.guards.length > 0) return false;
    return isFlat(definition.at, row, along) || isShared(definition.at);
  };
  return elements.body.items.every(isIn) && isRepeated;
}

/** True of a loop over rows, each of which reads a number of its own. */
export const readsColumn = ({ role, axes: [axis], body }: Loop): boolean =>
  role === "parallel" &&
  body.items.some(
    (item) =>
      item.kind === "let" && item.definition.kind === "load" && item.definition.at.axes.includes(axis!),
  );

/** True where the rows are contiguous, one behind the other. */
function isFlat({ terms }: Index, row: Axis, along: Axis): boolean {
  const steps = [0, 0];
  for (const { atom, coefficient } of terms) {
    if (atom === row) steps[0] = coefficient;
    else if (atom === along) steps[1] = coefficient;
    else if (atom.kind !== "axis" && atom.kind !== "bound") return false;
  }
  return steps[0] === along.extent && steps[1] === 1;
}
