/** Compiles a graph and runs it in WebAssembly, each phase cut into slices of so many units. */
import { type CompileOptions, compile, float16FromBits, float16ToBits, type Graph } from "@fuseau/compiler";
import { allocate, type DType, type Node, type TypedArray } from "@fuseau/ir";
import { compileWasm } from "../../../packages/compiler/src/emit/wasm/compile.ts";
import type { Element } from "../../differential/reference.ts";
import { wasmOnHeap } from "../../differential/wasm-on-heap.ts";

export function runInSlices(
  graph: Graph,
  given: readonly (readonly Element[])[],
  options: CompileOptions,
  unitsAtOnce: number,
  relaxed = false,
): Element[][] {
  const program = compile(graph, { verify: true, ...options });
  const inputNodes = graph.nodes.filter(({ op }) => op === "input");
  const inputs = given.map((elements, k) => store((inputNodes[k] as Node).dtype, elements));
  const outputs = program.allocations.map(({ dtype, cells }) => allocate(dtype, cells));
  const arena = program.arena.map(({ dtype, cells }) => allocate(dtype, cells));
  for (const call of program.calls) {
    const buffers = call.buffers.map(({ kind, index }) => {
      const arrays = kind === "input" ? inputs : kind === "output" ? outputs : arena;
      return arrays[index] as TypedArray;
    });
    const kernel = compileWasm(call.loop, call.name, { shared: false, relaxed });
    wasmOnHeap(call.loop, kernel, unitsAtOnce)(buffers, call.sizes, []);
  }
  return program.results.map(({ kind, index }, k) => {
    const { dtype } = program.graph.nodes[program.graph.outputs[k] as number] as Node;
    return load(dtype, (kind === "input" ? inputs : outputs)[index] as TypedArray);
  });
}

function store(dtype: DType, elements: readonly Element[]): TypedArray {
  const array = allocate(dtype, elements.length);
  elements.forEach((x, k) => {
    array[k] = dtype === "float16" ? float16ToBits(x as number) : x;
  });
  return array;
}

const load = (dtype: DType, array: TypedArray): Element[] =>
  Array.from(array as ArrayLike<Element>, (x) => (dtype === "float16" ? float16FromBits(x as number) : x));
