import { fromTypedArray } from "fuseau";
import { randomFloats } from "../measure/inputs.ts";
import { RATE, spreadByHand } from "./heat.ts";
import type { NaiveProgram } from "./program.ts";

const [SIZE, STEPS] = [512, 500];

/** Heat spreads within one plate: each step clones it, writes over its inside, and computes nothing. */
export const heatInPlace: NaiveProgram = {
  mostTime: 1,
  tolerance: 1e-3,
  fuseau: () => {
    const start = fromTypedArray(randomFloats(SIZE * SIZE, 3), { shape: [SIZE, SIZE] });
    return () => {
      const u = start.clone();
      for (let step = 0; step < STEPS; step++) {
        const old = u.clone();
        const vertical = old.slice([0, -2], [1, -1]).add(old.slice([2, null], [1, -1]));
        const horizontal = old.slice([1, -1], [0, -2]).add(old.slice([1, -1], [2, null]));
        const change = vertical.add(horizontal).sub(old.slice([1, -1], [1, -1]).mul(4));
        u.slice([1, -1], [1, -1]).add_(change.mul(RATE));
      }
      return Number(u.sum().item());
    };
  },
  loop: () => {
    const start = randomFloats(SIZE * SIZE, 3);
    return () => spreadByHand(start, SIZE, STEPS);
  },
};
