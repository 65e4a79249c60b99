import { type AnyTensor, arange, fromTypedArray, type Tensor, where } from "fuseau";
import { describe, expect, it } from "vitest";
import { expectKernels, explained, opCounts, picture } from "./expect-kernels.ts";

const stored = (...shape: number[]): Tensor<number[], "float32"> =>
  fromTypedArray(new Float32Array(shape.reduce((count, size) => count * size, 1)), { shape });

const rows = stored(200, 64);

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
    ["a middle axis", stored(8, 30, 40).softmax(1)],
    ["a contraction with bias and relu", rows.matmul(stored(64, 32)).add(stored(32)).relu()],
  ])("%s: one phase", (_, tensors) => {
    const explanation = expectKernels(tensors, 1, 1);
    expect(explanation.bytes.intermediate).toBe(0);
    expect(explanation.notFused).toEqual([]);
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
    expect(opCounts(expectKernels(rows.softmax(1), 1))).toEqual({ max: 1, sub: 1, exp: 1, sum: 1, div: 1 });
    expect(opCounts(expectKernels([rows.mean(1), rows.var(1)], 1)).sum).toBe(2);
  });

  it("the exponentials of a softmax are kept in one row of scratch, not computed twice", () => {
    const { bytes, kernels } = expectKernels(rows.softmax(1), 1, 1);
    expect(bytes.arena).toBe(64 * 4);
    expect(kernels[0]?.loop.match(/exp\.float32/g)).toHaveLength(1);
  });
});

describe("columns are folded in memory order, as phases of one kernel", () => {
  it("standardising columns", () => {
    const explanation = expectKernels(rows.sub(rows.mean(0)).div(rows.std(0)), 1);
    expect(explanation.bytes.intermediate).toBe(0);
    // Rows of 64: partial sums, means, squares and deviations, but no array of 200 rows.
    expect(explanation.bytes.arena).toBeLessThanOrEqual(64 * 8 * 4);
    expect(explanation.kernels[0]?.loop.match(/^ {2}reduce/gm)).toHaveLength(2);
  });
  it("mean and standard deviation, both returned", () => {
    const { bytes } = expectKernels([rows.mean(0), rows.std(0)], 1);
    expect(bytes.intermediate).toBe(0);
  });
  it("softmax over the first axis, while scratch holds the exponentials of all of it", () => {
    expectKernels(rows.softmax(0), 1);
    expectKernels(stored(8, 30, 40).softmax(0), 1);
    const { notFused } = expectKernels(stored(300, 300).softmax(0), 2);
    expect(notFused).toMatchObject([{ op: "exp", reason: "scratch too large", measured: 90_000 }]);
  });
  it("logSoftmax over the first axis, which keeps no exponentials", () => {
    expectKernels(stored(300, 300).logSoftmax(0), 1);
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
