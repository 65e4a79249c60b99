/** What is to blame is found: rules, fusions and emitters are broken here, by what the bisection is handed to compile and emit with. */
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CompileOptions,
  compile,
  type Emitter,
  type Graph,
  type KernelCall,
  type KernelFunction,
  type Program,
} from "@fuseau/compiler";
import { build, mapStatements, type Node, printLoopKernel, type TypedArray } from "@fuseau/ir";
import { type AnyTensor, dump, fromTypedArray, replay, tensor } from "fuseau";
import { describe, expect, it } from "vitest";
import type { Backend, HeapKernel } from "../../packages/runtime/src/backends/backend.ts";
import { backendNamed } from "../../packages/runtime/src/backends/backends.ts";
import { js } from "../../packages/runtime/src/backends/js.ts";
import { bisect } from "../../scripts/bisect/bisect.ts";
import { main } from "../../scripts/bisect/main.ts";
import { leastSwitches } from "../../scripts/bisect/search.ts";
import type { Tools } from "../../scripts/bisect/specimen.ts";

const numbers = (cells: number, shape: number[]): AnyTensor =>
  fromTypedArray(
    Float32Array.from({ length: cells }, (_, k) => ((k * 37) % 11) + 1),
    { shape },
  );

/** Rows less their mean, as exponentials in parts of the whole: rules, fusions and several kernels. */
const text = (options: Parameters<typeof dump>[1] = { emitter: "js" }): string => {
  const x = numbers(4_000, [40, 100]);
  const scaled = x
    .mul(1)
    .neg()
    .neg()
    .sub(x.mean(1, { keepdim: true }))
    .exp();
  return dump(scaled.div(scaled.sum(0)).t().add(x.t().cumsum(0)), options);
};

const own: Tools = { compile, backend: backendNamed, time: () => expect.fail("nothing is timed") };

/** Compiles with one rule more: x − y → y − x. */
const WRONG_LAW = "x − y → y − x (made wrong by a test)";
const withWrongRule: typeof compile = (graph, options = {}) => {
  if (options.without?.laws?.includes(WRONG_LAW)) return compile(graph, options);
  const nodes: Node[] = [];
  const inputs = graph.nodes.map((node, position) => {
    const from = graph.inputs[position] as readonly number[];
    const turned = node.op === "pointwise" && node.attributes.fn === "sub" ? [...from].reverse() : from;
    if (turned !== from)
      options.watch?.({
        kind: "rule",
        name: "turned difference",
        law: WRONG_LAW,
        before: "sub(a, b)",
        after: "sub(b, a)",
      });
    const operands = turned.map((input) => nodes[input] as Node);
    nodes.push(turned === from ? ({ ...node, inputs: operands } as Node) : build.pointwise("sub", operands));
    return turned;
  });
  return compile({ ...graph, nodes, inputs }, options);
};

/** The program with every constant of 1 that a kernel of `which` stores or computes with changed. */
const changed = (program: Program, which: (call: KernelCall) => boolean): Program => ({
  ...program,
  calls: program.calls.map((call) => {
    if (!which(call)) return call;
    const body = mapStatements(call.loop.body, (statement) =>
      statement.kind === "store"
        ? { ...statement, value: { kind: "constant", value: 5, dtype: "float32" } }
        : statement,
    );
    const loop = { ...call.loop, body };
    return { ...call, loop, key: printLoopKernel(loop) };
  }),
});

const placeOf = ({ nodes }: Graph, fn: "exp" | "sub"): number =>
  nodes.findIndex((node) => node.op === "pointwise" && node.attributes.fn === fn);

/** Stores nonsense wherever exp is computed in a kernel that does something else as well: with what it reads and what reads it. */
const withWrongFusion = (graph: Graph, options: CompileOptions = {}): Program => {
  const program = compile(graph, options);
  const exp = placeOf(program.graph, "exp");
  return changed(program, ({ nodes }) => nodes.includes(exp) && nodes.length > 1);
};

