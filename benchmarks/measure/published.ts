/** The files that users get, as the sources make them now. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
let isBuilt = false;

/** A file of fuseau, such as `index.js`. The first call builds all of them: what was built another day would be measured as today's. */
export function published(file: string): URL {
  if (!isBuilt) execFileSync("npm", ["run", "build"], { cwd: root });
  isBuilt = true;
  return new URL(`../../packages/runtime/dist/${file}`, import.meta.url);
}
