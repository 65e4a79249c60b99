import { loopVariants } from "../measure/variants.ts";
import { softmaxColumnLoops } from "./loops/softmax-columns.ts";
import { type ExpressionCase, prepared } from "./prepared.ts";
import { squareMatrix } from "./standardise.ts";

const SIZE = 1_000;

export const softmaxColumns: ExpressionCase = {
  name: "softmax-columns",
  title: "softmax over the first axis, 1000×1000 float32",
  about: "The loops keep the exponentials in the output.",
  agreement: 1e-5,
  prepare() {
    const { elements, x } = squareMatrix(SIZE, 1);
    const loops = loopVariants(softmaxColumnLoops, [elements, SIZE, SIZE, new Float32Array(SIZE * SIZE)]);
    return prepared(() => x.softmax(0), loops);
  },
};
