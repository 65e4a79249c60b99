import { type AnyTensor, fromTypedArray, pad, type Tensor } from "fuseau";
import { randomBytes } from "../measure/inputs.ts";
import type { NaiveProgram } from "./program.ts";

const [SIZE, GENERATIONS] = [1024, 300];
const cells = (): Uint8Array => randomBytes(SIZE * SIZE, 2).map((byte) => (byte < 80 ? 1 : 0));

/** Conway's Game of Life: eight neighbours out of a padded world, each generation computed. */
export const life: NaiveProgram = {
  mostTime: 1,
  tolerance: 0,
  fuseau: () => {
    const start = fromTypedArray(cells(), { shape: [SIZE, SIZE] });
    return () => {
      let world: Tensor<number[], "uint8"> = start;
      for (let generation = 0; generation < GENERATIONS; generation++) {
        const padded = pad(world, [1, 1, 1, 1]);
        let neighbours: AnyTensor | null = null;
        for (let i = 0; i < 3; i++)
          for (let j = 0; j < 3; j++) {
            if (i === 1 && j === 1) continue;
            const shifted = padded.slice([i, i + SIZE], [j, j + SIZE]);
            neighbours = neighbours === null ? shifted : neighbours.add(shifted);
          }
        const count = neighbours as AnyTensor;
        world = count
          .eq(3)
          .logicalOr(world.eq(1).logicalAnd(count.eq(2)))
          .to("uint8")
          .compute();
      }
      return Number(world.sum().item());
    };
  },
  loop: () => {
    const start = cells();
    return () => {
      const row = SIZE + 2;
      let world = new Uint8Array(row * row);
      let next = new Uint8Array(row * row);
      for (let i = 0; i < SIZE; i++) world.set(start.subarray(i * SIZE, (i + 1) * SIZE), (i + 1) * row + 1);
      for (let generation = 0; generation < GENERATIONS; generation++) {
        for (let i = 1; i <= SIZE; i++)
          for (let o = i * row + 1; o <= i * row + SIZE; o++) {
            const above = world[o - row - 1]! + world[o - row]! + world[o - row + 1]!;
            const below = world[o + row - 1]! + world[o + row]! + world[o + row + 1]!;
            const count = above + world[o - 1]! + world[o + 1]! + below;
            next[o] = count === 3 || (count === 2 && world[o] === 1) ? 1 : 0;
          }
        [world, next] = [next, world];
      }
      let alive = 0;
      for (const cell of world) alive += cell;
      return alive;
    };
  },
};
