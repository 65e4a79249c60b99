/** What stands under a guard: concat and pad read some places and not others. Each case was found by random graphs. */
import { arange, concat, stack, tensor } from "fuseau";
import { describe, expect, it } from "vitest";
import { compileWhole } from "../compiled-whole.ts";

compileWhole();

const x = arange(40).to("float32").compute();
const bySeven = tensor([5, 6, 7], { dtype: "int32" });
const two = tensor([2], { dtype: "int32" });
const options = [{ emitter: "js" }, { emitter: "closure" }, { fusion: "none" }] as const;

describe.each(options)("%o", (how) => {
  it("one value under several guards is one value, not a cell that iterations share", () => {
    const twice = x.roll(20).tile([2]);
    const expected = [...Array(40).keys()].map((k) => (k + 20) % 40);
    const row = [...expected, ...expected];
    expect(concat([twice, twice]).compute(how).toArray()).toEqual([...row, ...row]);
  });
  it("an integer division is not run where it is not read", () => {
    expect(bySeven.remainder(two).pad([1, 1]).compute(how).toArray()).toEqual([0, 1, 0, 1, 0]);
    expect(
      stack([bySeven.remainder(two), bySeven])
        .compute(how)
        .toArray(),
    ).toEqual([
      [1, 0, 1],
      [5, 6, 7],
    ]);
  });
  it("a concat read only outside of its range gives what surrounds it", () => {
    const pair = concat([x.slice([0, 2]), x.slice([0, 2])]);
    expect(pair.pad([2, 0]).narrow(0, 0, 2).compute(how).toArray()).toEqual([0, 0]);
    expect(pair.pad([0, 1]).select(0, -1).compute(how).item()).toBe(0);
  });
  it("a concat of thousands is joined in kernels of bounded size", () => {
    const parts = Array.from({ length: 3000 }, (_, k) => tensor([k]));
    const joined = concat(parts);
    for (const { inputs } of joined.explain().kernels) expect(inputs.length).toBeLessThan(150);
    expect(joined.compute(how).toArray()).toEqual([...Array(3000).keys()]);
  });
});
