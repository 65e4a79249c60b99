import { fromTypedArray } from "fuseau";
import { randomFloats } from "../measure/inputs.ts";
import { loopVariants } from "../measure/variants.ts";
import { mixedLoops, tanhOfExpLoops } from "./loops/transcendental.ts";
import { type ExpressionCase, prepared } from "./prepared.ts";

const COUNT = 1_000_000;

/** The two expensive functions that DESIGN.md has numbers of other libraries for. */
export const tanhOfExp: ExpressionCase = {
  name: "tanh-exp",
  title: "tanh(exp(x)), 1,000,000 float32",
  about: "Math.exp and Math.tanh in the loops too. They write into one output.",
  agreement: 1e-6,
  prepare() {
    const elements = randomFloats(COUNT, 1, -3, 3);
    const x = fromTypedArray(elements, { shape: [COUNT] });
    return prepared(
      () => x.exp().tanh(),
      loopVariants(tanhOfExpLoops, [elements, new Float32Array(COUNT)]),
      (library) => library.tanhOfExp({ elements, shape: [COUNT] }),
    );
  },
};

export const transcendental: ExpressionCase = {
  name: "transcendental",
  title: "sin(x)*exp(-(y*y)) + log(1 + x*x)*cos(y), 1,000,000 float32",
  about: "Math's functions in the loops too. They write into one output.",
  agreement: 1e-6,
  prepare() {
    const a = randomFloats(COUNT, 1, -3, 3);
    const b = randomFloats(COUNT, 2, -3, 3);
    const x = fromTypedArray(a, { shape: [COUNT] });
    const y = fromTypedArray(b, { shape: [COUNT] });
    return prepared(
      () => x.sin().mul(y.mul(y).neg().exp()).add(x.mul(x).add(1).log().mul(y.cos())),
      loopVariants(mixedLoops, [a, b, new Float32Array(COUNT)]),
    );
  },
};
