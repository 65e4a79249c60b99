/** Node, and what runs programs that are written for it. */
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { command } from "../command.ts";
import { commonProgram, lastLine, printing, program, write } from "../project.ts";
import { expectEmitters, type Place, type Ran, type Row } from "../row.ts";

const versions = ["20.18", "20", "22.11", "22", "24", "26"];

const nodeOf = ({ hosts }: Place, version: string): string => {
  const file = join(hosts, "node_modules", `node-${version}`, "bin/node");
  chmodSync(file, 0o755);
  return file;
};

async function run(place: Place, file: string, args: readonly string[]): Promise<Ran> {
  const ran = lastLine<Ran>(await command(file, args, { cwd: place.folder, limit: 60_000 }));
  expectEmitters(ran, "js", "wasm");
  return ran;
}

const modules = (place: Place) =>
  write(place.folder, {
    "program.js": program,
    "main.mjs": `import { check } from "./program.js";\n${printing}`,
  });

/** Both ways lead to one package. */
const required = `
const { check } = require("./program.cjs");
import("fuseau").then((fuseau) => {
  if (fuseau.Tensor !== require("fuseau").Tensor) throw new Error("require and import have a Tensor each");
});
${printing}`;

const nodeRows = versions.flatMap((version): Row[] => [
  {
    group: "Node",
    name: `Node ${version}, import`,
    packages: [`node-${version}`],
    run(place) {
      modules(place);
      return run(place, nodeOf(place, version), ["main.mjs"]);
    },
  },
  {
    group: "Node",
    name: `Node ${version}, require`,
    packages: [`node-${version}`],
    run(place) {
      write(place.folder, { "program.cjs": commonProgram, "main.cjs": required });
      return run(place, nodeOf(place, version), ["main.cjs"]);
    },
  },
]);

const withoutWebAssembly: Row = {
  group: "Node",
  name: "Node 20, fuseau/js",
  packages: ["node-20"],
  quick: true,
  async run(place) {
    write(place.folder, {
      "program.js": program.replace('from "fuseau"', 'from "fuseau/js"'),
      "main.mjs": `import { check } from "./program.js";\n${printing}`,
      // Whoever imports both has one class, and WebAssembly.
      "both.mjs": `
import { Tensor } from "fuseau/js";
import * as fuseau from "fuseau";
import { check } from "./program.js";
if (fuseau.Tensor !== Tensor) throw new Error("fuseau and fuseau/js have a Tensor each");
${printing}`,
    });
    await run(place, nodeOf(place, "20"), ["both.mjs"]);
    const alone = await command(nodeOf(place, "20"), ["main.mjs"], { cwd: place.folder, limit: 60_000 });
    const ran = lastLine<Ran>(alone);
    expectEmitters(ran, "js", "js");
    return ran;
  },
};

/** Node 20 has no relaxed SIMD, which rounds a product and its sum once: whatever computes them must do so alike. */
const relaxed: Row = {
  group: "Node",
  name: "Node 24, tests of bits",
  packages: ["node-24"],
  quick: true,
  async run(place) {
    const root = fileURLToPath(new URL("../../../", import.meta.url));
    const tests = ["fusion", "differential", "jit", "compiler/wasm", "runtime/first-runs"].map(
      (folder) => `tests/${folder}`,
    );
    await command(
      nodeOf(place, "24"),
      ["node_modules/vitest/vitest.mjs", "run", "--typecheck.enabled=false", ...tests],
      { cwd: root, limit: 600_000 },
    );
    return "fused and unfused agree in every bit, by relaxed SIMD too";
  },
};

/** The test of a project that is tested by Jest or Vitest: deep equality by itself, and with the matchers of `fuseau/testing`. */
const aTest = (imports: string) => `${imports}
test("equality", () => {
  const [x, same, other] = [tensor([[1, 2]]), tensor([[0, 1]]).add(1), tensor([[1, 3]])];
  const equal = () => {
    expect({ x }).toEqual({ x: same });
    expect(x).toStrictEqual(same);
    expect({ x }).not.toEqual({ x: other });
    expect(x).not.toStrictEqual(other);
    expect(x).not.toEqual(same.to("int32"));
  };
  equal();
  extendExpect(expect);
  equal();
  expect(x).toEqualTensor([[1, 2]]);
  expect(x).not.toEqualTensor(other);
  expect(x).toBeCloseToTensor(same.add(1e-7));
  expect(x).toHaveShape([1, 2]);
  expect(x).toHaveDType("float32");
  expect(() => expect(x).toBeCloseToTensor(other)).toThrow("Mismatched elements: 1 / 2");
  expect(x.add(1)).toMatchInlineSnapshot(\`tensor([[2., 3.]], shape=[1, 2], dtype=float32)\`);
});
test("fuseau", async () => {
  const ran = await check();
  require("node:fs").writeFileSync("ran.json", JSON.stringify(ran));
}, 60000);
`;

