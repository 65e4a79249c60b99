/** Where the time goes into everything but the arithmetic. */
import { type Contest, faster, floats, within } from "../wasm/contest.ts";

const STEPS = 10;

const longChain: Contest = {
  name: "chain-30",
  title: "30 ops on 1,000 elements, recorded anew in each call",
  inputs: () => [floats([1_000], 1, 0.5), floats([1_000], 2, 0.5)],
  tolerance: 1e-6,
  fuseau(x, y) {
    let z = x;
    for (let step = 0; step < STEPS; step++) z = z.mul(y).add(x).sub(y);
    return z;
  },
  size: "small",
  targets: [within(40)],
};

const sixteen: Contest = {
  name: "small-16",
  title: "(a*b + c)*d - a of 16 elements: no slower than in JavaScript, but for noise",
  inputs: () => [1, 2, 3, 4].map((seed) => floats([16], seed)),
  tolerance: 1e-6,
  fuseau: (a, b, c, d) => a.mul(b).add(c).mul(d).sub(a),
  size: "small",
  targets: [faster(0.95, "js")],
};

export const smallContests: readonly Contest[] = [longChain, sixteen];
