/** From loop IR to something that runs. The emitters read the same kernels and agree on what they give. */
import type { LoopKernel } from "@fuseau/ir";
import { compileClosure } from "./closure/emit.ts";
import { compileJs, jsSource } from "./js/emit.ts";
import type { KernelFunction } from "./shared/kernel-function.ts";
import type { Emitter } from "./targets.ts";
import { compileWasm } from "./wasm/compile.ts";
import { wasmKernelFunction } from "./wasm/heap-function.ts";

export interface EmittedKernel {
  readonly emitter: Emitter;
  /** The generated text, of a module its listing; of a closure, none. */
  readonly source: string;
  readonly run: KernelFunction;
}

/**
 * @throws what the host throws where "js" is asked for and code from strings is forbidden, or "wasm" and there is no
 * WebAssembly with 128-bit lanes.
 */
export function emit(kernel: LoopKernel, name: string, emitter: Emitter): EmittedKernel {
  if (emitter === "closure") return { emitter, source: "", run: compileClosure(kernel) };
  if (emitter === "wasm") {
    const compiled = compileWasm(kernel, name, { shared: false, relaxed: false });
    const run = wasmKernelFunction(kernel, compiled);
    return {
      emitter,
      get source() {
        return compiled.source();
      },
      run,
    };
  }
  const source = jsSource(kernel, name);
  return { emitter, source, run: compileJs(source) };
}
