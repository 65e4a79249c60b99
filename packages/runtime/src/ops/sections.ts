/** Stacking side by side, and cutting into sections: `concat` and `split` along axes that the op's name says. */

import {
  checkInteger,
  checkIntegers,
  elementCount,
  ShapeError,
  sectionSizes,
  showShape,
  wrapAxis,
} from "@fuseau/ir";
import { kernelName } from "../messages/called.ts";
import { Value } from "../value.ts";
import { atLeast } from "./arrange.ts";
import { numbersNow } from "./host.ts";
import { concat, narrowed, pieces, withShape } from "./movement.ts";
import { torchName } from "./operand.ts";

function checkSome(values: readonly Value[]): void {
  if (values.length === 0) throw new ShapeError(`${kernelName()} expects a non-empty TensorList`);
}

export function hstack(values: readonly Value[]): Value {
  checkSome(values);
  const rows = values.map((value) => atLeast(1, value));
  return concat("hstack", rows, rows[0]!.node.shape.length === 1 ? 0 : 1);
}

export function vstack(values: readonly Value[]): Value {
  checkSome(values);
  return concat(
    "vstack",
    values.map((value) => atLeast(2, value)),
    0,
  );
}

export function dstack(values: readonly Value[]): Value {
  checkSome(values);
  return concat(
    "dstack",
    values.map((value) => atLeast(3, value)),
    2,
  );
}

/** Vectors are columns. */
export function columnStack(values: readonly Value[]): Value {
  checkSome(values);
  const columns = values.map((value) =>
    value.node.shape.length < 2 ? withShape(value, [elementCount(value.node.shape), 1]) : value,
  );
  return concat("columnStack", columns, 1);
}

/** Pieces of one axis: so many, as equal as can be, or cut in front of the places listed. A tensor is read at the call. */
export function tensorSplit(x: Value, by: number | readonly number[] | Value, dim: number): Value[] {
  const op = "tensorSplit";
  const { shape } = x.node;
  if (shape.length === 0) {
    throw new ShapeError(
      `tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims`,
    );
  }
  const axis = wrapAxis(dim, shape);
  const cuts = by instanceof Value ? cutsOf(op, by) : by;
  return typeof cuts === "number" ? pieces(x, axis, sectionSizes(shape[axis]!, cuts)) : cutAt(x, axis, cuts);
}

function cutsOf(op: string, by: Value): number | number[] {
  const { shape, dtype } = by.node;
  if (shape.length > 1) {
    throw new ShapeError(
      `tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but got a tensor with ${shape.length} dims`,
    );
  }
  if (dtype !== "int64") {
    throw new TypeError(
      `tensor_split expected tensor_indices_or_sections to have dtype of long, but got ${torchName[dtype]}`,
    );
  }
  const numbers = numbersNow(op, by);
  return shape.length === 0 ? numbers[0]! : numbers;
}

/** Between one cut and the next, as Python slices do: negative ones count from the end, and none reach beyond it. */
function cutAt(x: Value, axis: number, cuts: readonly number[]): Value[] {
  checkIntegers("indices", cuts);
  const size = x.node.shape[axis]!;
  const inside = cuts.map((cut) => Math.min(size, Math.max(0, cut < 0 ? cut + size : cut)));
  return [...inside, size].map((end, i) => {
    const start = i === 0 ? 0 : inside[i - 1]!;
    return narrowed(x, axis, start, Math.max(0, end - start));
  });
}

/** `hsplit`, `vsplit`, `dsplit`: `tensorSplit` along an axis that they name; so many pieces must be equal. */
export function splitAlong(
  op: "hsplit" | "vsplit" | "dsplit",
  x: Value,
  by: number | readonly number[],
): Value[] {
  const { shape } = x.node;
  const least = op === "hsplit" ? 1 : op === "vsplit" ? 2 : 3;
  if (shape.length < least) {
    throw new ShapeError(
      `torch.${kernelName()} requires a tensor with at least ${least} dimension, but got a tensor with ${shape.length} dimensions!`,
    );
  }
  const axis = op === "hsplit" ? Math.min(1, shape.length - 1) : op === "vsplit" ? 0 : 2;
  if (typeof by === "number") {
    checkInteger("split_size", by);
    if (by <= 0 || shape[axis]! % by !== 0) {
      throw new ShapeError(
        `torch.${kernelName()} attempted to split along dimension ${axis}, but the size of the dimension ${shape[axis]} is not divisible by the split_size ${by}! (shape ${showShape(shape)})`,
      );
    }
  }
  return tensorSplit(x, by, axis);
}
