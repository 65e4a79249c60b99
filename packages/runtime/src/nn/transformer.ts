/** Transformer layers. Source: torch.nn.TransformerEncoderLayer, TransformerDecoderLayer, their stacks, and Transformer. */

import type { Kinds } from "../entry/kinds.ts";
import { checkDivides, checkMade, type Given, type Made } from "../entry/made.ts";
import type { Takes } from "../entry/methods.ts";
import { operation } from "../entry/operation.ts";
import { signatureOf } from "../entry/signature.ts";
import { type AnyTensor, full, gelu, relu, type Tensor } from "../js.ts";
import { type AttentionCallOptions, MultiheadAttention } from "./attention.ts";
import { Dropout } from "./dropout.ts";
import { xavierUniform_ } from "./init.ts";
import type { LayerOptions } from "./layer.ts";
import { Linear, linearOptions } from "./linear.ts";
import { checkModules, Module } from "./module.ts";
import { LayerNorm } from "./normalization.ts";
import { refusedAt } from "./refused.ts";

const encoderCall = signatureOf("forward", "src: tensor, { srcMask, srcKeyPaddingMask, isCausal }");
const stackCall = signatureOf("forward", "src: tensor, { mask, srcMask, srcKeyPaddingMask, isCausal }");
const decoderCall = signatureOf(
  "forward",
  "tgt: tensor, memory: tensor, { tgtMask, memoryMask, tgtKeyPaddingMask, memoryKeyPaddingMask, tgtIsCausal, memoryIsCausal }",
);
const transformerCall = signatureOf(
  "forward",
  "src: tensor, tgt: tensor, { srcMask, srcKeyPaddingMask, srcIsCausal, tgtMask, memoryMask, tgtKeyPaddingMask, memoryKeyPaddingMask, tgtIsCausal, memoryIsCausal }",
);

/** Options of the layers of encoders and decoders. */
export interface TransformerEncoderLayerOptions extends LayerOptions {
  /** The size of the feed-forward layer. Default 2048. */
  readonly dimFeedforward?: number;
  /** Default 0.1. */
  readonly dropout?: number;
  /** Default "relu". */
  readonly activation?: "relu" | "gelu";
  readonly layerNormEps?: number;
  /** Tensors are [N, length, features] instead of [length, N, features]. Default false. */
  readonly batchFirst?: boolean;
  /** Normalises before attention and the feed-forward layer, instead of after. Default false. */
  readonly normFirst?: boolean;
  readonly bias?: boolean;
}

const kinds: Kinds<TransformerEncoderLayerOptions> = {
  ...linearOptions,
  ...{ dimFeedforward: "count", dropout: "share", activation: ["relu", "gelu"], layerNormEps: "number" },
  ...{ batchFirst: "flag", normFirst: "flag" },
};

/** Which keys are hidden. */
export interface EncoderCallOptions {
  readonly srcMask?: AnyTensor | null;
  readonly srcKeyPaddingMask?: AnyTensor | null;
  readonly isCausal?: boolean;
}

/** An encoder of several layers calls `srcMask` also `mask`, as in PyTorch. */
export interface EncoderStackCallOptions extends EncoderCallOptions {
  readonly mask?: AnyTensor | null;
}

/** Which places of the target and of the memory are hidden. */
export interface DecoderCallOptions {
  readonly tgtMask?: AnyTensor | null;
  readonly memoryMask?: AnyTensor | null;
  readonly tgtKeyPaddingMask?: AnyTensor | null;
  readonly memoryKeyPaddingMask?: AnyTensor | null;
  readonly tgtIsCausal?: boolean;
  readonly memoryIsCausal?: boolean;
}

type SameAs<T extends AnyTensor> = T extends Tensor<infer S, infer D> ? Tensor<S, D> : never;

/** Attention and a feed-forward layer. Fields are in PyTorch's order, which numbers parameters in the state of an optimizer. */
abstract class TransformerLayer extends Module {
  protected static override readonly takes: Takes = { copy: "" };
  readonly selfAttn: MultiheadAttention;
  /** Attention to the memory; null in an encoder's layer. */
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
  readonly #again: () => this;

