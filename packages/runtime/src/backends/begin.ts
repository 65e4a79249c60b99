/** Kernels for the first run of a program, which goes on in others. */
import { type Bits, compileClosure, type KernelCall, timeInClosures } from "@fuseau/compiler";
import type { HeapKernel } from "./backend.ts";

/** Closures; null where they take longer than so many nanoseconds. */
export const beginInClosures = ({ loop, sizes }: KernelCall, limit: number, bits: Bits): HeapKernel | null =>
  timeInClosures(loop, sizes) > limit ? null : { source: "", run: compileClosure(loop, bits) };
