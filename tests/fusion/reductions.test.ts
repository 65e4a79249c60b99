import { type AnyTensor, arange, fromTypedArray, type Tensor, where } from "fuseau";
import { describe, expect, it } from "vitest";
import { expectKernels, explained, opCounts, picture } from "./expect-kernels.ts";

const stored = (...shape: number[]): Tensor<number[], "float32"> =>
  fromTypedArray(new Float32Array(shape.reduce((count, size) => count * size, 1)), { shape });

const rows = stored(200, 64);
const wide = stored(10, 20_000);

describe("a reduction shares its kernel with what feeds it and what it feeds", () => {
  it.each<[string, AnyTensor | AnyTensor[]]>([
    ["softmax of rows", rows.softmax(1)],
    ["logSoftmax of rows", rows.logSoftmax(1)],
    ["logsumexp of rows", rows.logsumexp(1)],
    ["cross entropy", rows.logSoftmax(1).mul(stored(200, 64)).sum(1).neg()],
    ["layer norm with weight and bias", rows.layerNorm([64], { weight: stored(64), bias: stored(64) })],
    ["rms norm", rows.mul(rows.square().mean(1, { keepdim: true }).add(1e-5).rsqrt()).mul(stored(64))],
    ["mean and variance, both returned", [rows.mean(1), rows.var(1)]],
    ["sum, max and argmax of rows", [rows.sum(1), rows.amax(1), rows.argmax(1)]],
    ["sum, max and argmax of everything", [rows.sum(), rows.amax(), rows.argmax()]],
    ["aminmax", [rows.amin(1), rows.amax(1)]],
    ["mean squared error", rows.sub(stored(200, 64)).square().mean()],
    ["cosine similarity of row pairs", rows.mul(rows.add(1)).sum(1).div(rows.norm(2, 1))],
    ["a middle axis", stored(8, 30, 64).softmax(1)],
    ["a contraction with bias and relu", rows.matmul(stored(64, 32)).add(stored(32)).relu()],
  ])("%s: one phase", (_, tensors) => {
    const explanation = expectKernels(tensors, 1, 1);
    expect(explanation.bytes.intermediate).toBe(0);
    expect(explanation.notFused).toEqual([]);
  });

  it("sums of three columns or more read rows, since each waits for its own last element; extrema of so few do not", () => {
    const scheduleOf = (tensor: AnyTensor): string => explained(tensor).kernels[0]?.schedule ?? "";
    const points = stored(5_000, 3);
    expect(scheduleOf(points.sum(0))).toContain("row 3");
    expect(scheduleOf(points.sub(stored(3)).square().mean(0))).toContain("row 3");
    expect(scheduleOf(points.amax(0))).not.toContain("row 3");
    expect(scheduleOf(points.t().sum(1))).not.toContain("row 3");
    expect(scheduleOf(points.sum(0).add(points.amax(0)))).not.toContain("row 3");
    expect(scheduleOf(stored(5_000, 2).sum(0))).not.toContain("row 2");
  });

  it("k-means assignment: distances and argmin", () => {
    const [points, centres] = [stored(300, 3), stored(10, 3)];
    const distances = points.unsqueeze(1).sub(centres.unsqueeze(0)).square().sum(2);
    const explanation = expectKernels([distances.argmin(1), distances.amin(1)], 1, 1);
    expect(explanation.bytes.arena).toBe(0);
  });

  it("a full sum used elementwise: two phases", () => {
    for (const size of [100, 100_000]) {
      const x = stored(size);
      expectKernels(x.div(x.sum()), 1, 2);
      expectKernels(x.sub(x.mean()).exp(), 1, 2);
    }
  });

  it("every op is computed once, though several loops run", () => {
    expect(opCounts(expectKernels(rows.softmax(1), 1))).toEqual({
      max: 1,
      sub: 1,
      exp: 1,
      sum: 1,
      reciprocal: 1,
      mul: 1,
    });
    expect(opCounts(expectKernels([rows.mean(1), rows.var(1)], 1)).sum).toBe(2);
  });

  it("the exponentials of a softmax wait in the result's memory, and are not computed twice", () => {
    const { bytes, kernels } = expectKernels(rows.softmax(1), 1, 1);
    expect(bytes.arena).toBe(0);
    expect(kernels[0]?.loop.match(/exp\.float32/g)).toHaveLength(1);
  });
});

