import { fromTypedArray } from "fuseau";
import { randomFloats } from "../measure/inputs.ts";
import { loopVariants } from "../measure/variants.ts";
import { layerNormLoops } from "./loops/layer-norm.ts";
import { type ExpressionCase, prepared } from "./prepared.ts";

const HEIGHT = 1_000;
const WIDTH = 1_000;

export const layerNorm: ExpressionCase = {
  name: "layer-norm",
  title: "layer norm over rows with weight and bias, 1000×1000 float32",
  about: "Mean first, then the variance about it, in the loops too; they add in their own orders.",
  agreement: 1e-5,
  prepare() {
    const elements = randomFloats(HEIGHT * WIDTH, 1, -1);
    const scale = randomFloats(WIDTH, 2);
    const shift = randomFloats(WIDTH, 3);
    const x = fromTypedArray(elements, { shape: [HEIGHT, WIDTH] });
    const weight = fromTypedArray(scale, { shape: [WIDTH] });
    const bias = fromTypedArray(shift, { shape: [WIDTH] });
    return prepared(
      () => x.layerNorm([WIDTH], { weight, bias }),
      loopVariants(layerNormLoops, [elements, scale, shift, new Float32Array(HEIGHT * WIDTH)]),
    );
  },
};
