/**
 * Gives every buffer a place: an array of the caller's, or a slot of the arena. Buffers whose lifetimes do not overlap share a place. So
 * do a result and the dying buffer that it overwrites. A donated input is a free place after its last read.
 */
import { type DType, dtypes, InternalError } from "@fuseau/ir";
import { asFound, type Decide } from "../decisions.ts";
import { type Graph, inputPositions, scalarPositions, storedAs } from "../graph.ts";
import { heldAs } from "../lower/accumulators.ts";
import type { LoweredKernel } from "../lower/lower.ts";
import type { Buffer, Schedule } from "../schedule/tree.ts";
import type { ArenaSlot, MemoryFigures, OutputArray, Program, Source } from "./program.ts";

type MemoryPlan = Pick<Program, "allocations" | "results" | "arena" | "memory" | "donors"> & {
  /** sources[k][slot] is where the k-th kernel's parameter comes from. */
  readonly sources: readonly (readonly Source[])[];
  /** The index among the graph's `scalar` nodes of each position. */
  readonly scalarIndex: ReadonlyMap<number, number>;
};

/** Memory for one buffer at a time. */
interface Place {
  readonly dtype: DType;
  cells: number;
  readonly held: number[];
  /** The index of the input whose memory it is. */
  readonly input: number | null;
  result: boolean;
}

/** `varies` is true where the same places are to do at other sizes. */
export function planMemory(
  graph: Graph,
  kernels: readonly LoweredKernel[],
  { buffers, donated, inPlace, safe }: Pick<Schedule, "buffers" | "donated" | "inPlace" | "safe">,
  decide: Decide = asFound,
  varies = false,
): MemoryPlan {
  const inputIndex = indexOf(inputPositions(graph));
  const first = (buffer: Buffer): Buffer => {
    let root = buffer;
    for (let under = inPlace.get(root); under !== undefined; under = inPlace.get(root)) root = under;
    return root;
  };
  const lastUse = new Map<Buffer, number>();
  const results = new Set<Buffer>();
  kernels.forEach((kernel, k) => {
    for (const buffer of kernel.buffers) lastUse.set(first(buffer), k);
  });
  for (const buffer of buffers) if (buffer.role === "output") results.add(first(buffer));

  const places: Place[] = [];
  const placeOf = new Map<Buffer, Place>();
  /** The places that are free after the k-th kernel. */
  const freed = kernels.map((): Place[] => []);
  const free = new Set<Place>();
  for (const buffer of buffers) {
    if (buffer.role !== "input") continue;
    const input = inputIndex.get(buffer.node) as number;
    const result = results.has(buffer);
    const place: Place = { dtype: buffer.dtype, cells: buffer.cells, held: [], input, result };
    places.push(place);
    placeOf.set(buffer, place);
    if (!donated.has(buffer) || result) continue;
    const last = Math.max(lastUse.get(buffer) ?? -1, safe - 1);
    if (last < 0) free.add(place);
    else freed[last]?.push(place);
  }
  kernels.forEach((kernel, k) => {
    for (const buffer of kernel.buffers) {
      const root = first(buffer);
      if (placeOf.has(root)) continue;
      const place = takePlace(places, free, root, results.has(root), decide, varies);
      placeOf.set(root, place);
      if (!results.has(root)) freed[lastUse.get(root) as number]?.push(place);
    }
    for (const place of freed[k] as Place[]) free.add(place);
  });
  // No kernel stores empty results.
  for (const root of results)
    if (!placeOf.has(root)) placeOf.set(root, takePlace(places, new Set(), root, true, decide, varies));

  const allocations: OutputArray[] = [];
  const arena: ArenaSlot[] = [];
  const named = new Map<Place, Source>();
  for (const place of places) {
    const { dtype, cells, held, input, result } = place;
    if (result) {
      named.set(place, { kind: "output", index: allocations.length });
      allocations.push({ dtype, cells, donor: input });
    } else if (input === null)
      named.set(place, { kind: "arena", index: arena.push({ dtype, cells, held }) - 1 });
    else named.set(place, { kind: "input", index: input });
  }
  const sourceOf = (buffer: Buffer): Source => named.get(placeOf.get(first(buffer)) as Place) as Source;

  const byNode = new Map(buffers.map((buffer) => [buffer.node, buffer]));
  return {
    allocations,
    arena,
    results: graph.outputs.map((position) => {
      const buffer = byNode.get(storedAs(graph, position));
      if (buffer === undefined) throw new InternalError(`result ${position} has no buffer`);
      return sourceOf(buffer) as Program["results"][number];
    }),
    donors: [...donated].map(({ node }) => inputIndex.get(node) as number),
    memory: figuresOf(ownBuffers(kernels), arena),
    sources: kernels.map((kernel) => kernel.buffers.map(sourceOf)),
    scalarIndex: indexOf(scalarPositions(graph)),
  };
}

const indexOf = (positions: readonly number[]): Map<number, number> =>
  new Map(positions.map((position, index) => [position, index]));

/**
 * The free place of the dtype that fits best, enlarged if that is possible; else a new one. A result's array is its own from the first
 * element to the last.
 */
function takePlace(
  places: Place[],
  free: Set<Place>,
  buffer: Buffer,
  result: boolean,
  decide: Decide,
  varies: boolean,
): Place {
  const dtype = buffer.role === "scratch" ? heldAs(buffer.dtype) : buffer.dtype;
  const fits = (place: Place): boolean => {
    const missing = buffer.cells - place.cells;
    if (place.dtype !== dtype) return false;
    // What is less than a result at some sizes may be more at others.
    if (result) return missing === 0 && !(varies && place.held.some((cells) => cells !== buffer.cells));
    return missing <= 0 || place.input === null;
  };
  let best: Place | undefined;
  let bestMisfit = Number.POSITIVE_INFINITY;
  for (const place of free) {
    const misfit = Math.abs(buffer.cells - place.cells);
    if (misfit >= bestMisfit || !fits(place)) continue;
    best = place;
    bestMisfit = misfit;
    if (misfit === 0) break;
  }
  const chosen = decide(best === undefined ? -1 : places.indexOf(best));
  best = chosen < 0 ? undefined : (places[chosen] as Place);
  if (best === undefined) {
    best = { dtype, cells: buffer.cells, held: [], input: null, result };
    places.push(best);
  } else if (!free.has(best) || !fits(best))
    throw new InternalError(`place ${chosen} has no room for ${buffer.cells} cells of ${dtype}`);
  free.delete(best);
  best.cells = Math.max(best.cells, buffer.cells);
  best.held.push(buffer.cells);
  best.result = result;
  return best;
}

export const figuresOf = (buffers: MemoryFigures["buffers"], arena: readonly ArenaSlot[]): MemoryFigures => ({
  intermediate: bytesOf(buffers.filter(({ isScratch }) => !isScratch)),
  naive: bytesOf(buffers),
  arena: bytesOf(arena),
  buffers,
});

/** What is between kernels and within them, each once. */
const ownBuffers = (kernels: readonly LoweredKernel[]): MemoryFigures["buffers"] =>
  [...new Set(kernels.flatMap((kernel) => kernel.buffers))]
    .filter(({ role }) => role === "intermediate" || role === "scratch")
    .map(({ dtype, cells, role }) => ({ dtype, cells, isScratch: role === "scratch" }));

/** The bytes of arrays, each counted once. */
export const bytesOf = (arrays: readonly Pick<OutputArray, "dtype" | "cells">[]): number =>
  arrays.reduce((total, { dtype, cells }) => total + dtypes[dtype].bytes * cells, 0);
