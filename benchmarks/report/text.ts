/** The report on a terminal. */
import {
  bestLoop,
  type CaseReport,
  type FigureReport,
  type Report,
  rowOf,
  type Target,
} from "../measure/report.ts";
import { overheadsOf } from "../targets.ts";
import { duration, figureText, microseconds, times } from "./format.ts";

export function caseText(report: CaseReport): string {
  const lines = [`${report.name}: ${report.title}`, `  ${report.about}`];
  if (report.failure !== undefined) return [...lines, `  FAILED: ${report.failure}`].join("\n");
  const { kernels } = report;
  if (kernels !== null) lines.push(`  kernels: fused ${kernels.fused}, eager ${kernels.eager}`);
  const best = bestLoop(report);
  const rows = report.rows.map((row) => {
    if (row.nanoseconds === null) return [row.name, "-", "", "", "", row.note ?? ""];
    const benny = report.benny.find(({ name }) => name === row.name);
    return [
      row.name,
      duration(row.nanoseconds),
      row.role === "fused" ? "" : times(row.ratio ?? Number.NaN),
      row === best ? "best loop" : row.role === "other" ? "for comparison" : "",
      `${duration(row.low ?? 0)} … ${duration(row.high ?? 0)}`,
      benny === undefined
        ? ""
        : `benny ${benny.operationsPerSecond.toLocaleString("en")} ops/s ±${benny.margin} %`,
    ];
  });
  lines.push(table([["", "time", "/ fused", "", "middle half", ""], ...rows]));
  return lines.join("\n");
}

export function figuresText(report: FigureReport): string {
  const lines = [`${report.name}: ${report.title}`, `  ${report.about}`];
  if (report.failure !== undefined) lines.push(`  not measured: ${report.failure}`);
  if (report.figures.length > 0) {
    lines.push(
      table(
        report.figures.map(({ name, figure, unit, note }) => [name, figureText(figure, unit), note ?? ""]),
      ),
    );
  }
  return lines.join("\n");
}

/** All cases at a glance: how many times as fast fused is. Below 1 it is slower. */
export function summaryText({ cases }: Report): string {
  if (cases.length === 0) return "";
  const peers = [
    ...new Set(
      cases.flatMap(({ rows }) => rows.filter(({ role }) => role === "peer").map(({ name }) => name)),
    ),
  ];
  const rows = cases.map((report) => {
    const fused = rowOf(report, "fused");
    const eager = rowOf(report, "eager");
    const best = bestLoop(report);
    return [
      report.name,
      report.failure !== undefined
        ? "FAILED"
        : fused?.nanoseconds == null
          ? "-"
          : duration(fused.nanoseconds),
      eager?.ratio == null ? "" : times(eager.ratio),
      best?.ratio == null ? "" : times(best.ratio),
      ...peers.map((name) => {
        const row = report.rows.find((peer) => peer.name === name);
        return row === undefined ? "" : row.ratio === null ? "-" : times(row.ratio);
      }),
    ];
  });
  return [
    "How many times as fast fused is (below 1: slower), against",
    table([["", "fused", "eager", "best loop", ...peers], ...rows]),
  ].join("\n");
}

/** What a call costs beyond its arithmetic. */
export function overheadText({ cases }: Report): string {
  const overheads = overheadsOf(cases.find(({ name }) => name === "small-16"));
  if (overheads.length === 0) return "";
  const rows = overheads.map(({ row, nanoseconds }) => [row.name, microseconds(nanoseconds)]);
  return ["Beyond the kernel's own time, (a*b + c)*d - a of 16 elements recorded anew", table(rows)].join(
    "\n",
  );
}

export function targetsText(targets: readonly Target[]): string {
  if (targets.length === 0) return "";
  const word = { true: "ok", false: "MISSED", null: "-" } as const;
  const rows = targets.map(({ name, asked, reached, met }) => [word[`${met}`], name, asked, reached]);
  return ["Targets", table([["", "", "asked", "reached"], ...rows])].join("\n");
}

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
