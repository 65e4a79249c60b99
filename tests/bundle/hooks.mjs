// Loads packages/NAME/src/PATH.ts from the bundle. An address with a query is meant to be loaded another time, and is left alone.
import { readFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

const sources = /\/packages\/(ir|compiler|runtime)\/src\/([^?]*)\.ts$/;
let bundle = "";

/** @type {import("node:module").InitializeHook<string>} */
export function initialize(folder) {
  bundle = `${pathToFileURL(folder)}/`;
}

/** @type {import("node:module").ResolveHook} */
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const [, name, path] = sources.exec(found.url) ?? [];
  return name === undefined
    ? found
    : { url: `${bundle}${name}/${path}.js`, format: "module", shortCircuit: true };
}

/** @type {import("node:module").LoadHook} */
export async function load(url, context, next) {
  if (!url.startsWith(bundle)) return next(url, context);
  return { format: "module", source: await readFile(fileURLToPath(url)), shortCircuit: true };
}
