/** Columns with mean 0 and deviation 1. */
import { type AnyTensor, fromTypedArray } from "fuseau";
import { randomFloats } from "../measure/inputs.ts";
import { loopVariants } from "../measure/variants.ts";
import { standardiseLoops } from "./loops/standardise.ts";
import { type ExpressionCase, prepared } from "./prepared.ts";

export const standardised = (x: AnyTensor): AnyTensor => x.sub(x.mean(0)).div(x.std(0));

export const squareMatrix = (size: number, seed: number): { elements: Float32Array; x: AnyTensor } => {
  const elements = randomFloats(size * size, seed, -1);
  return { elements, x: fromTypedArray(elements, { shape: [size, size] }) };
};

const ofSize = (size: number): ExpressionCase => ({
  name: `standardise-${size}`,
  title: `columns with mean 0 and deviation 1, ${size}×${size} float32`,
  about: "Mean first, then the variance about it, in the loops too; they add rows in the same order.",
  agreement: 1e-5,
  prepare() {
    const { elements, x } = squareMatrix(size, 1);
    const loops = loopVariants(standardiseLoops, [elements, size, size, new Float32Array(size * size)]);
    return prepared(() => standardised(x), loops);
  },
});

export const standardise: readonly ExpressionCase[] = [ofSize(1_000), ofSize(2_048)];
