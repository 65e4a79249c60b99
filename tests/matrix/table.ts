/** The table of docs/hosts.md: what ran in which host. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Row } from "./row.ts";

export interface Result {
  readonly row: Row;
  readonly verdict: "passed" | "FAILED" | "skipped";
  readonly text: string;
}

const page = fileURLToPath(new URL("../../docs/hosts.md", import.meta.url));
const begin = "<!-- host table: npm run matrix -->";
const end = "<!-- end of host table -->";

/** @throws Error when the page has no place for it. */
export function writeTable(results: readonly Result[]): void {
  const text = readFileSync(page, "utf8");
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/hosts.md has no ${begin} … ${end}`);
  const lines = ["| | passed in | what ran |", "|---|---|---|"];
  const alike = new Map<string, { group: string; told: string; names: string[] }>();
  for (const { row, verdict, text: said } of results) {
    const first = said.split("\n")[0]?.replaceAll("|", "\\|") ?? "";
    const told = verdict === "passed" ? first : `**${verdict}**: ${first}`;
    const key = `${row.group} ${told}`;
    const line = alike.get(key) ?? { group: row.group, told, names: [] };
    alike.set(key, line);
    line.names.push(row.name.replace(`${row.group}, `, ""));
  }
  for (const { group, told, names } of alike.values())
    lines.push(`| ${group} | ${names.join("; ")} | ${told} |`);
  writeFileSync(page, `${text.slice(0, from + begin.length)}\n\n${lines.join("\n")}\n\n${text.slice(to)}`);
}
