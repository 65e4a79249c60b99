/** What those who watch are told: nothing happens unseen, and nothing else changes. */
import { arange, clearCaches, fromTypedArray, type TraceEvent, tensor, trace } from "fuseau";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loadAgain } from "../load-again.ts";

beforeEach(() => clearCaches());

const kindsOf = (events: readonly TraceEvent[]): string[] => [...new Set(events.map(({ kind }) => kind))];
const ofKind = <K extends TraceEvent["kind"]>(events: readonly TraceEvent[], kind: K) =>
  events.filter((event): event is Extract<TraceEvent, { kind: K }> => event.kind === kind);

const rows = () => fromTypedArray(new Float32Array(1200).fill(1), { shape: [40, 30] });
const softmax = () => rows().softmax(1).neg().neg().compute();

describe("trace", () => {
  it("gives what the function gives, and all that happened", () => {
    const { value, events } = trace(() => softmax().sum().item());
    expect(value).toBeCloseTo(40);
    expect(kindsOf(events)).toEqual(
      expect.arrayContaining(["cache", "pass", "rule", "emitter", "memory", "kernel"]),
    );
    const passes = ofKind(events, "pass");
    expect(passes.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "record",
        "simplify",
        "schedule",
        "merge axes",
        "strip-mine",
        "lower",
        "plan memory",
      ]),
    );
    expect(passes.find(({ name }) => name === "schedule")?.text).toMatch(/^kernel 0 \(input %0\) -> output/);
  });

  it("tells that a program of many sizes is known", () => {
    const { events } = trace(() => {
      for (let n = 40; n < 60; n++) arange(n, { dtype: "float32" }).mul(2).sum().compute();
    });
    const lookups = ofKind(events, "cache").filter(({ cache }) => cache === "programs");
    const whys = lookups.filter(({ hit }) => hit).map(({ why }) => why);
    expect(new Set(whys)).toEqual(new Set(["a program of many sizes"]));
    expect(lookups.length - whys.length).toBe(2);
  });

  it("tells of kernels with their source and time", () => {
    const { events } = trace(() => rows().exp().compute({ emitter: "js" }));
    expect(ofKind(events, "emitter")).toEqual([
      { kind: "emitter", emitter: "js", reason: expect.any(String) },
    ]);
    const [kernel] = ofKind(events, "kernel");
    expect(kernel).toMatchObject({
      name: "k0_exp",
      emitter: "js",
      source: expect.stringContaining("fround(exp("),
    });
    expect(kernel?.ms).toBeGreaterThanOrEqual(0);
    const [memory] = ofKind(events, "memory");
    expect(memory).toMatchObject({ inputs: 4800, results: 4800, inPlace: 0, arena: 0 });
  });

  it("tells what the caches have, and why not", () => {
    const run = (options = {}) => trace(() => rows().exp().compute(options)).events;
    const lookups = (events: readonly TraceEvent[]) =>
      ofKind(events, "cache").map(({ cache, hit, why }) => `${cache} ${hit}: ${why}`);
    expect(lookups(run({ emitter: "js" }))).toEqual([
      "programs false: no such graph was compiled before, or it was forgotten",
      "kernels false: no equal loop IR by js is known",
    ]);
    expect(lookups(run({ emitter: "js" }))).toEqual(["programs true: the very program was compiled before"]);
    expect(lookups(run({ emitter: "closure" }))).toEqual([
      "programs false: compiled before for emitter js",
      "kernels false: no equal loop IR by closure is known",
    ]);
    expect(lookups(run({ emitter: "js", fusion: "none" }))[0]).toBe(
      'programs false: compiled before with fusion "on"',
    );
    expect(lookups(run({ emitter: "js", limits: { ops: 4 } }))).toEqual([
      "programs false: compiled before under other limits",
      "kernels true: equal loop IR by js",
    ]);
  });

  it("tells what a new program is most like, and where they differ", () => {
    clearCaches();
    const why = (run: () => void): string | undefined =>
      ofKind(trace(run).events, "cache").find(({ cache }) => cache === "programs")?.why;
    const x = rows().compute();
    expect(why(() => x.mul(2).exp().sum().compute())).toMatch(/^no such graph/);
    expect(why(() => x.narrow(1, 0, 3).mul(2).exp().sum().compute())).toMatch(/^no such graph/);
    expect(why(() => x.narrow(1, 0, 4).mul(2).exp().sum().compute())).toMatch(
      /^the nearest graph has other sizes: %1 was float32\[\d+, 3\] = slice\(.*, and is float32\[\d+, 4\] = slice/,
    );
    expect(why(() => x.mul(2).exp().amax().compute())).toMatch(
      /^the nearest graph has 4 nodes in common: %4 was float32\[\] = sum\(%3, .*, and is float32\[\] = max\(%3/,
    );
    expect(why(() => x.mul(2).exp().sum().neg().compute())).toMatch(
      /^the nearest graph has 5 nodes in common: %5 was not there, and is float32\[\] = neg\(%4\)/,
    );
  });

  it("tells of each rewrite with its law", () => {
    const { events } = trace(() => arange(4).neg().neg().compute());
    expect(ofKind(events, "rule").map(({ law }) => law)).toEqual(
      expect.arrayContaining([expect.stringContaining("x")]),
    );
  });

  it("tells why a node was stored", () => {
    const { events } = trace(() => rows().exp().sin().compute({ fusion: "none" }));
    expect(ofKind(events, "schedule")).toEqual([
      expect.objectContaining({ op: "exp", reason: "fusion is off" }),
    ]);
  });

  it("hands events over as they happen, and gives the value", () => {
    const seen: string[] = [];
    const value = trace(
      () => rows().exp().compute().shape,
      (event) => seen.push(event.kind),
    );
    expect(value).toEqual([40, 30]);
    expect(seen).toContain("kernel");
    rows().sin().compute();
    expect(seen).not.toContain("nothing");
    const { length } = seen;
    rows().cos().compute();
    expect(seen).toHaveLength(length);
  });

  it("throws what the function throws, and stops watching", () => {
    const seen: string[] = [];
    expect(() =>
      trace(
        () => {
          softmax();
          throw new RangeError("its own");
        },
        (event) => seen.push(event.kind),
      ),
    ).toThrow("its own");
    const { length } = seen;
    softmax();
    expect(seen).toHaveLength(length);
  });

  it("throws what the listener throws after the function has run, and all is computed", () => {
    const x = tensor([1, 2, 3]).exp();
    const broken = () =>
      trace(
        () => x.compute(),
        () => {
          throw new Error("a listener's own fault");
        },
      );
    expect(broken).toThrow("a listener's own fault");
    expect(trace(() => x.compute()).events).toEqual([]);
  });

  it("collects until a promise settles", async () => {
    const { value, events } = await trace(async () => {
      await Promise.resolve();
      return rows().exp().sum().item();
    });
    expect(value).toBeCloseTo(1200 * Math.E, 0);
    expect(kindsOf(events)).toContain("kernel");
    await expect(trace(() => Promise.reject(new Error("its own")))).rejects.toThrow("its own");
    expect(trace(() => 1).events).toEqual([]);
  });

  it("nests", () => {
    const outer = trace(() => trace(() => rows().exp().compute({ emitter: "js" })).events.length);
    expect(outer.events).toHaveLength(outer.value);
  });

  it("changes no bit", () => {
    const x = rows().mul(0.1).softmax(1);
    expect(trace(() => x.add(0).toArray()).value).toEqual(x.add(0).toArray());
  });

  it("refuses what is no function", () => {
    expect(() => trace(3 as unknown as () => void)).toThrow(
      "trace: takes a tensor, whose diagonal it sums, or a function to watch, not 3",
    );
    expect(() => trace(softmax, "passes" as unknown as () => void)).toThrow(
      "trace: onEvent must be a function",
    );
  });
});

describe("FUSEAU_DEBUG", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  const load = (): Promise<typeof import("../../packages/runtime/src/watch/watching.ts")> =>
    loadAgain("../../packages/runtime/src/watch/watching.ts", import.meta.url);

  /** What is printed of the events of a computation by a fuseau that is loaded now. */
  async function printed(): Promise<string> {
    const { events } = trace(() => arange(5).neg().neg().exp().sum().compute({ emitter: "js" }));
    const lines: string[] = [];
    vi.spyOn(console, "error").mockImplementation((text: string) => lines.push(text));
    const { watching } = await load();
    for (const event of events) watching?.(event);
    return lines.join("\n");
  }

  it("prints the topics that it names, to the console's errors", async () => {
    vi.stubEnv("FUSEAU_DEBUG", "cache, rules,nonsense");
    const text = await printed();
    expect(text).toContain('FUSEAU_DEBUG has no topic "nonsense"; the topics are passes, schedule, rules');
    expect(text).toMatch(/fuseau: cache: programs, miss: \d+ nodes for float32\[\] sum \(no such graph/);
    expect(text).toMatch(/fuseau: rule neg of neg: −\(−x\) → x .*\n {2}t2: int64\[5\] = neg\(t1\)\n {2}t0: /);
    expect(text).not.toContain("pass simplify");
  });

  it("may be set on globalThis before fuseau is loaded, as browsers do", async () => {
    vi.stubGlobal("FUSEAU_DEBUG", "passes,schedule,kernels,memory");
    const text = await printed();
    for (const part of [
      "pass simplify (graph)",
      "pass schedule (schedule)",
      "kernel k0_",
      "memory: inputs 0 bytes",
    ])
      expect(text).toContain(part);
    expect(text).not.toContain("cache:");
  });

  it("says nothing when nothing is asked for: nobody watches", async () => {
    expect(await printed()).toBe("");
    const { watching } = await load();
    expect(watching).toBeNull();
  });
});

it("of a tensor is PyTorch's trace", () => {
  const x = tensor([
    [1, 2],
    [3, 4],
  ]);
  expect(trace(x).item()).toBe(5);
  expect(x.trace().item()).toBe(5);
  expect(() => trace(7 as never)).toThrow("trace: takes a tensor, whose diagonal it sums, or a function");
});
