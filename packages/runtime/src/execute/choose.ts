/** Which emitter makes a program's kernels: one for all of them, so that a kernel's size does not change its numbers half-way. */
import type { Emitter, Program } from "@fuseau/compiler";
import { dtypes, elementCount } from "@fuseau/ir";
import { linearMemory } from "../memory/linear.ts";
import { canMakeLanes } from "./host-lanes.ts";
import { forbiddenHere, noteNoStrings, warnOfPolicy } from "./host-policy.ts";

/** Additions of elements from which a program runs in WebAssembly. Below, calling it and copying costs more than it gains. */
const WASM_WORK = 8_000;
/**
 * The same where closures are the alternative, which are slower than text: 4 ops take them as long as WebAssembly on 200 elements (work of
 * 1,000), and 1.9 times as long on 1,000; exp and tanh as long on 64, and 3.5 times as long on 1,000 (Node 20;
 * `npm run bench -- --only closures-crossover`).
 */
const WASM_WORK_FOR_CLOSURES = 800;

const wasmWork = (): number => (allowsText() ? WASM_WORK : WASM_WORK_FOR_CLOSURES);

export interface Choice {
  readonly emitter: Emitter;
  /** In words, for `explain()`. */
  readonly reason: string;
}

/** What a program of so much work is scheduled for: the choice below, but for programs that turn out not to fit. */
export function emitterFor(work: number, asked: Emitter | undefined): Emitter {
  if (asked !== undefined) return asked;
  const isLinear = work >= wasmWork() && canMakeLanes() && linearMemory() !== null;
  return isLinear ? "wasm" : withoutWasm("").emitter;
}

/** @throws Error when "wasm" is asked for and the host has none. */
export function chooseEmitter(program: Program, asked: Emitter | undefined): Choice {
  const { work } = program;
  if (asked === "wasm" && !(canMakeLanes() && linearMemory() !== null))
    throw new Error(
      `compute: emitter "wasm": ${canMakeLanes() ? "this host refuses memory to WebAssembly" : (forbiddenHere().webAssembly ?? "this host has no WebAssembly with 128-bit SIMD")} (leave emitter out to use what it has)`,
    );
  if (asked !== undefined) return { emitter: asked, reason: "asked for" };
  const shown = grouped(Math.round(work));
  const least = wasmWork();
  // Small programs find out only where it matters: what is forbidden costs them nothing while text is allowed.
  if (work < least) return withoutWasm(`work of ${shown} additions is small`);
  if (!canMakeLanes()) {
    warnOfPolicy();
    return withoutWasm(forbiddenHere().webAssembly ?? "there is no WebAssembly with 128-bit SIMD here");
  }
  const memory = linearMemory();
  if (memory === null) return withoutWasm("the host refuses memory to WebAssembly");
  const bytes = bytesOf(program);
  if (bytes > memory.limit)
    return withoutWasm(`${grouped(bytes)} bytes are more than WebAssembly's memory can hold`);
  return { emitter: "wasm", reason: `work of ${shown} additions, at least ${grouped(least)}` };
}

/** What a program reads, writes and works in. */
function bytesOf({ graph, allocations, arena }: Program): number {
  let bytes = 0;
  for (const { op, dtype, shape } of graph.nodes)
    if (op === "input") bytes += elementCount(shape) * dtypes[dtype].bytes;
  for (const { dtype, cells } of [...allocations, ...arena]) bytes += cells * dtypes[dtype].bytes;
  return bytes;
}

/** A whole number, its digits in groups of three. `toLocaleString` takes tens of milliseconds the first time. */
function grouped(value: number): string {
  const digits = String(value);
  let shown = digits.slice(-3);
  for (let end = digits.length - 3; end > 0; end -= 3)
    shown = `${digits.slice(Math.max(0, end - 3), end)},${shown}`;
  return shown;
}

/** What runs where WebAssembly does not. */
export const withoutWasm = (why: string): Choice =>
  allowsText()
    ? { emitter: "js", reason: why }
    : { emitter: "closure", reason: `${why}, and ${forbiddenHere().codeFromStrings}` };

let text: boolean | undefined;
function allowsText(): boolean {
  text ??= triesText();
  return text;
}

function triesText(): boolean {
  try {
    return new Function("return true")() === true;
  } catch (error) {
    noteNoStrings(error);
    return false;
  }
}
