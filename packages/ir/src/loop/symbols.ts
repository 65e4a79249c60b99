/** The text of the loop IR's operators, which print.ts writes and parse.ts reads. */
import type { Combiner } from "../tensor/node.ts";
import type { IntegerOperator } from "./node.ts";

export const binarySymbols: Readonly<Record<IntegerOperator, string>> = {
  add: "+",
  mul: "*",
  div: "/",
  mod: "%",
  min: "min",
};

export const combineSymbols: Readonly<Record<Combiner, string>> = {
  set: "=",
  sum: "+=",
  prod: "*=",
  max: "max=",
  min: "min=",
};
