// Makes what is published: for each entry point that a package.json exports, one file of ES modules, one for `require`
// and one of declarations for each of them, with source maps into src.
//   npm run build

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import { plainNamespaces, withMethods } from "./method-types.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));

/**
 * What the first lines of few programs need. What `require` gives, and with it Node, has each in a file of its own, which is read when the
 * first of it is asked for (docs/latency.md). Nothing in it may be asked for while modules are evaluated.
 *
 * @type {Readonly<Record<string, RegExp>>}
 */
const late = {
  products: /compiler\/src\/(emit\/wasm\/(matmul\/(?!kinds)|contract\/)|tactics\/products\/)/,
  sorts: /compiler\/src\/emit\/(wasm|intrinsics)\/sort/,
  doubles: /compiler\/src\/emit\/wasm\/functions\/float64\//,
  rows: /compiler\/src\/emit\/wasm\/(loops\/(dot|short-rows|rows|jam)|folds\/(row-fold|unrolled|partials|condensed|products)|sites\/(consecutive-words|failures|turned|indexes)|values\/(float16|truncate)|encode\/(disassemble|read-bytes|expression)|pointwise\/(philox|division|shifts))/,
  tactics: /compiler\/src\/tactics\/(?!(pieces|integers|masked|numbering|steps|machine)\.ts)/,
  modules:
    /compiler\/src\/emit\/wasm\/(compile\.|write-phases|sites\/|loops\/|plan\/|folds\/(?!(accumulation|fold)\.)|lanes\/(last|turn))/,
  lanes: /compiler\/src\/emit\/wasm\/(?!(keep|target)\.ts)/,
  closures: /compiler\/src\/emit\/closure\//,
  texts: /compiler\/src\/emit\/js\/(?!target|products)/,
  checks:
    /(compiler\/src\/(\w+\/verify|schedule\/print|plan\/print|verify-graph)|ir\/src\/(loop\/(verify|parse)|tensor\/(verify|print|parse)))/,
  compiler:
    /(compiler\/src(?!\/(emit\/wasm\/keep|emit\/emitters|schedule\/limits)\.ts)|ts-pattern\/dist|ir\/src\/loop)\//,
  explain: /runtime\/src\/(explain|readout)\//,
  derivatives: /runtime\/src\/autograd\//,
  jit: /runtime\/src\/jit\//,
  writes: /runtime\/src\/(alias\/(?!flush|undo)|window\/)/,
  stores: /runtime\/src\/saved\/(encode|folder|loaded|seal)/,
  operations:
    /runtime\/src\/(matrices\/|ops\/(adaptive|attention|batch-norm|bessel|bitcast|closeness|combination|convolution|correlation|diagonals|difference|distance|einsum|indexing|interpolation|loss\/|matrix-norm|padding|pooling|quantile|scan|scatter|search|sections|shuffle|sort|triangle|unique|windows|words))/,
};
/** All others that are not an entry's own. Of the compiler it is what options name, and what revives a kernel that was kept. */
const core =
  /ir\/src\/|emit\/wasm\/keep\.ts|emit\/emitters\.ts|schedule\/limits\.ts|runtime\/src\/(?!(nn|optim|data|testing)\/|(index|js|nn|optim|data|testing|cache)\.ts)/;

/**
 * What stands for the exports of a file that is loaded when the first of them is asked for. From then on they are its prototype: V8 reads
 * them as if they stood in the file that calls.
 */
const lateLoader = `"use strict";
module.exports = (load) => {
	const late = Object.create(
		new Proxy(Object.create(null), {
			get(_, name) {
				const loaded = load();
				Object.setPrototypeOf(late, loaded);
				return loaded[name];
			},
		}),
	);
	return late;
};
`;

/**
 * What the build reads of a package.json.
 *
 * @typedef {object} Manifest
 * @property {string} name
 * @property {Readonly<Record<string, string | { readonly "fuseau:source": string }>>} exports
 * @property {Readonly<Record<string, string>>} [dependencies]
 * @property {Readonly<Record<string, string>>} [devDependencies]
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
// Programs that are kept are run by the very code that wrote them: see packages/runtime/src/version.ts.
const hash = createHash("sha256");
for (const folder of ["ir", "compiler", "runtime"]) {
  const source = join(root, "packages", folder, "src");
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  for (const file of files.sort()) hash.update(readFileSync(join(source, file)));
}
const sourceHash = hash.digest("hex").slice(0, 12);
for (const folder of ["ir", "compiler", "runtime"]) await build(join(root, "packages", folder));

/**
 * What all entry points of a package share is one file beside theirs: of a class there is one.
 *
 * @param {string} folder
 */
