/** The ways to carry out a computation that every case has. */
import type { AnyTensor } from "fuseau";
import type { Role, Variant } from "../case.ts";
import { letEscape } from "./escape.ts";
import { computeTogether } from "./runtime.ts";

type Recorded = AnyTensor | readonly AnyTensor[];

/** Fused and eager. The expression is recorded anew in each call; the result is given back, so that memory is used again. */
export const fuseauVariants = (record: () => Recorded): Variant[] => [
  // Fused is what a user gets who gives no options.
  fuseauVariant("fused", undefined, record),
  fuseauVariant("eager", { fusion: "none" }, record),
];

function fuseauVariant(
  role: "fused" | "eager",
  options: { readonly fusion: "none" } | undefined,
  record: () => Recorded,
): Variant {
  const computed = (): readonly AnyTensor[] => {
    const recorded = record();
    if (isList(recorded)) {
      computeTogether(recorded, options);
      return recorded;
    }
    return [recorded.compute(options)];
  };
  return {
    name: role,
    role,
    run() {
      const results = computed();
      letEscape(results);
      for (let k = 0; k < results.length; k++) results[k]?.dispose();
    },
    result() {
      const results = computed();
      const elements = elementsOf(results);
      for (const result of results) result.dispose();
      return elements;
    },
  };
}

/** Fused, with the results left to the garbage collector. */
export const leftToCollector = (record: () => AnyTensor): Variant => ({
  name: "fused, no dispose()",
  role: "other",
  run() {
    letEscape(record().compute());
  },
  result: () => elementsOf([record()]),
});

const isList = (recorded: Recorded): recorded is readonly AnyTensor[] => Array.isArray(recorded);

function elementsOf(tensors: readonly AnyTensor[]): ArrayLike<number> {
  const [only] = tensors;
  const elements = only?.toTypedArray();
  if (tensors.length === 1 && elements !== undefined && !(elements instanceof BigInt64Array)) return elements;
  return tensors.flatMap((tensor) => Array.from(tensor.toTypedArray(), Number));
}

/**
 * A loop written by hand. It takes its arrays as arguments, and those from an array, so that V8 cannot compile it for these
 * very inputs: closures over their inputs flattered loops by 2. Its output was allocated once; fuseau takes it from its pool.
 */
export function loopVariant<Arguments extends readonly unknown[]>(
  name: string,
  loop: (...args: Readonly<Arguments>) => ArrayLike<number>,
  args: Readonly<Arguments>,
  role: Role = "hand",
): Variant {
  return {
    name,
    role,
    run() {
      letEscape(loop(...args));
    },
    result: () => Float64Array.from(loop(...args)),
  };
}

/** {@link loopVariant} for several loops with the same arguments. */
export const loopVariants = <Arguments extends readonly unknown[]>(
  loops: Readonly<Record<string, (...args: Readonly<Arguments>) => ArrayLike<number>>>,
  args: Readonly<Arguments>,
): Variant[] => Object.entries(loops).map(([name, loop]) => loopVariant(name, loop, args));
