import { reduction } from "../declare/reductions.ts";
import * as ops from "../ops/reduction.ts";

/** The variance, as a method `var`, which is a reserved word. @throws DTypeError for integers and bools. */
export const variance = reduction("mean", "variance(dim, { keepdim, correction, unbiased })", ops.variance);
