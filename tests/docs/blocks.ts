/** The TypeScript blocks of the documentation, and what their readers are told that they print. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Where the blocks stand as files, so that the type checker and the test runner find them. */
export const blocksFolder: string = fileURLToPath(new URL(".blocks/", import.meta.url));

export interface Block {
  /** `docs/types.md:42`, where the block begins. */
  readonly place: string;
  readonly file: string;
  readonly code: string;
  /**
   * What follows `ts` on the fence. Nothing: type-checked, run, and its output compared. `error`: tsc must say what the next
   * block says. `no-run` and a reason: type-checked alone.
   */
  readonly mode: string;
  /** The `text` block that comes next; null when another or none does. */
  readonly expected: string | null;
}

interface Fence {
  readonly line: number;
  readonly info: string;
  readonly text: string;
}

export const documents = (): string[] => [
  join(root, "README.md"),
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(root, "docs", name)),
];

export function blocksOf(document: string): Block[] {
  const fences = fencesIn(readFileSync(document, "utf8"));
  return fences.flatMap(({ line, info, text }, k): Block[] => {
    if (info !== "ts" && !info.startsWith("ts ")) return [];
    const next = fences[k + 1];
    const file = join(blocksFolder, `${basename(document, ".md")}-${line}.ts`);
    const expected = next?.info === "text" ? next.text : null;
    return [
      { place: `${relative(root, document)}:${line}`, file, code: text, mode: info.slice(3), expected },
    ];
  });
}

/** Fences of three backticks at the start of a line, which is all that these documents use. */
function fencesIn(markdown: string): Fence[] {
  const fences: Fence[] = [];
  let open: { line: number; info: string; lines: string[] } | null = null;
  markdown.split("\n").forEach((line, k) => {
    if (!line.startsWith("```")) open?.lines.push(line);
    else if (open === null) open = { line: k + 1, info: line.slice(3).trim(), lines: [] };
    else {
      fences.push({ line: open.line, info: open.info, text: open.lines.join("\n") });
      open = null;
    }
  });
  return fences;
}

/** Writes every block to its file. What has not changed is left alone, or a watching test runner would start again. */
export function writeBlocks(blocks: readonly Block[]): void {
  mkdirSync(blocksFolder, { recursive: true });
  const config = {
    extends: "../../tsconfig.json",
    include: ["*.ts"],
    // Of several checkers each would check the packages: twice the processor's time, and tests have both cores at work.
    compilerOptions: { types: ["node"], moduleDetection: "force", checkers: 1 },
  };
  const files = new Map(blocks.map(({ file, code }) => [file, `${code}\n`]));
  files.set(join(blocksFolder, "tsconfig.json"), JSON.stringify(config));
  for (const name of readdirSync(blocksFolder)) {
    if (!files.has(join(blocksFolder, name))) rmSync(join(blocksFolder, name));
  }
  for (const [file, text] of files) if (contentOf(file) !== text) writeFileSync(file, text);
}

function contentOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

/** True when the output is what was promised. `…` stands for any text of its line, and a line of it alone for any lines. */
export function isAsPromised(output: string, promised: string): boolean {
  const pattern = promised
    .trimEnd()
    .split("\n")
    .map((line) => (line.trim() === "…" ? "(?:.*\n)*?" : `${lineOf(line.trimEnd())}[ ]*\n`));
  return new RegExp(`^${pattern.join("")}$`).test(`${output.trimEnd()}\n`);
}

const lineOf = (text: string): string => text.split("…").map(escaped).join(".*");

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
