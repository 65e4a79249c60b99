/** From loop IR to something that runs. The emitters read the same kernels and agree on what they give. */
import type { LoopKernel } from "@fuseau/ir";
import { compileClosure } from "./closure/emit.ts";
import { compileJs, jsSource } from "./js/emit.ts";
import type { KernelFunction } from "./kernel-function.ts";

export type Emitter = "js" | "closure";

export interface EmittedKernel {
  readonly emitter: Emitter;
  /** The generated text; of a closure, none. */
  readonly source: string;
  readonly run: KernelFunction;
}

/** @throws what the host throws where "js" is asked for and code from strings is forbidden. */
export function emit(kernel: LoopKernel, name: string, emitter: Emitter): EmittedKernel {
  if (emitter === "closure") return { emitter, source: "", run: compileClosure(kernel) };
  const source = jsSource(kernel, name);
  return { emitter, source, run: compileJs(source) };
}

/** Whether this host lets `new Function` make code: a strict Content Security Policy and some edge workers do not. */
export function allowsCodeFromStrings(): boolean {
  try {
    return new Function("return true")() === true;
  } catch {
    return false;
  }
}
