/** Memory of a backend's own, beside the JavaScript heap. Elements go from one such memory to another by way of the heap. */
import type { DType, TypedArray } from "@fuseau/ir";

export interface Memory<B extends Block = Block> {
  /** A block for a run, its contents undefined. @throws RangeError when memory is out. */
  take(bytes: number): B;
  /** The block, if it is one of this memory. */
  own(block: Block): B | null;
}

/**
 * What a block is held for.
 *
 * - A *run* takes blocks for what it computes, and gives back or hands on each of them when it ends.
 * - A *result* is the only place of a tensor's elements.
 * - A *copy* is of elements that live on the JavaScript heap, made for kernels to read, and kept for the next run.
 */
export type Use = "run" | "result" | "copy" | "free";

export interface Block {
  /** As asked for. */
  readonly bytes: number;
  readonly use: Use;
  /** Says what it is held for from now on. */
  assign(use: Use): void;
  /** Gives it back; whoever knew it must forget it. */
  give(): void;
  /** Copies an array's elements into it. */
  write(dtype: DType, array: TypedArray): void;
  /** A pooled array with the elements in it. @throws RangeError when memory is out. */
  read(dtype: DType, cells: number): TypedArray;
  /** The same, for a reader to keep: an array of its own, never pooled. */
  copy(dtype: DType, cells: number): TypedArray;
}
