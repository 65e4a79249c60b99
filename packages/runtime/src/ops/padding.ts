/** Padding with what the tensor itself holds: its edge, its reflection, or its other end. */
import { padWidths, ShapeError, showArgument } from "@fuseau/ir";
import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { flip, narrowed, pad } from "./movement.ts";

export type PadMode = "constant" | "reflect" | "replicate" | "circular";

/**
 * `widths` in pairs, the last axis first; negative ones cut. What is circular is cut first: what is left goes around. An edge and
 * a reflection are of the tensor that was there, so that these are cut last.
 */
export function padBy(mode: Exclude<PadMode, "constant">, x: Value, widths: readonly number[]): Value {
  const sides = sideOf[mode];
  if (sides === undefined) {
    throw new TypeError(
      `Unrecognised padding mode ${showArgument(mode)} ("constant", "reflect", "replicate" or "circular")`,
    );
  }
  const { shape } = x.node;
  const { before, after } = padWidths(shape, widths);
  const axes = widths.length / 2;
  if (axes < 1 || axes > 3 || (shape.length !== axes + 1 && shape.length !== axes + 2)) {
    throw new ShapeError(
      `Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now (${axes} padded axes of ${shape.length}; one or two axes in front are left alone)`,
    );
  }
  const cuts = widths.map((width) => Math.min(0, width));
  let result = mode === "circular" ? pad(x, cuts, 0) : x;
  for (let axis = shape.length - axes; axis < shape.length; axis++) {
    const front = Math.max(0, before[axis]!);
    const back = Math.max(0, after[axis]!);
    checkWidth(mode, result, axis, front, back);
    const parts = [sides(result, axis, front, "front"), result, sides(result, axis, back, "back")];
    const kept = parts.filter((part) => part.node.shape[axis] !== 0);
    if (kept.length > 1) result = record.concat(kept, axis);
  }
  return mode === "circular" ? result : pad(result, cuts, 0);
}

type Side = (x: Value, axis: number, width: number, end: "front" | "back") => Value;

const sideOf: { readonly [Mode in Exclude<PadMode, "constant">]: Side } = {
  circular: (x, axis, width, end) =>
    narrowed(x, axis, end === "front" ? x.node.shape[axis]! - width : 0, width),
  reflect: (x, axis, width, end) =>
    flip(narrowed(x, axis, end === "front" ? 1 : x.node.shape[axis]! - 1 - width, width), [axis]),
  replicate: (x, axis, width, end) => {
    if (width === 0) return narrowed(x, axis, 0, 0);
    const edge = narrowed(x, axis, end === "front" ? 0 : x.node.shape[axis]! - 1, 1);
    return record.expand(
      edge,
      x.node.shape.map((size, other) => (other === axis ? width : size)),
    );
  },
};

function checkWidth(
  mode: Exclude<PadMode, "constant">,
  x: Value,
  axis: number,
  front: number,
  back: number,
): void {
  const size = x.node.shape[axis]!;
  const widest = Math.max(front, back);
  if (mode === "circular" && widest > size)
    throw new ShapeError(
      `Padding value causes wrapping around more than once. (padding (${front}, ${back}) of ${size} places of axis ${axis}, less what negative padding cuts)`,
    );
  if (mode === "reflect" && widest >= size && widest > 0) {
    throw new ShapeError(
      `Argument #4: Padding size should be less than the corresponding input dimension, but got: padding (${front}, ${back}) at dimension ${axis} of input ${x.node.shape.length} (size ${size})`,
    );
  }
  if (mode === "replicate" && size === 0 && widest > 0)
    throw new ShapeError(`Expected a non-empty axis ${axis} to replicate the edge of`);
}
