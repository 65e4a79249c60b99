/** What an audit sees where axes were merged: places in an operand's own order, and integers that are read from data. */
import { arange, groupNorm, maximum, type Tensor } from "fuseau";
import { expect, it } from "vitest";
import { compileWhole } from "../compiled-whole.ts";
import { explained, opsOf } from "./expect-kernels.ts";
import { floats } from "./floats.ts";

compileWhole();

it("what is flipped in front of a fold over several of its axes is stored, which spares quotients", () => {
  const norm = explained(groupNorm(floats(12, 16, 28, 36).flip([3]).relu(), 2));
  expect(norm.kernels[0]?.ops).toEqual(["relu"]);
  for (const { schedule } of norm.kernels) expect(schedule).not.toMatch(/ [/%] n/);
});

it("two operands that are looked up at one place, over several axes, are one that is stored", () => {
  const places = arange(200_000).mul(7).remainder(10).reshape([10, 2_500, 4, 2]).compute();
  const found = maximum(floats(10, 2_500, 4, 2), floats(10, 1, 1, 1)).gather(
    0,
    places as Tensor<number[], "int64">,
  );
  expect(opsOf(found)).toEqual(["maximum", "gather"]);
});

it("short folds of few lanes beneath a fold are stored, with many rows in lanes", () => {
  expect(opsOf(floats(10, 666, 5, 6).sum([0, 3]).amax(0))).toEqual(["sum", "max"]);
});
