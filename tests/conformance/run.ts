/**
 * Runs the cases of a folder through the public API.
 *   npm run conformance -- <folder> [--emitter js|closure|wasm|first|all] [--fusion on|none|all] [--json FILE] [--only text] [--listed]
 * `--only` keeps the cases whose id, category or ops contain the text. `--listed` leaves out those of differences.json,
 * which fail otherwise like any other. Exits 1 if any case failed.
 */

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { commandLine } from "../../scripts/command-line.ts";
import { startThreads } from "../many-threads.ts";
import type { Case } from "./case.ts";
import { combinations, emitters, fusions, THREADS } from "./combination.ts";
import { isListed } from "./differences.ts";
import { runCases } from "./outcome.ts";
import { readFolder } from "./read-cases.ts";
import { asJson, missingOps, showDifferences, showTable } from "./report.ts";

const { positionals, values } = commandLine(import.meta.url, {
  allowPositionals: true,
  options: {
    emitter: { type: "string", default: "js" },
    fusion: { type: "string", default: "on" },
    json: { type: "string" },
    only: { type: "string" },
    listed: { type: "boolean", default: false },
  },
});

const folder = positionals[0] ?? fileURLToPath(new URL("data", import.meta.url));
const chosen = combinations.filter(
  ({ emitter, fusion }) =>
    allows("emitter", values.emitter, emitters, emitter) && allows("fusion", values.fusion, fusions, fusion),
);

function allows(option: string, asked: string, known: readonly string[], one: string): boolean {
  if (asked === "all") return true;
  if (!known.includes(asked))
    throw new TypeError(`--${option} must be ${known.join(", ")} or all, not ${asked}`);
  return asked === one;
}

if (chosen.some(({ shared }) => shared)) await startThreads(THREADS);

const mentions = ({ id, cat, program }: Case, text: string): boolean =>
  [id, cat, ...program.map(({ op }) => op)].some((name) => name.includes(text));

const outcomes = readFolder(folder).flatMap(({ name, cases }) => {
  const kept = cases.filter(
    (test) =>
      (values.only === undefined || mentions(test, values.only)) && !(values.listed && isListed(test)),
  );
  return chosen.map((combination) => runCases(name, kept, combination));
});

const failed = outcomes.reduce((sum, { failures }) => sum + failures.length, 0);
const passed = outcomes.reduce((sum, { cases }) => sum + cases.length, 0) - failed;

console.log(showTable(outcomes));
if (failed > 0) console.log(`\nFirst differences:\n${showDifferences(outcomes)}`);
const missing = missingOps(outcomes);
if (missing.length > 0) {
  console.log(`\nMissing operators: ${missing.map(([op, count]) => `${op} (${count})`).join(", ")}`);
}
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(asJson(outcomes), null, 2));
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
