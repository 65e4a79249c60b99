/** How the loop IR's text writes what is an operator: what print.ts writes and parse.ts reads. */
import type { Combiner } from "../tensor/node.ts";
import type { Integer } from "./node.ts";

/** An integer made of two. */
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
