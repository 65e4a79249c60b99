import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Case } from "./case.ts";

export interface CaseFile {
  /** The file's name without its endings. */
  readonly name: string;
  readonly cases: readonly Case[];
}

const ending = /\.jsonl(\.gz)?$/;

/** One case a line, plain or gzipped. */
export function readCases(path: string): Case[] {
  const bytes = readFileSync(path);
  const text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Case]));
}

/** Every file of cases in a folder, by name. @throws Error when there is none. */
export function readFolder(folder: string): CaseFile[] {
  const names = readdirSync(folder)
    .filter((name) => ending.test(name))
    .sort();
  if (names.length === 0) throw new Error(`${folder} holds no *.jsonl and no *.jsonl.gz`);
  return names.map((name) => ({ name: name.replace(ending, ""), cases: readCases(join(folder, name)) }));
}
