import fc from "fast-check";
import { setOptions } from "fuseau";
import { describe, it } from "vitest";
import { runSequence, sequences } from "./in-place-sequence.ts";

const runs = Number(process.env.FUSEAU_RUNS ?? 10_000);

const ways = (["js", "closure"] as const).flatMap((emitter) =>
  (["on", "none"] as const).map((fusion) => ({ emitter, fusion })),
);

describe("writes in place, views and reads give what a plain model of strided memory gives", () => {
  for (const way of ways) {
    it(`by ${way.emitter}, fusion ${way.fusion}`, () => {
      setOptions(way);
      const result = fc.check(fc.property(sequences, runSequence), {
        numRuns: Math.ceil(runs / ways.length),
      });
      if (!result.failed) return;
      const { seed, counterexamplePath: path, counterexample } = result;
      throw new Error(
        `seed ${seed}, path ${path}\n${JSON.stringify(counterexample)}\n${(result.errorInstance as Error).message}`,
      );
    }, 120_000);
  }
});