  constructor(
    given: Given,
    dModel: number,
    nhead: number,
    options: TransformerEncoderLayerOptions,
    isDecoder: boolean,
  ) {
    const made = new.target as unknown as new (...made: unknown[]) => this;
    checkMade(made, given, { positive: { dModel, nhead } }, options, kinds);
    checkDivides(made, { num_heads: nhead }, { embed_dim: dModel });
    super();
    this.#again = () => new made(dModel, nhead, options);
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

  /** A layer with the same arguments, parameters and mode. */
  copy(): this {
    const made = this.#again();
    made.loadStateDict(this.stateDict());
    return made.train(this.training);
  }

  /** x plus the result of `change`, normalised before or after. */
  protected added(x: AnyTensor, norm: LayerNorm, change: (x: AnyTensor) => AnyTensor): AnyTensor {
    return this.normFirst ? x.add(change(norm.forward(x))) : norm.forward(x.add(change(x)) as AnyTensor);
  }

  protected inner(x: AnyTensor): AnyTensor {
    return this.linear2.forward(this.dropout.forward(this.#activation(this.linear1.forward(x))));
  }
}
/** Self-attention and a feed-forward layer. The result of each is added to its input, and normalised. */
export class TransformerEncoderLayer extends TransformerLayer {
  constructor(dModel: number, nhead: number, options: TransformerEncoderLayerOptions = {}) {
    super(arguments, dModel, nhead, options, false);
  }

  forward<T extends AnyTensor>(src: T, options: EncoderCallOptions = {}): SameAs<T> {
    return refusedAt(this.forward, encoderCall, arguments, () =>
      this.#encode(src, options ?? {}),
    ) as SameAs<T>;
  }

  #encode(src: AnyTensor, options: EncoderCallOptions): AnyTensor {
    const call: AttentionCallOptions = {
      attnMask: options.srcMask ?? null,
      keyPaddingMask: options.srcKeyPaddingMask ?? null,
      isCausal: options.isCausal ?? false,
      needWeights: false,
    };
    const { norm1, norm2, dropout1, dropout2, selfAttn } = this;
    const attended = this.added(src, norm1, (x) => dropout1.forward(selfAttn.forward(x, x, x, call)[0]));
    return this.added(attended, norm2, (x) => dropout2.forward(this.inner(x)));
  }
}

/** Self-attention, attention to a memory, and a feed-forward layer. The result of each is added to its input, and normalised. */
export class TransformerDecoderLayer extends TransformerLayer {
  constructor(dModel: number, nhead: number, options: TransformerEncoderLayerOptions = {}) {
    super(arguments, dModel, nhead, options, true);
  }

  forward<T extends AnyTensor>(tgt: T, memory: AnyTensor, options: DecoderCallOptions = {}): SameAs<T> {
    return refusedAt(this.forward, decoderCall, arguments, () =>
      this.#decode(tgt, memory, options ?? {}),
    ) as SameAs<T>;
  }

  #decode(tgt: AnyTensor, memory: AnyTensor, options: DecoderCallOptions): AnyTensor {
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
    return this.added(informed, norm3, (x) => dropout3.forward(this.inner(x)));
  }
}

/**
 * The layers of a stack: those that are given, or `layer` and copies of it with the same parameters, as in PyTorch. A copy is made with the
 * same arguments of the constructor. If a class's constructor takes others, pass the layers.
 */
function stacked<L extends TransformerLayer>(
  made: Made,
  given: Given,
  first: L | readonly L[],
  numLayers: unknown,
): readonly L[] {
  if (!(first instanceof Module)) {
    checkModules(made, "layers", first);
    checkMade(made, given, { list: { layers: first }, any: { norm: numLayers } });
    return first;
  }
  checkMade(made, given, { any: { layer: first }, positive: { numLayers }, "any?": { norm: given[2] } });
  return [first, ...Array.from({ length: (numLayers as number) - 1 }, () => first.copy())];
}

/** Calls layers one after another, and a norm at the end if there is one. */
abstract class TransformerStack<L extends TransformerLayer> extends Module {
  readonly layers: readonly L[];
  readonly norm: LayerNorm | null;

  /** `layer` and copies of it: `numLayers` layers that begin with the same parameters. */
  constructor(layer: L, numLayers: number, norm?: LayerNorm | null);
  /** The layers that are given. */
  constructor(layers: readonly L[], norm?: LayerNorm | null);
  constructor(layers: L | readonly L[], count?: number | LayerNorm | null, norm?: LayerNorm | null) {
    const all = stacked(new.target, arguments, layers, count);
    const last = (all === layers ? count : norm) ?? null;
    if (last !== null) checkModules(new.target, "norm", [last]);
    super();
    this.layers = all;
    this.norm = last as LayerNorm | null;
  }

