/** workerd, the engine of Cloudflare's workers: neither code from strings nor WebAssembly from bytes. */
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { answer, command, freePort, serve } from "../command.ts";
import { program, write } from "../project.ts";
import { expectEmitters, type Ran, type Row } from "../row.ts";

export const rows: readonly Row[] = [
  {
    group: "Other engines",
    name: "workerd",
    packages: ["esbuild", "workerd"],
    async run(place) {
      const port = await freePort();
      write(place.folder, {
        "package.json": { private: true, type: "module" },
        "program.js": program,
        "main.js": `import { check } from "./program.js";
export default {
  async fetch() {
    try {
      return Response.json(await check());
    } catch (error) {
      return Response.json(String(error && error.stack), { status: 500 });
    }
  },
};`,
        "config.capnp": `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker", esModule = embed "built/main.js")],
    compatibilityDate = "2026-11-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);`,
      });
      const tools = join(place.hosts, "node_modules");
      const options = ["--bundle", "--format=esm", "--outdir=built", "--log-level=warning"];
      await command(join(tools, "esbuild/bin/esbuild"), ["main.js", ...options], {
        cwd: place.folder,
      });
      const workerd = join(tools, "@cloudflare/workerd-linux-64/bin/workerd");
      chmodSync(workerd, 0o755);
      const server = serve(workerd, ["serve", "config.capnp"], { cwd: place.folder });
      try {
        const response = await answer(`http://127.0.0.1:${port}/`, server.output);
        const ran = (await response.json()) as Ran | string;
        if (typeof ran === "string") throw new Error(`${ran}\n${server.output()}`);
        expectEmitters(ran, "closure", "closure");
        return ran;
      } finally {
        server.stop();
      }
    },
  },
];
