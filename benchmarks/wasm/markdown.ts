/** The contests as the table that stands in the README, between its markers. */
import { duration, times } from "../report/format.ts";
import type { ContenderName } from "./contender.ts";
import type { WasmReport } from "./report.ts";

const COLUMNS = ["fuseau 2", "js", "jax-js", "tfjs", "C 1"] as const satisfies readonly ContenderName[];

export const WASM_BEGIN = "<!-- WebAssembly table: npm run bench:wasm -- --readme -->";
export const WASM_END = "<!-- end of WebAssembly table -->";

export function wasmTable({ host, contests, headline }: WasmReport): string {
  const rows = contests.map(({ title, results }) => {
    const own = results.find(({ who }) => who === "fuseau 1")?.milliseconds ?? null;
    const others = COLUMNS.map((who) => {
      const behind = results.find((result) => result.who === who)?.behind ?? null;
      return behind === null ? "–" : times(behind);
    });
    return `| ${[title.replace(/[|*]/g, "\\$&"), own === null ? "–" : duration(1e6 * own), ...others].join(" | ")} |`;
  });
  const means = [headline.one, headline.two].map((mean) => mean?.toFixed(2) ?? "–");
  return [
    WASM_BEGIN,
    "",
    `Node ${host.node}, ${host.processor}, ${host.cores} cores, ${host.compiler}. The time of fuseau on one thread, and how many times`,
    `as long others took. Over all contests with C its time is ${means[0]} of C's on one thread (geometric mean), ${means[1]} with two.`,
    "",
    "| float32 unless said | fuseau | 2 threads | JavaScript kernels | jax-js | tfjs wasm | C, 1 thread |",
    "|---|---:|---:|---:|---:|---:|---:|",
    ...rows,
    "",
    WASM_END,
  ].join("\n");
}
