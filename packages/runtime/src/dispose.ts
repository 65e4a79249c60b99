/** The symbol of the method that `using` calls. In engines without it, the symbol that compilers of `using` take instead. */
export const dispose: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");
