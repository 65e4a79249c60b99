/** Multi-head attention. Source: torch.nn.MultiheadAttention, torch.nn.functional.multi_head_attention_forward. */

import {
  DTypeError,
  isFloat,
  type OptionOf,
  ShapeError,
  type Sizes,
  sameNumbers,
  showShape,
} from "@fuseau/ir";
import type { Kinds } from "../entry/kinds.ts";
import { checkDivides, checkMade } from "../entry/made.ts";
import { signatureOf } from "../entry/signature.ts";
import {
  type AnyTensor,
  dropout,
  linear,
  type NoOptions,
  ones,
  type ShapeKey,
  scaledDotProductAttention,
  type Tensor,
  zeros,
} from "../js.ts";
import { constant_, xavierUniform_ } from "./init.ts";
import type { LayerOptions } from "./layer.ts";
import { Linear, linearOptions } from "./linear.ts";
import { Module } from "./module.ts";
import { type FloatDType, type Parameter, parameter } from "./parameter.ts";
import { refusedAt } from "./refused.ts";

const attentionCall = signatureOf(
  "forward",
  "query: tensor, key: tensor, value: tensor, { keyPaddingMask, attnMask, isCausal, needWeights, averageAttnWeights }",
);

export interface AttentionLayerOptions extends LayerOptions {
  /** The probability with which weights are dropped in training. Default 0. */
  readonly dropout?: number;
  /** Adds biases to the products. Default true. */
  readonly bias?: boolean;
  /** The sizes of keys and values. Default `embedDim`. */
  readonly kdim?: number;
  readonly vdim?: number;
  /** Tensors are [N, length, features] instead of [length, N, features]. Default false. */
  readonly batchFirst?: boolean;
}

const kinds: Kinds<AttentionLayerOptions> = {
  ...linearOptions,
  ...{ dropout: "share", kdim: "count", vdim: "count", batchFirst: "flag" },
};

export interface AttentionCallOptions {
  /** [N, keys]: leaves a key out where it is true; a floating one is added to the scores. */
  readonly keyPaddingMask?: AnyTensor | null;
  /** [queries, keys] or [N·heads, queries, keys]: hides a key from a query where it is true; a floating one is added to the scores. */
  readonly attnMask?: AnyTensor | null;
  /** Hides from each query the keys after it. Default false. */
  readonly isCausal?: boolean;
  /** Returns the weights too. Default true. */
  readonly needWeights?: boolean;
  /** Averages the weights over heads. Default true. */
  readonly averageAttnWeights?: boolean;
}

/** The weights of each query, averaged over heads or with an axis for them; null where they are not needed. */
type Weights<T extends AnyTensor, O> =
  | (false extends OptionOf<O, "needWeights", true> ? null : never)
  | (true extends OptionOf<O, "needWeights", true>
      ? Tensor<
          OptionOf<O, "averageAttnWeights", true> extends true
            ? Sizes<T[ShapeKey]>
            : OptionOf<O, "averageAttnWeights", true> extends false
              ? [...Sizes<T[ShapeKey]>, number]
              : number[],
          T["dtype"]
        >
      : never);

/** The result in the shape of the query, and the weights or null. */
export type Attended<T extends AnyTensor, O = unknown> = readonly [
  output: Tensor<T[ShapeKey], T["dtype"]>,
  weights: Weights<T, O>,
];

/**
 * softmax(q·kᵀ/√d)·v for each of `numHeads` parts of the features, followed by a product with all of them. `in_proj_weight` [3·E, E] gives
 * queries, keys and values, unless keys or values have sizes of their own.
 */
export class MultiheadAttention extends Module {
  inProjWeight: Parameter | null = null;
  qProjWeight: Parameter | null = null;
  kProjWeight: Parameter | null = null;
  vProjWeight: Parameter | null = null;
  inProjBias: Parameter | null = null;
  readonly outProj: Linear<number, number>;
  readonly embedDim: number;
  readonly numHeads: number;
  readonly #options: AttentionLayerOptions;

