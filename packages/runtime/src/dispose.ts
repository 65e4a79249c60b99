/** The key of what `using` calls. Engines without it get the one that compilers of `using` take in its place. */
export const dispose: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");
