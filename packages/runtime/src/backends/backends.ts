/** The backends there are. */
import type { Emitter } from "@fuseau/compiler";
import type { Backend } from "./backend.ts";
import { closure } from "./closure.ts";
import { js } from "./js.ts";
import { wasm } from "./wasm.ts";

const byName: { readonly [name in Emitter]: Backend } = { wasm, js, closure };

/** In the order in which they are preferred, if a program is worth it; the last is there in every host. */
export const backends: readonly Backend[] = Object.values(byName);

export const backendNamed = (name: Emitter): Backend => byName[name];
