/** Layers of a transformer. Source: torch.nn.TransformerEncoderLayer, TransformerEncoder. */
import { type AnyTensor, gelu, relu, type Tensor } from "../js.ts";
import { type AttentionCallOptions, MultiheadAttention } from "./attention.ts";
import { Dropout } from "./dropout.ts";
import type { LayerOptions } from "./layer.ts";
import { Linear } from "./linear.ts";
import { Module } from "./module.ts";
import { LayerNorm } from "./normalization.ts";

export interface TransformerEncoderLayerOptions extends LayerOptions {
  /** Size of the inner layer, 2048. */
  readonly dimFeedforward?: number;
  /** 0.1 */
  readonly dropout?: number;
  /** "relu" */
  readonly activation?: "relu" | "gelu";
  readonly layerNormEps?: number;
  /** Tensors are [N, length, features], and not [length, N, features]; false. */
  readonly batchFirst?: boolean;
  /** Normalises before attention and inner layer, and not after; false. */
  readonly normFirst?: boolean;
  readonly bias?: boolean;
}

/** Which keys are left out. */
export interface EncoderCallOptions {
  readonly srcMask?: AnyTensor | null;
  readonly srcKeyPaddingMask?: AnyTensor | null;
  readonly isCausal?: boolean;
}

type SameAs<T extends AnyTensor> = T extends Tensor<infer S, infer D> ? Tensor<S, D> : never;

/** Self-attention and an inner layer, each added to what goes in and normalised. */
export class TransformerEncoderLayer extends Module {
  readonly selfAttn: MultiheadAttention;
  readonly linear1: Linear<number, number>;
  readonly linear2: Linear<number, number>;
  readonly norm1: LayerNorm;
  readonly norm2: LayerNorm;
  readonly dropout: Dropout;
  readonly dropout1: Dropout;
  readonly dropout2: Dropout;
  readonly normFirst: boolean;
  readonly #activation: (x: AnyTensor) => AnyTensor;

  constructor(dModel: number, nhead: number, options: TransformerEncoderLayerOptions = {}) {
    super();
    const {
      dimFeedforward = 2048,
      dropout = 0.1,
      activation = "relu",
      layerNormEps = 1e-5,
      batchFirst = false,
      normFirst = false,
      bias = true,
      dtype = "float32",
      generator,
    } = options;
    const from = generator === undefined ? { dtype } : { dtype, generator };
    this.selfAttn = new MultiheadAttention(dModel, nhead, { dropout, batchFirst, bias, ...from });
    this.linear1 = new Linear(dModel, dimFeedforward, { bias, ...from });
    this.linear2 = new Linear(dimFeedforward, dModel, { bias, ...from });
    this.norm1 = new LayerNorm(dModel, { eps: layerNormEps, bias, dtype });
    this.norm2 = new LayerNorm(dModel, { eps: layerNormEps, bias, dtype });
    const drop = generator === undefined ? {} : { generator };
    this.dropout = new Dropout(dropout, drop);
    this.dropout1 = new Dropout(dropout, drop);
    this.dropout2 = new Dropout(dropout, drop);
    this.normFirst = normFirst;
    this.#activation = activation === "gelu" ? gelu : relu;
  }

  forward<T extends AnyTensor>(src: T, options: EncoderCallOptions = {}): SameAs<T> {
    const x: AnyTensor = src;
    if (this.normFirst) {
      const attended: AnyTensor = x.add(this.#attend(this.norm1.forward(x), options));
      return attended.add(this.#inner(this.norm2.forward(attended))) as SameAs<T>;
    }
    const attended: AnyTensor = this.norm1.forward(x.add(this.#attend(x, options)) as AnyTensor);
    return this.norm2.forward(attended.add(this.#inner(attended)) as AnyTensor) as SameAs<T>;
  }

  #attend(x: AnyTensor, { srcMask, srcKeyPaddingMask, isCausal }: EncoderCallOptions): AnyTensor {
    const call: AttentionCallOptions = {
      attnMask: srcMask ?? null,
      keyPaddingMask: srcKeyPaddingMask ?? null,
      isCausal: isCausal ?? false,
      needWeights: false,
    };
    return this.dropout1.forward(this.selfAttn.forward(x, x, x, call)[0] as AnyTensor);
  }

  #inner(x: AnyTensor): AnyTensor {
    const hidden = this.dropout.forward(this.#activation(this.linear1.forward(x)));
    return this.dropout2.forward(this.linear2.forward(hidden));
  }
}

/** Layers one after another, and a norm at the end if there is one. Unlike PyTorch's it takes the layers and not one to copy. */
export class TransformerEncoder extends Module {
  readonly layers: readonly TransformerEncoderLayer[];
  readonly norm: LayerNorm | null;

  constructor(layers: readonly TransformerEncoderLayer[], norm: LayerNorm | null = null) {
    super();
    this.layers = layers;
    this.norm = norm;
  }

  forward<T extends AnyTensor>(src: T, options: EncoderCallOptions = {}): SameAs<T> {
    let x: AnyTensor = src;
    for (const layer of this.layers) x = layer.forward(x, options);
    return (this.norm === null ? x : this.norm.forward(x)) as SameAs<T>;
  }
}
