/** The emitters as targets of the scheduler. A program is compiled for one of them. */
import type { Target } from "../schedule/target.ts";
import { closureTarget } from "./closure/target.ts";
import type { Emitter } from "./emitters.ts";
import { jsTarget } from "./js/target.ts";
import { wasmTarget } from "./wasm/target.ts";

export { closureTarget, jsTarget, wasmTarget };

/** Getters, so that a bundle that loads files late evaluates an emitter only when its target is needed (docs/latency.md). */
export const targets: Readonly<Record<Emitter, Target>> = {
  get js() {
    return jsTarget;
  },
  get closure() {
    return closureTarget;
  },
  get wasm() {
    return wasmTarget;
  },
};