  constructor(embedDim: number, numHeads: number, options: AttentionLayerOptions = {}) {
    checkMade(new.target, arguments, { positive: { embedDim, numHeads } }, options, kinds);
    checkDivides(new.target, { num_heads: numHeads }, { embed_dim: embedDim });
    super();
    const { bias = true, kdim = embedDim, vdim = embedDim, dtype = "float32", generator } = options;
    const from = generator === undefined ? {} : { generator };
    const weight = (rows: number, columns: number): Parameter =>
      parameter(xavierUniform_(zeros([rows, columns] as readonly number[], { dtype }), from));
    this.embedDim = embedDim;
    this.numHeads = numHeads;
    this.#options = options;
    if (kdim === embedDim && vdim === embedDim) this.inProjWeight = weight(3 * embedDim, embedDim);
    else {
      this.qProjWeight = weight(embedDim, embedDim);
      this.kProjWeight = weight(embedDim, kdim);
      this.vProjWeight = weight(embedDim, vdim);
    }
    if (bias) this.inProjBias = parameter(zeros([3 * embedDim] as readonly number[], { dtype }));
    this.outProj = new Linear(embedDim, embedDim, { bias, dtype: dtype as FloatDType, ...from });
    if (this.outProj.bias !== null) constant_(this.outProj.bias, 0);
    this.keepFields();
  }

  forward<T extends AnyTensor, const O extends AttentionCallOptions = NoOptions>(
    query: T,
    key: AnyTensor,
    value: AnyTensor,
    options?: O,
  ): Attended<T, O> {
    return refusedAt(this.forward, attentionCall, arguments, () =>
      this.#attend(query, key, value, options ?? {}),
    ) as unknown as Attended<T, O>;
  }

