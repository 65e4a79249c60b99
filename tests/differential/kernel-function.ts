/** A kernel of any emitter as a function of arrays on the heap, without the runtime's caches, memory and threads. */
import {
  compileClosure,
  compileJs,
  compileWasm,
  type Emitter,
  type KernelCall,
  type KernelFunction,
} from "@fuseau/compiler";
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

/** Sizes are parameters, so most kernels are met at many of them: equal text is made into a function once. */
export const kernelOf: (call: KernelCall, emitter: Emitter) => KernelFunction = onceForEachText(
  ({ loop, name }, emitter) => kernelFunction(loop, name, emitter),
);

const FUNCTIONS_KEPT = 512;

/** `make`, without making again what it made of a kernel of the same text lately. */
export function onceForEachText<W extends string | boolean, T>(
  make: (call: KernelCall, way: W) => T,
): (call: KernelCall, way: W) => T {
  const made = new Map<string, T>();
  return (call, way) => {
    const text = `${way} ${call.key}`;
    const known = made.get(text) ?? make(call, way);
    if (made.size >= FUNCTIONS_KEPT) made.clear();
    made.set(text, known);
    return known;
  };
}