  protected through<T extends AnyTensor>(x: T, change: (layer: L, x: AnyTensor) => AnyTensor): SameAs<T> {
    const last = this.layers.reduce((x: AnyTensor, layer) => change(layer, x), x);
    return (this.norm === null ? last : this.norm.forward(last)) as SameAs<T>;
  }
}

/** Layers of self-attention, one after another. Source: torch.nn.TransformerEncoder. */
export class TransformerEncoder extends TransformerStack<TransformerEncoderLayer> {
  forward<T extends AnyTensor>(src: T, options: EncoderStackCallOptions = {}): SameAs<T> {
    return refusedAt(this.forward, stackCall, arguments, () => {
      const { mask, ...ofLayers } = options ?? {};
      const srcMask = mask ?? ofLayers.srcMask ?? null;
      return this.through(src, (layer, x) => layer.forward(x, { ...ofLayers, srcMask }));
    });
  }
}

/** Layers of self-attention and attention to a memory, which all layers share. Source: torch.nn.TransformerDecoder. */
export class TransformerDecoder extends TransformerStack<TransformerDecoderLayer> {
  forward<T extends AnyTensor>(tgt: T, memory: AnyTensor, options: DecoderCallOptions = {}): SameAs<T> {
    return refusedAt(this.forward, decoderCall, arguments, () =>
      this.through(tgt, (layer, x) => layer.forward(x, memory, options)),
    );
  }
}

export interface TransformerOptions extends TransformerEncoderLayerOptions {
  /** Default 6. */
  readonly numEncoderLayers?: number;
  /** Default 6. */
  readonly numDecoderLayers?: number;
}

const transformerKinds: Kinds<TransformerOptions> = {
  ...kinds,
  ...{ numEncoderLayers: "positive", numDecoderLayers: "positive" },
};

/** The options of the encoder's call and those of the decoder's. */
export interface TransformerCallOptions extends Omit<EncoderCallOptions, "isCausal">, DecoderCallOptions {
  readonly srcIsCausal?: boolean;
}

/**
 * An encoder of the source and a decoder of the target, each with a norm at its end. Matrices begin as `init.xavierUniform_` gives them.
 * Source: torch.nn.Transformer.
 */
export class Transformer extends Module {
  readonly encoder: TransformerEncoder;
  readonly decoder: TransformerDecoder;

  constructor(dModel = 512, nhead = 8, options: TransformerOptions = {}) {
    checkMade(new.target, arguments, { positive: { dModel, nhead } }, options, transformerKinds);
    checkDivides(new.target, { num_heads: nhead }, { embed_dim: dModel });
    const { numEncoderLayers = 6, numDecoderLayers = 6, ...ofLayers } = options;
    super();
    const { layerNormEps: eps = 1e-5, bias = true, dtype = "float32", generator } = options;
    const norm = () => new LayerNorm(dModel, { eps, bias, dtype });
    const layers = <L>(Layer: LayerClass<L>, count: number) =>
      Array.from({ length: count }, () => new Layer(dModel, nhead, ofLayers));
    this.encoder = new TransformerEncoder(layers(TransformerEncoderLayer, numEncoderLayers), norm());
    this.decoder = new TransformerDecoder(layers(TransformerDecoderLayer, numDecoderLayers), norm());
    for (const parameter of this.parameters())
      if (parameter.ndim > 1) xavierUniform_(parameter, generator === undefined ? {} : { generator });
  }

  /** @returns a tensor of the shape of `tgt`. */
  forward<T extends AnyTensor>(src: AnyTensor, tgt: T, options: TransformerCallOptions = {}): SameAs<T> {
    return refusedAt(this.forward, transformerCall, arguments, () => {
      const { srcMask = null, srcKeyPaddingMask = null, srcIsCausal = false, ...ofDecoder } = options ?? {};
      const memory = this.encoder.forward(src, { srcMask, srcKeyPaddingMask, isCausal: srcIsCausal });
      return this.decoder.forward(tgt, memory, ofDecoder);
    });
  }

  /** float32 [size, size]: -Infinity above the diagonal, which hides later places, and 0 elsewhere. */
  static readonly generateSquareSubsequentMask: <N extends number>(size: N) => Tensor<[N, N], "float32"> =
    operation("generateSquareSubsequentMask", "size: count", (size: number) =>
      full([size, size], Number.NEGATIVE_INFINITY).triu(1),
    );
}

type LayerClass<L> = new (dModel: number, nhead: number, options: TransformerEncoderLayerOptions) => L;
