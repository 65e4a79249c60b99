/**
 * The order of the loops over a new kernel's space. Reductions whose results are broadcast back to the space vote. If the axes of a
 * result are the outermost loops, all values between it and its uses stay within one iteration of them. Axes of the result that are
 * innermost in memory are strip-mined, and the strips are the outer loop. Within a strip the input is still read in memory order, over a
 * row of accumulators. A scan votes like a reduction that keeps its axis.
 */
import { elementCount, sameNumbers } from "@fuseau/ir";
import { type Axis, type Extent, type Index, plainAxis, whole } from "../indexing/index-expression.ts";
import { type FoldNode, foldInputs, foldSizes, memoryRow } from "./fold.ts";
import { broadcastIndex, isMovement, moveIndex } from "./movement.ts";
import { partsBeneath } from "./parts.ts";
import { CACHED, NARROW_ROW, SHORTEST_ROW } from "./rows.ts";
import { Search } from "./search.ts";
import { addLoop, factsAt, inputsAt, nodeAt, type Sweep } from "./sweep.ts";
import type { Block, Nest } from "./tree.ts";

/** Nodes searched beneath the one that a kernel is made for, so that the search stays linear. */
const LOOKAHEAD = 64;

/** The vote of a reduction, as axes of the space. */
interface Vote {
  readonly node: number;
  /** The axes of its result, which should stand outermost, in this order. */
  readonly kept: readonly number[];
  /** Those of them along which its input is closest, in the order of memory. */
  readonly row: readonly number[];
}

/** Loops over the node's shape in `block`, in the order that most of the reductions beneath it vote for. */
export function addOrderedNest(sweep: Sweep, block: Block, node: number): Nest {
  const { shape } = nodeAt(sweep, node);
  const { op, attributes } = nodeAt(sweep, node);
  const votes = op === "scan" ? [voteOfScan(sweep, node, shape, attributes.axis)] : votesBeneath(sweep, node);
  const vote = winner(votes, shape);
  if (vote !== null && vote.node !== node) sweep.thoughtComputed.add(vote.node);
  const extents = shape.map(whole);
  const index = new Array<Index>(shape.length);
  let innermost = block;
  const loopOver = (axis: Axis): void => {
    innermost = addLoop(innermost, "parallel", [axis]).body;
  };
  const walk = (axes: readonly number[]): void => {
    for (const k of axes) {
      const { size, strip } = extents[k] as Extent;
      const axis = sweep.table.axis(size, strip);
      index[k] = sweep.table.of(axis);
      if (size !== 1) loopOver(axis);
    }
  };
  const folded = op === "reduce" || op === "contract" ? foldSizes(nodeAt(sweep, node) as FoldNode) : [];
  const leaves = vote !== null && sweep.decide(leavesCache(vote, shape, folded, sweep.limits.panel));
  // A fold has its columns divided among threads, and the folds that it reads are stored.
  if (vote === null || (leaves && folded.length === 0)) {
    partsBeneath(sweep, node).forEach((parts, k) => {
      if (parts.length === 1) {
        walk([k]);
        return;
      }
      const { table } = sweep;
      index[k] = parts.reduce<Index | null>((outer, size) => {
        const axis = table.axis(size);
        loopOver(axis);
        return outer === null ? table.of(axis) : table.add(table.scale(outer, size), table.of(axis));
      }, null) as Index;
    });
    return { extents, block: innermost, index };
  }
  const { kept, row } = vote;
  const isWalkedOnce =
    leaves || (votes.length === 1 && shape.every((size, axis) => size === 1 || kept.includes(axis)));
  const width = sweep.decide(stripWidth(sweep.limits.panel, row, shape, isWalkedOnce));
  const cut = sweep.decide(outsideStrip(row, shape, width));
  const inside = row.slice(cut + 1).reduce((cells, axis) => cells * (shape[axis] as number), 1);
  const places = sweep.decide(Math.floor(width / inside));
  // For a strip of one place the loop is over the axis itself; a narrow row is one strip and needs no loop over strips.
  const outside = row.length > 0 && places <= 1 ? cut + 1 : cut;
  walk([...kept.filter((axis) => !row.includes(axis)), ...row.slice(0, outside)]);
  const axis = row[cut];
  if (axis !== undefined && outside === cut) {
    const size = shape[axis] as number;
    const isWhole = sweep.decide(size <= places);
    if (!sweep.decide(isWhole && inside * size <= NARROW_ROW)) {
      const strip = sweep.table.strip(size, isWhole ? size : places);
      extents[axis] = { size, strip };
      loopOver(strip.axis);
    }
  }
  walk([...shape.map((_, axis) => axis).filter((axis) => !kept.includes(axis)), ...row.slice(outside)]);
  return { extents, block: innermost, index };
}

