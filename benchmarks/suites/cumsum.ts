import { loopVariants } from "../measure/variants.ts";
import { cumsumLoops } from "./loops/cumsum.ts";
import { type ExpressionCase, prepared } from "./prepared.ts";
import { squareMatrix } from "./standardise.ts";

const SIZE = 1_000;

export const cumsum: ExpressionCase = {
  name: "cumsum",
  title: "abs(cumsum(x*y) - x) along rows, 1000×1000 float32",
  about: "A running sum between two chains.",
  agreement: 1e-5,
  prepare() {
    const { elements: a, x } = squareMatrix(SIZE, 1);
    const { elements: b, x: y } = squareMatrix(SIZE, 2);
    return prepared(
      () => x.mul(y).cumsum(1).sub(x).abs(),
      loopVariants(cumsumLoops, [a, b, SIZE, new Float32Array(SIZE * SIZE)]),
    );
  },
};
