/**
 * Decomposes matrices on the host: elements are read at the call and computed in float64, and derivatives are recorded like any others.
 * Within `vmap` it decomposes the whole batch, so everything here takes leading axes.
 */
import { DTypeError, elementCount, type Shape, ShapeError, type TypedArray } from "@fuseau/ir";
import { innermostOf, ofBatch } from "../autograd/whole.ts";
import { elementsNow } from "../ops/host.ts";
import { torchName } from "../ops/operand.ts";
import * as record from "../record.ts";
import { Storage } from "../storage.ts";
import { withRule } from "../tape/rule.ts";
import { withRecording } from "../tape/step.ts";
import { refuseDecomposition } from "../tracing.ts";
import type { Value } from "../value.ts";

/** Gradients of the inputs, from that of one result; null where none flows. */
type Share<R> = (gradient: Value, results: R, wanted: readonly boolean[]) => readonly (Value | null)[];

/**
 * The results that `compute` makes from the elements of `inputs`. `shares` has a derivative for each result. Both must use the inputs that
 * they are called with: within `vmap`, these are the whole batch.
 */
export function decompose<const V extends readonly Value[], const R extends readonly Value[]>(
  name: string,
  inputs: V,
  compute: (...inputs: V) => R,
  shares: (...inputs: V) => { readonly [K in keyof R]: Share<R> },
): R {
  refuseDecomposition(name);
  const place = innermostOf(inputs);
  const made =
    place < 0
      ? withRecording(false, () => compute(...inputs))
      : ofBatch(place, inputs, (wholes) => decompose(name, wholes as V, compute, shares));
  const own: readonly Share<R>[] = shares(...inputs);
  const results: Value[] = [];
  for (const [k, value] of made.entries()) {
    const share = (_: Value, gradient: Value, wanted: readonly boolean[]) =>
      (own[k] as Share<R>)(gradient, results as readonly Value[] as R, wanted);
    results.push(withRule(name, inputs, () => value, share));
  }
  // The caller gets values of its own, which it may dispose of: derivatives read the results themselves.
  return results.map((result) => record.reshape(result, result.node.shape)) as readonly Value[] as R;
}

/** The matrices in the last two axes of a value, one behind the other, read now. */
export interface Matrices {
  readonly leading: Shape;
  readonly rows: number;
  readonly columns: number;
  readonly elements: TypedArray;
}

export function matricesOf(x: Value): Matrices {
  const { shape } = x.node;
  const [rows, columns] = shape.slice(-2) as [number, number];
  return { leading: shape.slice(0, -2), rows, columns, elements: elementsNow("compute", x) };
}

/** Copies the k-th matrix to `to` [rows, columns]. */
export function copyMatrix({ rows, columns, elements }: Matrices, k: number, to: Float64Array): void {
  const size = rows * columns;
  for (let i = 0, from = k * size; i < size; i++, from++) to[i] = elements[from] as number;
}

/** Calls a function with each matrix and its number. It gets them in one array, a copy that it may overwrite. */
export function forEachMatrix(
  matrices: Matrices,
  call: (matrix: Float64Array<ArrayBuffer>, k: number) => void,
): void {
  const matrix = new Float64Array(matrices.rows * matrices.columns);
  const count = elementCount(matrices.leading);
  for (let k = 0; k < count; k++) {
    copyMatrix(matrices, k, matrix);
    call(matrix, k);
  }
}

/** A result of shape [...leading, ...rest], which is given one matrix of shape `rest` after another. */
export class Gathered {
  readonly #shape: Shape;
  readonly #dtype: "float32" | "float64";
  readonly #elements: Float32Array | Float64Array;
  readonly #width: number;
  #next = 0;

  constructor({ node: { dtype } }: Value, leading: Shape, rest: Shape) {
    this.#shape = [...leading, ...rest];
    this.#dtype = dtype as "float32" | "float64";
    this.#elements = new (dtype === "float32" ? Float32Array : Float64Array)(elementCount(this.#shape));
    this.#width = elementCount(rest);
  }

  add(matrix: ArrayLike<number>): void {
    for (let i = 0; i < this.#width; i++) this.#elements[this.#next++] = matrix[i] as number;
  }

  /** To be called once: the value has the elements from then on. */
  toValue(): Value {
    return record.stored(this.#dtype, this.#shape, new Storage(this.#dtype, this.#elements));
  }
}

/** @throws ShapeError for fewer than two axes, DTypeError unless the dtype is float32 or float64. */
export function checkMatrices(x: Value, name = "A"): void {
  const { dtype, shape } = x.node;
  if (shape.length < 2)
    throw new ShapeError(
      `The input tensor ${name} must have at least 2 dimensions. (it has ${shape.length})`,
    );
  if (dtype === "float32" || dtype === "float64") return;
  throw new DTypeError(
    dtype === "float16"
      ? "Low precision dtypes not supported. Got Half (cast to float32 first)"
      : `Expected a floating point or complex tensor as input. Got ${torchName[dtype]} (cast to float32 first)`,
  );
}

/**
 * {@link checkMatrices}.
 * @throws ShapeError also for matrices that are not square.
 */
export function checkSquare(x: Value, name = "A"): void {
  checkMatrices(x, name);
  const [rows, columns] = x.node.shape.slice(-2) as [number, number];
  if (rows !== columns)
    throw new ShapeError(
      `${name} must be batches of square matrices, but they are ${rows} by ${columns} matrices`,
    );
}

/** "(Batch element 2): " if there are several matrices. */
export const batchElement = ({ leading }: Matrices, k: number): string =>
  leading.length === 0 ? "" : `(Batch element ${k}): `;

/** The last two axes swapped. */
export function mT(x: Value): Value {
  const rank = x.node.shape.length;
  const axes = Array.from({ length: rank }, (_, axis) => axis);
  return record.permute(x, [...axes.slice(0, -2), rank - 1, rank - 2]);
}
