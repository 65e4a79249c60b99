/** Work in a fresh process, where nothing is warm and memory is its own. */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Runs processes/<name>.ts, and gives what it sends. The flags of this process (tsx, conditions) are the child's too. */
export function inFreshProcess<Result>(name: string, args: readonly string[] = []): Promise<Result> {
  const path = fileURLToPath(new URL(`../processes/${name}.ts`, import.meta.url));
  return new Promise((resolve, reject) => {
    const child = fork(path, [...args], { stdio: ["ignore", "inherit", "pipe", "ipc"] });
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
