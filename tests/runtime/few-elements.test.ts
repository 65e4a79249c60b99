/** Few elements of what is in memory are read through views without computing anything. */
import { type AnyTensor, arange, linspace, noGrad, ones, randn, stats, tensor } from "fuseau";
import { describe, expect, it } from "vitest";

const runs = (): number => {
  const { hits, misses } = stats().programs;
  return hits + misses;
};

describe("few elements of a view", () => {
  it.each(["float32", "float64", "float16", "int64", "int32", "int16", "int8", "uint8", "bool"] as const)(
    "are read where they are: of %s",
    (dtype) => {
      const x = arange(24).sub(12).to(dtype).reshape([2, 3, 4]).compute();
      const views: Readonly<Record<string, () => AnyTensor>> = {
        element: () => x.select(0, 1).select(0, 2).select(0, 3),
        column: () => x.select(2, 1),
        transposed: () => x.permute([2, 0, 1]).select(0, 2),
        strided: () => x.slice(":", ":", [0, 4, 2]).select(0, 0),
        expanded: () => x.select(0, 0).select(0, 1).unsqueeze(0).expand([3, 4]),
        diagonal: () => x.select(0, 1).diagonal(1),
        reshaped: () => x.select(0, 1).reshape([4, 3]).select(0, 2),
        empty: () => x.slice([0, 0]).reshape([0]),
      };
      for (const [name, view] of Object.entries(views)) {
        const before = runs();
        const [array, copy] = [view().toArray(), view().toTypedArray()];
        expect(runs(), name).toBe(before);
        const computed = view().clone().compute();
        expect(array, name).toEqual(computed.toArray());
        expect(copy, name).toEqual(computed.toTypedArray());
      }
    },
  );
  it("are those after a write, and those before it for what was recorded then", () => {
    const x = linspace(0, 1, 12).reshape([3, 4]).compute();
    const [row, old] = [x.select(0, 1), x.select(0, 1).add(0)];
    expect(row.select(0, 0).item()).toBeCloseTo(4 / 11);
    x.select(0, 1).fill_(7);
    expect(row.toArray()).toEqual([7, 7, 7, 7]);
    expect(x.select(0, 1).select(0, 2).item()).toBe(7);
    expect(old.select(0, 0).item()).toBeCloseTo(4 / 11);
    row.sub_(1);
    expect(x.select(0, 1).toArray()).toEqual([6, 6, 6, 6]);
  });
  it("are the reader's own where they are copied", () => {
    const x = ones([3, 4]).compute();
    const copy = x.select(0, 1).toTypedArray();
    copy.fill(5);
    expect(x.sum().item()).toBe(12);
  });
  it("are read in the memory of WebAssembly too, and of leaves", () => {
    const x = randn([300, 200]).mul(2).compute({ emitter: "wasm" });
    const [copy, before] = [x.toArray() as number[][], runs()];
    expect(x.select(0, 7).select(0, 9).item()).toBe(copy[7]?.[9]);
    const leaf = noGrad(() => x.clone().compute()).requiresGrad_();
    const w = leaf.select(0, 3).select(0, 1);
    expect(w.item()).toBe(copy[3]?.[1]);
    expect(runs()).toBe(before);
    w.mul(3).backward();
    expect(leaf.grad?.select(0, 3).select(0, 1).item()).toBe(3);
  });
  it("cannot be read of what was given back", () => {
    const x = tensor([1, 2, 3]).mul(2).compute();
    const first = x.select(0, 0);
    x.dispose();
    expect(() => first.item()).toThrow("given back by dispose()");
  });
});
