/** A headless Chromium, found or installed from Debian's packages, and pages served to it. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { type Place, type Ran, Skipped } from "./row.ts";

/** The little of playwright-core that is used. It is a host's package, which the workspace does not have. */
interface Playwright {
  readonly chromium: {
    launchPersistentContext(
      folder: string,
      options: {
        readonly executablePath: string;
        readonly headless: boolean;
        readonly args: readonly string[];
      },
    ): Promise<Context>;
  };
}

export interface Context {
  newPage(): Promise<Page>;
  close(): Promise<void>;
  serviceWorkers(): readonly { url(): string }[];
  waitForEvent(event: "serviceworker"): Promise<{ url(): string }>;
}

export interface Page {
  goto(url: string): Promise<unknown>;
  on(event: "pageerror", listener: (error: Error) => void): void;
  on(event: "console", listener: (message: { type(): string; text(): string }) => void): void;
}

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** @throws Skipped where there is no browser and none can be installed. */
function findChromium(): string {
  const found = onPath();
  if (found !== undefined) return found;
  if (process.getuid?.() !== 0 || spawnSync("apt-get", ["--version"]).status !== 0)
    throw new Skipped("there is no Chromium here, nor apt-get and the right to install it");
  console.log("matrix: installing Debian's chromium");
  spawnSync("apt-get", ["update"], { stdio: "ignore" });
  spawnSync("apt-get", ["install", "-y", "--no-install-recommends", "chromium"], { stdio: "ignore" });
  const installed = onPath();
  if (installed === undefined) throw new Skipped("Debian's chromium could not be installed");
  return installed;
}

const onPath = (): string | undefined =>
  (process.env.PATH ?? "")
    .split(":")
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((file) => existsSync(file));

/** Calls nothing home, and runs as root in a container. */
const quiet = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A browser with a fresh profile, for as long as `use` takes. */
export async function withBrowser<T>(
  { hosts }: Place,
  args: readonly string[],
  use: (context: Context) => Promise<T>,
): Promise<T> {
  const executablePath = findChromium();
  const { chromium } = createRequire(join(hosts, "package.json"))("playwright-core") as Playwright;
  const profile = mkdtempSync(join(tmpdir(), "fuseau-profile-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: [...quiet, ...args],
  });
  try {
    return await use(context);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

/** What the page at a URL reports, with what it wrote to the console as warnings. */
export const inPage = (place: Place, url: string, warnings: string[] = []): Promise<Ran> =>
  withBrowser(place, [], async (context) => readPage(await context.newPage(), url, warnings));

/** Milliseconds that a page has. */
const LIMIT = 90_000;

export async function readPage(page: Page, url: string, warnings: string[]): Promise<Ran> {
  const said: string[] = [];
  const reported = new Promise<Ran | string>((resolve) => {
    setTimeout(() => resolve("the page reports nothing"), LIMIT).unref();
    page.on("pageerror", (error) => said.push(String(error)));
    page.on("console", (message) => {
      const text = message.text();
      if (text.startsWith('{"ran":')) resolve(JSON.parse(text).ran as Ran | string);
      else said.push(text);
      if (message.type() === "warning") warnings.push(text);
    });
  });
  await page.goto(url);
  const ran = await reported;
  if (typeof ran === "string") throw new Error(`${ran}\n${said.join("\n")}`);
  return ran;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
};

/** Serves a folder's files with these headers. */
export async function serveFolder(folder: string, headers: Readonly<Record<string, string>>) {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    if (!existsSync(file)) {
      // The icon that browsers ask for.
      response.writeHead(204).end();
      return;
    }
    response.writeHead(200, { "content-type": types[extname(file)] ?? "text/plain", ...headers });
    response.end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, stop: () => server.close() };
}
