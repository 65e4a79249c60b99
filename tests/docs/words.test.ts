/** The field's words are used: docs/glossary.md has them. Only words that can mean nothing else are refused. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Refused {
  readonly pattern: RegExp;
  readonly instead: string;
  /** Files that may say it, since it means something else there. */
  readonly but?: RegExp;
}

const refused: readonly Refused[] = [
  // A matrix product packs its operands in panels.
  {
    pattern: /\b[pP]anels\b|\bPanel\b/,
    instead: "strip",
    but: /emit\/wasm\/(matmul|contract)\/|docs\/(wasm|scheduled-loops)\.md/,
  },
  {
    pattern: /\bwrit(e|es|ten|ing) out\b(?! of)/i,
    instead: "unroll; of operands, compute into the workspace",
  },
  { pattern: /\b(tells?|told) (\S+ ){0,3}apart\b/i, instead: "distinguish; of operands, commutative" },
  { pattern: /\bin turns\b/i, instead: "interleaved" },
  { pattern: /\bwaits? (for each other )?in (more )?registers\b/i, instead: "spill" },
  { pattern: /(?<!\bon )\bdemand(s|ed)?\b/i, instead: "use (of a value)" },
  { pattern: /\bcarries\(|\ba loop carries\b/i, instead: "loop-carried dependence" },
  { pattern: /\bcrew\b/i, instead: "worker pool, workers" },
  { pattern: /\b(phase|slice)s?\b[^.]{0,40}\bunits\b/i, instead: "work items" },
  { pattern: /\b(firm(ly)?|loose(ly)?|loosens?|isLoose)\b/i, instead: "strong, weak (references)" },
  { pattern: /\blaws? of summation\b/i, instead: "accumulation order" },
  { pattern: /\bdear(er|est)?\b/i, instead: "expensive, slow, costs more" },
  { pattern: /\bkept apart\b/i, instead: "stored; not fused" },
  { pattern: /\bby and large\b/i, instead: "about" },
  { pattern: /\b(a|or) rest\b/i, instead: "remainder" },
  { pattern: /\blook-ups?\b/i, instead: "lookup" },
  { pattern: /\bend to end\b/i, instead: "one row behind the other; flattened" },
  { pattern: /\bareas\b/i, instead: "workspaces", but: /^benchmarks\// },
  {
    pattern:
      /\b(isApart|dotsApart|isSideBySide|isParted|letGo|mayGo|inTurns|turned (in registers|loads|stores))\b/,
    instead: "strided, split, contiguous, in parts, release, donatable, interleaved, transposed",
  },
  { pattern: /\bthin\b|\b(is|multiply)Thin\b/i, instead: "GEMV" },
];

const root = new URL("../../", import.meta.url);

function filesOf(folder: string, ending: string): string[] {
  return readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(ending) && !file.includes("node_modules"))
    .map((file) => `${folder}${file.replaceAll("\\", "/")}`);
}

const files = [
  ...filesOf("benchmarks/", ".ts"),
  ...["ir", "compiler", "runtime"].flatMap((name) => filesOf(`packages/${name}/src/`, ".ts")),
  ...filesOf("docs/", ".md").filter((file) => !file.startsWith("docs/api/") && file !== "docs/glossary.md"),
  "README.md",
  "CHANGELOG.md",
];

test.each(refused)("$pattern is said as: $instead", ({ pattern, instead, but }) => {
  const found = files
    .filter((file) => but?.test(file) !== true)
    .flatMap((file) =>
      readFileSync(new URL(file, root), "utf8")
        .split("\n")
        .flatMap((line, k) =>
          pattern.test(line) ? [`${file}:${k + 1}: say ${instead}: ${line.trim()}`] : [],
        ),
    );
  expect(found).toEqual([]);
});
