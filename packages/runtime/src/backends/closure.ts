/** Closures: what every host can run, code from strings or not. */
import { closureTarget, compileClosure, type KernelCall } from "@fuseau/compiler";
import type { TypedArray } from "@fuseau/ir";
import type { Backend, HeapKernel } from "./backend.ts";
import { onHeap } from "./heap.ts";

const compileKernel = ({ loop }: KernelCall): HeapKernel => ({ source: "", run: compileClosure(loop) });

export const closure: Backend<HeapKernel, TypedArray> = {
  ...onHeap,
  name: "closure",
  title: "closures",
  get target() {
    return closureTarget;
  },
  worthFrom: {},
  missing: () => null,
  compile: compileKernel,
  begin: () => null,
  keep: () => null,
  revive: (_, call) => compileKernel(call),
};
