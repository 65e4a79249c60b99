/** Which emitter makes a program's kernels: one for all of them, so that a kernel's size does not change its numbers half-way. */
import { allowsCodeFromStrings, type Emitter, type Program } from "@fuseau/compiler";
import { linearMemory } from "../memory/linear.ts";
import { canMakeLanes } from "./host-lanes.ts";

/** Additions of elements from which a program runs in WebAssembly. Below, calling it and copying costs more than it gains. */
const WASM_WORK = 8_000;

export interface Choice {
  readonly emitter: Emitter;
  /** In words, for `explain()`. */
  readonly reason: string;
}

/** @throws Error when "wasm" is asked for and the host has none. */
export function chooseEmitter({ work }: Program, asked: Emitter | undefined): Choice {
  if (asked === "wasm" && !hasLanes())
    throw new Error(
      'compute: emitter "wasm": this host has no WebAssembly with 128-bit SIMD (leave emitter out to use what it has)',
    );
  if (asked !== undefined) return { emitter: asked, reason: "asked for" };
  const shown = grouped(Math.round(work));
  if (work >= WASM_WORK && hasLanes())
    return {
      emitter: "wasm",
      reason: `work of ${shown} additions, at least ${grouped(WASM_WORK)}`,
    };
  const why =
    work < WASM_WORK
      ? `work of ${shown} additions is small`
      : "there is no WebAssembly with 128-bit SIMD here";
  return withoutWasm(why);
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
    : { emitter: "closure", reason: `${why}, and code from strings is forbidden` };

let text: boolean | undefined;
function allowsText(): boolean {
  text ??= allowsCodeFromStrings();
  return text;
}

let lanes: boolean | undefined;
/** Whether modules can be made here, with 128-bit lanes, and memory for them. */
function hasLanes(): boolean {
  lanes ??= canMakeLanes() && linearMemory() !== null;
  return lanes;
}
