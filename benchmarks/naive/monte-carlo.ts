import { type AnyTensor, manualSeed, randn, zeros } from "fuseau";
import type { NaiveProgram } from "./program.ts";

const [PATHS, STEPS] = [1_000_000, 50];
const [RATE, VOLATILITY, STRIKE] = [0.05, 0.2, 105];
const DRIFT = (RATE - VOLATILITY ** 2 / 2) / STEPS;
const SPREAD = VOLATILITY / Math.sqrt(STEPS);

/** The price of an option, by paths that take one random step after another, each computed. */
export const monteCarlo: NaiveProgram = {
  mostTime: 1,
  tolerance: 1e-2,
  fuseau: () => () => {
    manualSeed(5);
    let x: AnyTensor = zeros([PATHS]);
    for (let step = 0; step < STEPS; step++) x = x.add(randn([PATHS]).mul(SPREAD).add(DRIFT)).compute();
    const gain = x.exp().mul(100).sub(STRIKE).clamp(0, null);
    return Number(gain.mean().item()) * Math.exp(-RATE);
  },
  /** Box and Muller's numbers, which come in pairs. */
  loop: () => () => {
    const x = new Float32Array(PATHS);
    for (let step = 0; step < STEPS; step++)
      for (let k = 0; k < PATHS; k += 2) {
        const radius = Math.sqrt(-2 * Math.log(1 - Math.random()));
        const angle = 2 * Math.PI * Math.random();
        x[k]! += radius * Math.cos(angle) * SPREAD + DRIFT;
        x[k + 1]! += radius * Math.sin(angle) * SPREAD + DRIFT;
      }
    let total = 0;
    for (const v of x) total += Math.max(0, Math.exp(v) * 100 - STRIKE);
    return (total / PATHS) * Math.exp(-RATE);
  },
};
