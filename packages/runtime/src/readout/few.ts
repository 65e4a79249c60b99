/** Reads few elements through views where they are in memory, as `x.select(0, 3).item()` does in loops of the host. Nothing is computed. */
import { allocate, elementCount, type StridedView, type TypedArray } from "@fuseau/ir";
import type { Value } from "../value.ts";
import { moveWindow, wholeWindow } from "../window/window.ts";

/** The most elements that are read one by one, and the most movements that are followed. */
const [FEW, STEPS] = [64, 16];

/** The elements in a new array; null if there are many, if strides cannot express where they are, or if what they are of is not in memory. */
export function fewElements(value: Value): TypedArray | null {
  const count = elementCount(value.node.shape);
  if (count > FEW) return null;
  const path: Value[] = [];
  let source = value;
  for (; source.storage === null; source = source.inputs[0] as Value) {
    if (path.length === STEPS || source.inputs.length !== 1) return null;
    path.push(source);
  }
  let window: StridedView | null = wholeWindow(source.node.shape);
  for (let k = path.length - 1; k >= 0; k--) {
    window = moveWindow(window, (path[k] as Value).node);
    if (window === null) return null;
  }
  const from = source.storage.peek();
  if (from === null) return null;
  const elements = allocate(value.node.dtype, count);
  copyWindow(from, window, elements);
  return elements;
}

/** Copies the elements of a window in row-major order. */
function copyWindow(from: TypedArray, { shape, strides, offset }: StridedView, to: TypedArray): void {
  const place = new Array<number>(shape.length).fill(0);
  let at = offset;
  for (let k = 0; k < to.length; k++) {
    to[k] = from[at] as number;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      at += strides[axis] as number;
      if (++(place[axis] as number) < (shape[axis] as number)) break;
      at -= (shape[axis] as number) * (strides[axis] as number);
      place[axis] = 0;
    }
  }
}
