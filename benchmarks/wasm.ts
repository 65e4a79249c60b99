/**
 * fuseau's WebAssembly kernels against its JavaScript ones, jax-js, tfjs and C, and what was asked of them.
 *
 *     npx tsx --conditions=fuseau:source benchmarks/wasm.ts [--quick] [--only NAME]… [--json FILE] [--no-peers] [--write] [--against TAG]
 *
 * `--against` races another commit's checkout by turns, `--rounds 3`. `--write` puts the table into ../docs/benchmarks.md, and a few rows of it into ../README.md.
 * Results are checked before anything is timed. A call goes from inputs where the contender keeps them to a result where it
 * keeps it; fuseau records its expression anew in each. C is compiled by gcc, where it is installed, with -O3
 * -march=native, and runs in processes of its own, in turn with the others.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { commandLine } from "../scripts/command-line.ts";
import { runAgainst, sameOptions, timeOf } from "./against.ts";
import { compileNative } from "./native/compile.ts";
import { installPeers } from "./peers/install.ts";
import { loadJax } from "./peers/jax-contender.ts";
import { loadTensorflow } from "./peers/tensorflow-contender.ts";
import { withTable } from "./report/markdown.ts";
import { contests } from "./suites/native-all.ts";
import { firstUse } from "./wasm/first-use.ts";
import {
  SELECTED_BEGIN,
  SELECTED_END,
  selectedTable,
  WASM_BEGIN,
  WASM_END,
  wasmTable,
} from "./wasm/markdown.ts";
import { type Field, measure } from "./wasm/measure.ts";
import { fullBudget, quickBudget } from "./wasm/race.ts";
import { type ContestReport, headlineOf, type WasmReport } from "./wasm/report.ts";
import { contestText, headlineText, summaryText, verdictsText } from "./wasm/text.ts";

const { values: asked } = commandLine(import.meta.url, {
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    only: { type: "string", multiple: true },
    "no-peers": { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    against: { type: "string" },
    rounds: { type: "string", default: "3" },
  },
});

if (asked.against !== undefined) {
  runAgainst({
    script: "wasm.ts",
    commit: asked.against,
    options: [...sameOptions(asked), "--no-peers"],
    rounds: Number(asked.rounds),
    timesOf: (report) =>
      new Map(
        (report as WasmReport).contests.flatMap(({ name, results }) =>
          timeOf(name, results.find(({ who }) => who === "fuseau 1")?.milliseconds),
        ),
      ),
  });
  process.exit();
}

const FIRST_USE = "first-use";
const isAsked = (name: string): boolean =>
  asked.only === undefined || asked.only.some((part) => name.includes(part));
const chosen = contests.filter(({ name }) => isAsked(name));
if (chosen.length === 0 && !isAsked(FIRST_USE)) {
  const names = [...contests.map(({ name }) => name), FIRST_USE];
  console.error(`No contest is called so. There are: ${names.join(", ")}`);
  process.exit(1);
}

const progress = (text: string): void => console.error(`… ${text}`);
const load = (): number => loadavg()[0] as number;

const before = load();
const field = await assemble();
const reports: ContestReport[] = [];
for (const [k, contest] of chosen.entries()) {
  progress(`${contest.name} (${k + 1} of ${chosen.length})`);
  const report = await measure(contest, field, asked.quick ? quickBudget : fullBudget);
  reports.push(report);
  console.log(`\n${contestText(report)}`);
}
if (isAsked(FIRST_USE)) progress(FIRST_USE);

const report: WasmReport = {
  host: {
    node: process.versions.node,
    processor: cpus()[0]?.model ?? "unknown processor",
    cores: cpus().length,
    compiler: typeof field.native === "string" ? field.native : field.native.compiler,
    load: [before, load()],
  },
  quick: asked.quick,
  contests: reports,
  firstUse: isAsked(FIRST_USE) ? await firstUse(asked.quick ? 3 : 9) : [],
  headline: headlineOf(reports),
};
console.log(`\n${[summaryText(report), verdictsText(report), headlineText(report.headline)].join("\n\n")}`);
const { node, processor, cores, compiler } = report.host;
console.log(
  `\nNode ${node}, ${cores} × ${processor}, ${compiler}, load ${report.host.load.map((one) => one.toFixed(1)).join(" to ")}`,
);
if (asked.json !== undefined) writeFileSync(resolve(asked.json), `${JSON.stringify(report, null, 2)}\n`);

if (asked.write) {
  put("../docs/benchmarks.md", wasmTable(report), WASM_BEGIN, WASM_END);
  put("../README.md", selectedTable(report), SELECTED_BEGIN, SELECTED_END);
}

// A wrong result is a failure; a target that was missed is not.
process.exit(reports.some(({ failure }) => failure !== undefined) ? 1 : 0);

async function assemble(): Promise<Field> {
  progress("compiling C");
  const native = compileNative();
  if (asked["no-peers"]) return { native, jax: "left out", tensorflow: "left out" };
  progress("peers: installing what is missing");
  const failure = await installPeers();
  const loaded = async <Library>(load: () => Promise<Library>): Promise<Library | string> => {
    try {
      return await load();
    } catch (error) {
      return failure ?? `does not load: ${error instanceof Error ? error.message.split("\n")[0] : error}`;
    }
  };
  return { native, jax: await loaded(loadJax), tensorflow: await loaded(loadTensorflow) };
}

/** Puts a table between its markers. */
function put(document: string, table: string, begin: string, end: string): void {
  const path = fileURLToPath(new URL(document, import.meta.url));
  writeFileSync(path, withTable(readFileSync(path, "utf8"), table, begin, end));
}
