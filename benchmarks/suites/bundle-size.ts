/** What a page loads: bundles of the published files, as bundlers make them for their users, minified and packed with `gzip -9`. */
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { rolldown } from "rolldown";
import { rollup } from "rollup";
import type { FigureCase } from "../figures.ts";
import { published } from "../measure/published.ts";
import type { Figure } from "../measure/report.ts";

/** Where `fuseau` is found by name, with the files that its package.json gives to bundlers. */
const from = fileURLToPath(new URL("../", import.meta.url));

const KILOBYTE = 1e3;

/** `few` reads elements of a sum of pointwise operations, by functions and by methods. */
const few = (entry: string): string => `
import { add, exp, sum, tensor, where } from "${entry}";
const x = tensor([1, 2, 3]);
globalThis.result = sum(where(x.gt(1), exp(add(x, x.mul(2))), 0)).toArray();`;

const all = (...entries: readonly string[]): string =>
  entries.map((entry, k) => `import * as all${k} from "${entry}";\nglobalThis.all${k} = all${k};`).join("\n");

const programs: Readonly<Record<string, string>> = {
  "a few operations, fuseau/js": few("fuseau/js"),
  "all of fuseau/js": all("fuseau/js"),
  "a few operations, fuseau": few("fuseau"),
  "all of fuseau": all("fuseau"),
  "all of fuseau, nn, optim, data": all("fuseau", "fuseau/nn", "fuseau/optim", "fuseau/data"),
};

/** The files of a package are found by the conditions that bundlers ask for. */
const conditions = ["module", "import", "browser"];

type Bundler = (program: string) => Promise<string>;

const byEsbuild: Bundler = async (contents) => {
  const { outputFiles } = await esbuild.build({
    stdin: { contents, resolveDir: from },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    conditions,
  });
  return outputFiles.map(({ text }) => text).join("");
};

const ENTRY = "\0program";

/** The program, and where its imports begin. Both bundlers take plugins of this form. */
const virtual = (program: string) => ({
  name: "program",
  resolveId(source: string): string | null {
    if (source === ENTRY) return ENTRY;
    const entry = /^fuseau(?:\/(\w+))?$/.exec(source);
    return entry && fileURLToPath(published(`${entry[1] ?? "index"}.js`));
  },
  load: (id: string): string | null => (id === ENTRY ? program : null),
});

/** As Vite bundles and minifies. */
const byRolldown: Bundler = async (program) => {
  const bundle = await rolldown({ input: ENTRY, plugins: [virtual(program)], platform: "browser" });
  const { output } = await bundle.generate({ format: "es", minify: true });
  await bundle.close();
  return output.map((file) => (file.type === "chunk" ? file.code : "")).join("");
};

/** Minified by esbuild: Rollup does not minify. */
const byRollup: Bundler = async (program) => {
  const bundle = await rollup({ input: ENTRY, plugins: [virtual(program)] });
  const { output } = await bundle.generate({ format: "es" });
  await bundle.close();
  const text = output.map((file) => (file.type === "chunk" ? file.code : "")).join("");
  return (await esbuild.transform(text, { minify: true, format: "esm" })).code;
};

const bundlers: Readonly<Record<string, Bundler>> = {
  esbuild: byEsbuild,
  "Rolldown, as in Vite": byRolldown,
  Rollup: byRollup,
};

export const bundleSize: FigureCase = {
  name: "bundle-size",
  title: "what a page loads, minified and gzipped",
  about: "Bundles of the published files, each program alone.",
  async measure() {
    published("index.js");
    const figures: Figure[] = [];
    for (const [name, program] of Object.entries(programs))
      for (const [bundler, bundle] of Object.entries(bundlers)) {
        const text = await bundle(program);
        figures.push({
          name: `${name}: ${bundler}`,
          figure: gzipSync(text, { level: 9 }).length / KILOBYTE,
          unit: "kB",
          note: `${(Buffer.byteLength(text) / KILOBYTE).toFixed(0)} kB minified`,
        });
      }
    return figures;
  },
};
