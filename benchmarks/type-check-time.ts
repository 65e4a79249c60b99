/**
 * How long `tsc` takes for a file of 300 typed ops, beyond one that only imports: `tsx benchmarks/type-check-time.ts`. Here both check the
 * sources of the packages as well, where users have declarations.
 */
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { median } from "./measure/statistics.ts";

const folderOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const tests = folderOf("../tests/types/");
const results = folderOf("./results/");

export interface TypeCheckTime {
  readonly file: string;
  readonly lines: number;
  readonly version: string;
  /** Beyond a file that imports the same: the median of the runs. */
  readonly milliseconds: number;
}

/** Null when there is no such file. @throws Error when the file does not type-check. */
export async function typeCheckTime(runs: number): Promise<TypeCheckTime | null> {
  const file = readdirSync(tests).find((name) => /300|three-hundred|many-ops/.test(name));
  if (file === undefined) return null;
  mkdirSync(results, { recursive: true });
  const importOnly = `${results}import-only.ts`;
  writeFileSync(importOnly, 'import "fuseau";\n');
  const differences: number[] = [];
  for (let run = 0; run < runs; run++)
    differences.push((await timeOf(`${tests}${file}`)) - (await timeOf(importOnly)));
  const lines = readFileSync(`${tests}${file}`, "utf8").split("\n").length;
  return { file, lines, version: (await tsc(["--version"])).trim(), milliseconds: median(differences) };
}

/** Milliseconds of a whole process that checks the file. */
async function timeOf(file: string): Promise<number> {
  const project = `${results}tsconfig.json`;
  writeFileSync(
    project,
    JSON.stringify({
      extends: `${tests}tsconfig.json`,
      compilerOptions: { noEmit: true, composite: false, incremental: false },
      files: [file],
      include: [],
    }),
  );
  const start = performance.now();
  await tsc(["-p", project]);
  return performance.now() - start;
}

async function tsc(args: readonly string[]): Promise<string> {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve("typescript/package.json");
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly bin: { readonly tsc: string } };
  const path = fileURLToPath(new URL(bin.tsc, `file://${manifest}`));
  try {
    return (await promisify(execFile)(process.execPath, [path, ...args])).stdout;
  } catch (error) {
    throw new Error(`tsc failed: ${(error as { readonly stdout?: string }).stdout ?? String(error)}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const time = await typeCheckTime(3);
  console.log(
    time === null
      ? `no file of 300 typed ops in ${tests}`
      : `${time.file}, ${time.lines} lines, ${time.version}: ${(time.milliseconds / 1000).toFixed(2)} s`,
  );
}
