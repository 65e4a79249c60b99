/** Closures, which every host can run, even where code from strings is forbidden. */
import { closureTarget, compileClosure, type KernelCall, ownBits, type Program } from "@fuseau/compiler";
import { allocate, elementCount, type TypedArray } from "@fuseau/ir";
import type { Backend, HeapKernel } from "./backend.ts";
import { onHeap } from "./heap.ts";

/** Runs a program on zeros, in arrays that are not from the pool. */
function runForNothing({ graph, allocations, arena, calls }: Program): void {
  const arrays = {
    input: graph.nodes.flatMap(({ op, dtype, shape }) =>
      op === "input" ? [allocate(dtype, elementCount(shape))] : [],
    ),
    output: allocations.map(({ dtype, cells }) => allocate(dtype, cells)),
    arena: arena.map(({ dtype, cells }) => allocate(dtype, cells)),
  };
  for (const { loop, buffers, sizes } of calls)
    compileClosure(loop)(
      buffers.map(({ kind, index }) => arrays[kind][index] as TypedArray),
      sizes,
      [],
    );
}

type ClosureBackend = Backend<HeapKernel, TypedArray>;

export const closureBackend = (
  own: Pick<ClosureBackend, "key" | "missing" | "refuses" | "bits">,
  compileKernel: (call: KernelCall) => HeapKernel,
): ClosureBackend => ({
  ...onHeap,
  ...own,
  name: "closure",
  title: "closures",
  get target() {
    return closureTarget;
  },
  worthFrom: {},
  compile: compileKernel,
  firstRun: 0,
  canBegin: () => false,
  begin: compileKernel,
  warm: runForNothing,
  keep: () => null,
  revive: (_, call) => compileKernel(call),
});

export const closure: ClosureBackend = closureBackend(
  { key: "closure", missing: () => null, refuses: () => null, bits: () => ownBits },
  ({ loop }) => ({ source: "", run: compileClosure(loop) }),
);
