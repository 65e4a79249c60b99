/** Headless Chromium: pages with the rights that they may have, a worker, an extension. The program is bundled by esbuild. */
import { join } from "node:path";
import { readPage, serveFolder, withBrowser } from "../browser.ts";
import { command } from "../command.ts";
import { program, reporting, write } from "../project.ts";
import { expectEmitters, type Place, type Ran, type Row } from "../row.ts";

const packages = ["esbuild", "playwright-core"];

/** Bundles what the files import, as a page's own build would. */
async function bundle(place: Place, ...files: readonly string[]): Promise<void> {
  const esbuild = join(place.hosts, "node_modules/esbuild/bin/esbuild");
  const options = ["--bundle", "--minify", "--format=esm", "--outdir=site", "--log-level=warning"];
  await command(esbuild, [...files, ...options], { cwd: place.folder });
}

interface PageRow {
  readonly name: string;
  readonly quick?: true;
  readonly headers: Readonly<Record<string, string>>;
  readonly small: string;
  readonly large: string;
  /** Whether there must be more threads than one; in other rows there must not. */
  readonly threads?: true;
  readonly main?: string;
  readonly files?: Readonly<Record<string, string>>;
}

const isolated = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};
const policy = (text: string) => ({ "content-security-policy": text });

function pageRow(row: PageRow): Row {
  return {
    group: "Chromium",
    name: `Chromium, ${row.name}`,
    packages,
    ...(row.quick && { quick: true }),
    async run(place) {
      write(place.folder, {
        "package.json": { private: true, type: "module" },
        "program.js": program,
        "main.js": row.main ?? `import { check } from "./program.js";\n${reporting}`,
        "site/index.html": '<!doctype html><script type="module" src="main.js"></script>',
        ...row.files,
      });
      await bundle(place, "main.js", ...Object.keys(row.files ?? {}));
      const server = await serveFolder(join(place.folder, "site"), row.headers);
      const warnings: string[] = [];
      try {
        const ran = await withBrowser(place, [], async (context) =>
          readPage(await context.newPage(), server.url, warnings),
        );
        expectRow(row, ran, warnings);
        return ran;
      } finally {
        server.stop();
      }
    },
  };
}

function expectRow({ small, large, threads }: PageRow, ran: Ran, warnings: readonly string[]): void {
  expectEmitters(ran, small, large);
  if (ran.threads > 1 !== (threads === true)) throw new Error(`it ran on ${ran.threads} threads`);
  // What a policy costs is said once, with the directive's name; elsewhere there is nothing to say.
  const ours = warnings.filter((text) => /fuseau/i.test(text));
  const named = ours.filter((text) => /'(wasm-)?unsafe-eval'/.test(text));
  // Where large programs are WebAssembly, nothing is lost that is worth a warning.
  if (ours.length !== (large === "closure" ? 1 : 0) || named.length !== ours.length)
    throw new Error(`it warned of ${JSON.stringify(ours)}`);
}

/** A page that is loaded twice: what the first visit has compiled the second finds. */
const keepingPage = (store: string): string => `
import { ready, setOptions, stats } from "fuseau";
import { ${store} } from "fuseau/cache";
import { check } from "./program.js";
async function visited() {
  setOptions({ cache: ${store}() });
  await ready();
  const ran = await check();
  const { hits, misses, written, failures } = stats().saved;
  if (failures > 0) throw new Error("the cache failed");
  if (hits > 0 && misses === 0) return ran;
  if (location.search !== "") throw new Error(misses + " programs were not kept");
  const seen = ${store}();
  while (seen.list().length < written) await seen.load();
  location.search = "again";
  return new Promise(() => {});
}
${reporting.replace("check()", "visited()")}`;

