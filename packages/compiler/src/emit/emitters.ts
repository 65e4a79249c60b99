/** The emitters by name, in a file of their own: options name them long before anything is emitted. */
export const emitters = ["js", "closure", "wasm"] as const;

export type Emitter = (typeof emitters)[number];
