/** Windows that reach one element twice, or that share elements. PyTorch: MemoryOverlap.cpp. */
import { elementCount, type StridedView, sameNumbers } from "@fuseau/ir";

interface Walk {
  readonly size: number;
  readonly stride: number;
}

/** The axes of more than one place, the smallest stride first. */
const walks = ({ shape, strides }: StridedView): Walk[] =>
  shape
    .map((size, axis) => ({ size, stride: strides[axis] as number }))
    .filter(({ size }) => size > 1)
    .sort((a, b) => a.stride - b.stride);

/** True when two places of the window are the same element. */
export function overlaps(window: StridedView): boolean {
  if (window.shape.includes(0)) return false;
  const axes = walks(window);
  let reach = 0;
  let nested = true;
  for (const { size, stride } of axes) {
    if (stride === 0) return true;
    // If each stride is larger than all that the smaller ones reach, no two places meet.
    if (stride <= reach) nested = false;
    reach += stride * (size - 1);
  }
  return !nested && !areDistinct(axes, reach);
}

/** Decides by marking every element that is reached, for windows whose strides do not show it. */
function areDistinct(axes: readonly Walk[], reach: number): boolean {
  const count = axes.reduce((product, { size }) => product * size, 1);
  if (count > reach + 1) return false;
  const seen = new Uint8Array(reach + 1);
  const index = axes.map(() => 0);
  for (let place = 0, left = count; left > 0; left--) {
    if (seen[place] === 1) return false;
    seen[place] = 1;
    for (let axis = 0; axis < axes.length; axis++) {
      const { size, stride } = axes[axis] as Walk;
      index[axis] = (index[axis] as number) + 1;
      place += stride;
      if ((index[axis] as number) < size) break;
      place -= stride * size;
      index[axis] = 0;
    }
  }
  return true;
}

/** Windows without overlaps that together reach the elements of this one. */
export function distinctParts(window: StridedView): StridedView[] {
  if (!overlaps(window)) return [window];
  const { shape, strides, offset } = window;
  const moving = shape.map((size, axis) => ({ size, axis })).filter(({ size }) => size > 1);
  const still = moving.find(({ axis }) => strides[axis] === 0);
  const { axis, size } = still ?? moving.reduce((a, b) => (b.size < a.size ? b : a));
  const sizes = shape.map((own, k) => (k === axis ? 1 : own));
  return Array.from({ length: still === undefined ? size : 1 }, (_, place) =>
    distinctParts({ shape: sizes, strides, offset: offset + place * (strides[axis] as number) }),
  ).flat();
}

/** PyTorch's `is_non_overlapping_and_dense`: in some order of its axes the window is row-major without gaps. */
function isDense(window: StridedView): boolean {
  let expected = 1;
  for (const { size, stride } of walks(window)) {
    if (stride !== expected) return false;
    expected *= size;
  }
  return true;
}

/**
 * PyTorch's partial overlap of two windows of one cell: both are dense, they share elements, and they are not the same elements in the same
 * order. PyTorch does not check windows that are not dense.
 */
export function overlapsPartly(a: StridedView, b: StridedView): boolean {
  const [countA, countB] = [elementCount(a.shape), elementCount(b.shape)];
  if (countA === 0 || countB === 0 || !isDense(a) || !isDense(b)) return false;
  if (a.offset === b.offset && countA === countB) return !sameNumbers(a.strides, b.strides);
  return a.offset < b.offset + countB && b.offset < a.offset + countA;
}
