import type { TypedArray } from "@fuseau/ir";

/** A compiled kernel. Buffers, sizes and scalars are in the order of the loop kernel's parameters. */
export type KernelFunction = (
  buffers: readonly TypedArray[],
  sizes: readonly number[],
  scalars: readonly (number | bigint)[],
) => void;
