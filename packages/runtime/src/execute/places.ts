/**
 * Lifts where slices and windows begin into numbers that are bound when the program runs. So a loop over rows or minibatches is one
 * program.
 * A start is described by its digits. They are the coordinates of its first element in the shape of what lies beneath all movements. Equal
 * digits of one origin are one number, so that a read and a write of the same row are known to be of the same row. A digit of 0 stays in
 * the program, like a constant that rewrite rules simplify. Which digits there are, and which of them are equal, is part of the program's
 * identity. Their values are not. Where the host chooses places anew (choices.ts), digits of 0 are numbers too, and only those of one view
 * are equal (slots.ts).
 */
import { FEW_COLUMNS } from "@fuseau/compiler";
import {
  type AxisPlace,
  elementCount,
  type Node,
  type NodeOp,
  type StridedView,
  sameNumbers,
} from "@fuseau/ir";
import type { Value } from "../value.ts";
import { Part } from "../window/part.ts";
import { isWhole, moveWindow, wholeWindow } from "../window/window.ts";
import { couldMove, isChosen, startsOfForm } from "./choices.ts";
import { empty } from "./empty.ts";
import { resetSlots, slotAlone, slotOf } from "./slots.ts";
import { hasWrites, isBehindWrite, isMovement, readsWritten, resetWrites } from "./writes.ts";

/** A place without its range: all uses of its number decide that together. */
export type Begin = Omit<AxisPlace, "count">;

/** A view through a chain of movements: the value at its bottom, and the window of it that is shown. */
interface Frame {
  readonly root: number;
  /** How many elements the root has. */
  readonly count: number;
  readonly window: StridedView;
}

/** The shape whose coordinates are the digits. Each digit counts rows of so many elements. */
interface Grid {
  readonly shape: readonly number[];
  readonly rows: readonly number[];
}

/** A digit by which a slice moves, so many times, along an axis of its input. */
interface Added {
  readonly digit: number;
  readonly value: number;
  readonly factor: number;
  readonly axis: number;
}

/** By position; undefined where a node begins where it says itself. */
export const begins: (readonly Begin[] | undefined)[] = [];

/** By position: true where rules and guards depend on where slices of it begin, so that starts stay in the program. */
const telling: boolean[] = [];
/** Reshapes whose grids are still to be cut: for most programs that is never needed. */
const reshapes: Value[] = [];
const frames: (Frame | undefined)[] = [];
/** By position: the origin of what updates write to, so that a place before and after a write is one number. */
const origins: (number | undefined)[] = [];
/** By the origin's position. A reshape of the whole tensor cuts axes in two, so that its coordinates are digits as well. */
const grids: (Grid | undefined)[] = [];

const lists: readonly unknown[][] = [begins, telling, frames, reshapes, origins, grids];

export function resetPlaces(): void {
  for (const list of lists) empty(list);
  resetWrites();
  resetSlots();
}

/** Adds the value at the next position, after its inputs. Returns where it begins, if that is lifted. */
export function placesOf(value: Value): readonly Begin[] | undefined {
  if (value.storage !== null) return undefined;
  const { node, position } = value;
  const found = lift(value);
  if (found !== undefined) begins[position] = found;
  if (node.op === "update") follow(value);
  if (node.op === "reshape") reshapes.push(value);
  if (isTelling(value)) telling[position] = true;
  return found;
}

/** The positions of a walk that `placesOf` does something for. */
export const placedIn = (order: readonly Value[]): number[] =>
  [...order.keys()].filter((position) => {
    const { node, storage } = order[position] as Value;
    const isKept = begins[position] === undefined && isColumn(node) && !hasWrites();
    return storage === null && !isKept && (telling[position] === true || movesPlaces[node.op] === true);
  });

const movesPlaces: { readonly [Op in NodeOp]?: boolean } = {
  reshape: true,
  slice: true,
  diagonal: true,
  asStrided: true,
  update: true,
  pad: true,
  concat: true,
};

/** To be called before grids are used, and before an origin changes. */
function cutGrids(): void {
  for (const reshape of reshapes) cutGrid(reshape);
  empty(reshapes);
}

/** A row of a tensor that was written has the same number as before the write. */
function follow({ position, inputs }: Value): void {
  cutGrids();
  const frame = frameOf(inputs[0] as Value);
  if (isAllOf(frame)) origins[position] = originOf(frame);
}

