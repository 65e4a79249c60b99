/** Gives every buffer a place: what the caller binds or keeps, or a slot of the arena, shared by lives that do not meet. */
import { dtypes, InternalError } from "@fuseau/ir";
import { type Graph, inputPositions, scalarPositions, storedAs } from "../graph.ts";
import { heldAs } from "../lower/accumulators.ts";
import type { LoweredKernel } from "../lower/lower.ts";
import type { Buffer } from "../schedule/tree.ts";
import type { ArenaSlot, MemoryFigures, OutputArray, Program, Source } from "./program.ts";

export type MemoryPlan = Pick<Program, "allocations" | "results" | "arena" | "memory"> & {
  /** sources[k][slot] is where the k-th kernel's parameter comes from. */
  readonly sources: readonly (readonly Source[])[];
  /** The index among the graph's `scalar` nodes of each position. */
  readonly scalarIndex: ReadonlyMap<number, number>;
};

export function planMemory(
  graph: Graph,
  kernels: readonly LoweredKernel[],
  buffers: readonly Buffer[],
): MemoryPlan {
  const inputIndex = indexOf(inputPositions(graph));
  const allocations: OutputArray[] = [];
  const outputs = new Map<Buffer, number>();
  for (const buffer of buffers) {
    if (buffer.role !== "output") continue;
    outputs.set(buffer, allocations.length);
    allocations.push({ dtype: buffer.dtype, cells: buffer.cells });
  }
  const lastUse = new Map<Buffer, number>();
  kernels.forEach((kernel, k) => {
    for (const buffer of kernel.buffers) lastUse.set(buffer, k);
  });

  const arena: ArenaSlot[] = [];
  const slots = new Map<Buffer, number>();
  const free: number[] = [];
  const sources = kernels.map((kernel, k) => {
    const own = kernel.buffers.map((buffer): Source => {
      if (buffer.role === "input") return { kind: "input", index: inputIndex.get(buffer.node) as number };
      if (buffer.role === "output") return { kind: "output", index: outputs.get(buffer) as number };
      let slot = slots.get(buffer);
      if (slot === undefined) {
        slot = takeSlot(arena, free, buffer);
        slots.set(buffer, slot);
      }
      return { kind: "arena", index: slot };
    });
    // Nothing is handed on within a kernel: its own parameters never share an array.
    for (const buffer of kernel.buffers) {
      const slot = slots.get(buffer);
      if (slot !== undefined && lastUse.get(buffer) === k) free.push(slot);
    }
    return own;
  });

  const byNode = new Map(buffers.map((buffer) => [buffer.node, buffer]));
  const results = graph.outputs.map((position): Program["results"][number] => {
    const buffer = byNode.get(storedAs(graph, position));
    if (buffer === undefined) throw new InternalError(`result ${position} has no buffer`);
    return buffer.role === "input"
      ? { kind: "input", index: inputIndex.get(buffer.node) as number }
      : { kind: "output", index: outputs.get(buffer) as number };
  });
  const memory = figures([...slots.keys()], arena);
  return { allocations, results, arena, memory, sources, scalarIndex: indexOf(scalarPositions(graph)) };
}

const indexOf = (positions: readonly number[]): Map<number, number> =>
  new Map(positions.map((position, index) => [position, index]));

/** A free slot of the dtype, the one that fits best, grown if need be; else a new one. */
function takeSlot(arena: ArenaSlot[], free: number[], buffer: Buffer): number {
  const dtype = buffer.role === "scratch" ? heldAs(buffer.dtype) : buffer.dtype;
  let best = -1;
  let bestMisfit = Number.POSITIVE_INFINITY;
  free.forEach((slot, k) => {
    const candidate = arena[slot] as ArenaSlot;
    const misfit = Math.abs(candidate.cells - buffer.cells);
    if (candidate.dtype === dtype && misfit < bestMisfit) [best, bestMisfit] = [k, misfit];
  });
  if (best < 0) return arena.push({ dtype, cells: buffer.cells }) - 1;
  const [slot] = free.splice(best, 1) as [number];
  const taken = arena[slot] as ArenaSlot;
  taken.cells = Math.max(taken.cells, buffer.cells);
  return slot;
}

function figures(buffers: readonly Buffer[], arena: readonly ArenaSlot[]): MemoryFigures {
  const bytes = ({ dtype, cells }: OutputArray): number => dtypes[dtype].bytes * cells;
  const sum = (arrays: readonly OutputArray[]): number =>
    arrays.reduce((total, array) => total + bytes(array), 0);
  return {
    intermediate: sum(buffers.filter(({ role }) => role === "intermediate")),
    naive: sum(buffers),
    arena: sum(arena),
  };
}
