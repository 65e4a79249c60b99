/** Products of matrices and vectors, all by one primitive, the contraction. */
import {
  checkRank,
  DTypeError,
  matmulShapes,
  type Shape,
  ShapeError,
  sameNumbers,
  showShape,
} from "@fuseau/ir";
import { kernelName } from "../messages/called.ts";
import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { withShape } from "./movement.ts";
import { checkSameDType } from "./operand.ts";
import { mul } from "./pointwise.ts";

function checkDTypes(a: Value, b: Value): void {
  checkSameDType(a, b);
  if (a.node.dtype === "bool")
    throw new DTypeError(`"${kernelName()}" not implemented for 'Bool' (cast first)`);
}

const expanded = (x: Value, shape: Shape): Value =>
  sameNumbers(x.node.shape, shape) ? x : record.expand(x, shape);

/** A 1-D operand becomes a row or a column; leading axes are broadcast. */
export function matmul(a: Value, b: Value): Value {
  const { batch, m, k, n, shape } = matmulShapes(a.node.shape, b.node.shape);
  checkDTypes(a, b);
  const left = a.node.shape.length === 1 ? record.reshape(a, [1, k]) : a;
  const right = b.node.shape.length === 1 ? record.reshape(b, [k, 1]) : b;
  return withShape(
    record.contract(expanded(left, [...batch, m, k]), expanded(right, [...batch, k, n])),
    shape,
  );
}

export function mm(a: Value, b: Value): Value {
  checkRank("self", a.node.shape, 2, "matrix");
  checkRank("mat2", b.node.shape, 2, "matrix");
  return matmul(a, b);
}

/**
 * [batches, rows, inner, columns] of two batches of matrices.
 * @throws ShapeError if an operand is no batch of matrices, or sizes do not fit.
 */
export function checkBatches(a: Value, b: Value): [number, number, number, number] {
  checkRank("batch1", a.node.shape, 3, "3D tensor");
  checkRank("batch2", b.node.shape, 3, "3D tensor");
  const [batches, rows, inner] = a.node.shape as [number, number, number];
  const [otherBatches, otherInner, columns] = b.node.shape as [number, number, number];
  if (batches === otherBatches && inner === otherInner) return [batches, rows, inner, columns];
  throw new ShapeError(
    `Expected size for first two dimensions of batch2 tensor to be: [${batches}, ${inner}] but got: [${otherBatches}, ${otherInner}]. (shapes ${showShape(a.node.shape)} and ${showShape(b.node.shape)})`,
  );
}

export function bmm(a: Value, b: Value): Value {
  checkBatches(a, b);
  return matmul(a, b);
}

export function dot(a: Value, b: Value): Value {
  if (a.node.shape.length !== 1 || b.node.shape.length !== 1)
    throw new ShapeError(
      `1D tensors expected, but got ${a.node.shape.length}D and ${b.node.shape.length}D tensors (shapes ${showShape(a.node.shape)} and ${showShape(b.node.shape)})`,
    );
  return matmul(a, b);
}

export function mv(a: Value, b: Value): Value {
  if (a.node.shape.length !== 2 || b.node.shape.length !== 1)
    throw new ShapeError(
      `vector + matrix @ vector expected, got ${b.node.shape.length}, ${a.node.shape.length}, ${b.node.shape.length} (shapes ${showShape(a.node.shape)} and ${showShape(b.node.shape)})`,
    );
  return matmul(a, b);
}

/** Every product of an element of `a` and one of `b`; dtypes are promoted. */
export function outer(a: Value, b: Value): Value {
  checkRank("self", a.node.shape, 1, "1D tensor");
  checkRank("vec2", b.node.shape, 1, "1D tensor");
  return mul(record.reshape(a, [a.node.shape[0]!, 1]), b);
}
