/** What the first use costs, in processes of its own. */
import { inFreshProcess } from "../measure/child.ts";
import { median } from "../measure/statistics.ts";
import type { FirstUse } from "../processes/first-use.ts";
import type { Verdict } from "./report.ts";

const BEYOND_JAVASCRIPT = 2;
const COLD_OVER_WARM = 2;

/** By turns: what others do on the machine meanwhile is the same for all. */
export async function firstUse(runs: number): Promise<Verdict[]> {
  const found = { wasm: [] as FirstUse[], js: [] as FirstUse[], fresh: [] as FirstUse[] };
  for (let run = 0; run < runs; run++) {
    found.wasm.push(await inFreshProcess("first-use", ["wasm", "used"]));
    found.js.push(await inFreshProcess("first-use", ["js", "used"]));
    found.fresh.push(await inFreshProcess("first-use", ["wasm", "fresh"]));
  }
  const beyond = (what: string, which: "first" | "second"): Verdict => {
    const [wasm, js] = [found.wasm, found.js].map((uses) => median(uses.map((use) => use[which])));
    const more = wasm! - js!;
    return {
      what: `${what} expression of a process`,
      asked: `at most ${BEYOND_JAVASCRIPT} ms beyond JavaScript's ${js!.toFixed(1)} ms`,
      reached: `${more.toFixed(2)} ms`,
      met: more <= BEYOND_JAVASCRIPT,
    };
  };
  const coldOverWarm = (uses: readonly FirstUse[]): number =>
    median(uses.map(({ cold, warm }) => cold / warm));
  const ratio = coldOverWarm(found.wasm);
  return [
    beyond("first", "first"),
    beyond("second", "second"),
    {
      what: "first call on 10,000,000",
      asked: `at most ${COLD_OVER_WARM} × a later one`,
      reached: `${ratio.toFixed(2)} ×`,
      met: ratio <= COLD_OVER_WARM,
    },
    {
      what: "the same, its result in memory never used before",
      asked: "no target: the system clears the pages",
      reached: `${coldOverWarm(found.fresh).toFixed(2)} ×`,
      met: null,
    },
  ];
}
