/**
 * The axes and the integer locals that this emitter adds to a kernel's own. A kernel numbers its own from 0 upwards, so these are
 * below 0. A name and a number give each its own: no two are the same, whichever code adds them.
 */
import type { Integer } from "@fuseau/ir";

const names = [
  "block of rows",
  "group of columns",
  "group of repeats",
  "first row",
  "first column",
  "count of columns",
  "cell of a row",
  "cell of a product",
  "whole sum",
  "block's sum",
  "their sum",
  "block of a fold",
  "row's start",
  "place",
] as const;
export type Added = (typeof names)[number];

const numberOf = (name: Added, k: number): number => -1 - names.indexOf(name) - k * names.length;

/** The axis of this name; the k-th, where there are several at a time. */
export const addedAxis = (name: Added, k = 0): Extract<Integer, { readonly kind: "axis" }> => ({
  kind: "axis",
  axis: numberOf(name, k),
});

/** The integer local of this name; the k-th, where there are several at a time. */
export const addedLocal = (name: Added, k = 0): Extract<Integer, { readonly kind: "local" }> => ({
  kind: "local",
  local: numberOf(name, k),
});
