/** Caches compiled kernels by loop IR and backend. The printed loop IR is the key, so equal keys mean equal kernels. */
import { type KernelCall, type Steps, timeInClosures } from "@fuseau/compiler";
import type { Backend, Kernel } from "../../backends/backend.ts";
import { type CacheCounters, LruCache } from "../../cache/lru.ts";
import { watchOptions } from "../../options.ts";
import { tried } from "../../saved/saved.ts";
import { watching } from "../../watch/watching.ts";

const DEFAULT_LIMIT = 1_024;
const DEFAULT_BYTES = 2 ** 26;
const kernels = new LruCache<string, MadeKernel>(({ backend, kernel, begins }) => {
  if (!begins) backend.forget(kernel);
});
watchOptions(({ kernelCacheLimit = DEFAULT_LIMIT, kernelBytesLimit = DEFAULT_BYTES }) =>
  kernels.setLimits(kernelCacheLimit, kernelBytesLimit),
);

/** A kernel with the text and loop IR that it was made of, for all programs that share it. */
export interface MadeKernel extends Pick<KernelCall, "key" | "loop"> {
  readonly backend: Backend;
  kernel: Kernel;
  /** True for a kernel for first runs. When the program comes again, it gets its final kernel. */
  begins: boolean;
  /** Nanoseconds that first runs have spent in it, estimated. */
  spent: number;
}

/** Bytes for each character of a kernel's text: its loop IR, what was emitted, and the engine's machine code. */
const BYTES_PER_CHARACTER = 48;

const bytesOfKernel = ({ key }: MadeKernel): number => 4_096 + BYTES_PER_CHARACTER * key.length;

/** The kernels that a program is weighed with. */
const weighed = new WeakSet<MadeKernel>();

/** The size of a kernel, for the first program that is weighed with it; 0 for later ones, and where it is called again. */
export function newBytesOf(made: MadeKernel): number {
  if (weighed.has(made)) return 0;
  weighed.add(made);
  return bytesOfKernel(made);
}

/** `kept` is what an earlier process saved of it, if anything. */
export function kernelFor(call: KernelCall, backend: Backend, kept?: unknown): MadeKernel {
  const known = find(call, backend);
  if (known === undefined) return add(call, backend, kernelOf(call, backend, kept), false, 0);
  goOn(known, call, kept);
  return known;
}

/** Makes the kernels of a program, each in a step. One that fails is made again, and its fault dealt with, when it is asked for. */
export function* madeInSteps(calls: readonly KernelCall[], backend: Backend): Steps<void> {
  for (const call of calls) {
    yield;
    try {
      kernelFor(call, backend);
    } catch {
      return;
    }
  }
}

/** Makes the final kernel in place of one for first runs. */
function goOn(known: MadeKernel, call: KernelCall, kept?: unknown): void {
  if (!known.begins) return;
  known.kernel = kernelOf(call, known.backend, kept);
  known.begins = false;
}

/**
 * The kernel for the first run of a program: one that is quick to make, until first runs have spent as much time in it as making the final
 * kernel takes.
 */
export function kernelToBegin(call: KernelCall, backend: Backend): MadeKernel {
  const known = find(call, backend);
  if (known?.begins === false) return known;
  const spent = (known?.spent ?? 0) + timeInClosures(call.loop, call.sizes);
  const isEarly = spent <= backend.firstRun && backend.canBegin(call);
  if (known === undefined)
    return add(call, backend, isEarly ? backend.begin(call) : backend.compile(call), isEarly, spent);
  known.spent = spent;
  if (!isEarly) goOn(known, call);
  return known;
}

const nameOf = ({ key }: KernelCall, backend: Backend): string => `${backend.key}\n${key}`;

function find(call: KernelCall, backend: Backend): MadeKernel | undefined {
  const known = kernels.find(nameOf(call, backend));
  if (watching !== null) {
    const why =
      known === undefined
        ? `no equal loop IR by ${backend.name} is known`
        : `equal loop IR by ${backend.name}`;
    watching({ kind: "cache", cache: "kernels", hit: known !== undefined, of: call.name, why });
  }
  return known;
}

function add(call: KernelCall, backend: Backend, kernel: Kernel, begins: boolean, spent: number): MadeKernel {
  const { key, loop } = call;
  const made = { backend, kernel, key, loop, begins, spent };
  kernels.add(nameOf(call, backend), made, bytesOfKernel(made));
  return made;
}

const kernelOf = (call: KernelCall, backend: Backend, kept?: unknown): Kernel =>
  (kept === undefined || kept === null ? null : tried("read", () => backend.revive(kept, call))) ??
  backend.compile(call);

export const kernelCounters = (): CacheCounters => kernels.counters();
export const clearKernels = (): void => kernels.clear();