describe("columns are folded in memory order, a strip at a time", () => {
  it.each<[string, AnyTensor | AnyTensor[]]>([
    ["standardising columns", rows.sub(rows.mean(0)).div(rows.std(0))],
    ["standardising wide columns", wide.sub(wide.mean(0)).div(wide.std(0))],
    ["mean and standard deviation, both returned", [rows.mean(0), rows.std(0)]],
    ["softmax over the first axis", stored(200, 300).softmax(0)],
    ["softmax over the first of three axes", stored(8, 30, 40).softmax(0)],
    ["softmax over a middle axis", stored(20, 300, 300).softmax(1)],
    ["softmax of long rows", wide.softmax(1)],
    ["logSoftmax over the first axis", stored(200, 300).logSoftmax(0)],
  ])("%s: one phase", (_, tensors) => {
    const explanation = expectKernels(tensors, 1, 1);
    expect(explanation.bytes.intermediate).toBe(0);
    expect(explanation.notFused).toEqual([]);
  });

  it("keeps rows of a strip: partial sums, means, squares and deviations", () => {
    const explanation = expectKernels(wide.sub(wide.mean(0)).div(wide.std(0)), 1);
    expect(explanation.bytes.arena).toBeLessThanOrEqual(256 * 8 * 4);
    expect(explanation.kernels[0]?.loop.match(/^ {4}reduce/gm)).toHaveLength(2);
  });

  it("one loop walks several axes of a strip", () => {
    for (const x of [stored(20, 300, 19).cumsum(0).tanh(), stored(20, 300, 19).logSoftmax(0)]) {
      const loops = x.explain({ emitter: "wasm" }).kernels.map(({ loop }) => loop);
      expect(loops.join("\n")).toMatch(/min n\d/);
      expect(loops.join("\n")).not.toMatch(/^ {6,}for .*\n *(i.*\n *)*for /m);
    }
  });

  it("exponentials of another dtype than the result's need scratch, and are stored when it is too small", () => {
    const x = stored(200, 300).softmax(0).to("float64");
    const { notFused } = expectKernels(x, 2);
    expect(notFused).toMatchObject([{ op: "exp", reason: "scratch too large" }]);
  });
});

describe("columns that leave the cache between walks", () => {
  const large = stored(700, 120);
  it.each<[string, () => AnyTensor, string[][]]>([
    ["less their least", () => large.sub(large.amin(0)), [["min"], ["sub"]]],
    ["less their mean", () => large.sub(large.mean(0)), [["sum"], ["div", "sub"]]],
    ["softmax", () => large.softmax(0), [["max"], ["sub", "exp"], ["sum"], ["reciprocal", "mul"]]],
    [
      "standardised: differences are computed anew, not stored",
      () => large.sub(large.mean(0)).div(large.std(0)),
      [["sum"], ["div"], ["sub", "mul", "sum"], ["sub", "div", "sqrt", "div"]],
    ],
    ["a scan", () => large.mul(2).cumsum(0).add(1), [["mul", "scan", "add"]]],
    ["a scan before what is expensive", () => large.mul(2).cumsum(0).exp(), [["mul", "scan"], ["exp"]]],
  ])("%s: whole rows, and each fold in a kernel of its own", (_, make, kernels) => {
    const explanation = make().explain({ emitter: "wasm" });
    expect(explanation.kernels.map(({ ops }) => ops)).toEqual(kernels);
    const alone = make().compute({ fusion: "none" }).toTypedArray();
    for (const emitter of ["wasm", "js", "closure"] as const)
      expect(make().compute({ emitter }).toTypedArray()).toEqual(
        emitter === "wasm" ? alone : make().compute({ emitter, fusion: "none" }).toTypedArray(),
      );
  });
  it("are folded in memory order where what is folded is made of rows and columns that are broadcast", () => {
    const [a, b] = [stored(300, 3), stored(400, 3)];
    const far = a.unsqueeze(1).sub(b.unsqueeze(0)).square().sum(2);
    const { kernels } = far.softmax(0).explain({ emitter: "wasm" });
    const text = kernels.map(({ loop }) => loop).join("\n");
    expect(text).toMatch(/= max float32 -> float32 lanes 1 row n\d/);
  });
  it("are stored before a sort down them, in rows", () => {
    const [keys, sorted] = large.logSoftmax(1).topk(2, 0).values.explain({ emitter: "wasm" }).kernels;
    expect(keys?.ops.at(-1)).toBe("sub");
    expect(sorted?.ops).toEqual(["argsort"]);
  });
  it("are folded in strips, for threads, and walked in rows", () => {
    const [fold, rest] = large.sub(large.amin(0)).explain({ emitter: "wasm" }).kernels;
    expect(fold?.loop).toMatch(/for x0 < n0\n {4}i0 = .* min n5\)\n {4}reduce/);
    expect(rest?.loop).not.toContain("min n");
  });
});