/** Adds the axes of a reshape to the grid. The elements of a tensor are mostly given flat, and a loop goes over the rows of a reshape. */
function cutGrid({ node, inputs }: Value): void {
  const frame = frameOf(inputs[0] as Value);
  if (!isAllOf(frame) || frame.count === 0) return;
  const { shape } = gridOf(frame);
  const cut = commonGrid(shape, node.shape);
  if (cut !== null && !sameNumbers(cut, shape)) grids[originOf(frame)] = gridOfShape(cut);
}

/** The coarsest shape from which both follow by joining neighbouring axes; null if there is none, as for [2, 3] and [3, 2]. */
function commonGrid(a: readonly number[], b: readonly number[]): readonly number[] | null {
  const sizes: number[] = [];
  let [i, j] = [a.length - 1, b.length - 1];
  let [left, right] = [a[i] ?? 1, b[j] ?? 1];
  for (;;) {
    while (left === 1 && i > 0) left = a[--i] as number;
    while (right === 1 && j > 0) right = b[--j] as number;
    const size = Math.min(left, right);
    if (left % size !== 0 || right % size !== 0) return null;
    if (left * right === 1) return sizes.reverse();
    if (size === 1) return null;
    sizes.push(size);
    left /= size;
    right /= size;
  }
}

const isAllOf = ({ count, window }: Frame): boolean => isWhole(window, count);

function isTelling({ node, inputs, position }: Value): boolean {
  switch (node.op) {
    case "pad":
      return begins[position] === undefined || isTellingAt(inputs[0]);
    case "concat":
      return true;
    // These are computed at all places and stored, so nothing depends on starts through them.
    case "argsort":
    case "scan":
    case "scatter":
      return false;
    case "update":
      return begins[position] === undefined && isTellingAt(inputs[0]);
    case "expand":
      return inputs[0]?.node.op === "constant" || isTellingAt(inputs[0]);
    default:
      if (telling.length === 0) return false;
      for (let k = 0; k < inputs.length; k++) if (isTellingAt(inputs[k])) return true;
      return false;
  }
}

const isTellingAt = (value: Value | undefined): boolean =>
  value !== undefined && telling[value.position] === true;

function lift(value: Value): readonly Begin[] | undefined {
  const { node } = value;
  switch (node.op) {
    case "slice":
    case "pad":
    case "diagonal":
      if (!isChosen(node)) return liftStart(value, startsOf(node), null);
      if (node.op === "pad" || !readsWritten(value)) return liftChoice(value);
      return liftStart(value, startsOfForm(node), value.part ?? new Part(null));
    case "asStrided":
    case "update":
      return isChosen(node)
        ? liftStart(value, windowOf(node).offset, value.part ?? new Part(null))
        : liftStart(value, startsOf(node), null);
    default:
      return undefined;
  }
}

function liftStart(
  value: Value,
  start: readonly number[] | number | undefined,
  choice: Part | null,
): readonly Begin[] | undefined {
  const { node, inputs } = value;
  if (start === undefined || (!isBehindWrite(value) && isColumn(node))) return undefined;
  const [x] = inputs as [Value];
  if ((isTellingAt(x) && choice === null) || elementCount(node.shape) === 0) return undefined;
  cutGrids();
  if (typeof start === "number") return liftWindow(value, x, start, choice);
  return liftSlice(value, x, start, choice);
}

/** A slice or pad whose place the host chooses: each start is a number of its own. */
function liftChoice({ node, inputs }: Value): readonly Begin[] | undefined {
  // No rule looks through what is put at a bound place.
  if ((node.op !== "pad" && isTellingAt(inputs[0])) || elementCount(node.shape) === 0) return undefined;
  const starts = startsOfForm(node) as readonly number[];
  const { strides } = wholeWindow(node.shape);
  const found: Begin[] = [];
  for (let axis = 0; axis < starts.length; axis++) {
    const start = starts[axis] as number;
    if (start === 0 && !couldMove(node, axis)) continue;
    // The start of a pad is that of a window of the whole.
    const place = node.op === "pad" ? { factor: strides[axis] as number, axis: 0 } : { factor: 1, axis };
    const [own, other] = [node.shape[axis] as number, (inputs[0] as Value).node.shape[axis] as number];
    const count = node.op === "pad" ? own - other + 1 : other - reachOf(node, axis) + 1;
    found.push({ slot: slotAlone(start, count), ...place });
  }
  return found;
}

