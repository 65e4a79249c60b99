/** The text of the loop IR's operators, which print.ts writes and parse.ts reads. */
import type { Combiner } from "../tensor/node.ts";
import type { Integer } from "./node.ts";

/** An integer with two operands. */
export type Binary = Extract<Integer, { readonly left: Integer }>["kind"];

export const binarySymbols: Readonly<Record<Binary, string>> = {
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
