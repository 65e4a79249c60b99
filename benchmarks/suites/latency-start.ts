/** What a program costs that does little: whole processes, of plain Node and the packages as they are published, interleaved. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FigureCase } from "../figures.ts";
import { published } from "../measure/published.ts";
import type { Figure } from "../measure/report.ts";
import { median } from "../measure/statistics.ts";
import { installedVersion } from "../peers/install.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** The file that Node imports. */
const moduleOf = (entry: string): string => published(`${entry}.mjs`).href;

const importing = (module: string): string => `await import(${JSON.stringify(module)});`;

/** Imports, and computes a softmax of 100×100; with a cache where one is given. */
const softmax = (entry: string, cache?: string): string => `
const { fromTypedArray, setOptions } = await import(${JSON.stringify(moduleOf(entry))});
${cache === undefined ? "" : `setOptions({ cache: ${JSON.stringify(cache)} });`}
const numbers = Float32Array.from({ length: 10_000 }, (_, k) => Math.sin(k));
const sums = fromTypedArray(numbers, { shape: [100, 100] }).softmax(-1).toTypedArray();
if (Math.abs(sums.subarray(0, 100).reduce((a, b) => a + b) - 1) > 1e-5) throw new Error("no softmax");`;

interface Process {
  readonly name: string;
  readonly text: string;
}

/** Peers that are installed beside the benchmarks are imported too. */
function peers(): Process[] {
  return ["@jax-js/jax", "@tensorflow/tfjs"].flatMap((name) => {
    const version = installedVersion(name);
    return version === null ? [] : [{ name: `import ${name} ${version}`, text: importing(name) }];
  });
}

/** Milliseconds from its start to its end. */
function timeOf({ name, text }: Process): number {
  const start = performance.now();
  try {
    execFileSync(process.execPath, ["--input-type=module", "--eval", text], {
      // What a text imports by name is looked for from here.
      cwd: join(root, "benchmarks/peers"),
      stdio: "pipe",
    });
  } catch (error) {
    throw new Error(`${name} failed`, { cause: error });
  }
  return performance.now() - start;
}

export const latencyStart: FigureCase = {
  name: "latency-start",
  title: "whole processes, beyond one that does nothing",
  about: "Medians of interleaved runs. The cache is a folder that an earlier process has filled.",
  async measure(runs) {
    const cache = mkdtempSync(join(tmpdir(), "fuseau-start-"));
    try {
      const processes: Process[] = [
        { name: "nothing", text: "0" },
        { name: "import fuseau", text: importing(moduleOf("index")) },
        { name: "import fuseau/js", text: importing(moduleOf("js")) },
        { name: "import and softmax of 100×100", text: softmax("index") },
        { name: "the same with a filled cache", text: softmax("index", cache) },
        { name: "the same by fuseau/js", text: softmax("js") },
        ...peers(),
      ];
      timeOf(processes[4] as Process);
      const times = processes.map((): number[] => []);
      for (let round = 0; round < 5 * runs; round++)
        for (const [k, each] of processes.entries()) times[k]?.push(timeOf(each));
      const [nothing = 0, ...others] = times.map(median);
      return others.map((time, k): Figure => {
        const { name } = processes[k + 1] as Process;
        return { name, figure: time - nothing, unit: "ms", note: `node -e 0 takes ${nothing.toFixed(0)} ms` };
      });
    } finally {
      rmSync(cache, { recursive: true, force: true });
    }
  },
};
