/** Windows of a base's elements: what a view is, and how each movement changes one. PyTorch: "Tensor Views". */
import { elementCount, type Node, type StridedView, sameNumbers } from "@fuseau/ir";

/** Every element, row-major. */
export function wholeWindow(shape: readonly number[]): StridedView {
  const strides = new Array<number>(shape.length);
  let stride = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides[axis] = stride;
    stride *= Math.max(1, shape[axis] as number);
  }
  return { shape, strides, offset: 0 };
}

/** The window after a movement; null if strides cannot express it, so that the result is a copy. */
export function moveWindow(window: StridedView, node: Node): StridedView | null {
  const { strides, offset } = window;
  switch (node.op) {
    case "permute":
      return {
        shape: node.shape,
        strides: node.attributes.axes.map((axis) => strides[axis] as number),
        offset,
      };
    case "expand": {
      const missing = node.shape.length - window.shape.length;
      const stride = (axis: number): number =>
        axis < missing || window.shape[axis - missing] !== node.shape[axis]
          ? 0
          : (strides[axis - missing] as number);
      return { shape: node.shape, strides: node.shape.map((_, axis) => stride(axis)), offset };
    }
    case "slice": {
      const { starts, steps } = node.attributes;
      if (steps.some((step) => step < 0)) return null;
      return {
        shape: node.shape,
        strides: strides.map((stride, axis) => stride * (steps[axis] as number)),
        offset: starts.reduce((place, start, axis) => place + start * (strides[axis] as number), offset),
      };
    }
    case "diagonal": {
      const { axis1, axis2, offset: along } = node.attributes;
      const [first, second] = [strides[axis1] as number, strides[axis2] as number];
      const others = strides.filter((_, axis) => axis !== axis1 && axis !== axis2);
      const start = along >= 0 ? along * second : -along * first;
      return { shape: node.shape, strides: [...others, first + second], offset: offset + start };
    }
    case "reshape":
      return reshapeWindow(window, node.shape);
    case "asStrided":
      return stridedWindow(window, (node.inputs[0] as Node).shape, { ...node.attributes, shape: node.shape });
    default:
      return null;
  }
}

/**
 * PyTorch's `computeStride`. Axes that are contiguous with each other form runs, which may be split anew. Null if the shape does not fit
 * the runs.
 */
function reshapeWindow({ shape, strides, offset }: StridedView, to: readonly number[]): StridedView | null {
  if (sameNumbers(shape, to)) return { shape: to, strides, offset };
  if (shape.includes(0)) return { ...wholeWindow(to), offset };
  const result = new Array<number>(to.length);
  let target = to.length - 1;
  let run = 1;
  let cut = 1;
  // The stride of the innermost axis of the run.
  let base = strides.at(-1) ?? 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    run *= shape[axis] as number;
    const ends = axis === 0 || (shape[axis - 1] !== 1 && strides[axis - 1] !== run * base);
    if (!ends) continue;
    while (target >= 0 && (cut < run || to[target] === 1)) {
      result[target] = cut * base;
      cut *= to[target] as number;
      target--;
    }
    if (cut !== run) return null;
    if (axis > 0) {
      base = strides[axis - 1] as number;
      run = 1;
      cut = 1;
    }
  }
  for (; target >= 0; target--) result[target] = 1;
  return { shape: to, strides: result, offset };
}

/** True when the window is every element of a base of `count`, in order. */
export const isWhole = (window: StridedView, count: number): boolean =>
  window.offset === 0 && elementCount(window.shape) === count && isContiguous(window);

/** PyTorch's `is_contiguous`: row-major without gaps; axes of size 1 may have any stride. */
export function isContiguous({ shape, strides }: StridedView): boolean {
  if (shape.includes(0)) return true;
  let expected = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const size = shape[axis] as number;
    if (size !== 1 && strides[axis] !== expected) return false;
    expected *= size;
  }
  return true;
}

/**
 * Converts strides over a shape's row-major positions into strides of a window of that shape. Each stride must be whole steps along one
 * axis and stay within it, as those of `unfold` do; otherwise the result is null.
 */
function stridedWindow(
  window: StridedView,
  shape: readonly number[],
  { shape: to, strides, offset }: StridedView,
): StridedView | null {
  if (isContiguous(window)) return { shape: to, strides, offset: window.offset + offset };
  if (to.includes(0)) return { ...wholeWindow(to), offset: window.offset };
  const rows = wholeWindow(shape).strides as readonly number[];
  let rest = offset;
  let start = window.offset;
  const reach = rows.map((row, axis) => {
    const place = Math.floor(rest / row);
    rest -= place * row;
    start += place * (window.strides[axis] as number);
    return place;
  });
  const found = strides.map((stride, k) => {
    if (stride === 0 || to[k] === 1) return 0;
    const axis = rows.findIndex((row, at) => (shape[at] as number) > 1 && row <= stride);
    const steps = stride / (rows[axis] ?? Infinity);
    if (!Number.isInteger(steps) || steps === 0) return null;
    reach[axis] = (reach[axis] as number) + steps * ((to[k] as number) - 1);
    return steps * (window.strides[axis] as number);
  });
  const inside = reach.every((place, axis) => place < (shape[axis] as number));
  return inside && found.every((stride) => stride !== null)
    ? { shape: to, strides: found, offset: start }
    : null;
}
