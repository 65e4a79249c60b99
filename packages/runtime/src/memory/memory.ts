/** The memory of a backend beside the JavaScript heap. Elements move from one such memory to another through the heap. */
import type { DType, TypedArray } from "@fuseau/ir";

export interface Memory<B extends Block = Block> {
  /**
   * A block for a run, with undefined contents.
   * @throws RangeError when memory is out.
   */
  take(bytes: number): B;
  /** The block itself if it is one of this memory; otherwise null. */
  own(block: Block): B | null;
}

/**
 * What a block is used for.
 * - A *run* takes blocks for what it computes. When it ends, it frees each of them or passes it on.
 * - A *result* is the only place of a tensor's elements.
 * - A *copy* has elements that live on the JavaScript heap. It is made for kernels to read, and kept for the next run.
 */
export type Use = "run" | "result" | "copy" | "free";

export interface Block {
  /** The size that was asked for. */
  readonly bytes: number;
  readonly use: Use;
  /** Changes what it is used for. */
  assign(use: Use): void;
  /** Frees it; nobody may use it afterwards. */
  give(): void;
  /** Copies an array's elements into it. */
  write(dtype: DType, array: TypedArray): void;
  /**
   * A pooled array with the elements.
   * @throws RangeError when memory is out.
   */
  read(dtype: DType, cells: number): TypedArray;
  /** The elements where they are, for as long as nothing else runs. */
  peek(dtype: DType, cells: number): TypedArray;
  /** A new array with the elements that the reader keeps, and that is never pooled. */
  copy(dtype: DType, cells: number): TypedArray;
}
