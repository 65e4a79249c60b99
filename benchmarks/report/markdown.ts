/** The races as the table that stands in docs/benchmarks.md, between its markers. */
import type { CaseReport, Report, Row } from "../measure/report.ts";
import { duration, times } from "./format.ts";

export const BEGIN = "<!-- benchmark table: npm run bench -- --write -->";
export const END = "<!-- end of benchmark table -->";

export function markdownTable({ host, cases }: Report): string {
  const rows = cases.map((report) => `| ${cells(report).join(" | ")} |`);
  return [
    BEGIN,
    "",
    `Node ${host.node}, ${host.processor}, ${host.cores} cores, ${host.date}. Times are medians; × is how many times as long the`,
    "other took, so below 1 the other was faster.",
    "",
    "| computation | fused | eager | best loop by hand | peers |",
    "|---|---:|---:|---:|---|",
    ...rows,
    "",
    END,
  ].join("\n");
}

/** The text with a table put in the place of what stands between its markers. */
export function withTable(text: string, table: string, first: string = BEGIN, last: string = END): string {
  const begin = text.indexOf(first);
  const end = text.indexOf(last);
  if (begin < 0 || end < begin) throw new Error(`the page has lost ${first} or ${last}`);
  return text.slice(0, begin) + table + text.slice(end + last.length);
}

function cells({ title, rows }: CaseReport): string[] {
  const fused = rows.find(({ role }) => role === "fused");
  const eager = rows.find(({ role }) => role === "eager");
  const loops = rows.filter(({ role, ratio }) => role === "hand" && ratio !== null);
  const best = loops.reduce<Row | undefined>(
    (least, row) => (least === undefined || (row.ratio ?? 0) < (least.ratio ?? 0) ? row : least),
    undefined,
  );
  const peers = rows.filter(({ role, ratio }) => role === "peer" && ratio !== null);
  return [
    title.replace(/[|*]/g, "\\$&"),
    fused?.nanoseconds == null ? "–" : duration(fused.nanoseconds),
    ratioOf(eager),
    ratioOf(best),
    peers.map((row) => `${row.name} ${ratioOf(row)}`).join(", ") || "–",
  ];
}

const ratioOf = (row: Row | undefined): string => (row?.ratio == null ? "–" : times(row.ratio));
