/**
 * What is not the same in WebAssembly's lanes: some functions have other last bits, float32 is summed in sixteen lanes, and
 * matrix products in blocks of their own dtype.
 */
import { type AccumulationOrder, defaultOrder } from "@fuseau/ir";
import { alone } from "./alone.ts";
import type { Meaning } from "./reference.ts";

const LANES = 16;
const DOT_BLOCK = 256;

export const wasmMeaningIn = ({ block: size, chunk: part }: AccumulationOrder): Meaning => ({
  block: size,
  approximated: (node, operands) => alone(node, operands, "wasm"),
  sumSingles(elements) {
    let total = 0;
    for (let block = 0; block < elements.length; block += size) {
      const running = [0, 0] as [number, number];
      const end = Math.min(block + size, elements.length);
      for (let chunk = block; chunk < end; chunk += part) {
        const lanes = new Float32Array(LANES);
        elements.slice(chunk, Math.min(chunk + part, end)).forEach((x, k) => {
          lanes[k % LANES]! += x;
        });
        const { fround } = Math;
        const four = [0, 1, 2, 3].map((k) =>
          fround(fround(lanes[k]! + lanes[k + 4]!) + fround(lanes[k + 8]! + lanes[k + 12]!)),
        ) as [number, number, number, number];
        running[0] += four[0] + four[2];
        running[1] += four[1] + four[3];
      }
      total += running[0] + running[1];
    }
    return total;
  },
  dot(dtype, left, right) {
    const round = dtype === "float64" ? (x: number): number => x : Math.fround;
    let total = 0;
    for (let block = 0; block < left.length; block += DOT_BLOCK) {
      let sum = 0;
      for (let k = block; k < Math.min(block + DOT_BLOCK, left.length); k++)
        sum = round(sum + round((left[k] as number) * (right[k] as number)));
      total = block === 0 ? sum : round(total + sum);
    }
    return total;
  },
});

export const wasmMeaning: Meaning = wasmMeaningIn(defaultOrder);
