/**
 * What the scheduler builds: kernels as loop trees. A value is a node read at an index; the loops that its index depends on decide where
 * it is computed. Items list what they need within their own block, and blocks are ordered in the end.
 */
import type { Combiner, DType, Fold, PointwiseOp } from "@fuseau/ir";
import type { Condition } from "../graph.ts";
import {
  type Axis,
  type Extent,
  type Index,
  type IndexTable,
  type Indirect,
  shareOf,
} from "../indexing/index-expression.ts";

/** Elements in memory: a program's input, output or intermediate, or the scratch of one kernel. */
export interface Buffer {
  readonly role: "input" | "output" | "intermediate" | "scratch";
  readonly dtype: DType;
  readonly cells: number;
  /** The node whose elements these are. */
  readonly node: number;
}

/** True where low <= at < high. */
export interface Guard {
  readonly at: Index;
  readonly low: number;
  readonly high: number;
}

/** A node's element at an index: one definition in a kernel. Its uses are known before it is placed. */
export interface Value {
  readonly kernel: Kernel;
  readonly node: number;
  readonly index: readonly Index[];
  /** The guards under which the index is within the node's shape. */
  readonly guards: readonly Guard[];
  readonly users: Item[];
  place: Place | null;
}

/** How a value was placed. */
type Place =
  | { readonly kind: "same"; readonly as: Value }
  | { readonly kind: "let"; readonly item: Let }
  | { readonly kind: "constant"; readonly value: number | bigint }
  | { readonly kind: "scalar"; readonly node: number };

/** The expression of a `let`. */
export type Definition =
  | {
      readonly kind: "pointwise";
      readonly fn: PointwiseOp;
      readonly from: DType;
      readonly args: readonly Value[];
    }
  | { readonly kind: "load"; readonly buffer: Buffer; readonly at: Index; readonly guards: readonly Guard[] }
  | { readonly kind: "select"; readonly cases: readonly Case[]; readonly otherwise: Value }
  | { readonly kind: "index"; readonly at: Index }
  | { readonly kind: "result"; readonly reduction: Reduction; readonly cell: Index };

export interface Case {
  readonly guards: readonly Guard[];
  readonly value: Value;
}

interface ItemBase {
  readonly block: Block;
  /** Items of the same block that must come first. */
  readonly needs: Set<Item>;
}
export interface Loop extends ItemBase {
  readonly kind: "loop";
  /** A scan is a reduce loop whose accumulator is read after each element. */
  role: "parallel" | "reduce" | "scan";
  /** Iterations must run in their order, since their stores may overlap. */
  readonly ordered: boolean;
  /** One axis for a parallel loop; a reduce loop walks its axes in row-major order. */
  axes: readonly Axis[];
  body: Block;
  /** The inner nests of a reduce loop that hold rows of accumulators, for other folds to share. */
  readonly nests: Nest[];
}
export interface Let extends ItemBase {
  readonly kind: "let";
  readonly dtype: DType;
  readonly node: number;
  definition: Definition;
}
export interface Store extends ItemBase {
  readonly kind: "store";
  readonly buffer: Buffer;
  at: Index;
  value: Value;
  readonly combine: Combiner;
  /** The buffer has been scratch for another node, whose elements this store overwrites. */
  holds: boolean;
}
/** An index that is read from data and checked; in index expressions `atom` stands for it. */
export interface Lookup extends ItemBase {
  readonly kind: "lookup";
  readonly atom: Indirect;
  readonly value: Value;
  readonly dtype: DType;
  readonly size: number;
  readonly axis: number;
  /** The gather that it belongs to; null for a scatter. */
  readonly gather: number | null;
  /** The row-major place of the value in the index tensor. */
  place: Index;
}
/** Sorts `length` keys into `sorted`, and their places where they have a buffer. */
export interface Sort extends ItemBase {
  readonly kind: "sort";
  readonly keys: Buffer;
  readonly order: Buffer | null;
  readonly sorted: boolean;
  readonly length: number;
  /** How many sorted places, counted from the front, are read. */
  readonly first: number;
  readonly descending: boolean;
}
/** Folds values into the reduction's accumulator: one, or the two factors of a product. */
export interface Accumulate extends ItemBase {
  readonly kind: "accumulate";
  readonly reduction: Reduction;
  values: readonly Value[];
  cell: Index;
  /** The row-major place among the reduced elements, for argmax and argmin. */
  position: Index;
}
export type Item = Loop | Let | Store | Accumulate | Lookup | Sort;

export interface Reduction {
  readonly node: number;
  readonly fn: Fold;
  readonly from: DType;
  readonly to: DType;
  /** Interleaved partial results, in the accumulation order. */
  readonly lanes: 1 | 8;
  readonly loop: Loop;
  /** The number of accumulators: 1, or a row of them under an inner loop. */
  readonly cells: number;
  /** A row of accumulators was not possible although memory order calls for one: the input is read across memory order. */
  readonly crosses: boolean;
}

export interface Block {
  /** The loop that it is the body of; null for a kernel's root. */
  loop: Loop | null;
  readonly depth: number;
  items: Item[];
}

