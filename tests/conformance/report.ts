/** Outcomes as a table by category, as first differences, and as JSON. */
import type { Failure, Outcome } from "./outcome.ts";

const shown = 20;
const missing = /not supported: (\S+)$/;

/** A row for each file and category, the failing ones with how many. */
export function showTable(outcomes: readonly Outcome[]): string {
  const rows = outcomes.flatMap(categoryRows);
  const header = ["file", "run", "category", "passed", "failed"];
  const widths = header.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]!.length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column < 3 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join("  ");
  return [header, ...rows].map(line).join("\n");
}

function categoryRows({ file, combination, cases, failures }: Outcome): string[][] {
  const failed = countBy(failures.map(({ test }) => test.cat));
  return [...countBy(cases.map(({ cat }) => cat))].map(([category, count]) => {
    const wrong = failed.get(category) ?? 0;
    return [file, combination, category, String(count - wrong), String(wrong)];
  });
}

/** The first differences, one for each op and reason, so that one cause does not hide the others; missing ops apart. */
export function showDifferences(outcomes: readonly Outcome[]): string {
  const seen = new Set<string>();
  const lines: string[] = [];
  let hidden = 0;
  for (const { file, combination, failures } of outcomes) {
    for (const { test, why } of failures) {
      if (missing.test(why)) continue;
      const cause = causeOf({ test, why });
      if (seen.has(cause)) continue;
      seen.add(cause);
      if (lines.length < shown) lines.push(`${file} ${test.id} (${combination}): ${why.split("\n")[0]}`);
      else hidden++;
    }
  }
  if (hidden > 0) lines.push(`… and ${hidden} more kinds of difference (--json FILE has every case)`);
  return lines.join("\n");
}

/** What failures are alike in: the ops, and the reason without its numbers. */
export const causeOf = ({ test, why }: Failure): string =>
  `${test.program.map(({ op }) => op).join(" ")} | ${why.replace(/-?\d+(\.\d+)?(e[-+]?\d+)?/g, "#")}`;

export const asJson = (outcomes: readonly Outcome[]): unknown =>
  outcomes.map(({ file, combination, cases, failures }) => ({
    file,
    combination,
    passed: cases.length - failures.length,
    failed: failures.length,
    failures: failures.map(({ test, why }) => ({
      id: test.id,
      category: test.cat,
      ops: test.program.map(({ op }) => op),
      why,
    })),
  }));

/** The operators that the library lacks, and how many cases fail for want of each. */
export function missingOps(outcomes: readonly Outcome[]): [string, number][] {
  const names = outcomes.flatMap(({ failures }) =>
    failures.flatMap(({ why }) => missing.exec(why)?.[1] ?? []),
  );
  return [...countBy(names)].sort((a, b) => b[1] - a[1]);
}

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
