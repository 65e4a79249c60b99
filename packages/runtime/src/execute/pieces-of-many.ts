/**
 * Programs of single ops for many sizes. Ops of one structure are a family, as whole graphs are (families.ts); but ops of all programs are
 * in it, whatever these consist of. So a program whose like has never come is assembled from what ops of other sizes have left.
 */
import {
  type CompileOptions,
  finished,
  type Graph,
  generalise,
  graphsAround,
  isWithin,
  type LateProgram,
  nodesWith,
  numbersAt,
  type Point,
  type Program,
  pointsIn,
} from "@fuseau/compiler";
import { hashStructure, mix, type Node, sameNumbers, sameStructure, sizesOf } from "@fuseau/ir";
import { LruCache } from "../cache/lru.ts";
import { getOptions, type Options } from "../options.ts";
import { boxAround } from "./boxes.ts";
import { computationCount } from "./keep.ts";
import { lineAmong } from "./lines.ts";
import { planeAmong } from "./planes.ts";
import { type Room, roomsOf } from "./rooms.ts";
import { isOn, pointOn, type Surface } from "./surfaces.ts";

interface Family {
  readonly graph: Graph;
  /** The sizes of those that were compiled, the latest first. */
  readonly seen: (readonly number[])[];
  readonly rooms: readonly Room[];
  /** How many were compiled, and how many had been when a surface was last looked for in vain. */
  singles: number;
  lookedAt: number;
  readonly sized: { readonly surface: Surface; readonly late: LateProgram[] }[];
  readonly refused: Surface[];
  /** How often a program of many sizes may still be made. */
  left: number;
}

const families = new LruCache<number, Family>();
families.setLimits(4_096, 2 ** 24);
const BYTES = 8_192;

/** How many lists of sizes are remembered. */
const SEEN = 64;
/** How many were compiled before, as making a program takes; with each more free size so many times as many. */
const [SAMPLES, PER_FREE] = [6, 2];
/** A program of one op is quickly compiled. */
const MOST_FREE = 4;
/** How many programs of many sizes are made for a family, and how many at most until the next computation. */
const [PROGRAMS, AT_ONCE] = [12, 4];
/** A program is made only for more points than this: it takes six compilations and more. */
const FEWEST = 8;

let [computation, made] = [0, 0];

export function clearPiecesOfMany(): void {
  families.clear();
  made = 0;
}

export const pieceOptions = ({ verify = false }: Options): CompileOptions => ({
  fusion: "none",
  isSimplified: true,
  verify,
});

/** The program of an op, if it is one of many sizes; undefined if there is none. */
export function pieceOfMany(graph: Graph): Program | undefined {
  const family = familyOf(graph);
  if (family === undefined) return undefined;
  const sizes = sizesIn(graph);
  const known = instanceIn(family, sizes);
  if (known !== undefined || family.left === 0 || !isToLook(family)) return known;
  if (computation !== computationCount()) [computation, made] = [computationCount(), 0];
  if (made >= AT_ONCE) return undefined;
  return isLearned(family, sizes) ? instanceIn(family, sizes) : undefined;
}

/** To be called when an op was compiled by itself. */
export function notePiece(graph: Graph): void {
  const known = familyOf(graph);
  if (known === undefined) {
    const founded = {
      graph,
      seen: [sizesIn(graph)],
      rooms: roomsOf(graph),
      singles: 1,
      lookedAt: 0,
      sized: [],
      refused: [],
      left: PROGRAMS,
    };
    families.add(hashOf(graph), founded, BYTES);
    return;
  }
  const { seen } = known;
  known.singles++;
  seen.unshift(sizesIn(graph));
  if (seen.length > SEEN) seen.pop();
}

/** What was looked for in vain is looked for less and less often. */
const isToLook = ({ singles, lookedAt }: Family): boolean =>
  singles >= SAMPLES && (singles - lookedAt) * SAMPLES >= lookedAt;

function instanceIn({ sized }: Family, sizes: readonly number[]): Program | undefined {
  for (const { surface, late } of sized) {
    const point = pointOn(surface, sizes);
    if (point === null) continue;
    for (const one of late) if (isWithin(one, point)) return one.at(point, one.program.calls);
  }
  return undefined;
}

/** True if there is a program for these sizes now. */
function isLearned(family: Family, sizes: readonly number[]): boolean {
  const surface = surfaceWith(family, sizes);
  if (surface === null || family.singles < SAMPLES * PER_FREE ** (surface.surface.places.length - 1)) {
    family.lookedAt = family.singles;
    return false;
  }
  const { surface: on, late } = surface;
  const point = pointOn(on, sizes) as Point;
  const around = boxAround(point, late);
  const graphAt = (at: Point): Graph => {
    const numbers = numbersAt(on.sizes, at);
    let next = 0;
    const nodes = nodesWith(family.graph, () => numbers[next++] as number);
    return { ...family.graph, nodes };
  };
  const box = pointsIn(around) <= FEWEST ? around : graphsAround(graphAt, point, around);
  const learned =
    pointsIn(box) <= FEWEST ? null : finished(generalise(graphAt, point, box, pieceOptions(getOptions())));
  made++;
  family.left--;
  if (learned === null || "why" in learned) {
    family.refused.push(on);
    return false;
  }
  if (late.length === 0) family.sized.push(surface);
  late.push(learned);
  return isWithin(learned, point);
}

/** What the sizes are on: a line if most are, else a plane. */
function surfaceWith(
  { sized, seen, refused, rooms }: Family,
  sizes: readonly number[],
): Family["sized"][number] | null {
  const known = sized.find(({ surface }) => pointOn(surface, sizes) !== null);
  if (known !== undefined) return known;
  const line = lineAmong(sizes, seen, refused);
  const isMain = line !== null && 2 * seen.filter((other) => isOn(line, other)).length >= seen.length;
  const surface = isMain ? line : (planeAmong(sizes, seen, refused, rooms, MOST_FREE) ?? line);
  return surface === null ? null : { surface, late: [] };
}

const familyOf = (graph: Graph): Family | undefined =>
  families.find(hashOf(graph), (known) => isAlike(known.graph, graph));

const hashOf = (graph: Graph): number => hashOfGraph(graph, hashStructure);

/** Of the nodes, each by its own hash, and of which reads which. */
export function hashOfGraph({ nodes, inputs }: Graph, hashOfNode: (node: Node) => number): number {
  let hash = 31;
  for (let k = 0; k < nodes.length; k++) {
    hash = mix(hash, hashOfNode(nodes[k] as Node));
    for (const input of inputs[k] as readonly number[]) hash = mix(hash, input);
  }
  return hash;
}

const isAlike = (a: Graph, b: Graph): boolean =>
  a.nodes.length === b.nodes.length &&
  a.nodes.every(
    (node, k) =>
      sameStructure(node, b.nodes[k] as Node) &&
      sameNumbers(a.inputs[k] as readonly number[], b.inputs[k] as readonly number[]),
  );

function sizesIn({ nodes }: Graph): number[] {
  const sizes: number[] = [];
  for (const node of nodes) sizesOf(node, sizes);
  return sizes;
}
