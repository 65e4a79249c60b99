/** Makes the packages' tarballs, and installs them and the hosts where the rows' projects find them. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { write } from "./project.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Git ignores it. The hosts stay in it from one run to the next. */
export const matrixFolder: string = join(root, ".matrix");

const pinned: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(fileURLToPath(new URL("hosts.json", import.meta.url)), "utf8"),
);

/** The folder of the hosts' packages. */
export function installHosts(names: ReadonlySet<string>): string {
  const file = join(matrixFolder, "package.json");
  const installed: Record<string, string> = existsSync(file)
    ? JSON.parse(readFileSync(file, "utf8")).dependencies
    : {};
  const missing = [...names].filter((name) => installed[name] !== pinned[name]);
  if (missing.length === 0) return matrixFolder;
  console.log(`matrix: installing ${missing.join(", ")}`);
  const dependencies = { ...installed };
  for (const name of missing) {
    const version = pinned[name];
    if (version === undefined) throw new Error(`hosts.json has no ${name}`);
    dependencies[name] = version;
  }
  // Said to be there only once it is: under another name, an interrupted installation is done again.
  rmSync(file, { force: true });
  write(matrixFolder, { "package.json": { private: true, dependencies } });
  try {
    install(matrixFolder);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
  return matrixFolder;
}

/** Builds, packs and installs the three packages afresh; the folder that projects are made in. */
export function installPackages(): string {
  const folder = join(matrixFolder, "projects");
  rmSync(folder, { recursive: true, force: true });
  const tarballs = join(folder, "tarballs");
  mkdirSync(tarballs, { recursive: true });
  console.log("matrix: packing");
  execFileSync(process.execPath, [join(root, "scripts/build.mjs")], { cwd: root, stdio: "inherit" });
  const dependencies: Record<string, string> = {};
  for (const [name, source] of [
    ["@fuseau/ir", "ir"],
    ["@fuseau/compiler", "compiler"],
    ["fuseau", "runtime"],
  ] as const) {
    const args = [
      "--silent",
      "--dir",
      join(root, "packages", source),
      "pack",
      "--pack-destination",
      tarballs,
    ];
    const tarball = execFileSync("pnpm", args, {
      encoding: "utf8",
      shell: process.platform === "win32",
    }).trim();
    dependencies[name] = `file:${tarball.split("\n").at(-1)}`;
  }
  write(folder, { "package.json": { private: true, type: "module", dependencies } });
  install(folder);
  return folder;
}

/** With npm, as users do; nothing here is in the workspace or its lockfile. */
function install(folder: string): void {
  const args = [
    "install",
    "--no-audit",
    "--no-fund",
    "--no-package-lock",
    "--ignore-scripts",
    "--loglevel=error",
  ];
  execFileSync("npm", args, { cwd: folder, stdio: "inherit", shell: process.platform === "win32" });
}
