/** Random chains of the families that benchmarks search: fused and op by op, on one thread and two, they have the same bits. */
import { setThreads, stats, type Tensor } from "fuseau";
import { afterAll, describe, expect, it } from "vitest";
import { chainOf, type Family } from "../../benchmarks/random/chain.ts";
import { Choices } from "../../benchmarks/random/choices.ts";
import { graphsAndTables } from "../../benchmarks/random/graphs.ts";
import { imagesAndMaps } from "../../benchmarks/random/images.ts";
import { integers } from "../../benchmarks/random/integers.ts";
import { signalsAndSeries } from "../../benchmarks/random/signals.ts";
import { smallMatrices } from "../../benchmarks/random/small-matrices.ts";
import { writesInPlace } from "../../benchmarks/random/writes.ts";
import { compileWhole } from "../compiled-whole.ts";

compileWhole();
afterAll(() => setThreads(1));

const families: readonly (readonly [string, Family])[] = [
  ["small matrices", smallMatrices],
  ["images", imagesAndMaps],
  ["integers", integers],
  ["graphs and tables", graphsAndTables],
  ["signals", signalsAndSeries],
  ["writes in place", writesInPlace],
];
const CHAINS = 60;
/** Some matrices fill whole steps of lanes, and some do not. */
const elementsOf = (seed: number): number => 1_000 + 37 * seed;
const bitsOf = (x: Tensor): Uint8Array => {
  const { buffer, byteOffset, byteLength } = x.toTypedArray();
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
};

describe.each(families)("%s", (_, family) => {
  // Tests of faults have their own.
  const before = stats().faults.count;
  for (let seed = 1; seed <= CHAINS; seed++) {
    const chain = chainOf(new Choices(seed), family, elementsOf(seed));
    if (chain === null) continue;
    it(`${chain.name} (seed ${seed})`, () => {
      setThreads(1 + (seed % 2));
      const [fused, plain] = (["on", "none"] as const).map((fusion) =>
        chain.make().compute({ fusion, emitter: "wasm" }),
      );
      expect(bitsOf(fused as Tensor)).toEqual(bitsOf(plain as Tensor));
    });
  }
  it("without a fault of the compiler", () => expect(stats().faults.count).toBe(before));
});
