import { fromTypedArray } from "fuseau";
import { randomFloats } from "../measure/inputs.ts";
import { loopVariant, loopVariants } from "../measure/variants.ts";
import { opByOpFresh, rowChainLoops } from "./loops/chain.ts";
import { type ExpressionCase, prepared } from "./prepared.ts";

const HEIGHT = 1_000;
const WIDTH = 1_000;

export const chain: ExpressionCase = {
  name: "chain-4",
  title: "(a*b + c)*d - a, 1000×1000 float32, c and d broadcast rows",
  about: "The loops write into one output; fuseau takes its output from the pool.",
  agreement: "bits",
  prepare() {
    const a = randomFloats(HEIGHT * WIDTH, 1);
    const b = randomFloats(HEIGHT * WIDTH, 2);
    const c = randomFloats(WIDTH, 3);
    const d = randomFloats(WIDTH, 4);
    const matrix = { shape: [HEIGHT, WIDTH] } as const;
    const row = { shape: [1, WIDTH] } as const;
    const x = fromTypedArray(a, matrix);
    const y = fromTypedArray(b, matrix);
    const s = fromTypedArray(c, row);
    const t = fromTypedArray(d, row);
    const out = new Float32Array(HEIGHT * WIDTH);
    return prepared(
      () => x.mul(y).add(s).mul(t).sub(x),
      [
        ...loopVariants(rowChainLoops, [a, b, c, d, HEIGHT, WIDTH, out]),
        loopVariant("op by op, a new array each", opByOpFresh, [a, b, c, d, HEIGHT, WIDTH, out], "other"),
      ],
      (library) =>
        library.chain(
          { elements: a, ...matrix },
          { elements: b, ...matrix },
          { elements: c, ...row },
          {
            elements: d,
            ...row,
          },
        ),
    );
  },
};
