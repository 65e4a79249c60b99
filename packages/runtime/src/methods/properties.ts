/** Properties: sizes and transposes, rows to iterate over, and a tag by which test libraries distinguish two tensors. */
import {
  allocate,
  type DType,
  dtypes,
  elementCount,
  ShapeError,
  type Sizes,
  type TypedArray,
} from "@fuseau/ir";
import { baseOf, wrapView } from "../alias/alias.ts";
import { gradientProperties } from "../functions/gradient-properties.ts";
import { permute, transpose } from "../ops/movement.ts";
import { tagOf } from "../readout/tag.ts";
import type { Storage } from "../storage.ts";
import { aliasKey, isTensor, type Tensor, unwrap, valueKey } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";

/** One row: S without its first axis. A 0-d tensor has none. */
export type Row<S extends number[], D extends DType> = S extends []
  ? never
  : Tensor<S extends [number, ...infer Rest extends number[]] ? Rest : number[], D>;

/** The sizes of a matrix swapped; of another tensor, as many as it has. */
type Turned<S extends number[]> = S extends [infer Rows extends number, infer Columns extends number]
  ? [Columns, Rows]
  : Sizes<S>;

/** The last two sizes swapped. */
type TurnedLast<S extends number[]> = S extends [
  ...infer Leading extends number[],
  infer Rows extends number,
  infer Columns extends number,
]
  ? [...Leading, Columns, Rows]
  : Sizes<S>;

/** Properties of a tensor. */
export interface Properties<S extends number[], D extends DType> {
  /** Bytes of all elements. */
  readonly nbytes: number;
  /**
   * True if gradients with respect to it are recorded: it is a leaf for which `requiresGrad_()` was called, or depends on such a leaf. Of a
   * leaf it may be written: `x.requiresGrad = false` is `x.requiresGrad_(false)`.
   */
  requiresGrad: boolean;
  /** True unless it was computed from tensors that require gradients. */
  readonly isLeaf: boolean;
  /**
   * The sum of the gradients that backward passes have computed, for a leaf or a tensor that retains its gradient; null before the first
   * pass.
   */
  grad: Tensor<S, D> | null;
  /** The axes in reverse order: a view. Of a matrix the type checker knows the sizes. */
  readonly T: Tensor<Turned<S>, D>;
  /** The last two axes swapped: a view. @throws ShapeError for fewer than two. */
  readonly mT: Tensor<TurnedLast<S>, D>;
  /** {@link mT}: there are no complex numbers. */
  readonly mH: Tensor<TurnedLast<S>, D>;
  /** {@link mH} of a matrix. @throws ShapeError for any other number of axes but 0. */
  readonly H: Tensor<Turned<S>, D>;
  /** The rows, views along the first axis: `for (const row of x)`, `[...x]` (PyTorch: `Tensor.__iter__`). A 0-d tensor is not iterable. */
  [Symbol.iterator](): IterableIterator<Row<S, D>>;
  /**
   * dtype, shape and elements as text, computed when it is read. node:assert, Vitest, Jest and Chai treat objects with different tags as
   * different. The tag names no class, so `Object.prototype.toString` does not recognise a tensor; `instanceof` does.
   */
  readonly [Symbol.toStringTag]: string;
}

type Getters = { readonly [Name in keyof Properties<[], DType>]: (this: AnyTensor) => unknown };

function rows(this: AnyTensor): IterableIterator<AnyTensor> {
  return (this.unbind(0) as AnyTensor[]).values();
}

/** The elements. For a view they are read from its base, which is computed once for all rows that are compared. */
function elementsOf(x: AnyTensor): TypedArray {
  unwrap(x);
  const alias = x[aliasKey];
  if (alias === null || alias.isBase) return x.toTypedArray();
  const { shape, strides, offset } = alias.window;
  const base = baseOf(x).compute();
  const elements = (base[valueKey].storage as Storage).array;
  let places = [offset];
  for (const [axis, size] of shape.entries()) {
    places = places.flatMap((place) => Array.from({ length: size }, (_, k) => place + k * strides[axis]!));
  }
  const taken = allocate(x.dtype, places.length);
  for (const [k, place] of places.entries()) taken[k] = elements[place]!;
  return taken;
}

/** @throws ShapeError, with the name of the property, for fewer than two axes. */
function swapped(x: AnyTensor, name: string): AnyTensor {
  const { length } = x.shape;
  if (length < 2)
    throw new ShapeError(
      `tensor.${name} is only supported on matrices or batches of matrices. Got ${length}-D tensor.`,
    );
  return wrapView(x, transpose(unwrap(x), -2, -1));
}

export const properties: Getters = {
  nbytes() {
    return elementCount(this.shape) * dtypes[this.dtype].bytes;
  },
  ...gradientProperties,
  T() {
    const x = unwrap(this);
    return wrapView(this, permute(x, [...x.node.shape.keys()].reverse()));
  },
  mT() {
    return swapped(this, "mT");
  },
  mH() {
    return this.ndim === 0 ? this : swapped(this, "mH");
  },
  H() {
    const { length } = this.shape;
    if (length === 0) return this;
    if (length !== 2)
      throw new ShapeError(`tensor.H is only supported on matrices (2-D tensors). Got ${length}-D tensor.`);
    return swapped(this, "H");
  },
  /** A getter, so that a 0-d tensor is not iterable, neither for the language nor for test libraries. */
  [Symbol.iterator]() {
    return isTensor(this) && this.ndim > 0 ? rows : undefined;
  },
  [Symbol.toStringTag]() {
    return isTensor(this) ? tagOf(this.dtype, this.shape, () => elementsOf(this)) : "Tensor";
  },
};