async function build(folder) {
  /** @type {Manifest} */
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const entries = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === "string" ? [] : [basename(entry["fuseau:source"], ".ts")],
  );
  const external = Object.keys(manifest.dependencies ?? {});
  rmSync(join(folder, "dist"), { recursive: true, force: true });
  await bundle(folder, entries, external, "es", "js");
  await bundle(folder, entries, external, "cjs", "cjs");
  // Whoever has a copy of ts-pattern is to have its licence.
  if (manifest.devDependencies?.["@fuseau/compiler"] !== undefined)
    copyFileSync(
      join(root, "packages/compiler/node_modules/ts-pattern/LICENSE"),
      join(folder, "dist/ts-pattern.LICENSE"),
    );
  // The declarations of fuseau are those of fuseau/js: they have the same functions.
  const main = entries.includes("js") ? "js" : "index";
  for (const entry of entries) await bundleTypes(folder, entry, external, entry === main ? null : main);
  console.log(`build: ${manifest.name} (${entries.join(", ")})`);
}

/**
 * Lines stay: Node prints the one at which an uncaught error was thrown, and of a long one nothing can be read. So do the names of
 * functions, which stacks show. Names of locals are shortened: a tenth of the time that an import takes. Constants are put where they are
 * read in what bundlers take, where a page pays for every byte; most minifiers do less of it.
 *
 * @param {string} folder
 * @param {string[]} entries
 * @param {string[]} external
 * @param {"es" | "cjs"} format
 * @param {string} extension
 */
