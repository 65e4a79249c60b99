/** Many small matrices: each is straight-line code, and the matrices are lanes. Fused and op by op they have the same bits. */
import { type AnyTensor, cat, linspace, oneHot, stack, type Tensor, tensor } from "fuseau";
import { describe, expect, it } from "vitest";
import { compileWhole } from "../compiled-whole.ts";
import { explained, opsOf } from "./expect-kernels.ts";

compileWhole();

type Floats = Tensor<number[], "float32">;
const stored = (...shape: number[]): Floats => {
  const count = shape.reduce((product, size) => product * size, 1);
  return linspace(-3, 2.7, count).reshape(shape).sin().compute() as Floats;
};
const loopsOf = (x: AnyTensor): string =>
  explained(x)
    .kernels.map(({ schedule }) => schedule)
    .join("\n");

const programs: Readonly<Record<string, () => AnyTensor>> = {
  "points turned by a matrix, as a product and a sum": () =>
    stored(2_000, 3).unsqueeze(1).mul(stored(3, 3)).sum(2),
  "sums along the middle of small matrices": () => stored(2_000, 3).unsqueeze(2).mul(stored(3, 4)).sum(1),
  "distances to five places": () => stored(2_000, 2).unsqueeze(1).sub(stored(5, 2)).square().sum(2),
  "outer products": () => stored(2_000, 3).unsqueeze(2).mul(stored(2_000, 4).unsqueeze(1)),
  "small matrices, turned": () => stored(2_000, 3, 3).transpose(1, 2).contiguous(),
  "products of small matrices, read backwards": () => stored(50, 40, 2, 5).matmul(stored(5, 4)).flip([2]),
};

describe("small matrices", () => {
  for (const [name, make] of Object.entries(programs))
    it(`${name}: one kernel, with matrices in lanes`, () => {
      const x = make();
      expect(opsOf(x)).toHaveLength(1);
      expect(loopsOf(x)).toMatch(/for x0 < n0 vector (4|2)[\s\S]*for x1 < \d unrolled/);
      expect(make().compute().toTypedArray()).toEqual(make().compute({ fusion: "none" }).toTypedArray());
    });

  it("are not where a matrix is stored and read again, or too large for the text", () => {
    expect(loopsOf(stored(2_000, 5, 2).mul(2).softmax(2))).not.toMatch(/for x1 < 5 unrolled/);
    expect(loopsOf(stored(2_000, 7, 8).mul(stored(8)))).not.toMatch(/for x1 < 7 unrolled/);
  });

  it("nor where there are fewer of them than lanes", () => {
    expect(loopsOf(stored(3, 3, 3).mul(stored(3, 1, 3)))).not.toMatch(/for x0 < n0 vector/);
  });

  it("tests within them are decided as the text is made", () => {
    const x = stored(2_000, 5, 3).exp();
    const rolled = x.sub(x.mean(0)).roll(1, 1);
    const { kernels } = explained(rolled);
    expect(kernels.map(({ source }) => source).join("\n")).not.toMatch(/i32\.lt_s\n\s*i32\.and/);
    const joined = cat([x, x.mul(2)], 2);
    for (const made of [rolled, joined, stack([x, x.neg()], 2)])
      expect(made.compute().toTypedArray()).toEqual(made.add(0).compute({ fusion: "none" }).toTypedArray());
  });

  it("far in front of which nothing is read", () => {
    const x = tensor(Array.from({ length: 2_400 }, (_, k) => (k % 7) + 1)).reshape([400, 3, 2]);
    for (const dtype of ["float64", "int64", "float32"] as const)
      for (const before of [9, 12, 14]) {
        const sums = x.to(dtype).pad([before, 1]).sum(1).compute({ emitter: "wasm" });
        expect(sums.sum().item()).toBe(x.sum().item());
      }
  });

  it("of integers, whose absent parts are zeros of their dtype", () => {
    const places = linspace(0, 4.9, 2_000).to("int64").compute();
    const padded = oneHot(places, 5).reshape([-1, 5, 1]).mul(3).pad([1, 1]);
    const sums = padded.sum(2);
    expect(padded.dtype).toBe("int64");
    expect(sums.sum().item()).toBe(6_000);
    expect(padded.compute().toTypedArray()).toEqual(
      oneHot(places, 5).reshape([-1, 5, 1]).mul(3).pad([1, 1]).compute({ fusion: "none" }).toTypedArray(),
    );
  });
});

describe("what is stored beside small matrices", () => {
  const few = (...shape: number[]): Floats => stored(10, ...shape);
  const cases: readonly [string, () => AnyTensor, string[]][] = [
    [
      "joined values in front of a scatter",
      () => scattered(stack([stored(5_555, 6), stored(5_555, 6)])),
      ["concat", "scatter"],
    ],
    [
      "a scan in front of a cast to integers",
      () => stored(12_000, 6).cumsum(1).to("int32"),
      ["scan", "cast"],
    ],
    [
      "folds of few lanes in front of a transposition",
      () => few(666, 5, 6).sum([0, 3]).t().contiguous(),
      ["sum", "permute"],
    ],
    [
      "a product of few rows in lanes, in front of a join",
      () => joined(stored(11_000, 3, 6).matmul(stored(6, 5))),
      ["contract", "concat"],
    ],
  ];
  for (const [name, make, ops] of cases) it(name, () => expect(opsOf(make())).toEqual(ops));

  it("points less their mean, with two axes beside them, are one row", () => {
    const x = stored(20_000, 2, 3);
    const loops = loopsOf(x.sub(x.mean(0)).exp());
    expect(loops).toMatch(/for x\d+ < \(i\d+ \* 6\) vector/);
  });
});

function scattered(x: AnyTensor): AnyTensor {
  const values = x as Floats;
  const places = values.abs().mul(3).to("int64").compute();
  return values.scatterAdd(-1, places, values);
}
const joined = (x: AnyTensor): AnyTensor => cat([x, x], 1);
