import { cosineSimilarity } from "fuseau";
import { loopVariant, loopVariants } from "../measure/variants.ts";
import { cosineInOneWalk, cosineLoops } from "./loops/cosine.ts";
import { type ExpressionCase, prepared } from "./prepared.ts";
import { squareMatrix } from "./standardise.ts";

const SIZE = 1_000;

export const cosine: ExpressionCase = {
  name: "cosine",
  title: "cosine similarity of the rows of two 1000×1000 float32",
  about: "Rows are divided by their lengths first, as in PyTorch; the loops add in their own orders.",
  agreement: 1e-5,
  prepare() {
    const { elements: a, x } = squareMatrix(SIZE, 1);
    const { elements: b, x: y } = squareMatrix(SIZE, 2);
    const args = [a, b, SIZE, new Float32Array(SIZE)] as const;
    return prepared(
      () => cosineSimilarity(x, y),
      [...loopVariants(cosineLoops, args), loopVariant("one walk", cosineInOneWalk, args, "other")],
    );
  },
};
