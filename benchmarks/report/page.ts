/** The report as one page that needs nothing else: tables, with bars in CSS. */
import {
  bestLoop,
  type CaseReport,
  type FigureReport,
  type Report,
  type Row,
  type Target,
} from "../measure/report.ts";
import { duration, figureText, times } from "./format.ts";
import { style } from "./style.ts";

/** Bars longer than this many times the fused one are cut, and say so; their number tells the rest. */
const LONGEST = 8;

export function page(report: Report): string {
  const { host, quick } = report;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>fuseau: benchmarks</title>
<style>${style}</style>
<h1>fuseau: benchmarks</h1>
<p>${escaped(`${host.date}, Node ${host.node} (V8 ${host.v8}), ${host.processor}, ${host.cores} cores${quick ? "; a quick run, so expect noise" : ""}`)}.
Bars are times: shorter is better. A row's number is its time over that of the fused call, taken round by round in one process.
Whatever fuseau loses is shown like the rest.</p>
<h2>Targets</h2>
${targets(report.targets)}
<h2>Races</h2>
${report.cases.map(raceSection).join("\n")}
<h2>Figures</h2>
${report.figures.map(figureSection).join("\n")}
</html>
`;
}

function targets(all: readonly Target[]): string {
  const word = { true: "ok", false: "missed", null: "not measured" } as const;
  const rows = all.map(
    ({ name, asked, reached, met }) =>
      `<tr class="${met === false ? "missed" : ""}"><td>${escaped(name)}<td>${escaped(asked)}<td>${escaped(reached)}<td>${word[`${met}`]}`,
  );
  return `<table><tr><th><th>asked<th>reached<th>${rows.join("")}</table>`;
}

function raceSection(report: CaseReport): string {
  const { kernels } = report;
  const note = kernels === null ? "" : ` Kernels: fused ${kernels.fused}, eager ${kernels.eager}.`;
  const body =
    report.failure === undefined
      ? `<table class="race">${report.rows.map((row) => raceRow(row, report)).join("")}</table>`
      : `<pre>${escaped(report.failure)}</pre>`;
  return `<section><h3>${escaped(report.title)}</h3><p>${escaped(report.about + note)}</p>${body}</section>`;
}

function raceRow(row: Row, report: CaseReport): string {
  const name = `${escaped(row.name)}${row === bestLoop(report) ? " <small>best loop</small>" : ""}`;
  if (row.nanoseconds === null || row.ratio === null) {
    return `<tr><td>${name}<td><td colspan="2"><small>${escaped(row.note ?? "")}</small>`;
  }
  const cut = row.ratio > LONGEST;
  const width = (100 * Math.min(row.ratio, LONGEST)) / longestRatio(report);
  const bar = `<div class="bar ${row.role}${cut ? " cut" : ""}" style="width:${width.toFixed(1)}%"></div>`;
  return `<tr><td>${name}<td class="number">${duration(row.nanoseconds)}<td class="number">${row.role === "fused" ? "" : times(row.ratio)}<td class="bars">${bar}`;
}

const longestRatio = ({ rows }: CaseReport): number =>
  Math.min(LONGEST, Math.max(1, ...rows.map(({ ratio }) => ratio ?? 0)));

function figureSection({ title, about, figures, failure }: FigureReport): string {
  const rows = figures.map(
    ({ name, figure, unit, note }) =>
      `<tr><td>${escaped(name)}<td class="number">${figureText(figure, unit)}<td><small>${escaped(note ?? "")}</small>`,
  );
  const body = failure === undefined ? `<table>${rows.join("")}</table>` : `<pre>${escaped(failure)}</pre>`;
  return `<section><h3>${escaped(title)}</h3><p>${escaped(about)}</p>${body}</section>`;
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
