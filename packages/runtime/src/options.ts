/** How programs are compiled and run; set for the process, or for one call. */

import { defaultLimits, type Emitter, emitters, type Limits } from "@fuseau/compiler";
import { showArgument } from "@fuseau/ir";
import { isRecord } from "./messages/given.ts";
import { didYouMean } from "./messages/nearest.ts";
import type { CacheStore } from "./saved/store.ts";

export interface ComputeOptions {
  /** "none" is the eager path: one kernel for each op, every intermediate in memory. Default "on". */
  readonly fusion?: "on" | "none";
  /**
   * The emitter of the kernels. Default: "wasm" for programs above a certain size, where the host has it, and "js" for smaller ones;
   * "closure" instead of "js" where the host forbids code from strings. `explain()` says which, and why.
   */
  readonly emitter?: Emitter;
  /** The scheduler's limits, for experiments and tests. */
  readonly limits?: Partial<Limits>;
  /**
   * Whether kernels are timed. Then `explain()` of the same expression shows the times, and this machine's limits. It takes a few
   * microseconds a call. Default false.
   */
  readonly profile?: boolean;
}

export interface Options extends ComputeOptions {
  /** The most programs that are kept, by graph. Default 16,384. */
  readonly programCacheLimit?: number;
  /** The most bytes of programs, as estimated. Default 64 MiB. */
  readonly programBytesLimit?: number;
  /** The most kernels that are kept, by loop IR. Default 1,024. */
  readonly kernelCacheLimit?: number;
  /** The most bytes of kernels, as estimated: their text and their code. Default 64 MiB. */
  readonly kernelBytesLimit?: number;
  /** The most bytes of freed arrays that are kept for reuse. Default 128 MiB. */
  readonly poolBytesLimit?: number;
  /**
   * The most bytes of recent results and copies of operands. They take much less while little of what was moved out is asked for again.
   * Beyond the limit, what was used longest ago is moved out first (docs/memory.md). Default 512 MiB.
   */
  readonly linearBytesLimit?: number;
  /**
   * About how many elements a work item has. Threads share work by such items; a program of fewer than twelve runs on one thread. Results
   * do not depend on it. Tests make it small, to reach the ends of items. Default 32,768.
   */
  readonly slice?: number;
  /** Verifies each IR when a pass has made it, before the next pass reads it. Default false. */
  readonly verify?: boolean;
  /**
   * What happens at a fault of the compiler. "unfused" runs the expression op by op, or on the next backend, warns once on the console, and
   * counts it in `stats().faults`. "silent" does the same without the warning. "throw" throws the InternalError. Default "unfused".
   */
  readonly onFault?: "unfused" | "silent" | "throw";
  /**
   * What happens where the host's policy forbids WebAssembly and that costs time. "warn" prints it once on the console, with the
   * directive's name. "silent" only shows it in `stats().forbidden` and `explain()`. Default "warn".
   */
  readonly onForbidden?: "warn" | "silent";
  /**
   * Where compiled programs are saved for later processes: a folder (Node from 20.16 on, Deno, Bun), or a store such as those of
   * `fuseau/cache`. What is read from there is executed, so protect it like the program itself. Default: nowhere (docs/latency.md).
   */
  readonly cache?: string | CacheStore;
  /**
   * Whether fuseau works while the host is idle. A small graph is compiled, and dropped, after the import: then the first program waits less for
   * V8. Programs that come again are compiled between frames and events, and not beside their runs. It never keeps a process alive. Default
   * true.
   */
  readonly warm?: boolean;
  /** The most bytes of programs that are saved there; the oldest are deleted. Default 64 MiB. */
  readonly cacheBytesLimit?: number;
}

/** Options to set: `undefined` restores the default. */
export type Settings = { readonly [name in keyof Options]: Options[name] | undefined };

const names: readonly (keyof Options)[] = [
  "fusion",
  "emitter",
  "limits",
  "profile",
  "programCacheLimit",
  "programBytesLimit",
  "kernelCacheLimit",
  "kernelBytesLimit",
  "poolBytesLimit",
  "linearBytesLimit",
  "slice",
  "verify",
  "onFault",
  "onForbidden",
  "warm",
  "cache",
  "cacheBytesLimit",
];
const perCall: readonly (keyof ComputeOptions)[] = ["fusion", "emitter", "limits", "profile"];

