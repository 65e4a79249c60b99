/** The names of the emitters, in a file without imports: options need them before any emitter is loaded. */
export const emitters = ["js", "closure", "wasm"] as const;

export type Emitter = (typeof emitters)[number];
