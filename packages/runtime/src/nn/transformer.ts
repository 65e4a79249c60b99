/** Layers of a transformer. Source: torch.nn.TransformerEncoderLayer, TransformerDecoderLayer, and their stacks. */
import { type AnyTensor, gelu, relu, type Tensor } from "../js.ts";
import { type AttentionCallOptions, MultiheadAttention } from "./attention.ts";
import { checkMade, type Kinds } from "./check.ts";
import { Dropout } from "./dropout.ts";
import type { LayerOptions } from "./layer.ts";
import { Linear, linearOptions } from "./linear.ts";
import { checkModules, Module } from "./module.ts";
import { LayerNorm } from "./normalization.ts";

/** Of an encoder's or a decoder's layer. */
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

const kinds: Kinds<TransformerEncoderLayerOptions> = {
  ...linearOptions,
  ...{ dimFeedforward: "count", dropout: "share", activation: ["relu", "gelu"], layerNormEps: "number" },
  ...{ batchFirst: "flag", normFirst: "flag" },
};

/** Which keys are left out. */
export interface EncoderCallOptions {
  readonly srcMask?: AnyTensor | null;
  readonly srcKeyPaddingMask?: AnyTensor | null;
  readonly isCausal?: boolean;
}

/** Which places of the target and of the memory are left out. */
export interface DecoderCallOptions {
  readonly tgtMask?: AnyTensor | null;
  readonly memoryMask?: AnyTensor | null;
  readonly tgtKeyPaddingMask?: AnyTensor | null;
  readonly memoryKeyPaddingMask?: AnyTensor | null;
  readonly tgtIsCausal?: boolean;
  readonly memoryIsCausal?: boolean;
}

type SameAs<T extends AnyTensor> = T extends Tensor<infer S, infer D> ? Tensor<S, D> : never;

/** Attention and an inner layer. Fields stand in PyTorch's order, which numbers parameters in the state of an optimizer. */
abstract class TransformerLayer extends Module {
  readonly selfAttn: MultiheadAttention;
  /** Of a decoder. */
  readonly multiheadAttn: MultiheadAttention | null;
  readonly linear1: Linear<number, number>;
  readonly linear2: Linear<number, number>;
  readonly norm1: LayerNorm;
  readonly norm2: LayerNorm;
  readonly norm3: LayerNorm | null;
  readonly dropout: Dropout;
  readonly dropout1: Dropout;
  readonly dropout2: Dropout;
  readonly dropout3: Dropout | null;
  readonly normFirst: boolean;
  readonly #activation: (x: AnyTensor) => AnyTensor;

  constructor(dModel: number, nhead: number, options: TransformerEncoderLayerOptions, isDecoder: boolean) {
    checkMade(new.target, { positive: { dModel, nhead } }, options, kinds);
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
    const drop = () => new Dropout(dropout, generator === undefined ? {} : { generator });
    const attention = () => new MultiheadAttention(dModel, nhead, { dropout, batchFirst, bias, ...from });
    const norm = () => new LayerNorm(dModel, { eps: layerNormEps, bias, dtype });
    this.selfAttn = attention();
    this.multiheadAttn = isDecoder ? attention() : null;
    this.linear1 = new Linear(dModel, dimFeedforward, { bias, ...from });
    this.linear2 = new Linear(dimFeedforward, dModel, { bias, ...from });
    this.norm1 = norm();
    this.norm2 = norm();
    this.norm3 = isDecoder ? norm() : null;
    this.dropout = drop();
    this.dropout1 = drop();
    this.dropout2 = drop();
    this.dropout3 = isDecoder ? drop() : null;
    this.normFirst = normFirst;
    this.#activation = activation === "gelu" ? gelu : relu;
  }

  /** x and what `change` makes of it, normalised before or after. */
  protected added(x: AnyTensor, norm: LayerNorm, change: (x: AnyTensor) => AnyTensor): AnyTensor {
    return this.normFirst ? x.add(change(norm.forward(x))) : norm.forward(x.add(change(x)) as AnyTensor);
  }

