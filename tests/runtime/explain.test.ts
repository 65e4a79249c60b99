import { inspect } from "node:util";
import { type Explanation, explain, fromTypedArray, tensor } from "fuseau";
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
