import { defineConfig } from "vitest/config";

// Workspace packages resolve to their sources: tests need no build. The rest are Vite's own defaults for Node.
const conditions = ["fuseau:source", "module", "node", "development|production"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    dir: "tests",
    // A fault of the compiler's must not hide behind a slower answer.
    setupFiles: ["tests/setup.ts"],
    // A limit for what hangs, not for what is slow: these machines are shared.
    testTimeout: 60_000,
    include: ["**/*.test.ts"],
    typecheck: {
      enabled: true,
      include: ["types/**/*.test-d.ts"],
      tsconfig: "tests/types/tsconfig.json",
    },
  },
});
