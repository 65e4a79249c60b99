/** What the compiler gives the runtime: kernels in order, and the source of each of their buffers. Plain data. */
import type { DType, LoopKernel } from "@fuseau/ir";
import type { Condition, Graph } from "../graph.ts";
import type { BoundSize, StripCount } from "../lower/integers.ts";
import type { NotFused } from "../schedule/tree.ts";

/** Where the elements of a kernel's parameter are. */
export type Source =
  /** The k-th `input` node's elements, given by the caller. */
  | { readonly kind: "input"; readonly index: number }
  /** The array of a result, which the caller keeps; intermediates may use it before the result is written. */
  | { readonly kind: "output"; readonly index: number }
  /** The k-th slot of the program's arena. */
  | { readonly kind: "arena"; readonly index: number };

/** An array that exists while the program runs, shared by buffers whose lifetimes do not overlap. */
export interface ArenaSlot {
  readonly dtype: DType;
  readonly cells: number;
  /** The cells of each buffer in it; the array is as long as the largest. */
  readonly held: readonly number[];
}

export interface KernelCall {
  readonly name: string;
  readonly loop: LoopKernel;
  /** The loop kernel printed: equal keys, equal kernels. */
  readonly key: string;
  readonly buffers: readonly Source[];
  readonly sizes: readonly number[];
  /** Which sizes depend on numbers that the caller binds, and how: the starts of slices and windows. */
  readonly begins: readonly BoundSize[];
  /** Which of the sizes count strips: ⌈size / width⌉. */
  readonly strips: readonly StripCount[];
  /** scalars[slot] is the index among the graph's `scalar` nodes. */
  readonly scalars: readonly number[];
  /** Positions in `graph` of the nodes computed here, ascending. */
  readonly nodes: readonly number[];
  /** The number of loop nests at the top: threads meet between two of them. */
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
  /** The same with scratch, if nothing were shared. */
  readonly naive: number;
  /** Bytes of the arena: the memory that the program needs beside its inputs and outputs. */
  readonly arena: number;
  /** What the first two count. */
  readonly buffers: readonly {
    readonly dtype: DType;
    readonly cells: number;
    readonly isScratch: boolean;
  }[];
}

export interface Program {
  /** The simplified graph that the kernels compute. */
  readonly graph: Graph;
  readonly calls: readonly KernelCall[];
  /** Arrays to allocate for results. */
  readonly allocations: readonly OutputArray[];
  /** results[k] is the place of the k-th result's elements: an allocation, or an unchanged input. */
  readonly results: readonly Exclude<Source, { kind: "arena" }>[];
  readonly arena: readonly ArenaSlot[];
  /** Inputs whose memory is overwritten, or free, when the program has run. */
  readonly donors: readonly number[];
  readonly notFused: readonly NotFused[];
  /** What rules and the schedule have compared that is more than two sizes. */
  readonly conditions?: readonly Condition[];
  /** An estimate of its work, in additions of elements. */
  readonly work: number;
  readonly memory: MemoryFigures;
}
