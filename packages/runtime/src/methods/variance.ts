/** A method whose name is a reserved word in JavaScript, so that no function can have it. */
import { reduction } from "../declare/reductions.ts";
import * as ops from "../ops/reduction.ts";

const variance = reduction("mean", "var(dim, { keepdim, correction, unbiased })", ops.variance);

export {
  /** The variance. @throws DTypeError for integers and bools. */
  variance as var,
};
