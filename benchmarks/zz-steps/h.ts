import { type Tensor, tensor } from "fuseau";
/** Uniform numbers in [0, 1), the same in Python. */
export function u(n: number, seed: number): number[] {
  const out = new Array<number>(n);
  for (let i = 0; i < n; i++) {
    let x = (Math.imul(i + 1, 0x9e3779b1) + Math.imul(seed + 1, 0x85ebca6b)) >>> 0;
    x = Math.imul(x ^ (x >>> 16), 0x45d9f3b) >>> 0;
    x = Math.imul(x ^ (x >>> 16), 0x45d9f3b) >>> 0;
    out[i] = ((x ^ (x >>> 16)) >>> 0) / 4294967296;
  }
  return out;
}
export const U = (n: number, seed: number): Tensor<[number], "float32"> => tensor(u(n, seed)) as Tensor<[number], "float32">;
export type Step = (i: number) => unknown;
export type Progs = Record<string, () => Step>;
