/** Compiled kernels, by loop IR and emitter. The printed loop IR is the key, so equal keys are equal kernels. */
import {
  allowsCodeFromStrings,
  type EmittedKernel,
  type Emitter,
  emit,
  type KernelCall,
} from "@fuseau/compiler";
import { type CacheCounters, LruCache } from "../cache/lru.ts";
import { watchOptions } from "../options.ts";

const DEFAULT_LIMIT = 1_024;
const kernels = new LruCache<string, EmittedKernel>(DEFAULT_LIMIT);
watchOptions((options) => kernels.setLimit(options.kernelCacheLimit ?? DEFAULT_LIMIT));

let codeFromStrings: boolean | undefined;

/** The emitter to use when none is asked for: text where the host lets text become code. */
export function defaultEmitter(): Emitter {
  codeFromStrings ??= allowsCodeFromStrings();
  return codeFromStrings ? "js" : "closure";
}

export function kernelFor(call: KernelCall, emitter: Emitter): EmittedKernel {
  const key = `${emitter}\n${call.key}`;
  let kernel = kernels.get(key);
  if (kernel === undefined) {
    kernel = emit(call.loop, call.name, emitter);
    kernels.set(key, kernel);
  }
  return kernel;
}

export const kernelCounters = (): CacheCounters => kernels.counters();
export const clearKernels = (): void => kernels.clear();
