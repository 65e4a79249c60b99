/** Matrices times themselves and times one another, and powers of elements. */
import { checkInteger, ShapeError } from "@fuseau/ir";
import * as record from "../record.ts";
import { withoutSlope } from "../tape/rule.ts";
import type { Value } from "../value.ts";
import { eye } from "./creation.ts";
import { expand, unsqueeze, withShape } from "./movement.ts";
import { matmul } from "./product.ts";

/** @throws RangeError for a negative power, which would need an inverse. */
export function matrixPower(x: Value, power: number): Value {
  const { shape, dtype } = x.node;
  if (shape.length < 2 || shape.at(-1) !== shape.at(-2)) {
    throw new ShapeError(
      `matrixPower: linalg.matrix_power: A must be batches of square matrices, but they are ${shape.at(-2) ?? 1} by ${shape.at(-1) ?? 1} matrices`,
    );
  }
  checkInteger("n", power);
  if (power < 0) throw new RangeError(`negative powers need an inverse (got ${power})`);
  const size = shape.at(-1)!;
  if (power === 0) return withoutSlope("matrixPower", [x], expand(eye(size, size, dtype), shape));
  let result: Value | null = null;
  let square = x;
  for (let rest = power; ; ) {
    if (rest % 2 === 1) result = result === null ? square : matmul(result, square);
    rest = Math.floor(rest / 2);
    if (rest === 0) return result as Value;
    square = matmul(square, square);
  }
}

/** The product of several matrices in the order that multiplies least; the first and the last may be vectors. */
export function multiDot(values: readonly Value[]): Value {
  if (values.length < 2) {
    throw new ShapeError(`multi_dot(): expected at least 2 tensors but got ${values.length}`);
  }
  const last = values.length - 1;
  const matrices = values.map((value, k) => {
    const { shape } = value.node;
    if (shape.length === 2) return value;
    if (shape.length === 1 && (k === 0 || k === last)) return unsqueeze(value, k === 0 ? 0 : 1);
    throw new ShapeError(
      `multi_dot(): tensor ${k} must be ${k === 0 || k === last ? "1D or 2D" : "2D"} but got ${shape.length}D`,
    );
  });
  const sizes = [matrices[0]!.node.shape[0]!, ...matrices.map((value) => value.node.shape[1]!)];
  const product = ordered(matrices, splits(sizes), 0, last);
  const kept = product.node.shape.filter((_, axis) => values[axis === 0 ? 0 : last]!.node.shape.length === 2);
  return withShape(product, kept);
}

/** Where to split the product of matrices i to j: the classic O(n³) table. */
function splits(sizes: readonly number[]): number[][] {
  const count = sizes.length - 1;
  const cost = Array.from({ length: count }, () => new Array<number>(count).fill(0));
  const split = Array.from({ length: count }, () => new Array<number>(count).fill(0));
  for (let length = 1; length < count; length++) {
    for (let i = 0; i + length < count; i++) {
      const j = i + length;
      let best = Infinity;
      for (let k = i; k < j; k++) {
        const total = cost[i]![k]! + cost[k + 1]![j]! + sizes[i]! * sizes[k + 1]! * sizes[j + 1]!;
        if (total < best) {
          best = total;
          split[i]![j] = k;
        }
      }
      cost[i]![j] = best;
    }
  }
  return split;
}

function ordered(
  matrices: readonly Value[],
  split: readonly (readonly number[])[],
  from: number,
  to: number,
): Value {
  if (from === to) return matrices[from]!;
  const at = split[from]![to]!;
  return matmul(ordered(matrices, split, from, at), ordered(matrices, split, at + 1, to));
}

/** The powers 0, 1 … of every element along a new last axis; of a bool they are int64. */
export function powers(x: Value, count: number | null): Value {
  const values = x.node.dtype === "bool" ? record.cast(x, "int64") : x;
  const column = unsqueeze(values.node.shape.length === 0 ? record.reshape(values, [1]) : values, -1);
  const size = count ?? column.node.shape.at(-2)!;
  checkInteger("N", size);
  if (size < 2) throw new RangeError(`linalg.vander: N must be greater than 1. (got ${size})`);
  return record.binary("pow", column, record.cast(record.iota("int64", size), values.node.dtype));
}
