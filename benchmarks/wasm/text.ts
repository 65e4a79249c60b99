/** The report on a terminal. */
import { duration, times } from "../report/format.ts";
import { contenderNames } from "./contender.ts";
import type { ContestReport, Headline, Verdict, WasmReport } from "./report.ts";

export function contestText(report: ContestReport): string {
  const { name, title, emitter, gigaflops, results, verdicts, failure } = report;
  const speed = gigaflops === undefined ? "" : ` (${gigaflops.toFixed(1)} GFLOP/s)`;
  const head = `${name}: ${title}${speed}`;
  if (failure !== undefined) return `${head}\n  FAILED: ${failure}`;
  const rows = results.map(({ who, milliseconds, behind, note }) =>
    milliseconds === null
      ? [who, "-", note ?? ""]
      : [who, duration(1e6 * milliseconds), who === "fuseau 1" ? emitter : times(behind ?? Number.NaN)],
  );
  return [head, table(rows), table(verdicts.map(({ what: _, ...verdict }) => verdictCells(verdict)))].join(
    "\n",
  );
}

const WORDS = { true: "ok", false: "MISSED", null: "-" } as const;

const verdictCells = ({ asked, reached, met }: Omit<Verdict, "what">): string[] => [
  WORDS[`${met}`],
  asked,
  reached,
];

/** All contests at a glance: how many times as fast fuseau is on one thread. */
export function summaryText({ contests }: WasmReport): string {
  const others = contenderNames.filter((name) => name !== "fuseau 1");
  const rows = contests.map(({ name, results, failure }) => {
    const own = results.find(({ who }) => who === "fuseau 1")?.milliseconds ?? null;
    return [
      name,
      own === null ? (failure === undefined ? "-" : "FAILED") : duration(1e6 * own),
      ...others.map((other) => {
        const behind = results.find(({ who }) => who === other)?.behind ?? null;
        return behind === null ? "-" : times(behind);
      }),
    ];
  });
  return [
    "How many times as fast fuseau is on one thread (below 1: slower), against",
    table([["", "fuseau 1", ...others], ...rows]),
  ].join("\n");
}

export function verdictsText({ contests, firstUse }: WasmReport): string {
  const verdicts = [...contests.flatMap(({ verdicts }) => verdicts), ...firstUse];
  const rows = verdicts.map((verdict) => [verdict.what, ...verdictCells(verdict)]);
  const met = verdicts.filter((verdict) => verdict.met === true).length;
  return [`Targets: ${met} of ${verdicts.length} met`, table(rows)].join("\n");
}

export const headlineText = ({ one, two, contests }: Headline): string =>
  [
    `Geometric mean of fuseau's time over that of C on one thread, ${contests} contests`,
    `  1 thread   ${one?.toFixed(2) ?? "not measured"}`,
    `  2 threads  ${two?.toFixed(2) ?? "not measured"}`,
  ].join("\n");

/** Columns as wide as their widest cell. */
function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  return rows
    .map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd())
    .join("\n");
}
