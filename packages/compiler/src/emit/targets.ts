/** The emitters, as the scheduler knows them: a program is compiled for one of them. */
import type { Target } from "../schedule/target.ts";
import { closureTarget } from "./closure/target.ts";
import { jsTarget } from "./js/target.ts";
import { wasmTarget } from "./wasm/target.ts";

export const emitters = ["js", "closure", "wasm"] as const;

export type Emitter = (typeof emitters)[number];

export { closureTarget, jsTarget, wasmTarget };

export const targets: Readonly<Record<Emitter, Target>> = {
  js: jsTarget,
  closure: closureTarget,
  wasm: wasmTarget,
};
