/**
 * A kernel as a WebAssembly module, and all that is needed to run it: plain data, and functions of the kernel's sizes.
 *
 * To run it: put a frame in memory (its start a multiple of 16, its zeros and error record zeroed) and fill in addresses, sizes and
 * scalars. Then for each phase call `run(frame, phase, begin, end)` until the slices [begin, end) cover all its work items. It
 * gives 1 where an index was out of range or an integer was divided by 0; `throwRecorded` says which.
 */
import type { DType, OfSizes } from "@fuseau/ir";
import type { Phase } from "../../../tactics/work.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { Frame } from "./frame.ts";

export interface WasmKernel {
  readonly name: string;
  /** Imports `env.memory` and the functions named in `imports`, and exports `run`. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The module as text, written when it is asked for. */
  source(): string;
  /** JavaScript functions that the module imports from `env`, by name; see `importable`. */
  readonly imports: readonly string[];
  readonly frame: Frame;
  /** Bytes of a frame. */
  readonly frameBytes: number;
  /** Whether every thread needs one of its own, for each buffer of the loop kernel. */
  readonly perThread: readonly boolean[];
  /** The memory that the module wants beside those buffers, in the order of its addresses in the frame. */
  readonly workspaces: readonly KernelWorkspace[];
  readonly phases: readonly Phase[];
}

/** Memory that is 16-byte aligned, of any content, and needed until the last phase ends. */
export interface KernelWorkspace {
  readonly dtype: DType;
  readonly perThread: boolean;
  /** How many elements it has. */
  readonly cells: OfSizes;
}

/** A phase whose function is in the module. */
export interface WrittenPhase {
  readonly index: FunctionIndex;
  readonly phase: Phase;
}