let current: Options = {};
const listeners: ((options: Options) => void)[] = [];

/**
 * Sets options for all later calls. Options that are not named keep their values, and `undefined` restores the default.
 * @throws TypeError for an unknown option or value.
 */
export function setOptions(options: Settings): void {
  checkOptions("setOptions", options, names);
  // An option that is undefined reads like one that is left out.
  current = { ...current, ...options } as Options;
  for (const listener of listeners) listener(current);
}

export const getOptions = (): Readonly<Options> => current;

/** Calls `listener` now and after each change. */
export function watchOptions(listener: (options: Options) => void): void {
  listeners.push(listener);
  listener(current);
}

/** The options of one call: those given, and the process's for the others. */
export function optionsOf(op: string, options: ComputeOptions | undefined): Options {
  if (options === undefined) return current;
  checkOptions(op, options, perCall);
  return { ...current, ...options };
}

function checkOptions(op: string, options: Settings, allowed: readonly (keyof Options)[]): void {
  if (Array.isArray(options))
    throw new TypeError(
      `${op}: options must be an object, not an array (each tensor is an argument of its own: ${op}(...tensors))`,
    );
  if (!isRecord(options))
    throw new TypeError(`${op}: options must be an object, not ${showArgument(options)}`);
  for (const name of Object.keys(options)) {
    if ((allowed as readonly string[]).includes(name)) continue;
    const meant = name === "threads" ? " (setThreads(n) sets them)" : didYouMean(name, allowed);
    throw new TypeError(`${op}: unknown option "${name}"${meant}; the options are ${allowed.join(", ")}`);
  }
  oneOf(op, "fusion", options.fusion, ["on", "none"]);
  oneOf(op, "onFault", options.onFault, ["unfused", "silent", "throw"]);
  oneOf(op, "onForbidden", options.onForbidden, ["warn", "silent"]);
  oneOf(op, "emitter", options.emitter, emitters);
  for (const name of ["profile", "verify", "warm"] as const)
    if (options[name] !== undefined && typeof options[name] !== "boolean")
      throw new TypeError(`${op}: ${name} must be true or false, not ${showArgument(options[name])}`);
  checkCounts(op, "", options, [
    "programCacheLimit",
    "programBytesLimit",
    "kernelCacheLimit",
    "kernelBytesLimit",
    "poolBytesLimit",
    "linearBytesLimit",
    "cacheBytesLimit",
  ]);
  checkCache(op, options.cache);
  checkCounts(op, "", options, ["slice"], 1);
  const { limits } = options;
  if (limits === undefined) return;
  if (!isRecord(limits)) throw new TypeError(`${op}: limits must be an object, not ${showArgument(limits)}`);
  const known = Object.keys(defaultLimits) as (keyof Limits)[];
  for (const name of Object.keys(limits))
    if (!(known as string[]).includes(name))
      throw new TypeError(
        `${op}: unknown limit "${name}"${didYouMean(name, known)}; the limits are ${known.join(", ")}`,
      );
  checkCounts(op, "limits.", limits, known);
}

function checkCache(op: string, cache: unknown): void {
  if (cache === undefined || (typeof cache === "string" && cache !== "")) return;
  const methods = ["read", "write", "remove", "list"];
  if (
    isRecord(cache) &&
    methods.every((name) => typeof (cache as Record<string, unknown>)[name] === "function")
  )
    return;
  throw new TypeError(
    `${op}: cache must be the path of a folder, or a store with ${methods.join(", ")} (fuseau/cache has some), not ${showArgument(cache)}`,
  );
}

function checkCounts<K extends string>(
  op: string,
  prefix: string,
  counts: { readonly [name in K]?: unknown },
  names: readonly K[],
  least = 0,
): void {
  for (const name of names) {
    const value = counts[name];
    if (value === undefined || (Number.isInteger(value) && (value as number) >= least)) continue;
    throw new TypeError(
      `${op}: ${prefix}${name} must be a whole number of at least ${least}, not ${showArgument(value)}`,
    );
  }
}

function oneOf(op: string, name: string, value: string | undefined, allowed: readonly string[]): void {
  if (value === undefined || allowed.includes(value)) return;
  throw new TypeError(
    `${op}: ${name} must be ${allowed.map((text) => `"${text}"`).join(" or ")}, not ${showArgument(value)}`,
  );
}
