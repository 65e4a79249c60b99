/** The table of README.md: what ran in which host. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Row } from "./row.ts";

export interface Result {
  readonly row: Row;
  readonly verdict: "passed" | "FAILED" | "skipped";
  readonly text: string;
}

const readme = fileURLToPath(new URL("../../README.md", import.meta.url));
const begin = "<!-- host table: npm run matrix -->";
const end = "<!-- end of host table -->";

/** @throws Error when README.md has no place for it. */
export function writeTable(results: readonly Result[]): void {
  const text = readFileSync(readme, "utf8");
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md has no ${begin} … ${end}`);
  const lines = ["| | passed in | what ran |", "|---|---|---|"];
  for (const [alike, rows] of Map.groupBy(results, ({ row, verdict, text: told }) =>
    [row.group, verdict === "passed" ? told : `**${verdict}**: ${told.split("\n")[0]}`].join("\n"),
  )) {
    const [group, told] = alike.split("\n");
    lines.push(`| ${group} | ${rows.map(({ row }) => row.name).join("; ")} | ${told?.replaceAll("|", "\\|")} |`);
  }
  writeFileSync(readme, `${text.slice(0, from + begin.length)}\n\n${lines.join("\n")}\n\n${text.slice(to)}`);
}
