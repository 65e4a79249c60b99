/** Compiled kernels, by loop IR and backend. The printed loop IR is the key, so equal keys are equal kernels. */
import type { KernelCall } from "@fuseau/compiler";
import type { Backend, Kernel } from "../backends/backend.ts";
import { type CacheCounters, LruCache } from "../cache/lru.ts";
import { watchOptions } from "../options.ts";
import { tried } from "../saved/saved.ts";
import { watching } from "../watch/watching.ts";

const DEFAULT_LIMIT = 1_024;
const DEFAULT_BYTES = 2 ** 26;
const kernels = new LruCache<string, MadeKernel>(({ backend, kernel }) => backend.forget(kernel));
watchOptions(({ kernelCacheLimit = DEFAULT_LIMIT, kernelBytesLimit = DEFAULT_BYTES }) =>
  kernels.setLimits(kernelCacheLimit, kernelBytesLimit),
);

/** A kernel, and the text and tree that it was made of, for all programs that have it to share. */
export interface MadeKernel extends Pick<KernelCall, "key" | "loop"> {
  readonly backend: Backend;
  readonly kernel: Kernel;
}

/** Memory that goes with each character of a kernel's text: its tree, what was emitted, and the engine's machine code. */
const BYTES_PER_CHARACTER = 48;

export const bytesOfKernel = ({ key }: Pick<KernelCall, "key">): number =>
  4_096 + BYTES_PER_CHARACTER * key.length;

/** `kept` is what an earlier process has kept of it, if anything. */
export function kernelFor(call: KernelCall, backend: Backend, kept?: unknown): MadeKernel {
  const name = `${backend.name}\n${call.key}`;
  const known = kernels.find(name);
  if (watching !== null) {
    const why =
      known === undefined
        ? `no equal loop IR by ${backend.name} is known`
        : `equal loop IR by ${backend.name}`;
    watching({ kind: "cache", cache: "kernels", hit: known !== undefined, of: call.name, why });
  }
  if (known !== undefined) return known;
  const { key, loop } = call;
  const revived =
    kept === undefined || kept === null ? null : tried("read", () => backend.revive(kept, call));
  const made = { backend, kernel: revived ?? backend.compile(call), key, loop };
  kernels.add(name, made, bytesOfKernel(made));
  return made;
}

export const kernelCounters = (): CacheCounters => kernels.counters();
export const clearKernels = (): void => kernels.clear();
