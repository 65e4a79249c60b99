/** What views show: the value beneath all movements, the window of it, and the grid that its coordinates count in (places.ts). */
import { elementCount, type StridedView, sameNumbers } from "@fuseau/ir";
import type { Value } from "../../value.ts";
import { isWhole, moveWindow, wholeWindow } from "../../window/window.ts";
import { empty } from "./empty.ts";
import { isMovement } from "./writes.ts";

/** A view through a chain of movements: the value at its bottom, and the window of it that is shown. */
export interface Frame {
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

/** Reshapes whose grids are still to be cut: for most programs that is never needed. */
const reshapes: Value[] = [];
const frames: (Frame | undefined)[] = [];
/** By position: the origin of what updates write to, so that a place before and after a write is one number. */
const origins: (number | undefined)[] = [];
/** By the origin's position. A reshape of the whole tensor cuts axes in two, so that its coordinates are digits as well. */
const grids: (Grid | undefined)[] = [];

const lists: readonly unknown[][] = [frames, reshapes, origins, grids];

export function resetFrames(): void {
  for (const list of lists) empty(list);
}

/** To be called with each reshape of a walk. */
export function noteReshape(value: Value): void {
  reshapes.push(value);
}

/** To be called before grids are used, and before an origin changes. */
export function cutGrids(): void {
  for (const reshape of reshapes) cutGrid(reshape);
  empty(reshapes);
}

/** A row of a tensor that was written has the same number as before the write. */
export function follow({ position, inputs }: Value): void {
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

export const isAllOf = ({ count, window }: Frame): boolean => isWhole(window, count);

export const originOf = ({ root }: Frame): number => origins[root] ?? root;

export const gridOf = (frame: Frame): Grid => grids[originOf(frame)] as Grid;

const gridOfShape = (shape: readonly number[]): Grid => ({ shape, rows: wholeWindow(shape).strides });

/** The movements between a value and the frame that is known. Reused by the next walk over them. */
const path: Value[] = [];

/** The frame of a value through all movements that strides can express. */
export function frameOf(value: Value): Frame {
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

export function ownFrame({ node: { shape }, position }: Value): Frame {
  const window = wholeWindow(shape);
  const frame = { root: position, count: elementCount(shape), window };
  const origin = originOf(frame);
  grids[origin] ??= { shape, rows: window.strides };
  return frame;
}

export function ownWindow(value: Value, x: Value): Frame {
  const frame = ownFrame(x);
  return { ...frame, window: moveWindow(frame.window, value.node) as StridedView };
}
