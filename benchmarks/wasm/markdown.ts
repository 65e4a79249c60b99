/** The contests as tables that stand between markers in docs/benchmarks.md and, a few of them, in README.md. */
import { duration, times } from "../report/format.ts";
import type { ContenderName } from "./contender.ts";
import type { WasmReport } from "./report.ts";

const COLUMNS = ["fuseau 2", "js", "jax-js", "tfjs", "C 1"] as const satisfies readonly ContenderName[];

export const WASM_BEGIN = "<!-- WebAssembly table: npm run bench:wasm -- --write -->";
export const WASM_END = "<!-- end of WebAssembly table -->";
export const SELECTED_BEGIN = "<!-- selected rows: npm run bench:wasm -- --write -->";
export const SELECTED_END = "<!-- end of selected rows -->";

/** A row of each kind of work, those among them that fuseau loses. */
const SELECTED = [
  "chain-1000",
  "gelu",
  "softmax",
  "layer-norm",
  "squares-columns",
  "matmul-512",
  "gather",
  "histogram",
  "sort",
  "small-16",
];

export function wasmTable(report: WasmReport): string {
  const { host, headline } = report;
  const means = [headline.one, headline.two].map((mean) => mean?.toFixed(2) ?? "–");
  return [
    WASM_BEGIN,
    "",
    `Node ${host.node}, ${host.processor}, ${host.cores} cores, ${host.compiler}. The time of fuseau on one thread, and how many times`,
    `as long others took. Over all contests with C its time is ${means[0]} of C's on one thread (geometric mean), ${means[1]} with two.`,
    "",
    ...table(report.contests),
    "",
    WASM_END,
  ].join("\n");
}

/** What README.md shows of it. */
export function selectedTable({ contests }: WasmReport): string {
  const selected = contests.filter(({ name }) => SELECTED.includes(name));
  return [SELECTED_BEGIN, "", ...table(selected), "", SELECTED_END].join("\n");
}

function table(contests: WasmReport["contests"]): string[] {
  const rows = contests.map(({ title, results }) => {
    const own = results.find(({ who }) => who === "fuseau 1")?.milliseconds ?? null;
    const others = COLUMNS.map((who) => {
      const behind = results.find((result) => result.who === who)?.behind ?? null;
      return behind === null ? "–" : times(behind);
    });
    return `| ${[title.replace(/[|*]/g, "\\$&"), own === null ? "–" : duration(1e6 * own), ...others].join(" | ")} |`;
  });
  return [
    "| float32 unless said | fuseau | 2 threads | JavaScript kernels | jax-js | tfjs wasm | C, 1 thread |",
    "|---|---:|---:|---:|---:|---:|---:|",
    ...rows,
  ];
}
