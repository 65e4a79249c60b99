/** Bundlers: the program is bundled and minified, the bundle is run, and an import that nobody uses leaves nothing in it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inPage, serveFolder } from "../browser.ts";
import { answer, command, freePort, serve } from "../command.ts";
import { lastLine, printing, program, reporting, write } from "../project.ts";
import { expectEmitters, type Outcome, type Place, type Ran, type Row } from "../row.ts";

/** A module that is imported and not used. */
const unused = 'import { tensor } from "fuseau";\nexport const used = 1;\nconsole.log(used);\n';

const sources = {
  "package.json": { private: true, type: "module" },
  "program.js": program,
  "main.js": `import { check } from "./program.js";\n${printing}`,
  "unused.js": unused,
};

/** What a bundle of nothing but `unused` may take. */
const FEW_BYTES = 2_000;

async function runBundle({ folder }: Place, bundle: string, unusedBundle: string): Promise<Outcome> {
  const ran = lastLine<Ran>(await command(process.execPath, [bundle], { cwd: folder, limit: 60_000 }));
  expectEmitters(ran, "js", "wasm");
  const bytes = readFileSync(join(folder, unusedBundle)).length;
  if (bytes > FEW_BYTES) throw new Error(`an import that nobody uses leaves ${bytes} bytes in the bundle`);
  return ran;
}

const tool = ({ hosts }: Place, file: string): string => join(hosts, "node_modules", file);

const node = (place: Place, file: string, args: readonly string[]): Promise<string> =>
  command(process.execPath, [tool(place, file), ...args], { cwd: place.folder });

/** Its file is a program of the machine's own or a script, as its installation went. */
async function esbuild(place: Place, files: readonly string[]): Promise<void> {
  const options = ["--bundle", "--minify", "--format=esm", "--outdir=built"];
  // It says that it drops what nobody uses.
  const silent = ["--log-level=warning", "--log-override:ignored-bare-import=silent"];
  await command(tool(place, "esbuild/bin/esbuild"), [...files, ...options, ...silent], { cwd: place.folder });
}

const viteConfig = (entry: string) => `
export default {
  logLevel: "warn",
  build: {
    lib: { entry: "${entry}.js", formats: ["es"], fileName: "${entry}" },
    minify: true,
    emptyOutDir: false,
    outDir: "built",
  },
};`;

export const rows: readonly Row[] = [
  {
    group: "Bundlers",
    name: "Vite 8, build",
    packages: ["vite"],
    quick: true,
    async run(place) {
      write(place.folder, {
        ...sources,
        "main.config.js": viteConfig("main"),
        "unused.config.js": viteConfig("unused"),
      });
      for (const name of ["main", "unused"])
        await node(place, "vite/bin/vite.js", ["build", "--config", `${name}.config.js`]);
      return runBundle(place, "built/main.js", "built/unused.js");
    },
  },
  {
    group: "Bundlers",
    name: "Vite 8, page, built",
    packages: ["vite", "playwright-core"],
    quick: true,
    async run(place) {
      write(place.folder, {
        ...sources,
        "index.html": '<script type="module" src="page.js"></script>',
        "page.js": page,
      });
      await node(place, "vite/bin/vite.js", ["build", "--logLevel", "warn"]);
      const server = await serveFolder(join(place.folder, "dist"), {});
      try {
        const ran = await inPage(place, server.url);
        expectEmitters(ran, "js", "wasm");
        return ran;
      } finally {
        server.stop();
      }
    },
  },
  {
    group: "Bundlers",
    name: "Vite 8, dev server",
    packages: ["vite", "playwright-core"],
    async run(place) {
      write(place.folder, {
        ...sources,
        "index.html": '<script type="module" src="page.js"></script>',
        "page.js": page,
      });
      const port = await freePort();
      const args = [
        tool(place, "vite/bin/vite.js"),
        "--host",
        "127.0.0.1",
        "--port",
        String(port),
        "--strictPort",
      ];
      const server = serve(process.execPath, args, { cwd: place.folder });
      try {
        const url = `http://127.0.0.1:${port}/`;
        await answer(url, server.output);
        const ran = await inPage(place, url);
        expectEmitters(ran, "js", "wasm");
        return ran;
      } finally {
        server.stop();
      }
    },
  },
  {
    group: "Bundlers",
    name: "webpack 5",
    packages: ["webpack"],
    quick: true,
    async run(place) {
      write(place.folder, {
        ...sources,
        "build.js": `
import { createRequire } from "node:module";
const webpack = createRequire("${join(place.hosts, "package.json")}")("webpack");
const config = (name) => ({
  mode: "production",
  target: ["web", "es2022"],
  performance: false,
  entry: "./" + name + ".js",
  output: { path: process.cwd() + "/built", filename: name + ".cjs" },
});
webpack([config("main"), config("unused")], (error, stats) => {
  if (error || stats.hasErrors() || stats.hasWarnings()) {
    console.error(error ?? stats.toString());
    process.exitCode = 1;
  }
});`,
      });
      await command(process.execPath, ["build.js"], { cwd: place.folder });
      return runBundle(place, "built/main.cjs", "built/unused.cjs");
    },
  },
  {
    group: "Bundlers",
    name: "Rollup 4",
    packages: ["rollup", "@rollup/plugin-node-resolve"],
    async run(place) {
      write(place.folder, {
        ...sources,
        "rollup.config.js": `
import { createRequire } from "node:module";
const resolve = createRequire("${join(place.hosts, "package.json")}")("@rollup/plugin-node-resolve").default;
export default ["main", "unused"].map((name) => ({
  input: name + ".js",
  plugins: [resolve()],
  output: { file: "built/" + name + ".js", format: "es" },
}));`,
      });
      await node(place, "rollup/dist/bin/rollup", ["--config", "--failAfterWarnings", "--silent"]);
      return runBundle(place, "built/main.js", "built/unused.js");
    },
  },
  {
    group: "Bundlers",
    name: "esbuild 0.28",
    packages: ["esbuild"],
    async run(place) {
      write(place.folder, sources);
      await esbuild(place, ["main.js", "unused.js"]);
      return runBundle(place, "built/main.js", "built/unused.js");
    },
  },
  {
    group: "Bundlers",
    name: "esbuild 0.28, CommonJS that requires",
    packages: ["esbuild"],
    async run(place) {
      write(place.folder, {
        ...sources,
        "both.cjs":
          'if (require("fuseau").Tensor !== require("./again.mjs").Tensor) throw new Error("two packages in one bundle");',
        "again.mjs": 'export { Tensor } from "fuseau";',
      });
      await esbuild(place, ["main.js", "unused.js", "both.cjs"]);
      await command(process.execPath, ["built/both.js"], { cwd: place.folder });
      return runBundle(place, "built/main.js", "built/unused.js");
    },
  },
];

const page = `import { check } from "./program.js";\n${reporting}`;
