/** Learned tables whose rows are selected. Source: torch.nn.Embedding, EmbeddingBag. */

import type { Kinds } from "../entry/kinds.ts";
import { checkMade, type Made } from "../entry/made.ts";
import { operation } from "../entry/operation.ts";
import { signatureOf } from "../entry/signature.ts";
import {
  type AnyTensor,
  type EmbeddingBagOptions,
  type EmbeddingOptions,
  embedding,
  embeddingBag,
  Generator,
  noGrad,
  ShapeError,
  type ShapeKey,
  type TableOptions,
  type Tensor,
  zeros,
} from "../js.ts";
import { trimmed } from "../messages/stack.ts";
import type { DTypeIn, Flow, ShapeIn } from "./flow.ts";
import { normal_ } from "./init.ts";
import { Layer, type LayerOptions, layerOptions } from "./layer.ts";
import { Module } from "./module.ts";
import { type FloatDType, type Parameter, parameter } from "./parameter.ts";
import { refusedAt } from "./refused.ts";

const bagCall = signatureOf("forward", "input: tensor, offsets?: tensor?, perSampleWeights?: tensor?");

export interface EmbeddingFlow<Width extends number, D extends FloatDType> extends Flow {
  readonly output: DTypeIn<this> extends FloatDType
    ? `got ${DTypeIn<this>}; cast it, e.g. index.to("int64")`
    : Tensor<[...ShapeIn<this>, Width], D>;
}

export interface EmbeddingLayerOptions<D extends FloatDType = FloatDType> extends LayerOptions, TableOptions {
  /** Default float32. */
  readonly dtype?: D;
  /** A row that is zeros at first, and whose gradient is zero. A negative number counts from the end, and is kept from the front. */
  readonly paddingIdx?: number | null;
}

const kinds: Kinds<EmbeddingLayerOptions> = {
  ...layerOptions,
  ...{
    paddingIdx: "integer?",
    maxNorm: "number?",
    normType: "number",
    scaleGradByFreq: "flag",
    sparse: "flag",
  },
};

const fromFront = (place: number | null, size: number): number | null =>
  place !== null && place < 0 ? place + size : place;

/** What a call of the operation gets of a layer's options. */
function tableOptions(made: Made, numEmbeddings: number, options: EmbeddingLayerOptions): EmbeddingOptions {
  const {
    paddingIdx = null,
    maxNorm = null,
    normType = 2,
    scaleGradByFreq = false,
    sparse = false,
  } = options;
  if (sparse)
    throw trimmed(
      new TypeError(`${made.name}: there are no sparse gradients (leave sparse out: the gradient is dense)`),
      made,
    );
  return { paddingIdx: fromFront(paddingIdx, numEmbeddings), maxNorm, normType, scaleGradByFreq };
}

/** A table of normal numbers. */
function rowsOf<Width extends number>(
  made: Made,
  numEmbeddings: number,
  embeddingDim: Width,
  { paddingIdx = null, dtype = "float32", generator }: EmbeddingLayerOptions,
): Parameter<[number, Width]> {
  if (paddingIdx !== null && (paddingIdx < -numEmbeddings || paddingIdx >= numEmbeddings))
    throw trimmed(
      new RangeError(
        `${made.name}: Padding_idx must be within num_embeddings (${paddingIdx} of ${numEmbeddings})`,
      ),
      made,
    );
  const weight: AnyTensor = normal_(
    zeros([numEmbeddings, embeddingDim] as readonly number[], { dtype }),
    0,
    1,
    generator === undefined ? {} : { generator },
  );
  if (paddingIdx !== null) noGrad(() => weight.select(0, paddingIdx).zero_());
  return parameter(weight) as Parameter<[number, Width]>;
}

/** A table that was learned before. */
export type PretrainedTable = Tensor<[number, number], FloatDType>;

type WidthOf<T extends PretrainedTable> = T[ShapeKey][1];

export interface PretrainedOptions extends EmbeddingOptions {
  /** The table is not learned further. Default true. */
  readonly freeze?: boolean;
}

const tableSignature = "freeze, paddingIdx, maxNorm, normType, scaleGradByFreq, sparse";

