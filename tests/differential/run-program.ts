/** Compiles a graph and runs it without the runtime, so that the compiler is tested by itself. */
import {
  type CompileOptions,
  compile,
  type Emitter,
  float16FromBits,
  float16ToBits,
  type Graph,
  type KernelFunction,
  type Program,
  targets,
} from "@fuseau/compiler";
import { allocate, type DType, type Node, type TypedArray } from "@fuseau/ir";
import { kernelOf } from "./kernel-function.ts";
import type { Element } from "./reference.ts";

export function runProgram(
  graph: Graph,
  given: readonly (readonly Element[])[],
  scalars: readonly Element[],
  emitter: Emitter,
  options: CompileOptions,
): Element[][] {
  return prepare(graph, emitter, options)(given, scalars);
}

/** Compiles a graph, to be run with any elements. */
export function prepare(
  graph: Graph,
  emitter: Emitter,
  options: CompileOptions,
): (given: readonly (readonly Element[])[], scalars: readonly Element[]) => Element[][] {
  const program = compile(graph, { verify: true, target: () => targets[emitter], ...options });
  const kernels = program.calls.map((call) => kernelOf(call, emitter));
  return (given, scalars) =>
    runCalls(graph, program, given, (k, buffers, sizes, own) =>
      (kernels[k] as KernelFunction)(
        buffers,
        sizes,
        own.map((index) => scalars[index] as Element),
      ),
    );
}

/** Runs the kernels of a program, each by its place, over memory as programs find it. */
export function runCalls(
  graph: Graph,
  program: Program,
  given: readonly (readonly Element[])[],
  run: (
    kernel: number,
    buffers: readonly TypedArray[],
    sizes: readonly number[],
    scalars: readonly number[],
  ) => void,
): Element[][] {
  const inputNodes = graph.nodes.filter(({ op }) => op === "input");
  const inputs = given.map((elements, k) => store((inputNodes[k] as Node).dtype, elements));
  const outputs = program.allocations.map(({ dtype, cells, donor }) =>
    donor === null ? poisoned(dtype, cells) : inputs[donor]!,
  );
  const arena = program.arena.map(({ dtype, cells }) => poisoned(dtype, cells));
  program.calls.forEach((call, k) => {
    const buffers = call.buffers.map(({ kind, index }) => {
      const arrays = kind === "input" ? inputs : kind === "output" ? outputs : arena;
      return arrays[index] as TypedArray;
    });
    run(k, buffers, call.sizes, call.scalars);
  });
  return program.results.map(({ kind, index }, k) => {
    const { dtype } = program.graph.nodes[program.graph.outputs[k] as number] as Node;
    return load(dtype, (kind === "input" ? inputs : outputs)[index] as TypedArray);
  });
}

/** Memory as a program finds it: full of what was there before. */
function poisoned(dtype: DType, cells: number): TypedArray {
  const array = allocate(dtype, cells);
  for (let k = 0; k < cells; k++) array[k] = dtype === "int64" ? 77n : 77;
  return array;
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
