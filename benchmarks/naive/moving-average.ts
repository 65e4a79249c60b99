import { fromTypedArray, zeros } from "fuseau";
import { randomFloats } from "../measure/inputs.ts";
import type { NaiveProgram } from "./program.ts";

const [SIZE, STEPS] = [20_000, 2_000];
const KEPT = 0.9;
/** Samples are windows of one list. */
const COUNT = SIZE + STEPS;

/** A moving average that is recorded step by step, and read once at the end. */
export const movingAverage: NaiveProgram = {
  mostTime: 1,
  tolerance: 1e-4,
  fuseau: () => {
    const samples = fromTypedArray(randomFloats(COUNT, 5), { shape: [COUNT] });
    return () => {
      let mean = zeros([SIZE]);
      for (let step = 0; step < STEPS; step++)
        mean = mean.mul(KEPT).add(samples.slice([step, step + SIZE]).mul(1 - KEPT)) as typeof mean;
      return Number(mean.sum().item());
    };
  },
  loop: () => {
    const samples = randomFloats(COUNT, 5);
    return () => {
      const mean = new Float32Array(SIZE);
      for (let step = 0; step < STEPS; step++)
        for (let k = 0; k < SIZE; k++) mean[k] = mean[k]! * KEPT + samples[step + k]! * (1 - KEPT);
      let total = 0;
      for (const v of mean) total += v;
      return total;
    };
  },
};
