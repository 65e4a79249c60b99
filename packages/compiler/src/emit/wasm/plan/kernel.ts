/**
 * A kernel as a WebAssembly module, and all that is needed to run it: plain data, and functions of the kernel's sizes.
 *
 * To run it, put a frame in memory (its start a multiple of 16, its zeros and error record zeroed), and fill in addresses, sizes
 * and scalars. Then, for each phase, call `run(frame, phase, begin, end)` until the slices [begin, end) cover all its work items.
 * `run` returns 1 if an index was out of range or an integer was divided by 0; `throwRecorded` then throws the error.
 */
import type { DType, OfSizes } from "@fuseau/ir";
import type { Phase } from "../../../tactics/work.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { Frame } from "./frame.ts";

export interface WasmKernel {
  readonly name: string;
  /** Imports `env.memory`, and exports `run`. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The module as text, which is computed when called. */
  source(): string;
  readonly frame: Frame;
  /** Bytes of a frame. */
  readonly frameBytes: number;
  /** For each buffer of the loop kernel: whether each thread needs one of its own. */
  readonly perThread: readonly boolean[];
  /** The module's own memory, in the order of its addresses in the frame. */
  readonly workspaces: readonly KernelWorkspace[];
  readonly phases: readonly Phase[];
}

/** Memory aligned to 16 bytes, with any content, needed until the last phase ends. */
export interface KernelWorkspace {
  readonly dtype: DType;
  readonly perThread: boolean;
  /** The number of elements. */
  readonly cells: OfSizes;
}

/** A phase, and the module's function for it. */
export interface WrittenPhase {
  readonly index: FunctionIndex;
  readonly phase: Phase;
}
