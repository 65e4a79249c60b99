import { fromTypedArray, scaledDotProductAttention } from "fuseau";
import { randomFloats } from "../measure/inputs.ts";
import { loopVariants } from "../measure/variants.ts";
import { attentionLoops } from "./loops/attention.ts";
import { type ExpressionCase, prepared } from "./prepared.ts";

const HEADS = 4;
const LENGTH = 512;
const FEATURES = 32;

export const attention: ExpressionCase = {
  name: "attention",
  title: "attention, 4 heads of 512×32 float32",
  about: "The loops hold one row of scores; an array of 512×512 for each head would be 4.2 MB.",
  agreement: 1e-5,
  prepare() {
    const count = HEADS * LENGTH * FEATURES;
    const [q, k, v] = [1, 2, 3].map((seed) => randomFloats(count, seed, -1)) as [
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    const tensorOf = (elements: Float32Array) =>
      fromTypedArray(elements, { shape: [HEADS, LENGTH, FEATURES] });
    const [query, key, value] = [tensorOf(q), tensorOf(k), tensorOf(v)];
    return prepared(
      () => scaledDotProductAttention(query, key, value),
      loopVariants(attentionLoops, [q, k, v, [LENGTH, FEATURES], new Float32Array(count)]),
    );
  },
};