const testImports = `import { check } from "./program.js";
import { tensor } from "fuseau";
import { extendExpect } from "fuseau/testing";`;

export const rows: readonly Row[] = [
  ...nodeRows,
  withoutWebAssembly,
  relaxed,
  {
    group: "Node",
    name: "Jest, CommonJS",
    packages: ["jest"],
    async run(place) {
      write(place.folder, {
        "package.json": { private: true, jest: { testEnvironment: "node", rootDir: "." } },
        "program.js": commonProgram,
        // Over before the host is idle: what is loaded after that fails the run.
        "short.test.js": `const { tensor } = require("fuseau");
test("is over at once", () => void expect(tensor([1]).shape).toEqual([1]));`,
        "fuseau.test.js": aTest(`const { check } = require("./program.js");
const { tensor } = require("fuseau");
const { extendExpect } = require("fuseau/testing");`),
      });
      return tested(place, "jest/bin/jest.js", []);
    },
  },
  {
    group: "Node",
    name: "Jest, import made require by Babel",
    packages: ["jest", "babel-jest", "@babel/core", "@babel/preset-env"],
    async run(place) {
      write(place.folder, {
        "package.json": { private: true, jest: { testEnvironment: "node", rootDir: "." } },
        "babel.config.js":
          'module.exports = { presets: [["@babel/preset-env", { targets: { node: "current" } }]] };',
        "program.js": program,
        "fuseau.test.js": aTest(testImports),
      });
      return tested(place, "jest/bin/jest.js", []);
    },
  },
  {
    group: "Node",
    name: "Vitest",
    packages: ["vitest", "vite"],
    async run(place) {
      write(place.folder, {
        "package.json": { private: true, type: "module" },
        "vitest.config.js": "export default { test: { globals: true } };",
        "program.js": program,
        "fuseau.test.js": aTest(`import { createRequire } from "node:module";
${testImports}
const require = createRequire(import.meta.url);`),
      });
      return tested(place, "vitest/vitest.mjs", ["run"]);
    },
  },
  {
    group: "Other engines",
    name: "Bun 1.4",
    packages: ["@oven/bun-linux-x64"],
    run(place) {
      modules(place);
      const bun = join(place.hosts, "node_modules/@oven/bun-linux-x64/bin/bun");
      chmodSync(bun, 0o755);
      return run(place, bun, ["main.mjs"]);
    },
  },
  {
    group: "Other engines",
    name: "Bun 1.4, require",
    packages: ["@oven/bun-linux-x64"],
    run(place) {
      write(place.folder, { "program.cjs": commonProgram, "main.cjs": required });
      const bun = join(place.hosts, "node_modules/@oven/bun-linux-x64/bin/bun");
      chmodSync(bun, 0o755);
      return run(place, bun, ["main.cjs"]);
    },
  },
  {
    group: "Other engines",
    name: "Deno 2.9, no permission given",
    packages: ["@deno/linux-x64-glibc"],
    run(place) {
      modules(place);
      const deno = join(place.hosts, "node_modules/@deno/linux-x64-glibc/deno");
      chmodSync(deno, 0o755);
      return run(place, deno, ["run", "--no-prompt", "--node-modules-dir=manual", "main.mjs"]);
    },
  },
];

/** By the Node that runs this. */
async function tested(place: Place, tool: string, args: readonly string[]): Promise<Ran> {
  const file = join(place.hosts, "node_modules", tool);
  const { readFileSync } = await import("node:fs");
  await command(process.execPath, [file, ...args], { cwd: place.folder, limit: 90_000 });
  return JSON.parse(readFileSync(join(place.folder, "ran.json"), "utf8")) as Ran;
}
