/** Caches programs of single ops, by graph. The first run of a program is assembled from them. */
import { alone, compile, type Graph, type Program, sameGraph } from "@fuseau/compiler";
import { hashOperation } from "@fuseau/ir";
import { LruCache } from "../cache/lru.ts";
import { getOptions } from "../options.ts";
import { clearPiecesOfMany, hashOfGraph, notePiece, pieceOfMany, pieceOptions } from "./pieces-of-many.ts";

const pieces = new LruCache<number, Program>();
pieces.setLimits(4_096, 2 ** 24);
/** A rough size of one: its loop IR as tree and text, and its graph. */
const [BYTES, BYTES_PER_CHARACTER] = [4_096, 24];

/** True if first runs are assembled. Tests of whole programs turn it off. */
export const firstRuns: { inPieces: boolean } = { inPieces: true };

export function clearPieces(): void {
  pieces.clear();
  clearPiecesOfMany();
}

/** The program of a single op. */
export function piece(graph: Graph): Program {
  const hash = hashOfGraph(graph, hashOperation);
  const known = pieces.find(hash, (other) => sameGraph(other.graph, graph)) ?? pieceOfMany(graph);
  if (known !== undefined) return known;
  const kept = alone(graph);
  const program = compile(kept, pieceOptions(getOptions()));
  const characters = program.calls.reduce((sum, { key }) => sum + key.length, 0);
  pieces.add(hash, program, BYTES + BYTES_PER_CHARACTER * characters);
  notePiece(kept);
  return program;
}