/** Where the node begins: along its input's axes, or as an offset; undefined if it begins at 0 or its start cannot be lifted. */
export function startsOf(node: Node): readonly number[] | number | undefined {
  switch (node.op) {
    case "slice": {
      const { starts, steps } = node.attributes;
      return starts.some((start) => start !== 0) && steps.every((step) => step > 0) ? starts : undefined;
    }
    case "diagonal": {
      const { offset, axis1, axis2 } = node.attributes;
      const moved = offset > 0 ? axis2 : axis1;
      const { shape } = node.inputs[0] as Node;
      return offset === 0 ? undefined : shape.map((_, axis) => (axis === moved ? Math.abs(offset) : 0));
    }
    case "asStrided":
      return node.attributes.offset === 0 ? undefined : node.attributes.offset;
    case "update": {
      const { view } = node.attributes;
      return view.offset === 0 || elementCount(view.shape) === 0 ? undefined : view.offset;
    }
    default:
      return undefined;
  }
}

/**
 * True of columns of short rows, of all rows: coordinates of points, channels of pixels. Of a short list it is one element. Before the first
 * write they stay in the program: several of them are in one vector, and kernels load it once. Where they are written, a read of the same
 * column has the same number.
 */
function isColumn(node: Node): boolean {
  if (node.op !== "slice") return false;
  const { starts } = node.attributes;
  const last = starts.length - 1;
  if (last === 0 && node.shape[0] !== 1) return false;
  const [{ shape }] = node.inputs as readonly [Node];
  return (
    (shape[last] as number) <= FEW_COLUMNS && starts.every((start, axis) => start === 0 || axis === last)
  );
}

/** How many places the node spans along an axis of its input, from where it begins. */
export function reachOf(node: Node, axis: number): number {
  const { shape } = node.inputs[0] as Node;
  if (node.op === "slice")
    return ((node.shape[axis] as number) - 1) * (node.attributes.steps[axis] as number) + 1;
  // Only the diagonal's own places are left.
  return node.op === "diagonal" && (axis === node.attributes.axis1 || axis === node.attributes.axis2)
    ? (node.shape.at(-1) as number)
    : (shape[axis] as number);
}

/** Lifts into digits of the value at the bottom; if that fails, into digits of the input itself, which are the starts. */
function liftSlice(
  value: Value,
  x: Value,
  starts: readonly number[],
  choice: Part | null,
): readonly Begin[] | undefined {
  if (x.storage !== null) {
    const frame = ownFrame(x);
    if (gridOf(frame).shape === x.node.shape) return startDigits(value, frame, starts, choice);
  }
  const before = frameOf(x);
  const after = frameOf(value);
  return (
    (after.root === before.root ? addedDigits(value, x, starts, before, after, choice) : undefined) ??
    addedDigits(value, x, starts, ownFrame(x), ownWindow(value, x), choice)
  );
}

/** A slice of a value whose own axes are its grid: the digits are the starts. */
function startDigits(
  { node }: Value,
  frame: Frame,
  starts: readonly number[],
  choice: Part | null,
): readonly Begin[] {
  const found: Begin[] = [];
  const { strides } = frame.window;
  const { shape } = node.inputs[0] as Node;
  for (let axis = 0; axis < starts.length; axis++) {
    const start = starts[axis] as number;
    if (start === 0 && !(choice !== null && couldMove(node, axis))) continue;
    const count = (shape[axis] as number) - reachOf(node, axis) + 1;
    found.push({
      slot: slotOf(originOf(frame), strides[axis] as number, start, count, choice),
      factor: 1,
      axis,
    });
  }
  return found;
}

/** The digits by which the slice moves the beginning of its input. Each is along the axis whose stride divides the digit's row. */
function addedDigits(
  { node }: Value,
  x: Value,
  starts: readonly number[],
  before: Frame,
  after: Frame,
  choice: Part | null,
): readonly Begin[] | undefined {
  const { strides } = before.window;
  const size = x.node.shape;
  const { shape: grid, rows } = gridOf(before);
  const added: Added[] = [];
  let [to, from] = [after.window.offset, before.window.offset];
  for (let digit = 0; digit < rows.length; digit++) {
    const row = rows[digit] as number;
    const [own, was] = [Math.floor(to / row), Math.floor(from / row)];
    to -= own * row;
    from -= was * row;
    if (own === was && choice === null) continue;
    const axis = movedBy(node, strides, size, starts, row, choice);
    if (own === was && axis < 0) continue;
    if (axis < 0) return undefined;
    const factor = row / (strides[axis] as number);
    if (own !== 0 || choice !== null) added.push({ digit, value: own, factor, axis });
    if (was !== 0) added.push({ digit, value: was, factor: -factor, axis });
  }
  for (let axis = 0; axis < starts.length; axis++) {
    let sum = 0;
    for (const part of added) if (part.axis === axis) sum += part.factor * part.value;
    if (sum !== starts[axis]) return undefined;
    if (choice !== null && couldMove(node, axis) && countAlong(added, axis) === 0) return undefined;
  }
  return added.map(({ digit, value: own, factor, axis }): Begin => {
    const isAlone = factor === 1 && countAlong(added, axis) === 1;
    const count = isAlone ? (size[axis] as number) - reachOf(node, axis) + 1 : (grid[digit] as number);
    return { slot: slotOf(originOf(before), rows[digit] as number, own, count, choice), factor, axis };
  });
}

