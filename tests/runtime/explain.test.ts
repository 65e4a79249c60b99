import { inspect } from "node:util";
import { arange, conv2d, type Explanation, explain, fromTypedArray, ones, setOptions, tensor } from "fuseau";
import { describe, expect, it } from "vitest";

const x = fromTypedArray(new Float32Array(100 * 64), { shape: [100, 64] });
const standard = x.sub(x.mean(0)).div(x.std(0));

describe("explain, as data", () => {
  const json = JSON.parse(JSON.stringify(standard.explain({ emitter: "js" }))) as Explanation;

  it("converts to JSON and loses nothing", () => {
    expect(json).toEqual({ ...standard.explain({ emitter: "js" }) });
  });
  it("has for each kernel its name, ops, source, emitter, inputs and outputs", () => {
    expect(json.kernels).toHaveLength(1);
    expect(json.kernels[0]).toMatchObject({
      name: expect.stringMatching(/^k0_[a-zA-Z0-9_]+$/),
      ops: expect.arrayContaining(["sum", "sub", "sqrt", "div"]),
      source: expect.stringMatching(/^function k0_/),
      emitter: "js",
      inputs: [expect.stringMatching(/^b\d+: input 0 \(float32\)$/)],
      outputs: [expect.stringMatching(/^b\d+: output 0 \(float32\)$/)],
    });
  });
  it("has the bytes between kernels and at the peak", () => {
    const { bytes } = json;
    expect(bytes).toMatchObject({ intermediate: 0, inputs: 25_600, outputs: 25_600 });
    expect(bytes.peak).toBe(bytes.inputs + bytes.outputs + bytes.arena);
    // Op by op the squares and differences of 6,400 elements would be written.
    expect(bytes.unfused).toBeGreaterThan(2 * 25_600);
  });
  it.each([
    // Bool, int32 and float32; the sum behind them makes them intermediates.
    ["a gather", () => x.gather(0, x.lt(0).to("int64")), 1 / 4 + 1 + 1],
    ["a scatter", () => x.scatterAdd(0, x.lt(0).to("int64"), x), 1 / 4 + 1 + 1],
    ["a scan", () => x.cumsum(1), 1],
    // int64 and int32
    ["a sort", () => x.argsort(1).to("int32"), 2 + 1],
  ] as const)("counts what %s writes among the bytes op by op", (_, make, tensors) => {
    expect(make().sum().explain().bytes.unfused).toBe(tensors * 25_600);
  });
  it("has the graph before and after simplification", () => {
    const { graph, simplified } = x.mul(1).neg().neg().add(x.exp()).explain();
    expect(graph.split("\n")).toHaveLength(7);
    expect(simplified).toBe(
      [
        "%0: float32[100, 64] = input()",
        "%1: float32[100, 64] = exp(%0)",
        "%2: float32[100, 64] = add(%0, %1)",
      ].join("\n"),
    );
  });
  it("has stride maps in which a broadcast is stride 0", () => {
    const row = fromTypedArray(new Float32Array(64));
    const [kernel] = x.add(row).explain().kernels;
    expect(kernel?.strideMaps.map(({ buffer, access, strides }) => ({ buffer, access, strides }))).toEqual([
      { buffer: "b0", access: "read", strides: { x0: 64, x1: 1 } },
      { buffer: "b1", access: "read", strides: { x0: 0, x1: 1 } },
      { buffer: "b2", access: "write", strides: { x0: 64, x1: 1 } },
    ]);
  });
  it("merges the axes of a contiguous chain into one", () => {
    const cube = fromTypedArray(new Float32Array(24_000), { shape: [20, 30, 40] });
    const [kernel] = cube.add(1).explain().kernels;
    expect(kernel?.strideMaps.map(({ strides }) => strides)).toEqual([{ x0: 1 }, { x0: 1 }]);
    expect(kernel?.sizes).toEqual([24_000]);
  });
  it("has negative strides for what is read backwards", () => {
    const [kernel] = x.flip(0).add(1).explain().kernels;
    expect(kernel?.strideMaps[0]).toMatchObject({ strides: { x0: -64, x1: 1 }, offset: 99 * 64 });
  });
  it("of a computed tensor has no kernels", () => {
    expect(tensor([1, 2]).add(1).compute().explain().kernels).toEqual([]);
  });
  it("of several tensors sees them together", () => {
    const e = x.exp();
    expect(explain(e.add(1), e.mul(2)).kernels).toHaveLength(1);
  });
});

describe("explain, as text", () => {
  it("prints, by String and by Node's inspect, every section", () => {
    const explanation = standard.explain();
    const text = String(explanation);
    for (const title of [
      "graph, as recorded",
      "graph, simplified",
      "kernels",
      "kernel 0: k0_",
      "stride maps",
      "loop IR",
      "source",
      "not fused",
      "bytes",
    ])
      expect(text).toContain(title);
    expect(text).toMatch(/\d+ ops in 1 kernels of \d+ phases; emitter (js|wasm) \(.+\), fusion on/);
    expect(inspect(explanation)).toBe(text);
  });
  it("has no source for closures", () => {
    expect(String(standard.explain({ emitter: "closure" }))).not.toContain("function k0_");
  });
});

