import { fromTypedArray, ones, zeros } from "fuseau";
import { randomFloats } from "../measure/inputs.ts";
import type { NaiveProgram } from "./program.ts";

const [COUNT, SIZE, MEANS, STEPS] = [20_000, 8, 16, 60];
const CLOSE = 1e-9;
const points = (): Float32Array => randomFloats(COUNT * SIZE, 1, -1, 1);

/** Means move until they move no more, which each step asks. */
export const kMeans: NaiveProgram = {
  mostTime: 1,
  tolerance: 1e-2,
  fuseau: () => {
    const x = fromTypedArray(points(), { shape: [COUNT, SIZE] });
    return () => {
      let means = x.slice([0, MEANS]).clone();
      for (let step = 0; step < STEPS; step++) {
        const label = x.unsqueeze(1).sub(means).square().sum(-1).argmin(1);
        const sums = zeros([MEANS, SIZE]).indexAdd(0, label, x);
        const counts = zeros([MEANS]).indexAdd(0, label, ones([COUNT]));
        const next = sums.div(counts.clamp(1, null).unsqueeze(1));
        const moved = next.sub(means).square().sum().item();
        means = next;
        if (moved < CLOSE) break;
      }
      return x.unsqueeze(1).sub(means).square().sum(-1).amin(1).sum().item();
    };
  },
  loop: () => {
    const x = points();
    return () => {
      let means = x.slice(0, MEANS * SIZE);
      for (let step = 0; step < STEPS; step++) {
        const sums = new Float32Array(MEANS * SIZE);
        const counts = new Float32Array(MEANS);
        for (let i = 0; i < COUNT; i++) {
          const [nearest] = nearestOf(x, i, means);
          counts[nearest]!++;
          for (let j = 0; j < SIZE; j++) sums[nearest * SIZE + j]! += x[i * SIZE + j]!;
        }
        let moved = 0;
        for (let k = 0; k < MEANS * SIZE; k++) {
          sums[k]! /= Math.max(1, counts[Math.floor(k / SIZE)]!);
          moved += (sums[k]! - means[k]!) ** 2;
        }
        means = sums;
        if (moved < CLOSE) break;
      }
      let total = 0;
      for (let i = 0; i < COUNT; i++) total += nearestOf(x, i, means)[1];
      return total;
    };
  },
};

/** V8 inlines this, and makes no array of it. */
function nearestOf(x: Float32Array, i: number, means: Float32Array): readonly [number, number] {
  let nearest = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let k = 0; k < MEANS; k++) {
    let distance = 0;
    for (let j = 0; j < SIZE; j++) {
      const difference = x[i * SIZE + j]! - means[k * SIZE + j]!;
      distance += difference * difference;
    }
    if (distance < least) [least, nearest] = [distance, k];
  }
  return [nearest, least];
}
