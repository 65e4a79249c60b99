import { loopVariants } from "../measure/variants.ts";
import { sharedExpLoops } from "./loops/shared-exp.ts";
import { type ExpressionCase, prepared } from "./prepared.ts";
import { squareMatrix } from "./standardise.ts";

const SIZE = 1_000;

export const sharedExp: ExpressionCase = {
  name: "shared-exp",
  title: "exp(x)*y and the sums of exp(x) over rows, 1000×1000 float32",
  about: "Two results of one exponential; the loops add in their own orders.",
  agreement: 1e-6,
  prepare() {
    const { elements: a, x } = squareMatrix(SIZE, 1);
    const { elements: b, x: y } = squareMatrix(SIZE, 2);
    const loops = loopVariants(sharedExpLoops, [a, b, SIZE, new Float32Array(SIZE * SIZE + SIZE)]);
    return prepared(() => {
      const e = x.exp();
      return [e.mul(y), e.sum(1)];
    }, loops);
  },
};