const scans = ({ key }: Pick<KernelCall, "key">): boolean => key.includes("scan ");

/** JavaScript of kernels that scan is wrong. */
const withWrongEmitter: Tools = {
  ...own,
  backend: (key) => (key.startsWith("js") ? wrongScans : backendNamed(key)),
};
const wrongScans: Backend<HeapKernel, TypedArray> = {
  ...js,
  compile: (call) => {
    const made = js.compile(call);
    if (!scans(call)) return made;
    const run: KernelFunction = (buffers, sizes, scalars) => {
      made.run(buffers, sizes, scalars);
      buffers.forEach((buffer, slot) => {
        if (call.loop.buffers[slot]?.access === "write") buffer.fill(3 as never);
      });
    };
    return { ...made, run };
  },
};

describe("bisect of what gives wrong elements", () => {
  it.each(["js", "closure", "wasm"] as const)("finds nothing where nothing is wrong, by %s", (emitter) => {
    expect(bisect(text({ emitter }), {}, undefined, own)).toBeNull();
  });

  it("finds a rule, by its law, with what it rewrote", () => {
    const lines: string[] = [];
    const say = (line: string): unknown => lines.push(line);
    const verdict = bisect(text(), {}, say, { ...own, compile: withWrongRule });
    expect(verdict?.blames).toEqual([{ kind: "law", law: WRONG_LAW }]);
    expect(verdict?.text).toBe(`The rule to blame is: ${WRONG_LAW}\n  sub(a, b)\n  becomes sub(b, a)`);
    expect(lines[0]).toMatch(/^reference: closure, fusion none, without \d+ rules$/);
    expect(lines[1]).toMatch(/^js, fusion on: element \d+ of result 0 is .*, not /);
    expect(lines).toContainEqual(expect.stringMatching(/^closure, fusion none, without \d+ rules: right$/));
  });

  it("finds a rule where the program is op by op as well, and by closures", () => {
    for (const options of [{ fusion: "none" }, { emitter: "closure" }, { emitter: "wasm" }] as const) {
      const verdict = bisect(text(options), {}, undefined, { ...own, compile: withWrongRule });
      expect(verdict?.blames).toEqual([{ kind: "law", law: WRONG_LAW }]);
    }
  });

  it("finds a rule that throws", () => {
    const throwing: typeof compile = (graph, options) => {
      if (!options?.without?.laws?.includes(WRONG_LAW)) {
        options?.watch?.({ kind: "rule", name: "turned difference", law: WRONG_LAW, before: "", after: "" });
        throw new Error("no such term");
      }
      return compile(graph, options);
    };
    const lines: string[] = [];
    const say = (line: string): unknown => lines.push(line);
    const verdict = bisect(text(), {}, say, { ...own, compile: throwing });
    expect(verdict?.blames).toEqual([{ kind: "law", law: WRONG_LAW }]);
    expect(lines).toContain("js, fusion on: it throws Error: no such term");
  });

  it("finds a decision to fuse", () => {
    const verdict = bisect(text(), {}, undefined, { ...own, compile: withWrongFusion });
    const node = placeOf(compileOf(text()), "sub");
    expect(verdict?.blames).toEqual([{ kind: "fusion", nodes: [node, node + 1] }]);
    expect(verdict?.text).toMatch(
      /^The decisions to blame: sub and exp are fused with what reads them, not stored\.\n {2}%\d+: float32\[40, 100\] = sub\(%\d+, %\d+\), in k\d_/,
    );
  });

  it("finds an emitter, and the kernel at which it is wrong", () => {
    const verdict = bisect(text(), {}, undefined, withWrongEmitter);
    expect(verdict?.blames).toEqual([
      { kind: "emitter", emitter: "js", kernel: expect.stringMatching(/^k\d_/) },
    ]);
    expect(verdict?.text).toMatch(
      /^The emitter to blame is js, at kernel k\d_\w+:\n {2}kernel\(b0: [\s\S]* scan x/,
    );
  });

  it("finds both of two that are wrong", () => {
    const verdict = bisect(text(), {}, undefined, { ...withWrongEmitter, compile: withWrongRule });
    expect(verdict?.blames.map(({ kind }) => kind).sort()).toEqual(["emitter", "law"]);
    expect(verdict?.text).toMatch(/^It takes all 2 of these:\n/);
  });

  it("takes other emitters, references and tolerances", () => {
    expect(bisect(text(), { emitter: "closure" }, undefined, withWrongEmitter)).toBeNull();
    const againstWrong = bisect(text({ emitter: "wasm" }), { reference: "js" }, undefined, withWrongEmitter);
    expect(againstWrong?.blames).toContainEqual(
      expect.objectContaining({ kind: "emitter", emitter: "wasm" }),
    );
    expect(bisect(text(), { tolerance: 1e9 }, undefined, withWrongEmitter)).toBeNull();
  });

  it("finds that the runtime gives something else than the kernels do", () => {
    // A reference that is as wrong as what is compiled, and a replay that is right.
    const alike = { referenceFusion: "on", referenceRules: "on" } as const;
    const verdict = bisect(text(), alike, undefined, { ...own, compile: withWrongRule });
    expect(verdict?.blames).toEqual([{ kind: "runtime" }]);
    expect(verdict?.text).toMatch(/compiled anew it is right, and replayed element \d+ of result 0 is /);
  });
});

const compileOf = (dumped: string): Graph => {
  let graph: Graph | undefined;
  const watching: typeof compile = (recorded, options) => {
    const program = compile(recorded, options);
    graph = program.graph;
    return program;
  };
  bisect(dumped, { referenceRules: "on" }, undefined, { ...own, compile: watching });
  return graph as Graph;
};

describe("bisect of what is slow", () => {
  /** A clock that counts: each kernel takes what `cost` says of it. */
  const counting = (cost: (call: KernelCall, emitter: Emitter) => number): Tools => {
    let ms = 0;
    const counted = (name: Emitter): Backend<HeapKernel, TypedArray> => ({
      ...js,
      name,
      compile: (call) => {
        const made = js.compile(call);
        const run: KernelFunction = (...bound) => {
          ms += cost(call, name);
          made.run(...bound);
        };
        return { ...made, run };
      },
    });
    return {
      ...own,
      backend: (key) => counted(backendNamed(key).name),
      time: (run) => {
        ms = 0;
        run();
        return ms;
      },
    };
  };

  it("finds nothing where fusion saves time", () => {
    expect(
      bisect(
        text(),
        { slow: true },
        undefined,
        counting(() => 1),
      ),
    ).toBeNull();
  });

  it("finds the decision to fuse", () => {
    const exp = (call: KernelCall): boolean => /exp\.float32/.test(call.key) && call.nodes.length > 1;
    const node = placeOf(compileOf(text()), "sub");
    const verdict = bisect(
      text(),
      { slow: true },
      undefined,
      counting((call) => (exp(call) ? 100 : 1)),
    );
    expect(verdict?.blames).toEqual([{ kind: "fusion", nodes: [node, node + 1] }]);
  });

  it("finds the emitter, and the kernel that takes most", () => {
    const tools = counting((call, emitter) => (emitter === "js" && scans(call) ? 90 : 1));
    const verdict = bisect(text(), { slow: true, reference: "wasm", ratio: 2 }, undefined, tools);
    expect(verdict?.blames).toEqual([
      { kind: "emitter", emitter: "js", kernel: expect.stringMatching(/^k\d_/) },
    ]);
    expect(verdict?.text).toMatch(/ scan x/);
  });

  it("says what it measures, and in which ratio", () => {
    const lines: string[] = [];
    bisect(
      text(),
      { slow: true },
      (line) => lines.push(line),
      counting((_, emitter) => (emitter === "js" ? 2 : 1)),
    );
    expect(lines[0]).toMatch(
      /^reference: closure, fusion none, without \d+ rules?, \d+\.\d+ ms of processor time$/,
    );
    expect(lines[1]).toMatch(/^js, fusion on: \d\.\d+ × the reference's time$/);
  });
});

describe("npm run bisect", () => {
  const run = (args: string[], tools?: Tools): { code: number; printed: string; said: string } => {
    const [printed, said]: [string[], string[]] = [[], []];
    const code = main(
      args,
      (line) => printed.push(line),
      (line) => said.push(line),
      tools,
    );
    return { code, printed: printed.join("\n"), said: said.join("\n") };
  };
  const withFile = <R>(content: string, use: (file: string) => R): R => {
    const file = join(tmpdir(), `fuseau-bisect-${process.pid}.txt`);
    writeFileSync(file, content);
    try {
      return use(file);
    } finally {
      rmSync(file);
    }
  };

  it("prints the verdict and ends with 0, with 1 where nothing is wrong", () => {
    const found = withFile(text(), (file) => run([file], withWrongEmitter));
    expect(found).toMatchObject({ code: 0, printed: expect.stringMatching(/^The emitter to blame is js/) });
    expect(found.said).toMatch(/^… reference: closure/);
    const nothing = withFile(text(), (file) => run(["--emitter=closure", file], withWrongEmitter));
    expect(nothing).toMatchObject({
      code: 1,
      printed: "Nothing is wrong: it gives what the reference gives.",
    });
  });

  it("runs with the product's own compiler where it is handed nothing else", () => {
    expect(withFile(text(), (file) => run([file])).code).toBe(1);
    expect(replay(text())).toHaveLength(1);
  });

  it.each<[string, string[], RegExp]>([
    ["no file", [], /asks for one file/],
    ["a file that is not there", ["no-such-file"], /ENOENT/],
    [
      "an emitter that is none",
      ["file", "--emitter=gpu"],
      /--emitter is one of js, closure, wasm|--emitter is one of/,
    ],
    ["a ratio that is no number", ["file", "--ratio=fast"], /--ratio is a number of at least 0/],
    ["an option that is none", ["file", "--quick"], /--quick/],
  ])("ends with 2 and says how it is called: %s", (_, args, why) => {
    const { code, said } = run(args);
    expect(code).toBe(2);
    expect(said).toMatch(why);
    expect(said).toMatch(/npm run bisect -- FILE/);
  });

  it("ends with 2 where the file is no dump, or is cut short", () => {
    const of = (content: string): string => withFile(content, (file) => run([file]).said);
    expect(of("what")).toMatch(/^bisect: no line says "fuseau dump 1"/);
    expect(of(text().split("\n").slice(0, 5).join("\n"))).toMatch(/does not end with what it returns/);
    expect(of(dump(tensor([1]).exp()).replace("exp", "wibble"))).toMatch(/knows no wibble/);
  });
});

describe("leastSwitches", () => {
  const all = Array.from({ length: 20 }, (_, k) => k);
  it.each([[[0]], [[19]], [[7]], [[3, 4]], [[0, 19]], [[2, 9, 16]], [all]])(
    "finds %j of twenty",
    (needed) => {
      let asked = 0;
      const found = leastSwitches(all, (off) => {
        asked++;
        return needed.every((each) => off.includes(each));
      });
      expect([...(found ?? [])].sort((a, b) => a - b)).toEqual(needed);
      expect(asked).toBeLessThanOrEqual(2 + 6 * needed.length);
    },
  );
  it("finds one of several that would each do", () => {
    expect(leastSwitches(all, (off) => off.includes(4) || off.includes(11))).toEqual([4]);
  });
  it("finds nothing where nothing helps", () => expect(leastSwitches(all, () => false)).toBeNull());
});
