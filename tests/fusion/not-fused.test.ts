import { type AnyTensor, fromTypedArray, type Tensor } from "fuseau";
import { describe, expect, it } from "vitest";
import { expectKernels, explained } from "./expect-kernels.ts";

const stored = (...shape: number[]): Tensor<number[], "float32"> =>
  fromTypedArray(new Float32Array(shape.reduce((count, size) => count * size, 1)), { shape });

describe("why two values do not share a kernel is a value", () => {
  it("nothing, where all are fused", () => {
    expect(explained(stored(8).exp().add(1)).notFused).toEqual([]);
  });

  it("too many ops: a long chain is cut where the limit is", () => {
    let chain: AnyTensor = stored(16);
    for (let k = 0; k < 10; k++) chain = chain.neg().exp();
    const { kernels, notFused } = explained(chain, { limits: { ops: 8 } });
    expect(kernels.map(({ ops }) => ops.length)).toEqual([4, 8, 8]);
    // %0 is the input; the ops follow it in order.
    expect(notFused).toEqual([
      { producer: 12, op: "exp", reason: "too many ops", measured: 8, limit: 8 },
      { producer: 4, op: "exp", reason: "too many ops", measured: 8, limit: 8 },
    ]);
  });

  it("too many streams: a sum of 48 arrays reads at most 12 in one kernel", () => {
    let sum: AnyTensor = stored(64, 64);
    for (let k = 0; k < 47; k++) sum = sum.add(stored(64, 64));
    const { kernels, notFused } = expectKernels(sum, 5, 5);
    for (const { inputs } of kernels) expect(inputs.length).toBeLessThanOrEqual(12);
    expect(notFused).toHaveLength(4);
    for (const { op, reason, measured, limit } of notFused)
      expect({ op, reason, measured, limit }).toEqual({
        op: "add",
        reason: "too many streams",
        measured: 13,
        limit: 12,
      });
  });
  it("twelve streams are not too many, and broadcast rows do not count", () => {
    let sum: AnyTensor = stored(64, 64);
    for (let k = 0; k < 11; k++) sum = sum.add(stored(64, 64));
    for (let k = 0; k < 20; k++) sum = sum.mul(stored(64)).add(stored(64, 1));
    expect(expectKernels(sum, 1, 1).kernels[0]?.inputs).toHaveLength(52);
  });

  it("scratch too large: an exp read at (i, j) and at (j, i) is stored, when a kernel cannot hold it", () => {
    const e = stored(200, 200).exp();
    const { notFused, bytes } = expectKernels(e.add(e.t()), 2, 2);
    expect(notFused).toEqual([
      { producer: 1, op: "exp", reason: "scratch too large", measured: 40_000, limit: 16_384 },
    ]);
    expect(bytes.intermediate).toBe(200 * 200 * 4);
  });
  it("and is held in scratch when it is small", () => {
    const e = stored(50, 50).exp();
    const { notFused, bytes } = expectKernels(e.add(e.t()), 1, 2);
    expect(notFused).toEqual([]);
    expect(bytes).toMatchObject({ intermediate: 0, arena: 50 * 50 * 4 });
  });
  it("and is recomputed when it is cheap", () => {
    const square = stored(200, 200).square();
    const { bytes } = expectKernels(square.add(square.t()), 1, 1);
    expect(bytes.arena).toBe(0);
    expectKernels(stored(200, 200).add(stored(200, 200).t()), 1, 1);
  });

  it("read by several kernels: what two loops over different axes want is stored", () => {
    const e = stored(2000, 64).exp();
    const { notFused } = explained([e.sum(1), e.sum(0)]);
    expect(notFused).toEqual([
      { producer: 1, op: "exp", reason: "read by several kernels", measured: 2, limit: 1 },
    ]);
  });

  it("recompute costs more than a buffer", () => {
    // Every column wants all rows of the exponentials: under the limits below they can be neither recomputed nor kept.
    const e = stored(40, 40).exp();
    const strict = explained(e.add(e.t()), { limits: { recompute: 0, scratch: 10 } });
    expect(strict.notFused.map(({ reason, limit }) => [reason, limit])).toEqual([["scratch too large", 10]]);
    const generous = explained(e.add(e.t()), { limits: { recompute: 1e9, scratch: 10 } });
    expect(generous.notFused).toEqual([]);
    expect(generous.kernels).toHaveLength(1);
  });

  it("is told in the printed explanation too", () => {
    const e = stored(200, 200).exp();
    expect(String(explained(e.add(e.t())))).toContain("%1 exp: scratch too large (40000, limit 16384)");
  });
});

describe("a chain of 100,000 ops", () => {
  it("is cut into kernels of at most as many ops as the limit, and says so", () => {
    const x = stored(4);
    let chain: AnyTensor = x;
    for (let k = 0; k < 50_000; k++) chain = chain.mul(x).add(x);
    const { kernels, notFused } = explained(chain);
    expect(kernels.reduce((count, { ops }) => count + ops.length, 0)).toBe(100_000);
    expect(kernels).toHaveLength(Math.ceil(100_000 / 128));
    expect(Math.max(...kernels.map(({ ops }) => ops.length))).toBe(128);
    expect(new Set(notFused.map(({ reason }) => reason))).toEqual(new Set(["too many ops"]));
    expect(notFused).toHaveLength(kernels.length - 1);
  });
});
