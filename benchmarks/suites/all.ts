/** Every case, in the order of the report. */
import type { Case } from "../case.ts";
import { airports } from "./airports.ts";
import { chain } from "./chain.ts";
import { image } from "./image.ts";
import { layerNorm } from "./layer-norm.ts";
import { longChain } from "./long-chain.ts";
import { pairwise } from "./pairwise.ts";
import { small } from "./small.ts";
import { softmax } from "./softmax.ts";
import { squaredDifferences } from "./squared-differences.ts";
import { tanhOfExp, transcendental } from "./transcendental.ts";
import { transposed } from "./transposed.ts";

export const cases: readonly Case[] = [
  chain,
  longChain,
  tanhOfExp,
  transcendental,
  ...squaredDifferences,
  softmax,
  layerNorm,
  pairwise,
  transposed,
  image,
  ...small,
  airports,
];
