/** JavaScript text, which `new Function` makes a function of. */
import {
  compileClosure,
  compileJs,
  type JsKernel,
  jsImports,
  jsTarget,
  type KernelFunction,
  type LaneCalls,
  ownBits,
} from "@fuseau/compiler";
import type { TypedArray } from "@fuseau/ir";
import type { Backend, HeapKernel } from "./backend.ts";
import { onHeap } from "./heap.ts";
import { noteNoStrings } from "./host-policy.ts";

type TextBackend = Backend<HeapKernel, TypedArray>;

/** A kernel for later processes. */
interface KeptText {
  readonly source: string;
  /** Whether it was made where WebAssembly has relaxed SIMD. */
  readonly relaxed: boolean;
}

/** Text whose last bits are its own, or with `calls` those of WebAssembly, which depend on whether the host has relaxed SIMD. */
export const textBackend = (
  own: Pick<TextBackend, "key" | "missing" | "refuses" | "canBegin" | "begin" | "bits">,
  calls: LaneCalls | null,
  isRelaxed: () => boolean,
): TextBackend => ({
  ...onHeap,
  ...own,
  name: "js",
  title: "JavaScript",
  get target() {
    return jsTarget;
  },
  worthFrom: {},
  compile: ({ loop, name }) => {
    const compiled = compileJs(loop, name, calls);
    return { source: compiled.source, run: jsFunction(compiled) };
  },
  // The time of text that V8 has not optimised yet (Node 20; benchmarks/first-call.ts).
  firstRun: 500_000,
  warm(program) {
    for (const { loop, name } of program.calls) compileJs(loop, name, calls);
  },
  keep: ({ source }) => ({ source, relaxed: isRelaxed() }) satisfies KeptText,
  revive: (kept) => {
    const { source, relaxed } = kept as KeptText;
    if (relaxed !== isRelaxed()) return null;
    return { source, run: jsFunction({ source, imports: jsImports(source, calls) }) };
  },
});

export const js: TextBackend = textBackend(
  {
    key: "js",
    missing: () => {
      if (found === undefined) found = whyMissing();
      return found;
    },
    refuses: () => null,
    canBegin: () => true,
    begin: ({ loop }) => ({ source: "", run: compileClosure(loop, ownBits) }),
    bits: () => ownBits,
  },
  null,
  () => false,
);

/** @throws EvalError, or whatever the host throws, where code from strings is forbidden. */
export function jsFunction({ source, imports }: JsKernel): KernelFunction {
  // The brackets make engines compile the function at once. Without them they parse it twice, here and at its first run.
  const factory = new Function(...Object.keys(imports), `"use strict";\nreturn (${source});`);
  return factory(...Object.values(imports)) as KernelFunction;
}

let found: string | null | undefined;

function whyMissing(): string | null {
  try {
    return new Function("return true")() === true ? null : "code from strings does not run here";
  } catch (error) {
    return noteNoStrings(error);
  }
}
