import { fromTypedArray } from "fuseau";
import { randomFloats } from "../measure/inputs.ts";
import { loopVariants } from "../measure/variants.ts";
import { kMeansLoops } from "./loops/k-means.ts";
import { type ExpressionCase, prepared } from "./prepared.ts";

const POINTS = 50_000;
const CENTRES = 16;
const FEATURES = 8;

export const kMeans: ExpressionCase = {
  name: "k-means",
  title: "the nearest of 16 centres for 50,000 points of 8 features, float32",
  about: "Squared distances, summed, then argmin: no array of points times centres is needed.",
  agreement: "bits",
  prepare() {
    const points = randomFloats(POINTS * FEATURES, 1, -1);
    const centres = randomFloats(CENTRES * FEATURES, 2, -1);
    const x = fromTypedArray(points, { shape: [POINTS, 1, FEATURES] });
    const c = fromTypedArray(centres, { shape: [CENTRES, FEATURES] });
    return prepared(
      () => x.sub(c).square().sum(2).argmin(1),
      loopVariants(kMeansLoops, [points, centres, FEATURES, new Int32Array(POINTS)]),
    );
  },
};
