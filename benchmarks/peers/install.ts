/** Installs the peers beside this file, when they are not there yet in the versions that package.json names. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const folder = fileURLToPath(new URL(".", import.meta.url));

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifestAt = (path: string): Manifest | null =>
  existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Manifest) : null;

/** The version that is there, or null. */
export const installedVersion = (name: string): string | null =>
  manifestAt(`${folder}node_modules/${name}/package.json`)?.version ?? null;

/** Gives the reason when it fails; what is there already can be used all the same. */
export async function installPeers(): Promise<string | null> {
  const wanted = Object.entries(manifestAt(`${folder}package.json`)?.dependencies ?? {});
  if (wanted.every(([name, version]) => installedVersion(name) === version)) return null;
  const quick = ["--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"];
  try {
    await promisify(execFile)("npm", ["install", ...quick], { cwd: folder, timeout: 300_000 });
    return null;
  } catch (error) {
    const code = /npm error code (\S+)/.exec(error instanceof Error ? error.message : "")?.[1];
    return `npm install failed${code === undefined ? "" : ` (${code})`}`;
  }
}
