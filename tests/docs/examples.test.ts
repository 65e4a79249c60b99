/** What README.md and docs/ show is what happens: their TypeScript is checked and run, and prints what they say. */
import { format } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { type Block, blocksFolder, blocksOf, documents, isAsPromised, writeBlocks } from "./blocks.ts";
import { checkTypes } from "./check-types.ts";

const blocks = documents().flatMap(blocksOf);
writeBlocks(blocks);

/** What tsc says, by file, without the file's name: `(3,7): error TS2345: …`. */
function messagesByFile(): Map<string, string> {
  const messages = new Map<string, string>();
  let file = "";
  for (const line of checkTypes(`${blocksFolder}tsconfig.json`, blocksFolder).split("\n")) {
    const [, name, message] = /^(\S+\.ts)(\(\d+,\d+\): error .*)$/.exec(line) ?? [null, file, line];
    file = name as string;
    messages.set(file, `${messages.get(file) ?? ""}${message}\n`);
  }
  return messages;
}

async function outputOf({ file }: Block): Promise<string> {
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...args) => {
    lines.push(format(...args));
  });
  try {
    await import(/* @vite-ignore */ file);
  } finally {
    log.mockRestore();
  }
  return lines.join("\n");
}

const nameOf = (block: Block): string => block.file.slice(blocksFolder.length);

function expectPromised(output: string, block: Block): void {
  // The whole texts are compared only to show the difference.
  if (!isAsPromised(output, block.expected ?? ""))
    expect(output.trimEnd(), block.place).toBe(block.expected ?? "");
}

describe("the documentation's examples", () => {
  it("are there", () => {
    expect(blocks.length).toBeGreaterThan(10);
  });

  it("pass the type checker, or fail as they say", { timeout: 120_000 }, () => {
    const messages = messagesByFile();
    // What belongs to no file.
    expect((messages.get("") ?? "").trim()).toBe("");
    for (const block of blocks) {
      const said = messages.get(nameOf(block)) ?? "";
      if (block.mode === "error") expectPromised(said, block);
      else expect(said, block.place).toBe("");
    }
  });

  for (const block of blocks) {
    if (block.mode === "error") continue;
    if (block.mode !== "") {
      it(`${block.place} gives a reason for not being run`, () => {
        expect(block.mode).toMatch(/^no-run: \S/);
      });
      continue;
    }
    it(`${block.place} prints what it says`, async () => {
      expectPromised(await outputOf(block), block);
    });
  }
});
