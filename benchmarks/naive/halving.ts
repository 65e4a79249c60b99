import { fromTypedArray } from "fuseau";
import { randomFloats } from "../measure/inputs.ts";
import type { NaiveProgram } from "./program.ts";

const [ROWS, COLUMNS, ROUNDS] = [1_000, 1_000, 1_000];

/** One array that is read again and again, by what gives results smaller than it is, and the same with the results given back. */
export const halving: NaiveProgram = {
  against: "dispose()",
  mostTime: 1.5,
  tolerance: 0,
  fuseau: () => run(false),
  loop: () => run(true),
};

const run = (disposes: boolean) => (): number => {
  const image = fromTypedArray(randomFloats(ROWS * COLUMNS, 1, 0, 1), { shape: [ROWS, COLUMNS] });
  let sum = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const small = image.add(round).slice([null, null, 2], [null, null, 2]).compute();
    sum += Number(small.select(0, 1).select(0, 1).item());
    if (disposes) small.dispose();
  }
  return sum;
};