describe("the loops stand in the order in which reductions are finished first", () => {
  it("batch norm: channels outermost, its statistics on the way", () => {
    const x = stored(8, 16, 10, 10);
    const mean = x.mean([0, 2, 3], { keepdim: true });
    const variance = x.var([0, 2, 3], { keepdim: true, correction: 0 });
    const explanation = expectKernels([x.sub(mean).div(variance.add(1e-5).sqrt()), mean, variance], 1, 1);
    expect(explanation.bytes.intermediate).toBe(0);
  });
});

describe("airports: from coordinates to each one's nearest neighbour", () => {
  const N = 400;
  const [latitude, longitude] = [stored(N), stored(N)];
  const [phi1, phi2] = [latitude.unsqueeze(1), latitude.unsqueeze(0)];
  const chord = phi1
    .sub(phi2)
    .div(2)
    .sin()
    .square()
    .add(
      phi1
        .cos()
        .mul(phi2.cos())
        .mul(longitude.unsqueeze(1).sub(longitude.unsqueeze(0)).div(2).sin().square()),
    );
  const distance = chord.sqrt().asin().mul(12_742);
  const place = arange(N);
  const others = where(place.unsqueeze(1).eq(place.unsqueeze(0)), Number.POSITIVE_INFINITY, distance);

  it("is one kernel of at most two phases", () => {
    const explanation = expectKernels([others.amin(1), others.argmin(1)], 1);
    expect(explanation.kernels[0]?.phases, picture(explanation)).toBeLessThanOrEqual(2);
  });
  it("holds no array of pairs", () => {
    const { bytes } = explained([others.amin(1), others.argmin(1)]);
    expect(bytes.intermediate).toBe(0);
    expect(bytes.arena).toBeLessThanOrEqual(8 * N);
    expect(bytes.unfused).toBeGreaterThan(4 * N * N);
  });
  it("takes the cosine of a latitude once an airport, not once a pair", () => {
    const [kernel] = explained([others.amin(1), others.argmin(1)]).kernels;
    const cosines = (kernel?.loop ?? "").split("\n").filter((line) => line.includes("cos.float32"));
    expect(cosines.length).toBeGreaterThan(0);
    // Two spaces of indentation a loop: one loop around a cosine, two around a pair.
    for (const line of cosines) expect(line.search(/\S/), kernel?.loop).toBeLessThanOrEqual(4);
  });
});

describe("rows that are folded for a transposed result", () => {
  const image = stored(30, 20, 40);
  it.each<[string, AnyTensor]>([
    ["sums", image.sum(2).t().mul(stored(20, 30))],
    ["products", image.prod(2).t().add(1)],
  ])("%s are walked in the order of memory", (_, result) => {
    const explanation = explained(result, { emitter: "wasm" });
    if (!String(explanation.kernels[0]?.sizes).startsWith("30,20")) expect.fail(picture(explanation));
  });
  it("of few elements each in the order of the result", () => {
    const [kernel] = explained(stored(30, 20, 4).sum(2).t().add(1), { emitter: "wasm" }).kernels;
    expect(String(kernel?.sizes)).toMatch(/^20,30/);
  });
});

describe("rolling folds down columns have neighbouring columns in lanes", () => {
  const given = fromTypedArray(
    Float32Array.from({ length: 250 * 33 }, (_, k) => Math.sin(k)),
    { shape: [250, 33] },
  );
  it.each([17, 20, 64])("of %i elements", (count) => {
    const windows = given.unfold(0, count, 1);
    const { kernels } = explained(windows.std(-1), { emitter: "wasm" });
    expect(kernels[0]?.schedule?.match(new RegExp(`reduce x\\d+ < ${count} unrolled`, "g"))).toHaveLength(2);
    for (const emitter of ["wasm", "js"] as const)
      for (const fold of [
        (x: AnyTensor) => x.sum(-1),
        (x: AnyTensor) => x.amax(-1),
        (x: AnyTensor) => x.std(-1),
      ]) {
        const [fused, eager] = (["on", "none"] as const).map((fusion) =>
          fold(windows).compute({ emitter, fusion }).toTypedArray(),
        );
        expect(fused).toEqual(eager);
        // One row after the other, whose elements are in lanes.
        const rows = fold(windows.contiguous()).compute({ emitter, fusion: "none" }).toTypedArray();
        expect(fused).toEqual(rows);
      }
  });
});
