import { fromTypedArray } from "fuseau";
import { randomFloats } from "../measure/inputs.ts";
import { loopVariants } from "../measure/variants.ts";
import { softmaxLoops } from "./loops/softmax.ts";
import { type ExpressionCase, prepared } from "./prepared.ts";

const HEIGHT = 1_000;
const WIDTH = 1_000;

export const softmax: ExpressionCase = {
  name: "softmax",
  title: "softmax over rows, 1000×1000 float32",
  about: "The loops use the output's row for the exponentials; they add in their own orders.",
  agreement: 1e-6,
  prepare() {
    const elements = randomFloats(HEIGHT * WIDTH, 1, -4, 4);
    const x = fromTypedArray(elements, { shape: [HEIGHT, WIDTH] });
    return prepared(
      () => x.softmax(1),
      loopVariants(softmaxLoops, [elements, WIDTH, new Float32Array(HEIGHT * WIDTH)]),
      (library) => library.softmax({ elements, shape: [HEIGHT, WIDTH] }),
    );
  },
};
