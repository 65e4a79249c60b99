/**
 * The transpose of windows that overlap, such as those of `unfold`: each element gets the sum of what shows it. That is a sum over windows
 * too: those of the padded gradient that step along windows and within them at once.
 */
import type { StridedView } from "@fuseau/ir";
import { withShape } from "../../ops/movement.ts";
import { spread } from "../../ops/windows.ts";
import * as record from "../../record.ts";
import type { Value } from "../../value.ts";
import { wholeWindow } from "../../window/window.ts";

/**
 * How windows show one axis of the base: element `i` of axis `along` begins at place `start + step · i`, and element `t` of axis `within` is
 * at the place `dilation · t` behind it.
 */
interface Shown {
  readonly size: number;
  readonly start: number;
  /** Null for a single window. */
  readonly along: number | null;
  readonly step: number;
  /** Null where a window has one of the axis's elements. */
  readonly within: number | null;
  readonly dilation: number;
}

/**
 * Places of the padded gradient for each of its elements: those between the begins of windows are zeros. With more, adding element by
 * element is quicker.
 */
const MOST_STUFFED = 2;

/** Null for windows that do not slide along axes of the base, each along its own, or that begin far apart. */
export function sumOfWindows(g: Value, shape: readonly number[], window: StridedView): Value | null {
  const axes = shownAxes(shape, window);
  if (axes === null || axes.reduce((product, { step }) => product * step, 1) > MOST_STUFFED) return null;
  const sizeAt = (axis: number | null): number => (axis === null ? 1 : (window.shape[axis] as number));
  const taps = axes.map(({ within }) => sizeAt(within));
  const reach = axes.map(({ dilation }, k) => ((taps[k] as number) - 1) * dilation);
  const order = [...axes.map(({ along }) => along), ...axes.map(({ within }) => within)];
  const sizes = order.map(sizeAt);
  const room = [...shape.map((size, k) => size + (reach[k] as number)), ...taps];
  const before = sizes.map((_, k) => (axes[k]?.start ?? 0) + (reach[k] ?? 0));
  const { strides } = wholeWindow(room);
  const strideOf = (axis: number): number => strides[axis] as number;
  const steps = sizes.map((_, k) => axes[k]?.step ?? 1);
  const padded = spread(withShape(inOrder(g, order), sizes), room, before, steps);
  // Element y of the base is element t of the window that begins at y - dilation · t, which is `reach` places further in the padded axis.
  // t goes down, so that both strides are positive.
  const rank = shape.length;
  const sums = record.asStrided(padded, {
    shape: [...shape, ...taps],
    strides: [
      ...strides.slice(0, rank),
      ...axes.map(({ dilation }, k) => dilation * strideOf(k) - strideOf(rank + k)),
    ],
    offset: taps.reduce((place, size, k) => place + (size - 1) * strideOf(rank + k), 0),
  });
  return record.reduce(
    "sum",
    sums,
    taps.map((_, k) => rank + k),
  );
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
    const stepOf = (walk: number | null): number =>
      walk === null ? 1 : (window.strides[walk] as number) / unit;
    const start = size > 1 ? Math.floor(left / unit) : 0;
    left -= start * unit;
    const own = walks.filter((_, k) => owners[k] === axis);
    const last = own.reduce((place, walk) => place + (sizeOf(walk) - 1) * stepOf(walk), start);
    if (own.length > 2 || last >= size || !own.map(stepOf).every(Number.isInteger)) return null;
    // Windows are more than the elements of each: the sum is over these.
    const [along = null, within = null] = own.sort((a, b) => sizeOf(b) - sizeOf(a));
    axes.push({ size, start, along, step: stepOf(along), within, dilation: stepOf(within) });
  }
  return left === 0 ? axes : null;
}
