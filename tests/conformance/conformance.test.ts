/**
 * PyTorch's own answers. Every case runs fused on the JavaScript emitter, and every ninth in each other way: another ninth in each, so
 * that together they see nearly every op. CONFORMANCE=3 runs every third, and CONFORMANCE=1 all, but for those on several threads, of
 * which a quarter of that runs; `npm run conformance -- tests/conformance/data --emitter wasm` runs them all.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { startThreads } from "../many-threads.ts";
import { type Combination, combinations, showCombination, THREADS } from "./combination.ts";
import { differences, isListed } from "./differences.ts";
import { type Failure, runCases } from "./outcome.ts";
import { readFolder } from "./read-cases.ts";

await startThreads(THREADS);
const files = readFolder(new URL("data", import.meta.url).pathname);
const [first, ...others] = combinations as [Combination, ...Combination[]];
const stride = Number(process.env.CONFORMANCE ?? 9);

/** How many cases of each file fail, the listed differences apart. It only ever goes down. */
const expected: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(new URL("expected.json", import.meta.url), "utf8"),
);

const show = (failures: readonly Failure[]): string =>
  failures
    .slice(0, 20)
    .map(({ test: { id }, why }) => `${id}: ${why}`)
    .join("\n");

describe.each(files)("the cases of $name", ({ name, cases }) => {
  const outcome = runCases(name, cases, first);
  const unlisted = outcome.failures.filter((failure) => !isListed(failure.test));

  test(`fail no more often than recorded, ${showCombination(first)}`, () => {
    const recorded = expected[name] ?? 0;
    expect(unlisted.length, show(unlisted)).toBeLessThanOrEqual(recorded);
    if (unlisted.length < recorded) {
      console.warn(`${name}: ${unlisted.length} cases fail; lower it from ${recorded} in expected.json`);
    }
  });

  test.each(others.map((combination, shift) => [showCombination(combination), combination, shift] as const))(
    "fare the same %s",
    (_, combination, shift) => {
      // Waking threads for every small program takes longer than all else.
      const sparser = combination.shared ? 4 * stride : stride;
      const sample = cases.filter((_, place) => (place + shift) % sparser === 0);
      const known = new Set(outcome.failures.map((failure) => failure.test.id));
      const { failures } = runCases(name, sample, combination);
      expect(show(failures.filter((failure) => !known.has(failure.test.id)))).toBe("");
    },
    600_000 / stride,
  );
});

describe("the listed differences", () => {
  const all = files.filter(({ name }) => name in expected).flatMap(({ cases }) => cases);

  test("are at most one case in a hundred", () => {
    expect(all.filter(isListed).length).toBeLessThanOrEqual(all.length / 100);
  });

  test("name cases that there are, and that differ still", () => {
    const named = differences.flatMap(({ cases }) => cases);
    const { failures } = runCases("listed", all.filter(isListed), first);
    expect(failures.map((failure) => failure.test.id).sort()).toEqual([...named].sort());
  });
});
