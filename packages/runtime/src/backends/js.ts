/** JavaScript text, which `new Function` makes a function of. */
import {
  compileClosure,
  compileJs,
  type JsKernel,
  jsImports,
  jsTarget,
  type KernelFunction,
  ownBits,
} from "@fuseau/compiler";
import type { TypedArray } from "@fuseau/ir";
import type { Backend, HeapKernel } from "./backend.ts";
import { onHeap } from "./heap.ts";
import { noteNoStrings } from "./host-policy.ts";

export const js: Backend<HeapKernel, TypedArray> = {
  ...onHeap,
  name: "js",
  title: "JavaScript",
  get target() {
    return jsTarget;
  },
  worthFrom: {},
  missing: () => {
    if (found === undefined) found = whyMissing();
    return found;
  },
  compile: ({ loop, name }) => {
    const compiled = compileJs(loop, name);
    return { source: compiled.source, run: jsFunction(compiled) };
  },
  // The time of text that V8 has not optimised yet (Node 20; benchmarks/first-call.ts).
  firstRun: 500_000,
  canBegin: () => true,
  begin: ({ loop }) => ({ source: "", run: compileClosure(loop, ownBits) }),
  warm({ calls }) {
    for (const { loop, name } of calls) compileJs(loop, name);
  },
  keep: ({ source }) => source,
  revive: (kept) => {
    const source = kept as string;
    return { source, run: jsFunction({ source, imports: jsImports(source) }) };
  },
};

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
