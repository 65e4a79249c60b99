import fc from "fast-check";
import { setOptions } from "fuseau";
import { describe, it } from "vitest";
import { share, startThreads } from "../many-threads.ts";
import { runSequence, sequences } from "./in-place-sequence.ts";

const runs = Number(process.env.FUSEAU_RUNS ?? 10_000);

interface Way {
  readonly emitter: "js" | "closure" | "wasm";
  readonly fusion: "on" | "none";
  readonly shared: boolean;
}

const THREADS = 3;
await startThreads(THREADS);

const fusions = ["on", "none"] as const;
const onHeap = (["js", "closure"] as const).flatMap((emitter) =>
  fusions.map((fusion): Way => ({ emitter, fusion, shared: false })),
);
/** Each of their kernels is a module. */
const inLinearMemory = [false, true].flatMap((shared) =>
  fusions.map((fusion): Way => ({ emitter: "wasm", fusion, shared })),
);
const shareOf = (way: Way): number => (way.emitter === "wasm" ? 0.06 : (1 - 4 * 0.06) / onHeap.length);

describe("writes in place, views and reads give what a plain model of strided memory gives", () => {
  for (const way of [...onHeap, ...inLinearMemory]) {
    const { emitter, fusion, shared } = way;
    it(`by ${emitter}, fusion ${fusion}${shared ? `, ${THREADS} threads` : ""}`, () => {
      setOptions({ emitter, fusion });
      share(shared);
      const result = fc.check(fc.property(sequences, runSequence), {
        numRuns: Math.ceil(runs * shareOf(way)),
      });
      if (!result.failed) return;
      const { seed, counterexamplePath: path, counterexample } = result;
      throw new Error(
        `seed ${seed}, path ${path}\n${JSON.stringify(counterexample)}\n${(result.errorInstance as Error).message}`,
      );
    }, 120_000);
  }
});
