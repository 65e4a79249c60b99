/** A kernel of any emitter as a function of arrays on the heap, without the runtime's caches, memory and threads. */
import { compileClosure, compileJs, compileWasm, type Emitter, type KernelFunction } from "@fuseau/compiler";
import type { LoopKernel } from "@fuseau/ir";
import { jsFunction } from "../../packages/runtime/src/backends/js.ts";
import { wasmOnHeap } from "./wasm-on-heap.ts";

const make: { readonly [E in Emitter]: (loop: LoopKernel, name: string) => KernelFunction } = {
  js: (loop, name) => jsFunction(compileJs(loop, name)),
  closure: (loop) => compileClosure(loop),
  wasm: (loop, name) => wasmOnHeap(loop, compileWasm(loop, name, { shared: false, relaxed: false })),
};

export const kernelFunction = (loop: LoopKernel, name: string, emitter: Emitter): KernelFunction =>
  make[emitter](loop, name);
