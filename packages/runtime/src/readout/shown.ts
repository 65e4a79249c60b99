/** Selects the elements that the printed form shows: `get_summarized_data` in PyTorch's _tensor_str.py. */
import { elementCount, type Shape } from "@fuseau/ir";

/** Tensors of more elements are elided (PrinterOptions.threshold). */
const threshold = 1000;

/** How many places are shown at each end of a long axis (PrinterOptions.edgeitems). */
export const edgeItems = 3;

/** An axis as it is printed. */
export interface ShownAxis {
  /** The indices shown, ascending. */
  readonly indices: readonly number[];
  /** True when the middle is left out, between index `edgeItems - 1` and the next. */
  readonly elided: boolean;
  /** Elements between neighbours along the axis; the last axis is contiguous. */
  readonly stride: number;
}

export function shownAxes(shape: Shape): readonly ShownAxis[] {
  const large = elementCount(shape) > threshold;
  return shape.map((size, axis) => {
    const elided = large && size > 2 * edgeItems;
    const indices = elided
      ? Array.from({ length: 2 * edgeItems }, (_, i) => (i < edgeItems ? i : size - 2 * edgeItems + i))
      : Array.from({ length: size }, (_, i) => i);
    return { indices, elided, stride: elementCount(shape.slice(axis + 1)) };
  });
}

/** The positions of the shown elements, in the order in which they are printed. */
export function shownPositions(axes: readonly ShownAxis[]): readonly number[] {
  let positions = [0];
  for (const { indices, stride } of axes) {
    positions = positions.flatMap((position) => indices.map((index) => position + index * stride));
  }
  return positions;
}
