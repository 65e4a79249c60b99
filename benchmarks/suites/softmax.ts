import { fromTypedArray } from "fuseau";
import type { Case } from "../case.ts";
import { randomFloats } from "../measure/inputs.ts";
import { fuseauVariants, loopVariants } from "../measure/variants.ts";
import { softmaxLoops } from "./loops/softmax.ts";

const HEIGHT = 1_000;
const WIDTH = 1_000;

export const softmax: Case = {
  name: "softmax",
  title: "softmax over rows, 1000×1000 float32",
  about: "The loops use the output's row for the exponentials; they add in their own orders.",
  agreement: 1e-6,
  prepare() {
    const elements = randomFloats(HEIGHT * WIDTH, 1, -4, 4);
    const x = fromTypedArray(elements, { shape: [HEIGHT, WIDTH] });
    return {
      variants: [
        ...fuseauVariants(() => x.softmax(1)),
        ...loopVariants(softmaxLoops, [elements, WIDTH, new Float32Array(HEIGHT * WIDTH)]),
      ],
      peers: (library) => library.softmax({ elements, shape: [HEIGHT, WIDTH] }),
    };
  },
};
