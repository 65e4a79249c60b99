/** Compiles a graph and runs it in WebAssembly, each phase cut into slices of so many work items. */
import { type CompileOptions, compile, type Graph } from "@fuseau/compiler";
import { compileWasm } from "../../../packages/compiler/src/emit/wasm/compile.ts";
import { onceForEachText } from "../../differential/kernel-function.ts";
import type { Element } from "../../differential/reference.ts";
import { runCalls } from "../../differential/run-program.ts";
import { wasmOnHeap } from "../../differential/wasm-on-heap.ts";

const wasmKernel = onceForEachText(({ loop, name }, relaxed: boolean) =>
  wasmOnHeap(loop, compileWasm(loop, name, { shared: false, relaxed })),
);

export const runInSlices = (
  graph: Graph,
  given: readonly (readonly Element[])[],
  options: CompileOptions,
  itemsAtOnce: number,
  relaxed = false,
): Element[][] => prepareSlices(graph, options, relaxed)(given, itemsAtOnce);

/** Compiles a graph, to be run in slices of any size. */
export function prepareSlices(
  graph: Graph,
  options: CompileOptions,
  relaxed = false,
): (given: readonly (readonly Element[])[], itemsAtOnce: number) => Element[][] {
  const program = compile(graph, { verify: true, ...options });
  const kernels = program.calls.map((call) => wasmKernel(call, relaxed));
  return (given, itemsAtOnce) =>
    runCalls(graph, program, given, (k, buffers, sizes) => kernels[k]!(buffers, sizes, [], itemsAtOnce));
}
