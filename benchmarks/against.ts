/**
 * The same benchmarks in the checkout of another commit, by turns with these: `npm run bench -- --against TAG`, and of `bench:wasm`. A row's
 * figure is the median over the rounds of its time there over its time here, so below 1 this checkout is slower.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { geometricMean, median } from "./measure/statistics.ts";

/** Milliseconds of each row that was measured, by its name: what is to be read of a report's JSON. */
export type TimesOf = (report: unknown) => ReadonlyMap<string, number>;

export interface Against {
  /** Of this folder: `run.ts`. */
  readonly script: string;
  /** What names a commit: a tag, a branch, a hash. */
  readonly commit: string;
  readonly options: readonly string[];
  readonly rounds: number;
  readonly timesOf: TimesOf;
}

/** What is asked of both. */
export const sameOptions = ({ quick, only = [] }: { quick?: boolean; only?: string[] }): string[] => [
  ...(quick ? ["--quick"] : []),
  ...only.flatMap((name) => ["--only", name]),
];

/** A row of the times, where it was measured. */
export const timeOf = (name: string, time: number | null | undefined): [string, number][] =>
  time == null ? [] : [[name, time]];

const here = fileURLToPath(new URL("../", import.meta.url));

/** Prints the rows, those that are slower here first. @throws Error when git has no such commit, or a run fails. */
export function runAgainst({ script, commit, options, rounds, timesOf }: Against): void {
  const there = checkoutOf(commit);
  const folder = mkdtempSync(join(tmpdir(), "fuseau-against-"));
  const ratios = new Map<string, number[]>();
  try {
    for (let round = 1; round <= rounds; round++) {
      const measure = (checkout: string): ReadonlyMap<string, number> => {
        console.error(`… round ${round} of ${rounds}: ${checkout === here ? "this checkout" : commit}`);
        const file = join(folder, "report.json");
        run(
          checkout,
          "npx",
          "tsx",
          "--conditions=fuseau:source",
          `benchmarks/${script}`,
          ...options,
          "--json",
          file,
        );
        return timesOf(JSON.parse(readFileSync(file, "utf8")));
      };
      const isEven = round % 2 === 0;
      const first = measure(isEven ? there : here);
      const second = measure(isEven ? here : there);
      const [own, other] = isEven ? [second, first] : [first, second];
      for (const [name, time] of own) {
        const before = other.get(name);
        if (before !== undefined) ratios.set(name, [...(ratios.get(name) ?? []), before / time]);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(textOf(ratios, commit));
}

/** A worktree among what is installed, kept for the next time. */
function checkoutOf(commit: string): string {
  const hash = run(here, "git", "rev-parse", "--short=12", `${commit}^{commit}`).trim();
  const folder = join(here, "node_modules/.cache/against", hash);
  if (!existsSync(folder)) {
    run(here, "git", "worktree", "prune");
    run(here, "git", "worktree", "add", "--detach", folder, hash);
  }
  run(folder, process.execPath, "scripts/setup.mjs");
  return folder;
}

function run(folder: string, command: string, ...given: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, given, {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (status !== 0)
    throw new Error(`${command} ${given.join(" ")}, in ${folder}: ${error?.message ?? stderr.slice(-2_000)}`);
  return stdout;
}

function textOf(ratios: ReadonlyMap<string, readonly number[]>, commit: string): string {
  const rows = [...ratios]
    .map(([name, of]) => ({ name, ratio: median(of), of }))
    .sort((a, b) => a.ratio - b.ratio);
  const lines = rows.map(
    ({ name, ratio, of }) =>
      `${ratio.toFixed(2).padStart(7)} ×  ${name.padEnd(36)} ${of.map((one) => one.toFixed(2)).join(" ")}`,
  );
  return [
    `Time of ${commit} over the time of this checkout: below 1 it is slower here`,
    ...lines,
    `geometric mean of ${rows.length} rows: ${geometricMean(rows.map(({ ratio }) => ratio)).toFixed(3)}`,
  ].join("\n");
}