/**
 * What is walked more than once should stay in the second-level cache between walks. A single walk is faster the longer its contiguous
 * runs are. At least two strips are left, for two threads.
 */
function stripWidth(
  limit: number,
  row: readonly number[],
  shape: readonly number[],
  isWalkedOnce: boolean,
): number {
  if (!isWalkedOnce) return limit;
  const cells = row.reduce((count, axis) => count * (shape[axis] as number), 1);
  return Math.max(limit, Math.min(LONG_RUN * limit, roundUp(cells / 2, Math.ceil(limit / 4))));
}

/**
 * True where a strip would not stay in the second-level cache between walks. Then it saves no traffic, and short runs on many pages take
 * up to four times as long as whole rows. Where other loops stand outside, threads need no strips either.
 */
function leavesCache(
  { kept, row }: Vote,
  shape: readonly number[],
  folded: readonly number[],
  limit: number,
): boolean {
  const cells = row.reduce((count, axis) => count * (shape[axis] as number), 1);
  const others = shape.filter((_, axis) => !kept.includes(axis));
  const rows = elementCount([...others, ...folded]);
  const outer = kept.filter((axis) => !row.includes(axis));
  const runs = outer.reduce((count, axis) => count * (shape[axis] as number), 1);
  return cells > NARROW_ROW && (runs >= THREADS || rows * Math.min(cells, limit) > CACHED);
}

/** So many independent iterations are enough for the threads of most machines. */
export const THREADS = 8;

/** How many times as wide a strip that is walked only once may be. */
const LONG_RUN = 4;

const roundUp = (count: number, unit: number): number => Math.ceil(count / unit) * unit;

/** How many of the row's outer axes get loops of their own, so that the rest is about a strip wide. */
function outsideStrip(row: readonly number[], shape: readonly number[], width: number): number {
  let cells = 1;
  for (let k = row.length - 1; k > 0; k--) {
    cells *= shape[row[k] as number] as number;
    if (cells > width) return k;
  }
  return 0;
}

/** The most frequent vote; null where the natural order has as many. */
function winner(votes: readonly Vote[], shape: readonly number[]): Vote | null {
  const real = shape.map((_, axis) => axis).filter((axis) => shape[axis] !== 1);
  let natural = 0;
  const others = new Map<string, { vote: Vote; count: number }>();
  for (const vote of votes) {
    if (vote.row.length === 0 && sameNumbers(vote.kept, real.slice(0, vote.kept.length))) {
      natural++;
      continue;
    }
    const key = `${vote.kept}|${vote.row}`;
    const known = others.get(key);
    if (known === undefined) others.set(key, { vote, count: 1 });
    else known.count++;
  }
  const [best] = [...others.values()].sort((a, b) => b.count - a.count);
  return best !== undefined && best.count > natural ? best.vote : null;
}

