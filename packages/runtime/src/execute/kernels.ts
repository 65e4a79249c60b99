/** Compiled kernels, by loop IR and emitter. The printed loop IR is the key, so equal keys are equal kernels. */
import { type EmittedKernel, type Emitter, emit, type KernelCall } from "@fuseau/compiler";
import { type CacheCounters, LruCache } from "../cache/lru.ts";
import { watchOptions } from "../options.ts";
import { type LinearKernel, makeLinearKernel } from "./linear-kernels.ts";
import { forgetKernel } from "./linear-pool.ts";

const DEFAULT_LIMIT = 1_024;
const kernels = new LruCache<string, Kernel>(DEFAULT_LIMIT, (kernel) => {
  if (kernel.emitter === "wasm") forgetKernel((kernel as LinearKernel).shared);
});
watchOptions((options) => kernels.setLimit(options.kernelCacheLimit ?? DEFAULT_LIMIT));

/** A kernel of arrays on the JavaScript heap, or one in linear memory. */
export type Kernel = EmittedKernel | LinearKernel;

export function kernelFor(call: KernelCall, emitter: Emitter): Kernel {
  const key = `${emitter}\n${call.key}`;
  let kernel = kernels.get(key);
  if (kernel === undefined) {
    kernel = emitter === "wasm" ? makeLinearKernel(call) : emit(call.loop, call.name, emitter);
    kernels.set(key, kernel);
  }
  return kernel;
}

export const kernelCounters = (): CacheCounters => kernels.counters();
export const clearKernels = (): void => kernels.clear();
