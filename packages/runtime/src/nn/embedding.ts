/** Rows of a table that is learned. Source: torch.nn.Embedding. */
import { type AnyTensor, embedding, noGrad, type Tensor, zeros } from "../js.ts";
import { trimmed } from "../messages/stack.ts";
import { checkMade, type Kinds } from "./check.ts";
import type { Flow, ShapeIn } from "./flow.ts";
import { normal_ } from "./init.ts";
import { Layer, type LayerOptions, layerOptions } from "./layer.ts";
import { type FloatDType, type Parameter, parameter } from "./parameter.ts";

export interface EmbeddingFlow<Width extends number, D extends FloatDType> extends Flow {
  readonly output: Tensor<[...ShapeIn<this>, Width], D>;
}

export interface EmbeddingLayerOptions<D extends FloatDType = FloatDType> extends LayerOptions {
  /** float32 */
  readonly dtype?: D;
  /** A row of zeros at first, that takes no part in the gradient. */
  readonly paddingIdx?: number | null;
}

const kinds: Kinds<EmbeddingLayerOptions> = { ...layerOptions, paddingIdx: "integer?" };

/** The row of `weight` [numEmbeddings, embeddingDim] for each element of an int64 or int32 tensor; at first normal. */
export class Embedding<const Width extends number, D extends FloatDType = "float32"> extends Layer<
  EmbeddingFlow<Width, D>
> {
  weight: Parameter<[number, Width]>;
  readonly paddingIdx: number | null;

  constructor(numEmbeddings: number, embeddingDim: Width, options: EmbeddingLayerOptions<D> = {}) {
    checkMade(new.target, { count: { numEmbeddings, embeddingDim } }, options, kinds);
    super();
    const { paddingIdx = null, dtype = "float32", ...others } = options;
    if (paddingIdx !== null && (paddingIdx < -numEmbeddings || paddingIdx >= numEmbeddings))
      throw trimmed(
        new RangeError(
          `${new.target.name}: Padding_idx must be within num_embeddings (${paddingIdx} of ${numEmbeddings})`,
        ),
        new.target,
      );
    const weight: AnyTensor = normal_(
      zeros([numEmbeddings, embeddingDim] as readonly number[], { dtype }),
      0,
      1,
      others,
    );
    if (paddingIdx !== null) noGrad(() => weight.select(0, paddingIdx).zero_());
    this.weight = parameter(weight) as Parameter<[number, Width]>;
    this.paddingIdx = paddingIdx;
  }

  protected run(input: AnyTensor): AnyTensor {
    return embedding(input, this.weight as AnyTensor, { paddingIdx: this.paddingIdx });
  }
}
