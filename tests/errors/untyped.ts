import type * as fuseau from "fuseau";

type Name = keyof typeof fuseau | keyof fuseau.Tensor;

/** What a program without types sees: any function and method with any arguments. */
export type Untyped = { readonly [N in Name]: (...list: readonly unknown[]) => Untyped };

/** The library as a program in plain JavaScript uses it. */
export const untyped = (library: typeof fuseau): Untyped => library as unknown as Untyped;
