/** Next: the program in a component of the server and in one of the client. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { inPage } from "../browser.ts";
import { answer, command, freePort, serve } from "../command.ts";
import { program, reporting, write } from "../project.ts";
import { expectEmitters, type Ran, type Row } from "../row.ts";

export const rows: readonly Row[] = [
  {
    group: "Bundlers",
    name: "Next 16, server and client component",
    packages: ["next", "react", "react-dom", "playwright-core"],
    async run(place) {
      write(place.folder, {
        "package.json": { private: true, scripts: { build: "next build" } },
        "next.config.mjs": `export default { turbopack: { root: "${place.hosts}" }, outputFileTracingRoot: "${place.hosts}" };`,
        "program.js": program,
        "app/layout.js":
          "export default function Layout({ children }) { return <html><body>{children}</body></html>; }",
        "app/page.js": `import { check } from "../program.js";
import { Client } from "./client.js";
export const dynamic = "force-dynamic";
export default async function Page() {
  const ran = await check();
  return <main><pre id="server">{JSON.stringify(ran)}</pre><Client /></main>;
}`,
        "app/client.js": `"use client";
import { useEffect } from "react";
import { check } from "../program.js";
export function Client() {
  useEffect(() => {
    ${reporting}
  }, []);
  return null;
}`,
      });
      const next = join(place.hosts, "node_modules/next/dist/bin/next");
      if (!existsSync(next)) throw new Error(`there is no ${next}`);
      const env = { NEXT_TELEMETRY_DISABLED: "1" };
      await command(process.execPath, [next, "build"], { cwd: place.folder, env, limit: 300_000 });
      const port = await freePort();
      const server = serve(process.execPath, [next, "start", "--port", String(port)], {
        cwd: place.folder,
        env,
      });
      try {
        const url = `http://127.0.0.1:${port}/`;
        const html = await (await answer(url, server.output)).text();
        const shown = /<pre id="server">(.*?)<\/pre>/.exec(html)?.[1]?.replaceAll("&quot;", '"');
        if (shown === undefined)
          throw new Error(`the server gives no result\n${html.slice(0, 500)}\n${server.output()}`);
        expectEmitters(JSON.parse(shown) as Ran, "js", "wasm");
        const ran = await inPage(place, url);
        expectEmitters(ran, "js", "wasm");
        return ran;
      } finally {
        server.stop();
      }
    },
  },
];
