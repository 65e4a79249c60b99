// Loads packages/NAME/src/PATH.ts from the bundle. An address with a query is meant to be loaded another time, and is left alone.
import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

const sources = /\/packages\/(ir|compiler|runtime)\/src\/([^?]*)\.ts$/;
let bundle = "";

/** @type {import("node:module").InitializeHook<string>} */
export function initialize(folder) {
  bundle = `${pathToFileURL(folder)}/`;
}

/**
 * What the hook before this one finds, or its promise where hooks are asynchronous.
 *
 * @typedef {import("node:module").ResolveFnOutput} Found
 *
 * @param {string} specifier
 * @param {import("node:module").ResolveHookContext} context
 * @param {(specifier: string, context: import("node:module").ResolveHookContext) => Found | Promise<Found>} next
 */
export function resolve(specifier, context, next) {
  const found = next(specifier, context);
  return found instanceof Promise ? found.then(fromBundle) : fromBundle(found);
}

/** @param {Found} found */
function fromBundle(found) {
  const [, name, path] = sources.exec(found.url) ?? [];
  return name === undefined
    ? found
    : { url: `${bundle}${name}/${path}.js`, format: "module", shortCircuit: true };
}

/**
 * @typedef {import("node:module").LoadFnOutput} Loaded
 *
 * @param {string} url
 * @param {import("node:module").LoadHookContext} context
 * @param {(url: string, context: import("node:module").LoadHookContext) => Loaded | Promise<Loaded>} next
 */
export function load(url, context, next) {
  if (!url.startsWith(bundle)) return next(url, context);
  return { format: "module", source: readFileSync(fileURLToPath(url)), shortCircuit: true };
}