/** One generated function. A kernel has a higher rank than the kernels that read its results. */
export interface Kernel {
  readonly rank: number;
  readonly root: Block;
  /** Loop nests over the shapes of stored values, which results of the same shape may join. */
  readonly spaces: Space[];
  /** By a hash of the node, its index and its guards. */
  readonly values: Map<number, Value[]>;
  readonly reads: Set<Buffer>;
  readonly writes: Buffer[];
  /** Its stores, but for those to scratch. */
  readonly stores: Store[];
  /** The loads from each buffer. */
  readonly loads: Map<Buffer, Let[]>;
  /** The nests at the root that copy the rest, for writes through a window or at indexes. */
  readonly copies: Map<Buffer, { readonly store: Store; readonly nest: Item }>;
  /** Pointwise and reduction ops placed so far, for the limit of ops. */
  ops: number;
  /** Elements walked for the node that the kernel was made for. */
  readonly size: number;
  /** The inputs that its nodes read, as a 32-bit Bloom filter. */
  leaves: number;
  /** Full-size nodes that are read, or that are results and not yet placed. */
  readonly streams: Set<number>;
}

/** Nested parallel loops over `extents`; sizes of 1 have no loop. */
export interface Nest {
  readonly extents: readonly Extent[];
  readonly block: Block;
  readonly index: readonly Index[];
}

/** Loops over `shape`, axes of size 1 left out, ending in `block`. */
export interface Space {
  readonly shape: readonly number[];
  readonly index: readonly Index[];
  readonly block: Block;
}

/** The reason why a producer is not computed inside its consumer, with the measured value and the limit that it exceeds. */
export interface NotFused {
  readonly producer: number;
  readonly reason: NotFusedReason;
  readonly measured: number;
  readonly limit: number;
}
export type NotFusedReason =
  | "fusion is off"
  | "wanted as a result and read at other indexes"
  | "read by several kernels"
  | "too many ops"
  | "too many streams"
  | "recompute costs more than a buffer"
  | "scratch too large"
  | "leaves the cache before it is read"
  | "writes in an order of its own"
  | "scanned along a loop that its reader has not"
  | "scanned by one thread"
  | "index too deep"
  | "may fail where it is not read"
  | "padding in a product"
  | "reads what is overwritten"
  | "costs more here than stored";

/** The result of scheduling, kernels in the order of execution. */
export interface Schedule {
  /** Inputs whose memory the caller gives up. */
  readonly donated: ReadonlySet<Buffer>;
  /** Results that overwrite a buffer that is not read afterwards. */
  readonly inPlace: ReadonlyMap<Buffer, Buffer>;
  readonly kernels: readonly Kernel[];
  /** How many kernels run before nothing can fail any more; until then inputs are not overwritten. */
  readonly safe: number;
  readonly buffers: readonly Buffer[];
  readonly notFused: readonly NotFused[];
  /** See `Graph.conditions`. */
  readonly conditions: readonly Condition[];
  readonly table: IndexTable;
  /** False if another sweep, with what was found, would schedule it otherwise. */
  readonly isSettled: boolean;
}

/** The item of `block` that contains `item`, or is it. */
export function ancestorIn(block: Block, item: Item): Item {
  let ancestor = item;
  while (ancestor.block !== block) ancestor = ancestor.block.loop as Loop;
  return ancestor;
}

/** Orders `user` after `producer`: adds the need in the innermost block around both, between the items that contain them. */
export function link(user: Item, producer: Item): void {
  const block = commonBlock([user, producer]);
  const before = ancestorIn(block, producer);
  const after = ancestorIn(block, user);
  if (before !== after) after.needs.add(before);
}

/** True when `from` is `to` or must come after it. */
export function reaches(from: Item, to: Item): boolean {
  const seen = new Set<Item>([from]);
  const stack = [from];
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    if (item === to) return true;
    for (const need of item.needs) {
      if (seen.has(need)) continue;
      seen.add(need);
      stack.push(need);
    }
  }
  return false;
}

/** The innermost block that holds all the items. */
export function commonBlock(items: readonly Item[]): Block {
  let block = (items[0] as Item).block;
  for (let i = 1; i < items.length; i++) {
    let other = (items[i] as Item).block;
    while (block !== other) {
      if (block.depth >= other.depth) block = (block.loop as Loop).block;
      else other = (other.loop as Loop).block;
    }
  }
  return block;
}

/** How often the block runs in one call of its kernel. */
export function evaluations(block: Block): number {
  let count = 1;
  for (let loop = block.loop; loop !== null; loop = loop.block.loop) {
    for (const { extent, strip } of loop.axes) count *= shareOf({ size: extent, strip });
  }
  return Math.round(count);
}

/** The `let` that a value was placed as. */
export function letOf(value: Value): Let | null {
  const place = placeOf(value);
  return place?.kind === "let" ? place.item : null;
}

/** Where a value lives, or the one that it is the same as. */
export function placeOf({ place }: Value): Exclude<Place, { readonly kind: "same" }> | null {
  let found = place;
  while (found?.kind === "same") found = found.as.place;
  return found;
}

/** The values that a `let` is computed from. */
export const letsOf = ({ definition }: Let): Let[] => {
  const values =
    definition.kind === "pointwise"
      ? definition.args
      : definition.kind === "select"
        ? [...definition.cases.map(({ value }) => value), definition.otherwise]
        : [];
  return values.map(letOf).filter((item) => item !== null);
};

/** The values given, and all that they are made of within the kernel, as far as `isIn` holds. */
export function reachedFrom(items: readonly Let[], isIn: (item: Let) => boolean = () => true): Set<Let> {
  const reached = new Set(items);
  for (const item of reached) for (const read of letsOf(item)) if (isIn(read)) reached.add(read);
  return reached;
}

/** Those that an item is made of. */
export function readsOf(item: Item): readonly Let[] {
  if (item.kind === "let") return letsOf(item);
  const values =
    item.kind === "accumulate"
      ? item.values
      : item.kind === "store" || item.kind === "lookup"
        ? [item.value]
        : [];
  return values.map(letOf).filter((read) => read !== null);
}
