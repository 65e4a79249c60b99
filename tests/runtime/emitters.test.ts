import { execFileSync } from "node:child_process";
import { arange, stats, tensor } from "fuseau";
import { describe, expect, it } from "vitest";

const x = tensor([
  [1, 2, 3],
  [4, 5, 6],
]);

describe("the emitter", () => {
  it("is JavaScript text where the host lets text become code", () => {
    const { emitter, kernels } = x.exp().explain();
    expect(emitter).toBe("js");
    expect(kernels[0]?.source).toMatch(/^function k0_exp\(/);
  });
  it("can be forced for a call, and makes a program and kernels of its own", () => {
    const before = stats();
    const y = x.exp().add(12.5);
    expect(y.explain({ emitter: "closure" }).kernels[0]).toMatchObject({ emitter: "closure", source: "" });
    expect(stats().programs.misses).toBe(before.programs.misses + 1);
    const text = x.exp().add(12.5).compute({ emitter: "js" }).toArray();
    expect(stats().kernels.misses).toBe(before.kernels.misses + 2);
    expect(y.compute({ emitter: "closure" }).toArray()).toEqual(text);
  });
});

describe.each([{ emitter: "js" }, { emitter: "wasm" }, { emitter: "closure" }, {}] as const)(
  "with %o",
  (options) => {
    it("folds every element of rows that are whole steps of lanes, if each is a fold of its own", () => {
      const column = arange(1, 17).reshape([16, 1]).compute();
      const products = () => column.matmul(column.t());
      const folds = [
        products().ne(0).sum(),
        products().amax([0, 1]),
        products().argmax(),
        products().lt(2).any(),
        products().to("int32").sum([0, 1]),
        products().sum([0, 1]),
      ];
      const found = folds.map((fold) => Number(fold.compute(options).item()));
      expect(found).toEqual([256, 256, 255, 1, 136 ** 2, 136 ** 2]);
    });
  },
);

describe("a host that forbids code from strings", () => {
  const output = execFileSync(
    process.execPath,
    [
      "--disallow-code-generation-from-strings",
      ...process.execArgv,
      new URL("fixtures/without-eval.ts", import.meta.url).pathname,
    ],
    { cwd: new URL("../..", import.meta.url), encoding: "utf8", timeout: 200_000 },
  );
  const there = JSON.parse(output);

  it("gets closures by itself, and the same results bit for bit", () => {
    expect(there).toMatchObject({ forbidden: true, emitter: "closure" });
    expect(there.standard).toEqual(x.sub(x.mean(0)).div(x.std(0)).toArray());
    expect(there.softmax).toEqual(x.softmax(1).toArray());
    expect(there.sum).toBe(arange(100_000).sum().item());
    expect(there.sources.every((source: string) => source === "")).toBe(true);
    expect(there.runs.programs).toBe(4);
  });
  it("is told so when text is asked for, and computes on", () => {
    expect(there.forced).toMatch(
      /^compute: emitter "js": code from strings is forbidden .*\(leave emitter out to use what it has\)$/,
    );
    expect(there.after).toEqual([
      [2, 3, 4],
      [5, 6, 7],
    ]);
  });
});

describe("a policy that forbids WebAssembly", () => {
  const run = (asked: string, ...flags: string[]) =>
    JSON.parse(
      execFileSync(
        process.execPath,
        [...flags, ...process.execArgv, new URL("fixtures/without-code.ts", import.meta.url).pathname, asked],
        { cwd: new URL("../..", import.meta.url), encoding: "utf8", timeout: 200_000 },
      ),
    );

  it("is told of once, when a large program runs, with its name", () => {
    const there = run("wasm");
    expect(there).toMatchObject({
      untried: { webAssembly: null, codeFromStrings: null },
      small: [2, 2, 2, 2],
      afterSmall: 0,
      emitter: "js",
    });
    expect(there.reason).toMatch(/^WebAssembly is forbidden here/);
    expect(there.warnings).toEqual([
      expect.stringMatching(/^fuseau: WebAssembly is forbidden here.*onForbidden/),
    ]);
    expect(there.forbidden).toEqual({ webAssembly: there.reason, codeFromStrings: null });
  });

  it("is told of with the other, where code from strings is forbidden too", () => {
    const there = run("both", "--disallow-code-generation-from-strings");
    expect(there.emitter).toBe("closure");
    expect(there.warnings).toHaveLength(1);
    expect(there.warnings[0]).toContain("--disallow-code-generation-from-strings");
    expect(there.forbidden.codeFromStrings).toContain("--disallow-code-generation-from-strings");
  });

  it("is not told of when silence is asked for, and can be asked for still", () => {
    const there = run("silent");
    expect(there.warnings).toEqual([]);
    expect(there.forbidden.webAssembly).toMatch(/^WebAssembly is forbidden here/);
  });

  it("differs from a host that refuses memory: functions are WebAssembly's there, and no fault is counted", () => {
    const there = run("memory");
    expect(there).toMatchObject({
      reason: "this host refuses memory to WebAssembly",
      emitter: "js",
      ofProduct: "js",
      faults: 0,
      warnings: [],
    });
    const expected = arange(3).exp().toArray();
    expect(there.powers).toEqual([expected, expected, expected]);
  });
});
