/** The closure emitter as a target of the scheduler. */
import type { Target } from "../../schedule/target.ts";
import { plainMachine } from "../../tactics/machine.ts";
import { jammedProducts } from "../js/products.ts";

export const closureTarget: Target = {
  machine: plainMachine,
  tactics: [],
  costs: {
    unit: 1.2,
    ops: { tanh: 50, pow: 100, randomWord: 80, randomNormal: 150 },
    scatteredWords: 2,
    wordsAmid: 1,
    byte: 0.5,
    cachedByte: 0.5,
    kernel: 1_000,
    product: 20,
    productSingle: 28,
    tiles: null,
    step: 1,
    shortStep: 1,
    serial: 1,
    short: 1,
    unrolled: 1,
    beside: 1,
    keyed: 1,
    walk: 50,
    across: 0,
    quotient: 4,
    everySecond: 1,
    strided: 1,
    scattered: 2,
    test: 2,
    again: 1,
  },
  products: jammedProducts,
};