  protected inner(x: AnyTensor): AnyTensor {
    return this.linear2.forward(this.dropout.forward(this.#activation(this.linear1.forward(x))));
  }
}
/** Self-attention and an inner layer, each added to what goes in and normalised. */
export class TransformerEncoderLayer extends TransformerLayer {
  constructor(dModel: number, nhead: number, options: TransformerEncoderLayerOptions = {}) {
    super(dModel, nhead, options, false);
  }

  forward<T extends AnyTensor>(src: T, options: EncoderCallOptions = {}): SameAs<T> {
    const call: AttentionCallOptions = {
      attnMask: options.srcMask ?? null,
      keyPaddingMask: options.srcKeyPaddingMask ?? null,
      isCausal: options.isCausal ?? false,
      needWeights: false,
    };
    const { norm1, norm2, dropout1, dropout2, selfAttn } = this;
    const attended = this.added(src, norm1, (x) => dropout1.forward(selfAttn.forward(x, x, x, call)[0]));
    return this.added(attended, norm2, (x) => dropout2.forward(this.inner(x))) as SameAs<T>;
  }
}

/** Self-attention, attention to a memory, and an inner layer, each added to what goes in and normalised. */
export class TransformerDecoderLayer extends TransformerLayer {
  constructor(dModel: number, nhead: number, options: TransformerEncoderLayerOptions = {}) {
    super(dModel, nhead, options, true);
  }

  forward<T extends AnyTensor>(tgt: T, memory: AnyTensor, options: DecoderCallOptions = {}): SameAs<T> {
    const own: AttentionCallOptions = {
      attnMask: options.tgtMask ?? null,
      keyPaddingMask: options.tgtKeyPaddingMask ?? null,
      isCausal: options.tgtIsCausal ?? false,
      needWeights: false,
    };
    const other: AttentionCallOptions = {
      attnMask: options.memoryMask ?? null,
      keyPaddingMask: options.memoryKeyPaddingMask ?? null,
      isCausal: options.memoryIsCausal ?? false,
      needWeights: false,
    };
    const { norm1, norm2, dropout1, dropout2, selfAttn } = this;
    const [cross, norm3, dropout3] = [this.multiheadAttn!, this.norm3!, this.dropout3!];
    const attended = this.added(tgt, norm1, (x) => dropout1.forward(selfAttn.forward(x, x, x, own)[0]));
    const informed = this.added(attended, norm2, (x) =>
      dropout2.forward(cross.forward(x, memory, memory, other)[0]),
    );
    return this.added(informed, norm3, (x) => dropout3.forward(this.inner(x))) as SameAs<T>;
  }
}

/** Layers one after another, and a norm at the end if there is one. Unlike PyTorch's it takes the layers and not one to copy. */
export class TransformerEncoder extends Module {
  readonly layers: readonly TransformerEncoderLayer[];
  readonly norm: LayerNorm | null;

  constructor(layers: readonly TransformerEncoderLayer[], norm: LayerNorm | null = null) {
    checkModules(new.target, "layers", layers);
    if (norm !== null) checkModules(new.target, "norm", [norm]);
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

/** Layers one after another, all with one memory, and a norm at the end if there is one. It takes the layers and not one to copy. */
export class TransformerDecoder extends Module {
  readonly layers: readonly TransformerDecoderLayer[];
  readonly norm: LayerNorm | null;

  constructor(layers: readonly TransformerDecoderLayer[], norm: LayerNorm | null = null) {
    checkModules(new.target, "layers", layers);
    if (norm !== null) checkModules(new.target, "norm", [norm]);
    super();
    this.layers = layers;
    this.norm = norm;
  }

  forward<T extends AnyTensor>(tgt: T, memory: AnyTensor, options: DecoderCallOptions = {}): SameAs<T> {
    let x: AnyTensor = tgt;
    for (const layer of this.layers) x = layer.forward(x, memory, options);
    return (this.norm === null ? x : this.norm.forward(x)) as SameAs<T>;
  }
}
