/** The ways that a program can be run: by which emitter, fused or not, and on how many threads. */
import { setOptions } from "fuseau";
import { share } from "../many-threads.ts";

/** "first": none is asked for, and each case is a program's first run. */
export const emitters = ["js", "closure", "wasm", "first"] as const;
export const fusions = ["on", "none"] as const;

export interface Combination {
  readonly emitter: (typeof emitters)[number];
  readonly fusion: (typeof fusions)[number];
  /** Whether small programs run on several threads too. */
  readonly shared: boolean;
}

export const combinations: readonly Combination[] = [
  ...emitters
    .flatMap((emitter) => fusions.map((fusion) => ({ emitter, fusion, shared: false })))
    .filter(({ emitter, fusion }) => emitter !== "first" || fusion === "on"),
  { emitter: "wasm", fusion: "on", shared: true },
];

export const THREADS = 3;

export const showCombination = ({ emitter, fusion, shared }: Combination): string =>
  `${emitter} ${fusion === "on" ? "fused" : "unfused"}${shared ? `, ${THREADS} threads` : ""}`;

/** Runs `work` with every program compiled in one way. */
export function withCombination<T>({ emitter, fusion, shared }: Combination, work: () => T): T {
  setOptions({ emitter: emitter === "first" ? undefined : emitter, fusion });
  share(shared);
  try {
    return work();
  } finally {
    setOptions({ emitter: undefined, fusion: undefined });
  }
}
