import { fromTypedArray } from "fuseau";
import { randomFloats } from "../measure/inputs.ts";
import { loopVariants } from "../measure/variants.ts";
import { longChainLoops } from "./loops/long-chain.ts";
import { type ExpressionCase, prepared } from "./prepared.ts";

const HEIGHT = 1_000;
const WIDTH = 1_000;

export const longChain: ExpressionCase = {
  name: "chain-12",
  title: "12 ops, 1000×1000 float32, two broadcast rows and two broadcast columns",
  about: "add, sub, mul, abs, sqrt and maximum. The loops write into one output.",
  agreement: "bits",
  prepare() {
    const a = randomFloats(HEIGHT * WIDTH, 1, -1);
    const b = randomFloats(HEIGHT * WIDTH, 2, -1);
    const r = randomFloats(WIDTH, 3);
    const s = randomFloats(WIDTH, 4);
    const k = randomFloats(HEIGHT, 5);
    const m = randomFloats(HEIGHT, 6);
    const x = fromTypedArray(a, { shape: [HEIGHT, WIDTH] });
    const y = fromTypedArray(b, { shape: [HEIGHT, WIDTH] });
    const row = fromTypedArray(r, { shape: [1, WIDTH] });
    const otherRow = fromTypedArray(s, { shape: [1, WIDTH] });
    const column = fromTypedArray(k, { shape: [HEIGHT, 1] });
    const otherColumn = fromTypedArray(m, { shape: [HEIGHT, 1] });
    const out = new Float32Array(HEIGHT * WIDTH);
    return prepared(
      () => {
        const t = x.mul(row).add(column).mul(y).sub(otherRow);
        const u = t.abs().add(otherColumn).sqrt();
        return u.mul(column).maximum(row).sub(x).mul(otherRow).add(otherColumn);
      },
      loopVariants(longChainLoops, [a, b, r, s, k, m, out]),
    );
  },
};
