/** What is a method by a word that JavaScript reserves. */
import { reduction } from "../declare/reductions.ts";
import * as ops from "../ops/reduction.ts";

const variance = reduction("mean", "var(dim, { keepdim, correction, unbiased })", ops.variance);

export {
  /** The variance. @throws DTypeError for integers and bools. */
  variance as var,
};
