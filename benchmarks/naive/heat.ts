import { type AnyTensor, fromTypedArray, pad } from "fuseau";
import { randomFloats } from "../measure/inputs.ts";
import type { NaiveProgram } from "./program.ts";

const [SIZE, STEPS] = [1000, 500];
export const RATE = 0.1;

/** A plate that is warm inside and held at 0 around. */
function plate(): Float32Array {
  const u = randomFloats(SIZE * SIZE, 3);
  for (let k = 0; k < SIZE; k++)
    for (const o of [k, (SIZE - 1) * SIZE + k, k * SIZE, k * SIZE + SIZE - 1]) u[o] = 0;
  return u;
}

/** What a plain loop makes of a plate with a border that stays: the sum of all. */
export function spreadByHand(start: Float32Array, size: number, steps: number): number {
  let u = start.slice();
  let next = start.slice();
  for (let step = 0; step < steps; step++) {
    for (let i = 1; i < size - 1; i++)
      for (let o = i * size + 1; o < (i + 1) * size - 1; o++)
        next[o] = u[o]! + RATE * (u[o - size]! + u[o + size]! + u[o - 1]! + u[o + 1]! - 4 * u[o]!);
    [u, next] = [next, u];
  }
  let total = 0;
  for (const v of u) total += v;
  return total;
}

/** Heat spreads: five points of the plate to a new one, each step computed. */
export const heat: NaiveProgram = {
  mostTime: 1,
  tolerance: 1e-3,
  fuseau: () => {
    const start = fromTypedArray(plate(), { shape: [SIZE, SIZE] });
    return () => {
      let u: AnyTensor = start;
      for (let step = 0; step < STEPS; step++) {
        const inner = u.slice([1, -1], [1, -1]);
        const vertical = u.slice([0, -2], [1, -1]).add(u.slice([2, null], [1, -1]));
        const horizontal = u.slice([1, -1], [0, -2]).add(u.slice([1, -1], [2, null]));
        const change = vertical.add(horizontal).sub(inner.mul(4)).mul(RATE);
        u = pad(inner.add(change), [1, 1, 1, 1]).compute();
      }
      return Number(u.sum().item());
    };
  },
  loop: () => {
    const start = plate();
    return () => spreadByHand(start, SIZE, STEPS);
  },
};