export const rows: readonly Row[] = [
  pageRow({
    name: "programs kept in IndexedDB",
    headers: {},
    small: "js",
    large: "wasm",
    main: keepingPage("indexedDBCache"),
  }),
  pageRow({
    name: "programs kept by the Cache API",
    headers: {},
    small: "js",
    large: "wasm",
    main: keepingPage("cacheApiCache"),
  }),
  pageRow({ name: "page", quick: true, headers: {}, small: "js", large: "wasm" }),
  pageRow({ name: "isolated page", headers: isolated, small: "js", large: "wasm", threads: true }),
  pageRow({
    name: "Web Worker of an isolated page",
    headers: isolated,
    small: "js",
    large: "wasm",
    threads: true,
    main: `new Worker("worker.js", { type: "module" }).onmessage = ({ data }) => console.log(JSON.stringify(data));`,
    files: {
      "worker.js": `import { check } from "./program.js";
check().then((ran) => postMessage({ ran }), (error) => postMessage({ ran: String(error && error.stack) }));`,
    },
  }),
  pageRow({
    name: "script-src 'self'",
    quick: true,
    headers: policy("script-src 'self'"),
    small: "closure",
    large: "closure",
  }),
  pageRow({
    name: "script-src 'self' 'wasm-unsafe-eval'",
    quick: true,
    headers: policy("script-src 'self' 'wasm-unsafe-eval'"),
    small: "closure",
    large: "wasm",
  }),
  pageRow({
    name: "script-src 'self' 'wasm-unsafe-eval', isolated, no blob: workers",
    headers: { ...isolated, ...policy("script-src 'self' 'wasm-unsafe-eval'") },
    small: "closure",
    large: "wasm",
  }),
  pageRow({
    name: "script-src 'self' 'wasm-unsafe-eval', worker-src blob:, isolated",
    headers: { ...isolated, ...policy("script-src 'self' 'wasm-unsafe-eval'; worker-src blob:") },
    small: "closure",
    large: "wasm",
    threads: true,
  }),
  pageRow({
    name: "Trusted Types, isolated",
    headers: { ...isolated, ...policy("require-trusted-types-for 'script'; trusted-types 'none'") },
    small: "closure",
    large: "wasm",
  }),
  pageRow({
    name: "Trusted Types that allow fuseau, isolated",
    headers: { ...isolated, ...policy("require-trusted-types-for 'script'; trusted-types fuseau") },
    small: "closure",
    large: "wasm",
    threads: true,
  }),
  {
    group: "Chromium",
    name: "Chromium, Manifest V3 extension",
    packages,
    async run(place) {
      write(place.folder, {
        "package.json": { private: true, type: "module" },
        "program.js": program,
        // The page's own, and that of the extension's service worker.
        "main.js": `import { check as own } from "./program.js";
const check = async () => {
  const behind = await chrome.runtime.sendMessage("run");
  const ran = await own();
  if (JSON.stringify(behind) !== JSON.stringify(ran)) throw new Error(JSON.stringify(behind));
  return ran;
};
${reporting}`,
        "background.js": `import { check } from "./program.js";
chrome.runtime.onMessage.addListener((_, __, answer) => {
  check().then(answer, (error) => answer(String(error && error.stack)));
  return true;
});`,
        "site/page.html": '<!doctype html><script type="module" src="main.js"></script>',
        "site/manifest.json": {
          manifest_version: 3,
          name: "fuseau",
          version: "1",
          background: { service_worker: "background.js", type: "module" },
          content_security_policy: { extension_pages: "script-src 'self' 'wasm-unsafe-eval'" },
        },
      });
      await bundle(place, "main.js", "background.js");
      const extension = join(place.folder, "site");
      const args = [`--disable-extensions-except=${extension}`, `--load-extension=${extension}`];
      return withBrowser(place, args, async (context) => {
        const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
        const page = await context.newPage();
        const ran = await readPage(page, new URL("page.html", worker.url()).href, []);
        expectEmitters(ran, "closure", "wasm");
        return ran;
      });
    },
  },
];
