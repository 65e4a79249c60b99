import { fromTypedArray, batchNorm as normalise } from "fuseau";
import { randomFloats } from "../measure/inputs.ts";
import { loopVariants } from "../measure/variants.ts";
import { batchNormLoops } from "./loops/batch-norm.ts";
import { type ExpressionCase, prepared } from "./prepared.ts";

const SAMPLES = 32;
const CHANNELS = 64;
const SIDE = 28;

export const batchNorm: ExpressionCase = {
  name: "batch-norm",
  title: "batch norm in training with weight and bias, 32×64×28×28 float32",
  about: "Mean first, then the variance about it, in the loops too; they add in their own orders.",
  agreement: 1e-5,
  prepare() {
    const count = SAMPLES * CHANNELS * SIDE * SIDE;
    const elements = randomFloats(count, 1, -1);
    const scale = randomFloats(CHANNELS, 2);
    const shift = randomFloats(CHANNELS, 3);
    const x = fromTypedArray(elements, { shape: [SAMPLES, CHANNELS, SIDE, SIDE] });
    const weight = fromTypedArray(scale, { shape: [CHANNELS] });
    const bias = fromTypedArray(shift, { shape: [CHANNELS] });
    return prepared(
      () => normalise(x, null, null, { training: true, weight, bias }),
      loopVariants(batchNormLoops, [
        elements,
        [SAMPLES, CHANNELS, SIDE * SIDE],
        scale,
        shift,
        new Float32Array(count),
      ]),
    );
  },
};
