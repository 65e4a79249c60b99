// Makes what is published: for each entry point that a package.json exports, one file of ES modules, one for `require`
// and one of declarations for each of them, with source maps into src.
//   npm run build

import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import { plainNamespaces, withMethods } from "./method-types.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));

/**
 * What the build reads of a package.json.
 *
 * @typedef {object} Manifest
 * @property {string} name
 * @property {Readonly<Record<string, string | { readonly "fuseau:source": string }>>} exports
 * @property {Readonly<Record<string, string>>} [dependencies]
 */

// Checks all types, and writes the declarations of each source file.
const { status, error } = spawnSync("tsc", ["--build"], {
  cwd: root,
  stdio: "inherit",
  shell: process.platform === "win32",
});
if (status !== 0) {
  console.error(`build: tsc failed (${error?.message ?? `exit code ${status}`})`);
  process.exit(1);
}
for (const folder of ["ir", "compiler", "runtime"]) await build(join(root, "packages", folder));

/**
 * The first entry point holds the package. Any other is bundled by itself and imports the first: of a class there is one.
 *
 * @param {string} folder
 */
async function build(folder) {
  /** @type {Manifest} */
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const [main = "", ...others] = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === "string" ? [] : [basename(entry["fuseau:source"], ".ts")],
  );
  const external = Object.keys(manifest.dependencies ?? {});
  rmSync(join(folder, "dist"), { recursive: true, force: true });
  const modules = new Set(await bundle(folder, main, external, null));
  await bundleTypes(folder, main, external, null);
  for (const other of others) {
    const twice = (await bundle(folder, other, external, main)).filter((module) => modules.has(module));
    if (twice.length > 0)
      throw new Error(
        `build: ${other}.ts reaches ${twice.join(", ")}, which ${main}.ts holds: import ./${main}.ts`,
      );
    await bundleTypes(folder, other, external, main);
  }
  console.log(`build: ${manifest.name} (${[main, ...others].join(", ")})`);
}

/**
 * Nothing is minified: Node prints the line at which an uncaught error was thrown, and of one long line nothing can be read.
 *
 * @param {string} folder
 * @param {string} entry
 * @param {string[]} external
 * @param {string | null} main
 * @returns {Promise<string[]>} the modules in it
 */
async function bundle(folder, entry, external, main) {
  const modules = new Set();
  for (const [format, extension] of /** @type {const} */ ([
    ["es", "js"],
    ["cjs", "cjs"],
  ])) {
    const bundled = await rolldown({
      input: join(folder, "src", `${entry}.ts`),
      external,
      platform: "neutral",
      transform: { target: "es2022" },
      // By what the code does, not by what package.json says of it.
      treeshake: { moduleSideEffects: [{ test: /./, sideEffects: true }] },
      plugins: [beside(main, extension)],
    });
    const file = join(folder, "dist", `${entry}.${extension}`);
    const { output } = await bundled.write({
      file,
      format,
      comments: { legal: false, jsdoc: false },
      sourcemap: true,
      sourcemapExcludeSources: true,
    });
    writeAscii(file);
    for (const module of output[0].moduleIds) if (module.startsWith(folder)) modules.add(module);
    await bundled.close();
  }
  return [...modules];
}

/**
 * Of a text with a single sign that is not Latin-1 V8 keeps two bytes for each: 1.3 MB more to fill, to scan and to hold. All such
 * signs stand in literals; positions in front of them, such as that of a `throw`, stay what the source map says.
 *
 * @param {string} file
 */
function writeAscii(file) {
  const escaped = (/** @type {string} */ sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
  writeFileSync(file, readFileSync(file, "utf8").replace(/[^\0-\x7f]/g, escaped));
}

/**
 * The declarations for `require` are a copy, since they declare another class than those for `import`.
 *
 * @param {string} folder
 * @param {string} entry
 * @param {string[]} external
 * @param {string | null} main
 */
async function bundleTypes(folder, entry, external, main) {
  const bundled = await rollup({
    input: join(folder, ".types", `${entry}.d.ts`),
    external,
    plugins: [
      beside(main, "js"),
      plainNamespaces(),
      dts({ sourcemap: true, tsconfig: join(folder, "tsconfig.json") }),
    ],
  });
  const file = join(folder, "dist", `${entry}.d.ts`);
  await bundled.write({ file, format: "es", banner, sourcemap: true, sourcemapExcludeSources: true });
  await bundled.close();
  const written = withMethods(readFileSync(file, "utf8"));
  writeFileSync(file, written);
  const text = written.replace(`//# sourceMappingURL=${entry}.d.ts.map`, "");
  writeFileSync(join(folder, "dist", `${entry}.d.cts`), text.replaceAll(`./${main}.js`, `./${main}.cjs`));
}

/**
 * The standard library of ES2022 has no Symbol.dispose, and a program that uses no more than that must compile.
 *
 * @param {import("rollup").RenderedChunk} chunk
 */
function banner({ modules }) {
  const disposes = Object.values(modules).some(({ code }) => code?.includes("Symbol.dispose"));
  return disposes ? '/// <reference lib="esnext.disposable" />' : "";
}

/**
 * Leaves what another entry point imports of the main one in the main one's file.
 *
 * @param {string | null} main
 * @param {string} extension
 */
function beside(main, extension) {
  return {
    name: "beside",
    /** @type {(source: string, importer: string | undefined) => { id: string, external: true } | null} */
    resolveId(source, importer) {
      if (main === null || importer === undefined || !source.startsWith(".")) return null;
      const path = resolve(dirname(importer), source).replace(/(\.d)?\.[jt]s$/, "");
      const isMain = basename(path) === main && /[\\/](src|\.types)$/.test(dirname(path));
      return isMain ? { id: `./${main}.${extension}`, external: true } : null;
    },
  };
}
