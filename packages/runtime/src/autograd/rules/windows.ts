/**
 * The transpose of windows that overlap, such as those of `unfold`: each element gets the sum of what shows it. In blocks as long as the
 * windows' step, that is a sum over windows too: those of the padded gradient that step along windows and within them at once.
 */
import type { StridedView } from "@fuseau/ir";
import { pad, withShape } from "../../ops/movement.ts";
import * as record from "../../record.ts";
import { filled } from "../../tape/constants.ts";
import type { Value } from "../../value.ts";
import { wholeWindow } from "../../window/window.ts";

/**
 * How windows show one axis of the base, in blocks of so many elements: element i of axis `along` and t of axis `within` are at place
 * `start` + block · (i + shift · ⌊t / block⌋) + t mod block.
 */
interface Shown {
  readonly size: number;
  readonly start: number;
  /** Null where there is one. */
  readonly along: number | null;
  readonly within: number | null;
  readonly block: number;
  readonly shift: number;
}

/** Null for windows that do not slide along axes of the base, each along its own. */
export function sumOfWindows(g: Value, shape: readonly number[], window: StridedView): Value | null {
  const axes = shownAxes(shape, window);
  if (axes === null) return null;
  const sizeAt = (axis: number | null): number => (axis === null ? 1 : (window.shape[axis] as number));
  const order = [...axes.map(({ along }) => along), ...axes.map(({ within }) => within)];
  const counts = axes.map(({ along }) => sizeAt(along));
  const taps = axes.map(({ within, block }) => Math.ceil(sizeAt(within) / block));
  const reach = axes.map(({ shift }, k) => ((taps[k] as number) - 1) * shift);
  const none = axes.map(() => 0);
  const padded = record.pad(
    withShape(inOrder(g, order), order.map(sizeAt)),
    [...reach, ...none],
    [...reach, ...axes.map(({ within, block }, k) => (taps[k] as number) * block - sizeAt(within))],
    filled(g.node.dtype, [], 0),
  );
  // Block p of the base has block q of the window that begins at p - shift · q, which is `reach` places further in the padded axis. q goes
  // down, so that both strides are positive.
  const { strides } = wholeWindow(padded.node.shape);
  const [outer, inner] = [strides.slice(0, axes.length), strides.slice(axes.length)];
  const rows = counts.map((count, k) => count + (reach[k] as number));
  const sums = record.asStrided(padded, {
    shape: [...axes.flatMap(({ block }, k) => [rows[k] as number, block]), ...taps],
    strides: [
      ...axes.flatMap((_, k) => [outer[k] as number, inner[k] as number]),
      ...axes.map(({ block, shift }, k) => shift * (outer[k] as number) - block * (inner[k] as number)),
    ],
    offset: axes.reduce(
      (place, { block }, k) => place + ((taps[k] as number) - 1) * block * (inner[k] as number),
      0,
    ),
  });
  const folded = record.reduce(
    "sum",
    sums,
    taps.map((_, k) => 2 * axes.length + k),
  );
  const shown = axes.map(({ block }, k) => (rows[k] as number) * block);
  const ends = axes.map(({ size, start }, k) => [start, size - start - (shown[k] as number)]);
  return pad(withShape(folded, shown), ends.reverse().flat(), 0);
}

/** The axes that the order names, which are all that have several elements, in that order. */
function inOrder(g: Value, order: readonly (number | null)[]): Value {
  const { shape } = g.node;
  const long = shape.flatMap((size, axis) => (size > 1 ? [axis] : []));
  const sizes = long.map((axis) => shape[axis] as number);
  const axes = order.filter((axis) => axis !== null).map((axis) => long.indexOf(axis));
  return record.permute(withShape(g, sizes), axes);
}

/** Null unless each axis of a window steps along one axis of the base, within its bounds, and no more than two along the same. */
function shownAxes(shape: readonly number[], window: StridedView): Shown[] | null {
  const base = wholeWindow(shape).strides;
  const sizeOf = (walk: number): number => window.shape[walk] as number;
  const walks = window.shape.flatMap((size, axis) => (size > 1 ? [axis] : []));
  const owners = walks.map((walk) =>
    base.findIndex(
      (stride, axis) => (shape[axis] as number) > 1 && stride <= (window.strides[walk] as number),
    ),
  );
  if (owners.includes(-1)) return null;
  const axes: Shown[] = [];
  let left = window.offset;
  for (const [axis, size] of shape.entries()) {
    const unit = base[axis] as number;
    const stepOf = (walk: number): number => (window.strides[walk] as number) / unit;
    const start = size > 1 ? Math.floor(left / unit) : 0;
    left -= start * unit;
    const own = walks.filter((_, k) => owners[k] === axis);
    const last = own.reduce((place, walk) => place + (sizeOf(walk) - 1) * stepOf(walk), start);
    if (own.length > 2 || last >= size || !own.map(stepOf).every(Number.isInteger)) return null;
    const [far = null, near = null] = own.sort((a, b) => stepOf(b) - stepOf(a) || sizeOf(b) - sizeOf(a));
    const step = far === null ? 1 : stepOf(far);
    const blocks = { size, start, along: far, within: near, block: step, shift: 1 };
    if (near === null) {
      axes.push(blocks);
      continue;
    }
    if (stepOf(near) !== 1) return null;
    // The sum is over blocks of a window, or over the windows themselves where they are fewer.
    const isFewer = step > 1 && sizeOf(far as number) < Math.ceil(sizeOf(near) / step);
    axes.push(isFewer ? { size, start, along: near, within: far, block: 1, shift: step } : blocks);
  }
  return left === 0 ? axes : null;
}
