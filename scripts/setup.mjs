// Makes the installed dependencies those of pnpm-lock.yaml, on a machine that has only node and npm.
// Runs before every npm script, so it imports nothing that must be installed and is quick when nothing is to be done.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../", import.meta.url);
const wanted = new URL("pnpm-lock.yaml", root);
// pnpm writes a copy of the lockfile here as its last step, so an interrupted installation does not count.
const installed = new URL("node_modules/.pnpm/lock.yaml", root);

const upToDate = existsSync(installed) && readFileSync(installed).equals(readFileSync(wanted));

if (upToDate) {
  console.log("set-up: installed dependencies match pnpm-lock.yaml");
} else {
  const command = "npx --yes pnpm@10.34.9 install --frozen-lockfile";
  console.log(`set-up: installed dependencies differ from pnpm-lock.yaml, running ${command}`);
  // A shell, because npx is a .cmd file on Windows.
  const { status, error } = spawnSync(command, { cwd: fileURLToPath(root), shell: true, stdio: "inherit" });
  if (status !== 0) {
    console.error(`set-up: failed (${error?.message ?? `exit code ${status}`})`);
    process.exitCode = 1;
  }
}
