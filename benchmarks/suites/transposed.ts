import { fromTypedArray } from "fuseau";
import { randomFloats } from "../measure/inputs.ts";
import { loopVariants } from "../measure/variants.ts";
import { transposedLoops } from "./loops/transposed.ts";
import { type ExpressionCase, prepared } from "./prepared.ts";

const SIZE = 1_000;

export const transposed: ExpressionCase = {
  name: "transposed",
  title: "a + b.t(), 1000×1000 float32",
  about: "One of the loops goes by tiles, as fuseau does not yet; all write into one output.",
  agreement: "bits",
  prepare() {
    const a = randomFloats(SIZE * SIZE, 1);
    const b = randomFloats(SIZE * SIZE, 2);
    const x = fromTypedArray(a, { shape: [SIZE, SIZE] });
    const y = fromTypedArray(b, { shape: [SIZE, SIZE] });
    return prepared(
      () => x.add(y.t()),
      loopVariants(transposedLoops, [a, b, SIZE, new Float32Array(SIZE * SIZE)]),
    );
  },
};
