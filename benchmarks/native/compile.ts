/** Makes the C kernels beside this file into a program, where gcc is installed. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));

/** No -ffast-math: sums are in lanes where the source allows it, and functions are libm's. */
const FLAGS = ["-std=c11", "-D_GNU_SOURCE", "-O3", "-march=native", "-Wall", "-Wextra"];

export interface Native {
  /** The path of the program. */
  readonly program: string;
  readonly compiler: string;
  /** Whether it has OpenMP's threads; without, loops run on one. */
  readonly threads: boolean;
}

/** The program, which is deleted when this process ends, or why there is none. */
export function compileNative(): Native | string {
  const { status, stdout } = spawnSync("gcc", ["--version"], { encoding: "utf8" });
  if (status !== 0) return "gcc is not installed";
  const built = mkdtempSync(join(tmpdir(), "fuseau-native-"));
  process.once("exit", () => rmSync(built, { recursive: true, force: true }));
  const program = join(built, "native");
  const sources = readdirSync(folder).filter((name) => name.endsWith(".c"));
  for (const openmp of ["-fopenmp", "-fopenmp-simd"]) {
    const compiled = spawnSync("gcc", [...FLAGS, openmp, ...sources, "-o", program, "-lm"], { cwd: folder });
    if (compiled.status !== 0) continue;
    return { program, compiler: stdout.split("\n")[0] ?? "gcc", threads: openmp === "-fopenmp" };
  }
  return "gcc does not compile the kernels";
}
