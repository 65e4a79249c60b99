/**
 * Lifts where slices and windows begin into numbers that are bound when the program runs. So a loop over rows or minibatches is one
 * program.
 * A start is described by its digits. They are the coordinates of its first element in the shape of what lies beneath all movements. Equal
 * digits of one origin are one number, so that a read and a write of the same row are known to be of the same row. A digit of 0 stays in
 * the program, like a constant that rewrite rules simplify. Which digits there are, and which of them are equal, is part of the program's
 * identity. Their values are not. Where the host chooses places anew (choices.ts), digits of 0 are numbers too, and only those of one view
 * are equal (slots.ts). What lies beneath is found in frames.ts.
 */
import { FEW_COLUMNS } from "@fuseau/compiler";
import { type AxisPlace, elementCount, type Node, type NodeOp, type StridedView } from "@fuseau/ir";
import type { Value } from "../../value.ts";
import { Part } from "../../window/part.ts";
import { wholeWindow } from "../../window/window.ts";
import { couldMove, isChosen, startsOfForm } from "./choices.ts";
import { empty } from "./empty.ts";
import {
  cutGrids,
  type Frame,
  follow,
  frameOf,
  gridOf,
  isAllOf,
  noteReshape,
  originOf,
  ownFrame,
  ownWindow,
  resetFrames,
} from "./frames.ts";
import { resetSlots, slotAlone, slotOf } from "./slots.ts";
import { hasWrites, isBehindWrite, readsWritten, resetWrites } from "./writes.ts";

/** A place without its range: all uses of its number decide that together. */
export type Begin = Omit<AxisPlace, "count">;

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
const lists: readonly unknown[][] = [begins, telling];

export function resetPlaces(): void {
  for (const list of lists) empty(list);
  resetFrames();
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
  if (node.op === "reshape") noteReshape(value);
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
function startsOf(node: Node): readonly number[] | number | undefined {
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
