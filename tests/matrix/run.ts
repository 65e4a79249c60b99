/**
 * Runs the packed packages in the hosts that they are for.
 *   npm run matrix                   all rows, and writes the table of docs/hosts.md
 *   npm run matrix -- --quick        those that every change must pass
 *   npm run matrix -- vite webpack   those whose name has one of these words
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { commandLine } from "../../scripts/command-line.ts";
import { installHosts, installPackages, matrixFolder } from "./install.ts";
import { type Row, Skipped, show } from "./row.ts";
import { rows as browserRows } from "./rows/browser.ts";
import { rows as bundlerRows } from "./rows/bundlers.ts";
import { rows as nextRows } from "./rows/next.ts";
import { rows as nodeRows } from "./rows/node.ts";
import { rows as typeRows } from "./rows/types.ts";
import { rows as workerdRows } from "./rows/workerd.ts";
import { type Result, writeTable } from "./table.ts";

const all = [...nodeRows, ...bundlerRows, ...nextRows, ...browserRows, ...workerdRows, ...typeRows];
const { values, positionals } = commandLine(import.meta.url, {
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false } },
});
const chosen = chooseRows();
const results: Result[] = [];

console.log(`matrix: ${chosen.length} of ${all.length} rows`);
const hosts = installHosts(new Set(chosen.flatMap(({ packages }) => packages)));
const projects = installPackages();
for (const [k, row] of chosen.entries()) {
  const result = await runRow(row);
  results.push(result);
  console.log(`[${k + 1}/${chosen.length}] ${result.verdict} ${row.name}: ${result.text}`);
}

const failed = results.filter(({ verdict }) => verdict === "FAILED");
const skipped = results.filter(({ verdict }) => verdict === "skipped");
console.log(
  `matrix: ${results.length - failed.length - skipped.length} passed, ${failed.length} failed, ${skipped.length} skipped`,
);
if (chosen.length === all.length) writeTable(results);
process.exitCode = failed.length > 0 ? 1 : 0;

function chooseRows(): Row[] {
  const rows = values.quick ? all.filter(({ quick }) => quick) : all;
  if (positionals.length === 0) return rows;
  const found = rows.filter(({ name }) =>
    positionals.some((word) => name.toLowerCase().includes(word.toLowerCase())),
  );
  if (found.length > 0) return found;
  console.error(
    `matrix: no row has ${positionals.join(" or ")} in its name; there are\n${rows.map(({ name }) => `  ${name}`).join("\n")}`,
  );
  process.exit(2);
}

async function runRow(row: Row): Promise<Result> {
  const folder = join(projects, row.name.toLowerCase().replace(/[^a-z0-9.]+/g, "-"));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    return { row, verdict: "passed", text: show(await row.run({ folder, hosts })) };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { row, verdict: error instanceof Skipped ? "skipped" : "FAILED", text };
  }
}

console.log(`matrix: the projects are in ${matrixFolder}`);
