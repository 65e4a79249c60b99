/**
 * The frame: the arguments of one call of a kernel, in linear memory. It consists of 8-byte slots, little-endian, in this order.
 * Offsets are in bytes from the frame's start, which is a multiple of 16.
 *
 *   error        what failed, if `run` returned 1 (error.ts)
 *   zeros        bytes that are 0; loads under a failing test read them
 *   buffers      i32 addresses of what the caller binds, in the order of the kernel's parameters
 *   sizes        i32
 *   scalars      f64; of int64, i64
 *   workspaces   i32 addresses of the module's own memory: private buffers, and workspaces of the emitter
 */
import { countBound, type LoopKernel } from "@fuseau/ir";

export interface Frame {
  readonly error: number;
  readonly zeros: number;
  readonly buffers: number;
  readonly sizes: number;
  readonly scalars: number;
  readonly workspaces: number;
}

const SLOT = 8;
/** Kind and detail, value, bound and place. */
const ERROR_SLOTS = 4;
/** As many as a load of the longest step reads: 16 float64. */
const ZERO_BYTES = 128;

export function frameOf(kernel: LoopKernel): Frame {
  const error = 0;
  const zeros = error + ERROR_SLOTS * SLOT;
  const buffers = zeros + ZERO_BYTES;
  const sizes = buffers + countBound(kernel) * SLOT;
  const scalars = sizes + kernel.sizes * SLOT;
  const workspaces = scalars + kernel.scalars.length * SLOT;
  return { error, zeros, buffers, sizes, scalars, workspaces };
}

export const frameBytes = ({ workspaces }: Frame, count: number): number =>
  Math.ceil((workspaces + count * SLOT) / 16) * 16;
