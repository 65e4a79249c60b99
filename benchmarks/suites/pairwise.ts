import { fromTypedArray } from "fuseau";
import { randomFloats } from "../measure/inputs.ts";
import { loopVariants } from "../measure/variants.ts";
import { pairwiseLoops } from "./loops/pairwise.ts";
import { type ExpressionCase, prepared } from "./prepared.ts";

const POINTS = 1_000;
const FEATURES = 16;

export const pairwise: ExpressionCase = {
  name: "pairwise",
  title: "squared distances of [1000, 1, 16] and [1, 1000, 16], summed to [1000, 1000], float32",
  about: "Differences and squares are float32, sums float64; the loops add in their own orders.",
  agreement: 1e-6,
  prepare() {
    const a = randomFloats(POINTS * FEATURES, 1);
    const b = randomFloats(POINTS * FEATURES, 2);
    const x = fromTypedArray(a, { shape: [POINTS, 1, FEATURES] });
    const y = fromTypedArray(b, { shape: [1, POINTS, FEATURES] });
    return prepared(
      () => {
        const difference = x.sub(y);
        return difference.mul(difference).sum(2);
      },
      loopVariants(pairwiseLoops, [a, b, POINTS, FEATURES, new Float32Array(POINTS * POINTS)]),
    );
  },
};