/** What is read at several indexes is stored in any case, so it has no vote. */
function votesBeneath(sweep: Sweep, first: number): Vote[] {
  const { table } = sweep;
  const { shape } = nodeAt(sweep, first);
  const axes = shape.map((size) => table.axis(size));
  /** By reduction or scan: one vote for each index at which its result is read. */
  const cast = new Map<number, (Vote | null)[]>();
  const vote = (node: number, one: Vote | null): void => {
    cast.set(node, [...(cast.get(node) ?? []), one]);
  };
  const search = new Search(LOOKAHEAD);
  const visit = (node: number, index: readonly Index[]): void => {
    // What is stored is read as it lies: nothing beneath it is computed here.
    const isRead = node !== first && (sweep.unfused.has(node) || sweep.kept.has(node));
    if (factsAt(sweep, node).folds && !isRead) search.visit(node, index);
  };
  visit(
    first,
    axes.map((axis) => table.of(axis)),
  );
  for (const { node, index } of search.uses) {
    const inputs = inputsAt(sweep, node);
    const known = nodeAt(sweep, node);
    if (known.op === "scan") {
      const scan = voteOfScan(sweep, node, known.shape, known.attributes.axis);
      vote(node, voteOf(node, axes, index, scan.row, scan.kept));
      visit(inputs[0] as number, index);
    } else if (isMovement(known)) visit(inputs[0] as number, moveIndex(table, known, index));
    else if (known.op === "pointwise") {
      known.inputs.forEach((input, k) => {
        visit(inputs[k] as number, broadcastIndex(table, input.shape, index));
      });
    } else if (known.op === "reduce" || known.op === "contract") {
      const own = voteOf(node, axes, index, memoryRow(sweep, node));
      vote(node, own && known.op === "reduce" ? inMemoryOrder(sweep, node, own, index, axes) : own);
      const along = foldSizes(known as FoldNode).map((size) => table.of(table.axis(size)));
      foldInputs(sweep, known as FoldNode, index, along).forEach((at, k) => {
        visit(inputs[k] as number, at);
      });
    }
  }
  return [...cast.values()].flatMap(([own, ...others]) => (own && others.length === 0 ? [own] : []));
}

/** A scan votes for its axis as the innermost loop, outside only the axes that are closer in memory. */
function voteOfScan({ limits, decide }: Sweep, node: number, shape: readonly number[], axis: number): Vote {
  const kept = shape.map((_, k) => k).filter((k) => k !== axis && shape[k] !== 1);
  const row = kept.filter((k) => k > axis);
  const cells = row.reduce((count, k) => count * (shape[k] as number), 1);
  const isRow = decide(cells >= SHORTEST_ROW && Math.min(cells, limits.panel) <= limits.scratch);
  return { node, kept, row: isRow ? row : [] };
}

/** Elements folded for each result from which the input's order counts more than that of the results: a cache line. */
const LINE = 16;

/** The same, with its outer loops in the input's memory order: otherwise each folded row is in another page. */
function inMemoryOrder(
  sweep: Sweep,
  node: number,
  vote: Vote,
  index: readonly Index[],
  axes: readonly Axis[],
): Vote {
  const { size, work, strides } = factsAt(sweep, node);
  if (sweep.decide(vote.row.length > 0 || work < LINE * size)) return vote;
  const strideOf = new Map(
    index.map((part, k) => [axes.indexOf(plainAxis(part) as Axis), strides[k] as number]),
  );
  if (!vote.kept.every((axis) => (strideOf.get(axis) ?? 0) > 0)) return vote;
  const stride = (axis: number): number => strideOf.get(axis) as number;
  return { ...vote, kept: sweep.decide([...vote.kept].sort((a, b) => stride(b) - stride(a))) };
}

/** Null for a result that does not lie along the space's axes, or has a single element. */
function voteOf(
  node: number,
  axes: readonly Axis[],
  index: readonly Index[],
  row: readonly number[],
  wanted: readonly number[] = [...index.keys()],
): Vote | null {
  const along = new Map<number, number>();
  for (const k of wanted) {
    const part = index[k] as Index;
    if (part.terms.length === 0) continue;
    const axis = axes.indexOf(plainAxis(part) as Axis);
    if (axis < 0) return null;
    along.set(k, axis);
  }
  // A diagonal reads two axes along one loop.
  if (along.size === 0 || new Set(along.values()).size < along.size) return null;
  const ascending = (list: number[]): number[] => list.sort((a, b) => a - b);
  const inRow = row.map((k) => along.get(k)).filter((axis) => axis !== undefined);
  return { node, kept: ascending([...along.values()]), row: inRow };
}