describe("a tensor prints", () => {
  it("as its elements with shape and dtype, computed first", () => {
    const y = tensor([
      [1, 2],
      [3, 4],
    ]).add(0.5);
    expect(String(y)).toContain("[1.5000, 2.5000]");
    expect(String(y)).toContain("shape=[2, 2], dtype=float32");
  });
  it("the same by Node's inspect", () => {
    const y = tensor([true, false]);
    expect(inspect(y)).toBe(String(y));
  });
});

describe("explain, of what kernels do", () => {
  const work = (
    made: { explain(options: { emitter: "js" | "wasm" }): Explanation },
    emitter: "js" | "wasm" = "js",
  ) => made.explain({ emitter }).kernels.flatMap((kernel) => kernel.work);

  it("counts operations on floats, and the bytes of each element once", () => {
    const row = fromTypedArray(new Float32Array(64));
    const [phase] = work(x.mul(row).add(0.5).relu());
    expect(phase).toMatchObject({ flops: 3 * 6_400, bytes: 4 * (6_400 + 64 + 6_400) });
    expect(phase?.estimate).toBeGreaterThan(0);
  });
  it.each(["js", "wasm"] as const)(
    "counts a multiply-add as two, and operands of a product once, in %s",
    (emitter) => {
      const [phase] = work(x.matmul(x.t()), emitter);
      expect(phase).toMatchObject({ flops: 2 * 100 * 100 * 64, bytes: 4 * (6_400 + 10_000) });
    },
  );
  it("counts no operation on integers and booleans, and bytes as their dtypes have", () => {
    const [phase] = work(x.lt(0).to("int32").add(1));
    expect(phase).toMatchObject({ flops: 6_400, bytes: 4 * (6_400 + 6_400) });
    expect(work(arange(100).reshape([10, 10]).compute().sum(0))).toMatchObject([
      { flops: 0, bytes: 8 * 100 },
      { flops: 0, bytes: 8 * 10 },
    ]);
  });
  it("has a phase for each loop nest", () => {
    const [kernel] = standard.explain({ emitter: "js" }).kernels;
    expect(kernel?.work).toHaveLength(kernel?.phases ?? 0);
  });
  it("is of a scalar too", () => {
    expect(work(tensor(2).exp())).toMatchObject([{ flops: 1, bytes: 8 }]);
  });
  it.each([
    ["a gather", () => x.gather(0, x.lt(0).to("int64"))],
    ["a scatter", () => x.scatterAdd(0, x.lt(0).to("int64"), x)],
    ["a scan", () => x.cummax(1).values],
    ["a sort", () => x.sort(1).values],
    ["a convolution", () => conv2d(x.reshape([1, 4, 40, 40]), ones([8, 4, 3, 3]), { padding: 1 })],
    ["a median", () => x.median(1).values],
    ["a window", () => x.unfold(1, 8, 3).mean(-1).roll(1, 0)],
  ] as const)("is finite of %s", (_, make) => {
    for (const emitter of ["js", "wasm"] as const)
      for (const { flops, bytes, estimate } of work(make(), emitter)) {
        expect(bytes).toBeGreaterThan(0);
        expect(flops + estimate).toBeGreaterThan(0);
        expect(flops + estimate).toBeLessThan(Number.POSITIVE_INFINITY);
      }
  });
  it("has no times but of what was timed", () => {
    const make = () => x.mul(3).exp().sum(1);
    make().compute();
    expect(
      make()
        .explain()
        .kernels.map(({ measured }) => measured),
    ).toEqual([null]);
    for (let k = 0; k < 3; k++) make().compute({ profile: true });
    const timed = make().explain();
    expect(timed.kernels[0]?.measured).toMatchObject({
      runs: 3,
      limit: expect.stringMatching(/memory|arithmetic/),
    });
    expect(String(timed)).toMatch(
      /took {4}\S+ .?s in the quickest of 3 runs.* % of what (memory|arithmetic) allows/,
    );
  });
  it("times what runs while the process's option says so", () => {
    const make = () => x.mul(4).exp().sum(1);
    setOptions({ profile: true });
    try {
      make().compute();
    } finally {
      setOptions({ profile: undefined });
    }
    make().compute();
    expect(make().explain().kernels[0]?.measured?.runs).toBe(1);
  });
  it("refuses to profile what it does not run", () => {
    // @ts-expect-error: explain runs nothing
    expect(() => x.exp().explain({ profile: true })).toThrow(/explain: unknown option "profile"/);
    // @ts-expect-error: it is true or false
    expect(() => x.exp().compute({ profile: 1 })).toThrow(/profile must be true or false/);
  });
});
