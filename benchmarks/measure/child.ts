/** Work in a fresh process, where nothing is warm and memory is its own. */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { inOneFile } from "./in-one-file.mjs";

/** How a process is run: from its sources, by the flags of this one (tsx, conditions), or as one file without those, as users run it. */
export type From = "sources" | "one file";

/** Runs processes/<name>.ts, and gives what it sends. */
export async function inFreshProcess<Result>(
  name: string,
  args: readonly string[] = [],
  from: From = "sources",
): Promise<Result> {
  const source = fileURLToPath(new URL(`../processes/${name}.ts`, import.meta.url));
  if (from === "sources") return run(name, source, args);
  const { file, remove } = await inOneFile(source);
  try {
    return await run(name, file, args, []);
  } finally {
    remove();
  }
}

function run<Result>(
  name: string,
  path: string,
  args: readonly string[],
  execArgv: readonly string[] = process.execArgv,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = fork(path, [...args], {
      stdio: ["ignore", "inherit", "pipe", "ipc"],
      execArgv: [...execArgv],
    });
    const errors: string[] = [];
    child.stderr?.on("data", (text) => errors.push(String(text)));
    child.on("message", (message) => resolve(message as Result));
    child.on("error", reject);
    child.on("exit", (code) => {
      if (code !== 0)
        reject(new Error(`benchmarks/processes/${name}.ts failed: ${lastLines(errors.join(""))}`));
    });
  });
}

const lastLines = (text: string): string => text.trim().split("\n").slice(-12).join("\n");
