/**
 * npm run bench [-- OPTIONS]
 *   --quick        less time for each case
 *   --only NAME    the cases whose names contain it; several times, if need be
 *   --json FILE    writes what was measured there
 *   --write        puts the table into docs/benchmarks.md
 *   --against TAG  races another commit's checkout by turns, in --rounds N (3)
 *   --no-peers     without other libraries
 *   --no-benny     without benny's table
 * README.md beside this file says how it measures.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { commandLine } from "../scripts/command-line.ts";
import { runAgainst, sameOptions, timeOf } from "./against.ts";
import { figureCases, measureFigures } from "./figures.ts";
import { measureCase } from "./measure/measure-case.ts";
import { type CaseReport, type FigureReport, type Report, rowOf } from "./measure/report.ts";
import { fullBudget, quickBudget } from "./measure/sampler.ts";
import { loadPeers, withoutPeers } from "./peers/load.ts";
import { markdownTable, withTable } from "./report/markdown.ts";
import { page } from "./report/page.ts";
import { caseText, figuresText, overheadText, summaryText, targetsText } from "./report/text.ts";
import { cases } from "./suites/all.ts";
import { targetsOf } from "./targets.ts";

const { values: asked } = commandLine(import.meta.url, {
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    write: { type: "boolean", default: false },
    only: { type: "string", multiple: true },
    "no-peers": { type: "boolean", default: false },
    "no-benny": { type: "boolean", default: false },
    against: { type: "string" },
    rounds: { type: "string", default: "3" },
  },
});

if (asked.against !== undefined) {
  runAgainst({
    script: "run.ts",
    commit: asked.against,
    options: [...sameOptions(asked), "--no-peers", "--no-benny"],
    rounds: Number(asked.rounds),
    timesOf: (report) =>
      new Map(
        (report as Report).cases.flatMap((each) => timeOf(each.name, rowOf(each, "fused")?.nanoseconds)),
      ),
  });
  process.exit();
}

const isAsked = ({ name }: { readonly name: string }): boolean =>
  asked.only === undefined || asked.only.some((part) => name.includes(part));
const chosen = cases.filter(isAsked);
const chosenFigures = figureCases.filter(isAsked);
if (chosen.length + chosenFigures.length === 0) {
  console.error(
    `No case is called so. There are: ${[...cases, ...figureCases].map(({ name }) => name).join(", ")}`,
  );
  process.exit(1);
}

const progress = (text: string): void => console.error(`… ${text}`);

progress(asked["no-peers"] ? "without peers" : "peers: installing what is missing");
const settings = {
  budget: asked.quick ? quickBudget : fullBudget,
  bennySeconds: asked["no-benny"] ? 0 : asked.quick ? 0.05 : 0.5,
  peers: asked["no-peers"] ? withoutPeers() : await loadPeers(),
};

const reports: CaseReport[] = [];
for (const [k, measured] of chosen.entries()) {
  progress(`${measured.name} (${k + 1} of ${chosen.length})`);
  const report = await measureCase(measured, settings);
  reports.push(report);
  console.log(`\n${caseText(report)}\n`);
}
const figures: FigureReport[] = [];
for (const measured of chosenFigures) {
  progress(measured.name);
  const report = await measureFigures(measured, asked.quick ? 2 : 7);
  figures.push(report);
  console.log(`\n${figuresText(report)}\n`);
}

const report: Report = {
  host: {
    node: process.versions.node,
    v8: process.versions.v8,
    processor: cpus()[0]?.model ?? "unknown processor",
    cores: cpus().length,
    date: new Date().toISOString().slice(0, 16).replace("T", " "),
  },
  quick: asked.quick,
  cases: reports,
  figures,
  // What was not asked for has not been measured.
  targets: targetsOf({ cases: reports, figures }).filter(
    ({ met }) => asked.only === undefined || met !== null,
  ),
};
console.log(
  [summaryText(report), overheadText(report), targetsText(report.targets)].filter(Boolean).join("\n\n"),
);

write(fileURLToPath(new URL("results/index.html", import.meta.url)), page(report));
if (asked.json !== undefined) write(resolve(asked.json), `${JSON.stringify(report, null, 2)}\n`);

if (asked.write) {
  const tables = fileURLToPath(new URL("../docs/benchmarks.md", import.meta.url));
  write(tables, withTable(readFileSync(tables, "utf8"), markdownTable(report)));
}

// A race that could not be run, for a wrong result above all, is a failure; a lost one is not.
if ([...reports, ...figures].some(({ failure }) => failure !== undefined)) process.exitCode = 1;

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  console.log(`\nwritten: ${path}`);
}
