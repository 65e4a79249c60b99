/** What the compiler hands to the runtime: kernels in order, and where each of their buffers comes from. Plain data. */
import type { DType, LoopKernel } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import type { BoundSize, StripCount } from "../lower/integers.ts";
import type { NotFused } from "../schedule/tree.ts";

/** Where the elements of a kernel's parameter are. */
export type Source =
  /** The k-th `input` node's elements, given by the caller. */
  | { readonly kind: "input"; readonly index: number }
  /** The array of a result, which the caller keeps; before it is written, intermediates may lie there. */
  | { readonly kind: "output"; readonly index: number }
  /** The k-th slot of the program's arena. */
  | { readonly kind: "arena"; readonly index: number };

/** An array that lives while the program runs, shared by buffers whose lives do not meet. */
export interface ArenaSlot {
  readonly dtype: DType;
  readonly cells: number;
  /** The cells of each buffer that lies there: the array has as many as the largest. */
  readonly held: readonly number[];
}

export interface KernelCall {
  readonly name: string;
  readonly loop: LoopKernel;
  /** The loop kernel printed: equal keys, equal kernels. */
  readonly key: string;
  readonly buffers: readonly Source[];
  readonly sizes: readonly number[];
  /** Which of the sizes depend on the numbers that the caller binds, and how: where slices and windows begin. */
  readonly begins: readonly BoundSize[];
  /** Which of the sizes count strips: ⌈size / width⌉. */
  readonly strips: readonly StripCount[];
  /** scalars[slot] is the index among the graph's `scalar` nodes. */
  readonly scalars: readonly number[];
  /** Positions in `graph` of the nodes computed here, ascending. */
  readonly nodes: readonly number[];
  /** Loop nests at the top, one after another: between two of them threads would meet. */
  readonly phases: number;
}

export interface OutputArray {
  readonly dtype: DType;
  readonly cells: number;
  /** The index of the input whose memory becomes the result's; null for a fresh array. */
  readonly donor: number | null;
}

export interface MemoryFigures {
  /** Bytes of the buffers between kernels, each counted once. */
  readonly intermediate: number;
  /** The same and scratch, were nothing shared. */
  readonly naive: number;
  /** Bytes of the arena: what the program needs at most beside its inputs and outputs. */
  readonly arena: number;
}

export interface Program {
  /** The simplified graph that the kernels compute. */
  readonly graph: Graph;
  readonly calls: readonly KernelCall[];
  /** Arrays to allocate for results. */
  readonly allocations: readonly OutputArray[];
  /** results[k] is where the elements of the k-th wanted node end up: an allocation, or an input as it is. */
  readonly results: readonly Exclude<Source, { kind: "arena" }>[];
  readonly arena: readonly ArenaSlot[];
  /** Inputs whose memory is written over, or free, when the program has run. */
  readonly donors: readonly number[];
  readonly notFused: readonly NotFused[];
  /** Roughly what computing it takes, in additions of elements. */
  readonly work: number;
  readonly memory: MemoryFigures;
  /** Put together op by op, for one run: what comes again is compiled as a whole. */
  readonly isAssembled: boolean;
}