function countAlong(added: readonly Added[], axis: number): number {
  let count = 0;
  for (const part of added) if (part.axis === axis) count++;
  return count;
}

/** The axis with the largest stride of those that move a digit which counts such rows; −1 if none does. */
function movedBy(
  node: Node,
  strides: readonly number[],
  size: readonly number[],
  starts: readonly number[],
  row: number,
  choice: Part | null,
): number {
  let best = -1;
  for (let axis = 0; axis < strides.length; axis++) {
    const stride = strides[axis] as number;
    if (stride === 0 || (best >= 0 && stride <= (strides[best] as number))) continue;
    const moves =
      choice === null
        ? starts[axis] !== 0 && row % stride === 0
        : couldMove(node, axis) && isAlong(stride, size[axis] as number, row);
    if (moves) best = axis;
  }
  return best;
}

/** True if steps along an axis move a digit that counts rows of that length, wherever they begin. */
const isAlong = (stride: number, size: number, row: number): boolean =>
  row % stride === 0 && row < stride * size;

/** The digits of a window of row-major elements; of a choice also those that are 0, if they could be others. */
function liftWindow(
  value: Value,
  x: Value,
  offset: number,
  choice: Part | null,
): readonly Begin[] | undefined {
  const { node } = value;
  const beneath = frameOf(x);
  const isAll = isAllOf(beneath);
  if (!isAll && node.op === "asStrided") return undefined;
  const frame = isAll ? beneath : ownFrame(x);
  const window = windowOf(node);
  const { shape: grid, rows } = gridOf(frame);
  const found: Begin[] = [];
  let rest = offset;
  for (let k = 0; k < rows.length; k++) {
    const [row, size] = [rows[k] as number, grid[k] as number];
    const digit = Math.floor(rest / row);
    rest -= digit * row;
    const along = window.shape.findIndex((own, axis) => own > 1 && window.strides[axis] === row);
    const within = along < 0 ? size : size - (window.shape[along] as number) + 1;
    if (digit === 0 && !(choice !== null && within > 1)) continue;
    const slot = slotOf(originOf(frame), row, digit, digit < within ? within : size, choice);
    found.push({ slot, factor: row, axis: 0 });
  }
  return found;
}

function windowOf(node: Node): StridedView {
  if (node.op === "update") return node.attributes.view;
  const { strides, offset } = (node as Extract<Node, { op: "asStrided" }>).attributes;
  return { shape: node.shape, strides, offset };
}

const originOf = ({ root }: Frame): number => origins[root] ?? root;

const gridOf = (frame: Frame): Grid => grids[originOf(frame)] as Grid;

const gridOfShape = (shape: readonly number[]): Grid => ({ shape, rows: wholeWindow(shape).strides });

/** The movements between a value and the frame that is known. Reused by the next walk over them. */
const path: Value[] = [];

/** The frame of a value through all movements that strides can express. */
function frameOf(value: Value): Frame {
  let step = value;
  while (step.storage === null && frames[step.position] === undefined && isMovement(step.node)) {
    path.push(step);
    step = step.inputs[0] as Value;
  }
  let frame = frames[step.position] ?? ownFrame(step);
  frames[step.position] = frame;
  for (let moved = path.pop(); moved !== undefined; moved = path.pop()) {
    const window = moveWindow(frame.window, moved.node);
    frame = window === null ? ownFrame(moved) : { root: frame.root, count: frame.count, window };
    frames[moved.position] = frame;
  }
  return frame;
}

function ownFrame({ node: { shape }, position }: Value): Frame {
  const window = wholeWindow(shape);
  const frame = { root: position, count: elementCount(shape), window };
  const origin = originOf(frame);
  grids[origin] ??= { shape, rows: window.strides };
  return frame;
}

function ownWindow(value: Value, x: Value): Frame {
  const frame = ownFrame(x);
  return { ...frame, window: moveWindow(frame.window, value.node) as StridedView };
}