/** A layer of the table's sizes that has the table as its weight. No random numbers are taken for the weight that it takes the place of. */
function pretrained<L extends { weight: AnyTensor }>(
  made: new (rows: number, width: number, options: EmbeddingLayerOptions<"float32">) => L,
  table: AnyTensor,
  { freeze = true, ...options }: PretrainedOptions,
): L {
  if (table.ndim !== 2)
    throw new ShapeError(
      `Embeddings parameter is expected to be 2-dimensional (got shape [${table.shape.join(", ")}])`,
    );
  const [rows, width] = table.shape as readonly number[] as [number, number];
  const weight = parameter(table, { requiresGrad: !freeze });
  const layer = new made(rows, width, { ...options, generator: new Generator(0) });
  layer.weight = weight;
  return layer;
}

/** The row of `weight` [numEmbeddings, embeddingDim] for each element of an int64 or int32 tensor. At first `weight` is normal. */
export class Embedding<const Width extends number = number, D extends FloatDType = "float32"> extends Layer<
  EmbeddingFlow<Width, D>
> {
  weight: Parameter<[number, Width]>;
  readonly paddingIdx: number | null;
  readonly options: EmbeddingOptions;

  constructor(numEmbeddings: number, embeddingDim: Width, options: EmbeddingLayerOptions<D> = {}) {
    checkMade(new.target, arguments, { count: { numEmbeddings, embeddingDim } }, options, kinds);
    super();
    this.weight = rowsOf(new.target, numEmbeddings, embeddingDim, options);
    this.options = tableOptions(new.target, numEmbeddings, options);
    this.paddingIdx = this.options.paddingIdx ?? null;
    this.keepFields();
  }

  /**
   * A layer whose weight is `embeddings` [numEmbeddings, embeddingDim] itself, frozen unless `freeze` is false.
   * @throws ShapeError for a tensor that has not two axes; as {@link parameter} does.
   */
  static readonly fromPretrained: <const T extends PretrainedTable>(
    embeddings: T,
    options?: PretrainedOptions,
  ) => Embedding<WidthOf<T>, T["dtype"]> = operation(
    "fromPretrained",
    `embeddings: tensor, { ${tableSignature} }`,
    (embeddings: AnyTensor, options: PretrainedOptions = {}) => pretrained(Embedding, embeddings, options),
  ) as never;

  protected run(input: AnyTensor): AnyTensor {
    return embedding(input, this.weight as AnyTensor, this.options);
  }
}

export interface EmbeddingBagLayerOptions<D extends FloatDType = FloatDType>
  extends EmbeddingLayerOptions<D>,
    Pick<EmbeddingBagOptions, "mode" | "includeLastOffset"> {}

/**
 * The sum, mean or maximum of rows of `weight` [numEmbeddings, embeddingDim], one row for each bag of indexes. At first `weight` is normal.
 */
export class EmbeddingBag<
  const Width extends number = number,
  D extends FloatDType = "float32",
> extends Module {
  weight: Parameter<[number, Width]>;
  readonly options: EmbeddingBagOptions;

  constructor(numEmbeddings: number, embeddingDim: Width, options: EmbeddingBagLayerOptions<D> = {}) {
    checkMade(new.target, arguments, { count: { numEmbeddings, embeddingDim } }, options, {
      ...kinds,
      ...{ mode: ["sum", "mean", "max"], includeLastOffset: "flag" },
    });
    super();
    const { mode = "mean", includeLastOffset = false } = options;
    this.weight = rowsOf(new.target, numEmbeddings, embeddingDim, options);
    this.options = { ...tableOptions(new.target, numEmbeddings, options), mode, includeLastOffset };
    this.keepFields();
  }

  /** As {@link Embedding.fromPretrained}. */
  static readonly fromPretrained: <const T extends PretrainedTable>(
    embeddings: T,
    options?: PretrainedOptions & Pick<EmbeddingBagOptions, "mode" | "includeLastOffset">,
  ) => EmbeddingBag<WidthOf<T>, T["dtype"]> = operation(
    "fromPretrained",
    `embeddings: tensor, { ${tableSignature}, mode, includeLastOffset }`,
    (embeddings: AnyTensor, options: PretrainedOptions = {}) => pretrained(EmbeddingBag, embeddings, options),
  ) as never;

  /**
   * Bags are the rows of `input`, or pieces of a list that begin at `offsets`. `perSampleWeights` is a factor for each index, only with
   * mode "sum".
   */
  forward(
    input: AnyTensor,
    offsets: AnyTensor | null = null,
    perSampleWeights: AnyTensor | null = null,
  ): Tensor<[number, Width], D> {
    return refusedAt(this.forward, bagCall, arguments, () =>
      embeddingBag(input, this.weight as AnyTensor, { ...this.options, offsets, perSampleWeights }),
    ) as AnyTensor as Tensor<[number, Width], D>;
  }
}
