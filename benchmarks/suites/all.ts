/** Every case, in the order of the report. */
import { airports } from "./airports.ts";
import { attention } from "./attention.ts";
import { batchNorm } from "./batch-norm.ts";
import { chain } from "./chain.ts";
import { cosine } from "./cosine.ts";
import { cumsum } from "./cumsum.ts";
import { image } from "./image.ts";
import { kMeans } from "./k-means.ts";
import { layerNorm } from "./layer-norm.ts";
import { longChain } from "./long-chain.ts";
import { meanVariance } from "./mean-variance.ts";
import { pairwise } from "./pairwise.ts";
import type { ExpressionCase } from "./prepared.ts";
import { sharedExp } from "./shared-exp.ts";
import { small } from "./small.ts";
import { softmax } from "./softmax.ts";
import { softmaxColumns } from "./softmax-columns.ts";
import { squaredDifferences } from "./squared-differences.ts";
import { standardise } from "./standardise.ts";
import { stencil } from "./stencil.ts";
import { sums } from "./sums.ts";
import { tanhOfExp, transcendental } from "./transcendental.ts";
import { transposed } from "./transposed.ts";

export const cases: readonly ExpressionCase[] = [
  chain,
  longChain,
  tanhOfExp,
  transcendental,
  ...squaredDifferences,
  ...sums,
  softmax,
  softmaxColumns,
  layerNorm,
  meanVariance,
  ...standardise,
  batchNorm,
  sharedExp,
  cosine,
  pairwise,
  kMeans,
  attention,
  stencil,
  cumsum,
  transposed,
  image,
  ...small,
  airports,
];
