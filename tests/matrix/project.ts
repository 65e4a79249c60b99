/** The files of a row's project. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The program that all hosts run, as a module. */
export const program: string = readFileSync(fileURLToPath(new URL("program.js", import.meta.url)), "utf8");

/** The same for `require`. */
export const commonProgram: string = program
  .replace(/^import (\{.*\}) from ("fuseau.*");/gm, "const $1 = require($2);")
  .replace("export async function check", "exports.check = check;\nasync function check");

/** Prints what ran as the last line. */
export const printing = "check().then((ran) => console.log(JSON.stringify(ran)));";

/** In a page: whoever drives it reads the console, which no policy forbids. */
export const reporting = `check().then(
  (ran) => console.log(JSON.stringify({ ran })),
  (error) => console.log(JSON.stringify({ ran: String(error && error.stack) })),
);
`;

export function write(folder: string, files: Readonly<Record<string, string | object>>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, null, 2));
  }
}

/** What a program printed as its last line. */
export function lastLine<T>(printed: string): T {
  const line = printed.trim().split("\n").at(-1) ?? "";
  try {
    return JSON.parse(line) as T;
  } catch {
    throw new Error(`printed "${line}"`);
  }
}
