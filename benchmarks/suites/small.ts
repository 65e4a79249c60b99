/** Where the time goes into everything but the arithmetic. */
import { fromTypedArray } from "fuseau";
import { randomFloats } from "../measure/inputs.ts";
import { leftToCollector, loopVariant, loopVariants } from "../measure/variants.ts";
import { flatChainFresh, flatChainLoops } from "./loops/chain.ts";
import { type ExpressionCase, prepared } from "./prepared.ts";

const ofSize = (count: number): ExpressionCase => ({
  name: `small-${count}`,
  title: `(a*b + c)*d - a, ${count.toLocaleString("en")} float32 each, recorded anew in each call`,
  about: "The bare kernel: a loop that is handed its arrays and its output.",
  agreement: "bits",
  prepare() {
    const arrays = [1, 2, 3, 4].map((seed) => randomFloats(count, seed)) as [
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    const shape = [count];
    const [a, b, c, d] = arrays.map((elements) => fromTypedArray(elements, { shape }));
    if (a === undefined || b === undefined || c === undefined || d === undefined)
      throw new Error("four tensors");
    const record = () => a.mul(b).add(c).mul(d).sub(a);
    return prepared(
      record,
      [
        leftToCollector(record),
        ...loopVariants(flatChainLoops, [...arrays, new Float32Array(count)]),
        loopVariant("simple loop, fresh output", flatChainFresh, arrays, "other"),
      ],
      (library) => {
        const [p, q, r, s] = arrays;
        return library.chain(
          { elements: p, shape },
          { elements: q, shape },
          { elements: r, shape },
          { elements: s, shape },
        );
      },
    );
  },
});

/** Small enough that the kernel's own time is nothing beside the rest. */
export const smallest: ExpressionCase = ofSize(16);
export const small: readonly ExpressionCase[] = [smallest, ofSize(1_000)];
