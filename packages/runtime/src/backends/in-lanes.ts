/**
 * Text and closures that compute the bits of WebAssembly, for programs that are too small for it. So bits do not depend on how large a
 * program is, and a program may run where it is quickest.
 */
import {
  type Bits,
  bitsOfLanes,
  canBeTextInLanes,
  canHaveBitsOfLanes,
  compileClosure,
  hasFloatProducts,
  type KernelCall,
} from "@fuseau/compiler";
import type { TypedArray } from "@fuseau/ir";
import type { Backend, HeapKernel } from "./backend.ts";
import { closureBackend } from "./closure.ts";
import { canMakeLanes, hasRelaxedLanes } from "./host-lanes.ts";
import { forbiddenHere } from "./host-policy.ts";
import { js, textBackend } from "./js.ts";
import { laneCalls, laneFunction } from "./lane-functions.ts";

/** Made at its first use, so that importing this file does not load the closures. */
let bits: Bits | undefined;

export function laneBits(): Bits {
  bits ??= bitsOfLanes(laneFunction);
  return bits;
}

/** A kernel as closures that compute the bits of WebAssembly, if they can. */
export const closuresOf = ({ loop }: KernelCall): HeapKernel => ({
  source: "",
  run: compileClosure(loop, laneBits()),
});

export const canBeClosures = ({ loop, sizes }: KernelCall): boolean =>
  canHaveBitsOfLanes(loop, sizes, hasRelaxedLanes());

export const lanesMissing = (): string | null =>
  canMakeLanes() ? null : (forbiddenHere().webAssembly ?? "there is no WebAssembly with 128-bit SIMD here");

const FOLDS = "it has a fold whose last bits WebAssembly alone computes";

const PRODUCTS = "it has products, which this host's WebAssembly multiplies and adds at once";

/**
 * With relaxed SIMD, text calls WebAssembly for each product. Up to this work, in additions, that is quicker than to run there: 3×3 matrices by text
 * 1.2 µs, and by WebAssembly 1.9; 8×8 matrices 3.4 and 2.1 (Node 24).
 */
const FEW_PRODUCTS = 400;

export const textInLanes: Backend<HeapKernel, TypedArray> = textBackend(
  {
    key: "js in lanes",
    missing: () => js.missing() ?? lanesMissing(),
    refuses: ({ calls, work }) => {
      if (!calls.every(({ loop, sizes }) => canBeTextInLanes(loop, sizes))) return FOLDS;
      return work > FEW_PRODUCTS && hasRelaxedLanes() && calls.some(({ loop }) => hasFloatProducts(loop))
        ? PRODUCTS
        : null;
    },
    canBegin: canBeClosures,
    begin: closuresOf,
    bits: laneBits,
  },
  laneCalls,
  hasRelaxedLanes,
);

export const closuresInLanes: Backend<HeapKernel, TypedArray> = closureBackend(
  {
    key: "closure in lanes",
    missing: lanesMissing,
    bits: laneBits,
    // What text refuses where it is allowed is quicker in text with bits of its own, since WebAssembly has refused it before.
    refuses: (program) =>
      (textInLanes.missing() === null ? textInLanes.refuses(program) : null) ??
      (program.calls.every(canBeClosures) ? null : FOLDS),
  },
  closuresOf,
);
