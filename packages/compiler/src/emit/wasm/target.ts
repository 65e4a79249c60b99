/** WebAssembly as a target of the scheduler: products have tiles, loops have lanes. */
import { UNROLLED_ROW } from "../../schedule/rows.ts";
import type { Target } from "../../schedule/target.ts";
import { expensiveFission } from "../../tactics/expensive-fission.ts";
import { foldedRows } from "../../tactics/folded-rows.ts";
import { lanes } from "../../tactics/lanes.ts";
import { pieces } from "../../tactics/pieces.ts";
import { productLoops } from "../../tactics/products/loops.ts";
import { repeatedRows } from "../../tactics/repeated-rows.ts";
import { results } from "../../tactics/results.ts";
import { rowBlocks } from "../../tactics/row-blocks.ts";
import { innerTransposition, transposition } from "../../tactics/transposition.ts";
import { workItems } from "../../tactics/work-items.ts";
import { partialsOf } from "./folds/accumulation.ts";
import { lanesOf } from "./folds/fold.ts";
import { isCalled } from "./pointwise/apply.ts";

export const wasmTarget: Target = {
  // Getters, since a program that is scheduled is not always emitted.
  get machine() {
    return { register: 16, partialsOf, lanesOf, isCalled };
  },
  get tactics() {
    return [
      results,
      transposition,
      repeatedRows,
      rowBlocks,
      innerTransposition,
      expensiveFission,
      foldedRows,
      workItems,
      lanes,
      pieces,
    ];
  },
  costs: {
    unit: 0.11,
    ops: { randomWord: 30, randomNormal: 50 },
    scatteredWords: 3,
    wordsAmid: 3,
    byte: 0.12,
    cachedByte: 0.04,
    kernel: 1_500,
    product: 0.06,
    productSingle: 3,
    tiles: {
      rows: 4,
      columns: 8,
      pack: 0.4,
      gemv: 0.4,
      gemvSum: 5,
      gemvLimit: 3,
      start: 250,
      smallStart: 4,
      small: 0.1,
      smallByRow: 0.2,
    },
    step: 16,
    shortStep: 0.5,
    serial: 4,
    short: UNROLLED_ROW,
    unrolled: 1.5,
    beside: 1.5,
    keyed: 1.5,
    walk: 0,
    across: 10,
    quotient: 30,
    everySecond: 2,
    strided: 4,
    scattered: 12,
    test: 12,
    again: 0,
  },
  products: (kernel, sizes) => productLoops(kernel, sizes),
};
