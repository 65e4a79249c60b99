/**
 * Graphs of equal hashes are told apart. Real hashes have 32 bits, which some of 100,000 graphs share, and few tests meet two. So here a
 * library of its own has three hashes in all: whatever is looked up by one is compared, or gives wrong elements.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import fc from "fast-check";
import type { AnyTensor } from "fuseau";
import * as fuseau from "fuseau";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, it } from "vitest";

type Library = typeof import("fuseau");

const HASHES = 3;
const folder = mkdtempSync(join(tmpdir(), "fuseau-hashes-"));
afterAll(() => rmSync(folder, { recursive: true }));

let library: Library;
beforeAll(async () => {
  const packages = new URL("../../packages/", import.meta.url);
  const mix = /export const mix = \(hash: number, code: number\): number => (.*);/;
  const bundle = await rolldown({
    input: fileURLToPath(new URL("runtime/src/index.ts", packages)),
    platform: "node",
    resolve: { conditionNames: ["fuseau:source"] },
    plugins: [
      {
        name: "few hashes",
        transform(code, id) {
          if (!id.replaceAll("\\", "/").endsWith("ir/src/tensor/hash.ts")) return null;
          if (!mix.test(code)) throw new Error("hash.ts has no such function");
          return code.replace(
            mix,
            `export const mix = (hash: number, code: number): number => (($1) >>> 0) % ${HASHES};`,
          );
        },
      },
    ],
  });
  const file = join(folder, "index.mjs");
  await bundle.write({ file });
  await bundle.close();
  library = (await import(pathToFileURL(file).href)) as Library;
});

/** A round of a loop over a matrix of four columns. */
const steps: readonly ((x: AnyTensor, w: AnyTensor) => AnyTensor)[] = [
  (x) => x.sin(),
  (x) => x.cos(),
  (x) => x.tanh().square(),
  (x) => x.mul(0.9).add(0.1),
  (x) => x.abs().sqrt(),
  (x) => x.sub(x.mean(0)),
  (x) => x.roll(1, 0),
  (x) => x.softmax(-1),
  (x) => x.cumsum(0).tanh(),
  (x, w) => (x.matmul(w as never) as AnyTensor).tanh(),
  (x) => x.sort(0).values as AnyTensor,
];

interface Program {
  readonly body: readonly number[];
  readonly rounds: number;
  /** Of each matrix; what comes of several is joined. */
  readonly rows: readonly number[];
}

const programs = fc.record({
  body: fc.array(fc.nat({ max: steps.length - 1 }), { minLength: 1, maxLength: 6 }),
  rounds: fc.constantFrom(1, 1, 2, 7, 30, 41, 60),
  rows: fc.oneof(
    fc.tuple(fc.integer({ min: 2, max: 20 })),
    fc.array(fc.integer({ min: 2, max: 20 }), { minLength: 6, maxLength: 8 }),
  ),
});

function resultOf({ fromTypedArray, cat }: Library, { body, rounds, rows }: Program): AnyTensor {
  const given = (count: number): AnyTensor =>
    fromTypedArray(
      Float32Array.from({ length: 4 * count }, (_, k) => ((k * 7919) % 997) / 499 - 1),
      { shape: [count, 4] },
    );
  const w = given(4);
  const results = rows.map((count) => {
    let x = given(count);
    for (let k = 0; k < (rows.length > 1 ? 1 : rounds); k++)
      for (const step of body) x = (steps[step] as (typeof steps)[number])(x, w);
    return x;
  });
  return results.length > 1 ? (cat(results as never, 0) as AnyTensor) : (results[0] as AnyTensor);
}

it("programs that come again and again, with idle time between", async () => {
  const all = fc.sample(programs, { numRuns: 40, seed: 7 });
  const expected = all.map((one) => resultOf(fuseau, one).compute({ fusion: "none" }).toArray());
  library.setOptions({ onFault: "throw" });
  for (let turn = 0; turn < 5; turn++)
    for (const [k, one] of all.entries()) {
      const of = JSON.stringify(one);
      expect(resultOf(library, one).toArray(), of).toEqual(expected[k]);
      // So that what was begun is gone on with: an idle host's slice comes after a millisecond.
      if (k % 2 === 0) await setTimeout(2);
    }
});
