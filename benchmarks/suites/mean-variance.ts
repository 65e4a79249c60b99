import { loopVariants } from "../measure/variants.ts";
import { meanVarianceLoops } from "./loops/mean-variance.ts";
import { type ExpressionCase, prepared } from "./prepared.ts";
import { squareMatrix } from "./standardise.ts";

const SIZE = 1_000;

export const meanVariance: ExpressionCase = {
  name: "mean-variance",
  title: "mean and variance of the rows, 1000×1000 float32",
  about: "Mean first, then the variance about it, in the loops too; they add in their own orders.",
  agreement: 1e-5,
  prepare() {
    const { elements, x } = squareMatrix(SIZE, 1);
    const loops = loopVariants(meanVarianceLoops, [elements, SIZE, new Float32Array(2 * SIZE)]);
    return prepared(() => {
      const [variance, mean] = x.varMean(1);
      return [mean, variance];
    }, loops);
  },
};
