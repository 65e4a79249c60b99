import { type AnyTensor, zeros } from "fuseau";
import type { NaiveProgram } from "./program.ts";

const [SIZE, STEPS] = [1_000_000, 1_000];

/** A handle that is overwritten again and again, and the same with the old value given back. */
export const counting: NaiveProgram = {
  against: "dispose()",
  mostTime: 1.5,
  tolerance: 0,
  fuseau: () => () => {
    let x: AnyTensor = zeros([SIZE]).compute();
    for (let step = 0; step < STEPS; step++) x = x.add(1).compute();
    return Number(x.sum().item());
  },
  loop: () => () => {
    let x: AnyTensor = zeros([SIZE]).compute();
    for (let step = 0; step < STEPS; step++) {
      const next = x.add(1).compute();
      x.dispose();
      x = next;
    }
    return Number(x.sum().item());
  },
};