async function bundle(folder, entries, external, format, extension) {
  const isLate = format === "cjs" && entries.includes("js");
  const bundled = await rolldown({
    // All that entries share is in groups, so that they export nothing but their own.
    preserveEntrySignatures: isLate ? "allow-extension" : "exports-only",
    input: Object.fromEntries(entries.map((entry) => [entry, join(folder, "src", `${entry}.ts`)])),
    external,
    platform: "neutral",
    resolve: { conditionNames: ["fuseau:source"], mainFields: ["module", "main"] },
    transform: { target: "es2022", define: { FUSEAU_BUILD: JSON.stringify(sourceHash) } },
    // Of the runtime by what the code does, not by what package.json says of it.
    treeshake: {
      moduleSideEffects: [
        { test: /[\\/](ir|compiler)[\\/]src[\\/]/, sideEffects: false },
        { test: /./, sideEffects: true },
      ],
    },
  });
  const { output } = await bundled.generate({
    format,
    ...(isLate && {
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: Object.entries({ ...late, core }).map(([name, test], k) => ({
          name,
          test,
          priority: 100 - k,
        })),
      },
    }),
    entryFileNames: `[name].${extension}`,
    chunkFileNames: `shared-[name].${extension}`,
    minify: { compress: format === "es", mangle: { keepNames: true }, codegen: { removeWhitespace: false } },
    comments: { legal: false, jsdoc: false },
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await bundled.close();
  // What all share would be named after one of them; it is the largest of what is shared.
  const shared = output
    .flatMap((file) => (file.type === "chunk" && !file.isEntry && !(file.name in late) ? [file] : []))
    .sort((a, b) => b.code.length - a.code.length)[0]?.fileName;
  const named = (/** @type {string} */ text) =>
    shared === undefined ? text : text.replaceAll(shared, `core.${extension}`);
  mkdirSync(join(folder, "dist"), { recursive: true });
  for (const file of output) {
    const text = named(file.type === "chunk" ? file.code : String(file.source));
    const isWhole = file.fileName === "index.js" && entries.includes("js");
    writeFileSync(
      join(folder, "dist", named(file.fileName)),
      file.type === "asset"
        ? text
        : ascii(isWhole ? ownExports(text) : isLate ? loadLate(plainExports(text), output) : text),
    );
    if (isLate && file.type === "chunk" && file.isEntry)
      for (const [name, text] of ofCommonJs(file.name, file.exports))
        writeFileSync(join(folder, "dist", name), text);
  }
  if (!isLate) return;
  writeFileSync(join(folder, "dist/late.cjs"), lateLoader);
  refuseEarly(entries.map((entry) => join(folder, "dist", `${entry}.cjs`)));
}

/**
 * What one module asks for while it is evaluated is read at once, and may not be whole yet.
 *
 * @param {string[]} files
 */
function refuseEarly(files) {
  const program = `for (const file of ${JSON.stringify(files)}) require(file); console.log(Object.keys(require.cache).join("\\n"))`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--eval", program], { encoding: "utf8" });
  if (status !== 0) throw new Error(`build: require fails: ${stderr}`);
  const early = Object.keys(late).filter((name) => stdout.includes(`shared-${name}.cjs`));
  if (early.length > 0)
    throw new Error(`build: these are asked for by an import already: ${early.join(", ")}`);
}

/**
 * A getter for each export takes longer to make than all else that a file does. What is never assigned again needs none: constants, functions
 * and classes. All are one literal, which V8 makes at once; an object that gets property after property has a hidden class for each. No
 * file may ask for another of them that is still being evaluated: only those that are loaded late need each other.
 *
 * @param {string} text
 */
function plainExports(text) {
  const declared = text.matchAll(/^(?:const|class|(?:async )?function\*?) ([\w$]+)/gm);
  const fixed = new Set([...declared].map(([, name]) => name));
  /** @type {string[]} */
  const members = [];
  const tag = /^Object\.defineProperty\(exports, Symbol\..*$/m.exec(text)?.[0] ?? "";
  const without = text
    .replace(tag, "")
    .replace(
      /^Object\.defineProperty\(exports, "([\w$]+)", \{\s+enumerable: true,\s+get: function\(\) \{\s+return ([\w$.]+);\s+\}\s+\}\);$/gm,
      (whole, name, local) => {
        members.push(fixed.has(local) ? `${name}: ${local}` : `get ${name}() { return ${local}; }`);
        return whole.replace(/[^\n]/g, "");
      },
    )
    .replace(/^exports\.([\w$]+) = ([\w$.]+);$/gm, (_, name, value) => {
      members.push(`${name}: ${value}`);
      return "";
    });
  if (members.length === 0) return text;
  if (/^(Object\.\w+\()?exports\b/m.test(without))
    throw new Error("build: an export is written otherwise than expected");
  const literal = `module.exports = {\n\t${members.join(",\n\t")}\n};\n${tag.replace("exports", "module.exports")}\n`;
  return without.replace(/(?=\/\/# sourceMappingURL)|$/, () => literal);
}

/**
 * `require` stays what bundlers, tracers of files and package managers find. Lines stay where the source map says.
 *
 * @param {string} text
 * @param {readonly (import("rolldown").OutputChunk | import("rolldown").OutputAsset)[]} output
 */
function loadLate(text, output) {
  return text.replace(
    /^(const [\w$]+ = )(require\("\.\/([\w-]+)\.cjs"\));$/gm,
    (whole, start, call, name) => {
      const file = output.find(
        ({ fileName }) => fileName === `shared-${name}.cjs` || fileName === `${name}.cjs`,
      );
      if (file?.type !== "chunk" || !(file.name in late)) return whole;
      return `${start}require("./late.cjs")(() => ${call});`;
    },
  );
}

/**
 * In Node `import` gives what `require` gives: of each class there is one. Node looks through a CommonJS file that is imported for the names
 * of its exports, which takes longer than to run it: so it imports one that has a single name.
 *
 * @param {string} entry
 * @param {string[]} names
 * @returns {[file: string, text: string][]}
 */
function ofCommonJs(entry, names) {
  return [
    [`all-of-${entry}.cjs`, `exports.common = require("./${entry}.cjs");\n`],
    [
      `${entry}.mjs`,
      `import { common } from "./all-of-${entry}.cjs";\nexport const { ${names.join(", ")} } = common;\n`,
    ],
  ];
}

/**
 * A bundler looks through a file that only hands on what it imports: a program would have the functions without the backend that
 * the file adds. So it has bindings of its own; and it is without side effects still, for a program that uses none of them.
 *
 * @param {string} text
 */
function ownExports(text) {
  const imported = new Set(
    [...text.matchAll(/^import \{([^}]*)\}/gm)].flatMap(([, list = ""]) => [...namesOf(list).keys()]),
  );
  return text.replace(/^export \{([^}]*)\};/m, (_, list) => {
    const exported = [...namesOf(list)].map(([name, local]) => /** @type {const} */ ([name, local]));
    const own = exported.filter(([, local]) => imported.has(local));
    const made = own.map(([name, local]) => `const own_${name} = ${local};`).join("\n");
    const names = exported.map(
      ([name, local]) => `${imported.has(local) ? `own_${name}` : local} as ${name}`,
    );
    return `${made}\nexport { ${names.join(", ")} };`;
  });
}

/**
 * `a as b` gives b its a, on either side of a module.
 *
 * @param {string} list
 */
function namesOf(list) {
  const pairs = [...list.matchAll(/([\w$]+)(?: as ([\w$]+))?/g)];
  return new Map(pairs.map(([, from = "", to = from]) => [to, from]));
}

/**
 * Of a text with a single sign that is not Latin-1 V8 keeps two bytes for each: 1.3 MB more to fill, to scan and to hold. All such
 * signs stand in literals; positions in front of them, such as that of a `throw`, stay what the source map says.
 *
 * @param {string} text
 */
function ascii(text) {
  const escaped = (/** @type {string} */ sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return text.replace(/[^\0-\x7f]/g, escaped);
}

/**
 * The declarations for `require` are a copy, since TypeScript takes a `.d.ts` of a package of modules for a module's.
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
      workspace(folder),
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
 * Declarations of workspace packages become part of those that need them, as their code does.
 *
 * @param {string} folder
 */
function workspace(folder) {
  return {
    name: "workspace",
    /** @type {(source: string) => string | null} */
    resolveId: (source) =>
      source.startsWith("@fuseau/") ? resolve(folder, "..", source.slice(8), ".types/index.d.ts") : null,
  };
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
      const isMain = basename(path) === main && dirname(path).endsWith(".types");
      return isMain ? { id: `./${main}.${extension}`, external: true } : null;
    },
  };
}
