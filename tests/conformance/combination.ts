/** The ways that a program can be run: by which emitter, and fused or not. */
import { type Options, setOptions } from "fuseau";

export const emitters = ["js", "closure", "wasm"] as const;
export const fusions = ["on", "none"] as const;

export interface Combination {
  readonly emitter: (typeof emitters)[number];
  readonly fusion: (typeof fusions)[number];
}

export const combinations: readonly Combination[] = emitters.flatMap((emitter) =>
  fusions.map((fusion) => ({ emitter, fusion })),
);

export const showCombination = ({ emitter, fusion }: Combination): string =>
  `${emitter} ${fusion === "on" ? "fused" : "unfused"}`;

/** Runs `work` with every program compiled in one way. */
export function withCombination<T>({ emitter, fusion }: Combination, work: () => T): T {
  setOptions({ emitter, fusion });
  try {
    return work();
  } finally {
    // The types have no word for what restores a default.
    setOptions({ emitter: undefined, fusion: undefined } as unknown as Options);
  }
}
