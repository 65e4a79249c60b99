import { execFileSync } from "node:child_process";
import { defineConfig } from "vitest/config";

/** What counts memory, watches the garbage collector or sets the number of threads: nothing of other tests may be there. */
const alone = [
  "conformance/conformance.test.ts",
  "differential/convolutions.test.ts",
  "differential/in-place.test.ts",
  "optim/in-place.test.ts",
  "runtime/caches.test.ts",
  "runtime/growth*.test.ts",
  "runtime/linear.test.ts",
  "runtime/inplace/memory.test.ts",
  "runtime/memory*.test.ts",
  "runtime/recording-loops.test.ts",
  "runtime/thread*.test.ts",
].map((file) => `**/${file}`);

/**
 * How V8 runs what runs a few times and is new with each kernel, as most code here is. It optimises late (its default is 132 KB of bytecode
 * run), which takes a quarter off 3,000 cases of conformance. It collects garbage on the thread that makes it, as all cores have tests to
 * run. Young objects have 16 MiB to die in from the start: that is for each thread of each process, and memory is touched anew where many
 * start, so that 128 MiB takes more than twice the time in the tests of threads. What a version of Node does not know is left out.
 */
const known = execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" });
const engine = [
  "--interrupt-budget=1000000",
  "--single-threaded-gc",
  "--min-semi-space-size=16",
  "--max-semi-space-size=16",
].filter((option) => known.includes(`${option.split("=")[0]} (`));

/** Type checkers live for some seconds: collecting garbage takes a fifth of their time, and saves a fifth of their memory. */
process.env.GOGC ??= "400";

export default defineConfig({
  test: {
    // Node loads the modules, and tsx removes their types: that takes a quarter of what Vite's own loader takes, for each process,
    // and an imported function is called as it is anywhere else. Packages come from their sources, as one file made before all tests.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: [
      "--conditions=fuseau:source",
      "--import",
      "tsx",
      "--import",
      new URL("tests/bundle/register.mjs", import.meta.url).href,
      ...engine,
    ],
    globalSetup: ["tests/bundle/build.mjs"],
    dir: "tests",
    // A fault of the compiler's must not hide behind a slower answer.
    setupFiles: ["tests/setup.ts"],
    // All cores: nobody watches while it runs.
    maxWorkers: "100%",
    // A limit for what hangs, not for what is slow: these machines are shared.
    testTimeout: 240_000,
    projects: [
      {
        extends: true,
        test: {
          name: "together",
          include: ["**/*.test.ts"],
          exclude: ["**/node_modules/**", ...alone],
          // The package is loaded once for each worker and not for each file: that takes as long as the tests of most files.
          isolate: false,
          typecheck: {
            enabled: true,
            include: ["types/**/*.test-d.ts"],
            tsconfig: "tests/types/tsconfig.json",
          },
        },
      },
      { extends: true, test: { name: "alone", include: alone } },
    ],
  },
});