  #attend(
    query: AnyTensor,
    key: AnyTensor,
    value: AnyTensor,
    options: AttentionCallOptions,
  ): readonly [AnyTensor, AnyTensor | null] {
    const { needWeights = true, averageAttnWeights = true, isCausal = false } = options;
    this.#checkShapes(query, key, value, options);
    const [q, k, v] = this.#projected(query, key, value).map((x) => this.#heads(x)) as [
      AnyTensor,
      AnyTensor,
      AnyTensor,
    ];
    const mask = this.#mask(options, q, k);
    const drops = this.training && (this.#options.dropout ?? 0) > 0;
    let [mixed, weights]: [AnyTensor, AnyTensor | null] = [q, null];
    if (needWeights || drops) {
      const scores = q.matmul(k.transpose(-2, -1)).mul(1 / Math.sqrt(q.shape.at(-1)!));
      const masked = isCausal ? scores.add(causal(scores)) : scores;
      const shares: AnyTensor = (mask === null ? masked : masked.add(mask)).softmax(-1);
      const kept = drops ? dropout(shares, this.#options.dropout!, this.#from()) : shares;
      mixed = kept.matmul(v);
      if (needWeights) weights = averageAttnWeights ? kept.mean(-3) : kept;
    } else mixed = scaledDotProductAttention(q, k, v, { attnMask: mask, isCausal });
    return [this.outProj.forward(this.#together(mixed, query)), weights];
  }

  #from() {
    const { generator } = this.#options;
    return generator === undefined ? {} : { generator };
  }

  /** Queries, keys and values. If they come from one tensor, one product gives all of them. */
  #projected(query: AnyTensor, key: AnyTensor, value: AnyTensor): AnyTensor[] {
    const { embedDim, inProjWeight, inProjBias } = this;
    const part = (x: AnyTensor, k: number): AnyTensor => x.slice([k * embedDim, (k + 1) * embedDim]);
    const biasOf = (k: number): AnyTensor | null => (inProjBias === null ? null : part(inProjBias, k));
    if (inProjWeight !== null && query === key && key === value)
      return linear(query, inProjWeight, inProjBias).chunk(3, -1) as AnyTensor[];
    const own = [this.qProjWeight, this.kProjWeight, this.vProjWeight];
    return [query, key, value].map((x, k) =>
      linear(x, (inProjWeight === null ? own[k]! : part(inProjWeight, k)) as AnyTensor, biasOf(k)),
    );
  }

  /** @throws ShapeError or DTypeError unless batches, lengths and masks go together. What broadcasts would be a mask of something else. */
  #checkShapes(
    query: AnyTensor,
    key: AnyTensor,
    value: AnyTensor,
    { keyPaddingMask = null, attnMask = null }: AttentionCallOptions,
  ): void {
    const { ndim } = query;
    if (ndim !== 2 && ndim !== 3)
      throw new ShapeError(
        `MultiheadAttention: expected tensors of 2 axes (one sample) or 3 (a batch), got shape ${showShape(query.shape)}`,
      );
    const isBatch = ndim === 3;
    const [atBatch, atLength] = isBatch && !this.#options.batchFirst ? [1, 0] : [0, ndim - 2];
    const batch = isBatch ? [query.shape[atBatch]!] : [];
    const [queries, keys] = [query.shape[atLength]!, key.shape[atLength]!];
    const isOfKeys = ({ shape }: AnyTensor): boolean =>
      shape.length === ndim && shape[atLength] === keys && (!isBatch || shape[atBatch] === batch[0]);
    if (!isOfKeys(key) || !isOfKeys(value))
      throw new ShapeError(
        `MultiheadAttention: key and value must have as many axes as the query, its batch and one length, got query ${showShape(query.shape)}, key ${showShape(key.shape)}, value ${showShape(value.shape)} (batchFirst is ${this.#options.batchFirst === true})`,
      );
    const check = (name: string, mask: AnyTensor | null, shapes: readonly (readonly number[])[]): void => {
      if (mask === null) return;
      if (mask.dtype !== "bool" && !isFloat(mask.dtype))
        throw new DTypeError(
          `MultiheadAttention: only bool and floating ${name} is supported, got ${mask.dtype} (cast it, e.g. mask.bool())`,
        );
      if (!shapes.some((shape) => sameNumbers(shape, mask.shape)))
        throw new ShapeError(
          `MultiheadAttention: ${name} has shape ${showShape(mask.shape)}, but should be ${shapes.map(showShape).join(" or ")}`,
        );
    };
    const heads = this.numHeads * (batch[0] ?? 1);
    check("attnMask", attnMask, [
      [queries, keys],
      [heads, queries, keys],
    ]);
    check("keyPaddingMask", keyPaddingMask, [[...batch, keys]]);
  }

  /** [..., length, E] as [N, heads, length, E / heads]; without N for one sample. */
  #heads(x: AnyTensor): AnyTensor {
    const { numHeads, embedDim } = this;
    const split = x.reshape([...x.shape.slice(0, -1), numHeads, embedDim / numHeads]) as AnyTensor;
    if (x.ndim === 2) return split.permute([1, 0, 2]);
    return this.#options.batchFirst ? split.permute([0, 2, 1, 3]) : split.permute([1, 2, 0, 3]);
  }

  /** Joins the heads, in the query's shape. */
  #together(x: AnyTensor, { shape, ndim }: AnyTensor): AnyTensor {
    const rows =
      ndim === 2
        ? x.permute([1, 0, 2])
        : this.#options.batchFirst
          ? x.permute([0, 2, 1, 3])
          : x.permute([2, 0, 1, 3]);
    return rows.reshape([...shape.slice(0, -1), this.embedDim]) as AnyTensor;
  }

  /** The mask that is added to the scores. */
  #mask({ keyPaddingMask, attnMask }: AttentionCallOptions, q: AnyTensor, k: AnyTensor): AnyTensor | null {
    const added = (mask: AnyTensor): AnyTensor =>
      mask.dtype === "bool" ? zeros([...mask.shape], { dtype: q.dtype }).maskedFill(mask, -Infinity) : mask;
    const [queries, keys] = [q.shape.at(-2)!, k.shape.at(-2)!];
    let mask: AnyTensor | null = null;
    if (attnMask != null) {
      mask = added(attnMask);
      if (mask.ndim === 3 && q.ndim === 4) mask = mask.reshape([-1, this.numHeads, queries, keys]);
    }
    if (keyPaddingMask == null) return mask;
    const padding = added(keyPaddingMask).reshape([...keyPaddingMask.shape.slice(0, -1), 1, 1, keys]);
    return mask === null ? padding : mask.add(padding);
  }
}

/** −∞ above the diagonal. */
function causal({ shape, dtype }: AnyTensor): AnyTensor {
  const [queries, keys] = shape.slice(-2) as [number, number];
  const later = ones([queries, keys], { dtype: "bool" }).triu(1);
  return zeros([queries, keys], { dtype }).maskedFill(later, -Infinity);
}
