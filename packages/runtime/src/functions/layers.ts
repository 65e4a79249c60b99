/** Network layers that are products. Each is the function of that name in torch.nn.functional. */
import {
  type Attention,
  type BilinearShape,
  checkRank,
  type Divide,
  DTypeError,
  type Matmul,
  type OptionOf,
  type ReplaceAt,
  ShapeError,
  type SizeAt,
  sameNumbers,
  showShape,
  type TransposeMatrix,
  type UnknownRank,
  type WrapAxis,
  wrapAxis,
} from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { attention } from "../ops/attention.ts";
import { narrow, transpose } from "../ops/movement.ts";
import { onlyFloat } from "../ops/operand.ts";
import { add, map, mul } from "../ops/pointwise.ts";
import { matmul } from "../ops/product.ts";
import * as record from "../record.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import { optionalTensor } from "../tensor/optional.ts";
import type { AnyTensor, NoOptions } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/** x × weightᵀ. */
export type LinearShape<S extends number[], W extends number[]> =
  UnknownRank<W> extends true ? number[] : Matmul<S, TransposeMatrix<W>>;

/** x·weightᵀ + bias. The last axis of x goes from `in` to `out`; `weight` is [out, in], `bias` [out]. @throws DTypeError for a bias of another dtype. */
export const linear = declareFunction(
  "linear(input, weight, bias)",
  <const T extends AnyTensor, const W extends AnyTensor>(
    input: T,
    weight: W,
    bias?: AnyTensor | null,
  ): Tensor<LinearShape<T[ShapeKey], W[ShapeKey]>, T["dtype"]> => {
    const [x, factor, shift] = [unwrap(input), unwrap(weight), optionalTensor(bias)];
    if (shift !== null && shift.node.dtype !== x.node.dtype)
      throw new DTypeError(
        `expected bias to have the dtype of input, ${x.node.dtype}, but got ${shift.node.dtype}`,
      );
    const product = matmul(x, factor.node.shape.length < 2 ? factor : transpose(factor, -2, -1));
    return wrap(shift === null ? product : add(product, shift));
  },
);

/** Σ input1[i]·weight[o, i, j]·input2[j] + bias[o], along the last axes. */
export const bilinear = declareFunction(
  "bilinear(input1, input2, weight, bias)",
  <const T extends AnyTensor, const W extends AnyTensor>(
    input1: T,
    input2: AnyTensor,
    weight: W,
    bias?: AnyTensor | null,
  ): Tensor<BilinearShape<T[ShapeKey], W[ShapeKey]>, T["dtype"]> => {
    const [a, b, form, shift] = [unwrap(input1), unwrap(input2), unwrap(weight), optionalTensor(bias)];
    checkRank("weight", form.node.shape, 3, "3D tensor");
    const [results, left, right] = form.node.shape as [number, number, number];
    const leading = a.node.shape.slice(0, -1);
    if (!sameNumbers(leading, b.node.shape.slice(0, -1)))
      throw new ShapeError(
        `bilinear(): input batch dimensions do not match: got ${showShape(a.node.shape)} and ${showShape(b.node.shape)}`,
      );
    for (const [name, value, size, axis] of [
      ["input1", a, left, 1],
      ["input2", b, right, 2],
    ] as const) {
      const own = value.node.shape.at(-1);
      if (own === size) continue;
      throw new ShapeError(
        `bilinear(): ${name} size does not match weight size: got ${own} but expected ${size} (weight of shape ${showShape(form.node.shape)}, axis ${axis})`,
      );
    }
    // [..., i] × [i, o·j] → [..., o, j], then by x2 along j.
    const flat = record.reshape(record.permute(form, [1, 0, 2]), [left, results * right]);
    const partial = record.reshape(matmul(a, flat), [...leading, results, right]);
    const product = matmul(partial, record.reshape(b, [...leading, right, 1]));
    const result = record.reshape(product, [...leading, results]);
    return wrap(shift === null ? result : add(result, shift));
  },
);

export interface AttentionOptions {
  /** A bool mask keeps the keys where it is true; a floating mask is added to the scores. */
  readonly attnMask?: AnyTensor | null;
  /** Hides from each query the keys after it. */
  readonly isCausal?: boolean;
  /** Default 1 / √(size of a query). */
  readonly scale?: number | null;
}

/** The shape of the mask, with which the scores broadcast; 0-d without one. */
type MaskShape<O> =
  OptionOf<O, "attnMask", null> extends infer M
    ? [M] extends [null]
      ? []
      : [M] extends [AnyTensor]
        ? M[ShapeKey]
        : number[]
    : never;

/** softmax(query·keyᵀ·scale + mask)·value over the last two axes; leading axes broadcast. */
export const scaledDotProductAttention = declareFunction(
  "scaledDotProductAttention(query, key, value, { attnMask, isCausal, scale })",
  <
    const Q extends AnyTensor,
    const K extends AnyTensor,
    const V extends AnyTensor,
    const O extends AttentionOptions = NoOptions,
  >(
    query: Q,
    key: K,
    value: V,
    options?: O,
  ): Tensor<Attention<Q[ShapeKey], K[ShapeKey], V[ShapeKey], MaskShape<O>>, Q["dtype"]> => {
    const { attnMask, isCausal = false, scale = null }: AttentionOptions = options ?? {};
    const [q, k, v] = [unwrap(query), unwrap(key), unwrap(value)];
    return wrap(attention(q, k, v, optionalTensor(attnMask), isCausal, scale));
  },
);

/** S with half its size along an axis. */
export type Halved<S extends number[], A extends number> =
  WrapAxis<S, A> extends infer Axis
    ? Axis extends string
      ? number[]
      : ReplaceAt<S, Axis, Divide<SizeAt<S, Axis>, 2>[0]>
    : never;

/** a·sigmoid(b) of the halves a and b along `dim` (−1). PyTorch: `glu`. @throws ShapeError for an odd size. */
export const glu = declareFunction(
  "glu(input, dim)",
  <T extends AnyTensor, const A extends number = -1>(
    input: T,
    dim?: A,
  ): Tensor<Halved<T[ShapeKey], A>, T["dtype"]> => {
    const x = onlyFloat(unwrap(input));
    const { shape } = x.node;
    if (shape.length === 0)
      throw new ShapeError("glu does not support scalars because halving size must be even");
    const axis = wrapAxis(dim ?? -1, shape);
    const size = shape[axis] as number;
    if (size % 2 !== 0)
      throw new ShapeError(`Halving dimension must be even, but dimension ${axis} is size ${size}`);
    const [a, b] = [0, size / 2].map((start) => narrow(x, axis, start, size / 2)) as [Value, Value];
    return wrap(mul(a, map("sigmoid", b)));
  },
);
