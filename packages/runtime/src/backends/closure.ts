/** Closures: what every host can run, code from strings or not. */
import { closureTarget, compileClosure } from "@fuseau/compiler";
import type { TypedArray } from "@fuseau/ir";
import type { Backend } from "./backend.ts";
import { type HeapKernel, onHeap } from "./heap.ts";

export const closure: Backend<HeapKernel, TypedArray> = {
  ...onHeap,
  name: "closure",
  title: "closures",
  target: closureTarget,
  worthFrom: {},
  missing: () => null,
  compile: ({ loop }) => ({ source: "", run: compileClosure(loop) }),
};
