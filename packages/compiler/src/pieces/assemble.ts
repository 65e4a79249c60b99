/**
 * A program for one run, assembled op by op from pieces compiled before; every result is in memory. Most programs run once, and
 * scheduling one takes longer than running it unfused. Bits do not depend on fusion. docs/backends.md, "The first run".
 */
import { dtypes, elementCount, type Node } from "@fuseau/ir";
import { type Graph, inputPositions, scalarPositions, storedAs } from "../graph.ts";
import { bytesOf } from "../plan/plan-memory.ts";
import type { ArenaSlot, KernelCall, OutputArray, Program, Source } from "../plan/program.ts";
import { workOf } from "../schedule/facts.ts";
import { isComputed, type Piece, pieceOf } from "./piece.ts";

/** The most nodes of a graph that is assembled. A longer graph is a loop, for which fusion saves much. */
const MOST_NODES = 16_384;
/** Nanoseconds: the least time to schedule a node, and the time to store an element and read it again. */
const NODE = 60_000;
const ELEMENT = 2;
/** The most bytes of the arena. */
const MOST_BYTES = 2 ** 26;

/** The program, or null where compiling the whole is as fast. `compiled` gives the program of a piece. */
export function assemble(graph: Graph, compiled: (piece: Graph) => Program): Program | null {
  const pieces = piecesOf(graph);
  if (pieces === null) return null;
  const indexOf = { input: indexesOf(inputPositions(graph)), scalar: indexesOf(scalarPositions(graph)) };
  const roots = graph.outputs.map((output) => rootOf(graph, output));
  const places = new Map<number, Source>();
  const allocations: OutputArray[] = [];
  for (const root of new Set(roots)) {
    const node = graph.nodes[root] as Node;
    if (node.op === "input") continue;
    places.set(root, { kind: "output", index: allocations.length });
    allocations.push({ dtype: node.dtype, cells: elementCount(node.shape), donor: null });
  }
  const lastRead = new Map<number, number>();
  pieces.forEach(({ reads }, k) => {
    for (const position of reads) lastRead.set(position, k);
  });
  const arena = new Arena();
  const calls: KernelCall[] = [];
  for (const [k, { graph: own, result, reads, scalars, slots }] of pieces.entries()) {
    const node = graph.nodes[result] as Node;
    const program = compiled(own);
    if (!places.has(result)) places.set(result, arena.take(node.dtype, elementCount(node.shape)));
    const scratch = program.arena.map(({ dtype, cells }) => arena.take(dtype, cells));
    const sourceOf = ({ kind, index }: Source): Source => {
      if (kind === "output") return places.get(result) as Source;
      if (kind === "arena") return scratch[index] as Source;
      const read = reads[index] as number;
      const input = indexOf.input.get(read);
      return input === undefined ? (places.get(read) as Source) : { kind: "input", index: input };
    };
    for (const call of program.calls)
      calls.push({
        ...call,
        name: call.name.replace(/^k\d+/, `k${calls.length}`),
        buffers: call.buffers.map(sourceOf),
        scalars: call.scalars.map((index) => indexOf.scalar.get(scalars[index] as number) as number),
        begins: call.begins.map((begin) => ({
          ...begin,
          terms: begin.terms.map((term) => ({ ...term, place: slots[term.place] as number })),
        })),
        nodes: [result],
      });
    for (const slot of scratch) arena.give(slot);
    for (const read of new Set(reads)) {
      const place = places.get(read);
      if (place?.kind === "arena" && lastRead.get(read) === k) arena.give(place);
    }
  }
  const bytes = bytesOf(arena.slots);
  if (bytes > MOST_BYTES) return null;
  return {
    graph,
    calls,
    allocations,
    results: roots.map((root) => {
      const input = indexOf.input.get(root);
      return input === undefined
        ? (places.get(root) as Program["results"][number])
        : { kind: "input", index: input };
    }),
    arena: arena.slots,
    donors: [],
    notFused: [],
    work: workOf(graph),
    memory: { intermediate: arena.taken, naive: arena.taken, arena: bytes, buffers: [] },
    isAssembled: true,
  };
}

/** In order; null where running op by op saves nothing, or nothing is computed. */
function piecesOf(graph: Graph): readonly Piece[] | null {
  const { nodes, outputs } = graph;
  if (nodes.length > MOST_NODES || nodes.some(({ shape }) => shape.includes(0))) return null;
  const roots = new Set(outputs.map((output) => rootOf(graph, output)));
  let stored = 0;
  const pieces: Piece[] = [];
  nodes.forEach((node, position) => {
    const isRoot = roots.has(position) && node.op !== "input";
    if (!isRoot && !isComputed(node)) return;
    pieces.push(pieceOf(graph, position));
    if (!isRoot) stored += elementCount(node.shape);
  });
  return pieces.length > 1 && stored * ELEMENT <= pieces.length * NODE ? pieces : null;
}

/** What holds the elements of a result. */
function rootOf(graph: Graph, output: number): number {
  const position = storedAs(graph, output);
  const node = graph.nodes[position] as Node;
  return node.op === "input" || isComputed(node) ? position : output;
}

const indexesOf = (positions: readonly number[]): ReadonlyMap<number, number> =>
  new Map(positions.map((position, index) => [position, index]));

/** Slots of the arena, each reused by arrays of the same length. */
class Arena {
  readonly slots: ArenaSlot[] = [];
  /** Bytes of all that was taken. */
  taken = 0;
  readonly #free = new Map<string, Source[]>();

  take(dtype: ArenaSlot["dtype"], cells: number): Source {
    this.taken += dtypes[dtype].bytes * cells;
    const free = this.#free.get(`${dtype} ${cells}`)?.pop();
    if (free !== undefined) {
      const { held } = this.slots[free.index] as ArenaSlot;
      (held as number[]).push(cells);
      return free;
    }
    return { kind: "arena", index: this.slots.push({ dtype, cells, held: [cells] }) - 1 };
  }

  give(slot: Source): void {
    const { dtype, cells } = this.slots[slot.index] as ArenaSlot;
    const key = `${dtype} ${cells}`;
    const free = this.#free.get(key);
    if (free === undefined) this.#free.set(key, [slot]);
    else free.push(slot);
  }
}
