/** Writes in place into what is computed: its loops are those that it would have alone. */
import { type AnyTensor, tensor } from "fuseau";
import { describe, expect, it } from "vitest";
import { compileWhole } from "../compiled-whole.ts";
import { explained, opsOf } from "./expect-kernels.ts";
import { floats } from "./floats.ts";

compileWhole();

const loopsOf = (x: AnyTensor): string =>
  explained(x)
    .kernels.map(({ schedule }) => schedule)
    .join("\n");

describe("a write into", () => {
  it("what is put together finds its parts in loops of their own, without tests", () => {
    const rolled = floats(2_500, 8).roll(1, 0);
    rolled.indexFill_(0, tensor([3, 7], { dtype: "int64" }), 0);
    const loops = loopsOf(rolled);
    expect(opsOf(rolled)).toHaveLength(1);
    expect(loops).not.toContain("select");
    expect(loops).not.toContain("cut");
  });

  it("what is scanned down columns and transposed finds the scan stored, with columns in lanes", () => {
    const turned = floats(781, 256).cumsum(0).t().contiguous();
    turned.select(0, 0).copy_(floats(781));
    expect(opsOf(turned)).toEqual(["scan", "update"]);
  });

  it("what is scanned in memory order is in the scan's kernel", () => {
    const running = floats(781, 256).cumsum(0);
    running.select(0, 0).fill_(1);
    expect(opsOf(running)).toEqual(["scan update"]);
  });
});

it("a scan down columns, transposed, has its columns in lanes", () => {
  expect(opsOf(floats(781, 256).cumsum(0).t().contiguous())).toEqual(["scan", "permute"]);
  expect(opsOf(floats(447, 447).cumsum(1).t().contiguous())).toEqual(["scan permute"]);
});

it("short rows that are looked up are stored before they are folded down columns", () => {
  const places = tensor([1, 3, 0, 5], { dtype: "int64" });
  expect(opsOf(floats(5_555, 6, 6).indexSelect(1, places).amax(0))).toEqual(["gather", "max"]);
  expect(opsOf(floats(5_555, 6, 32).indexSelect(1, places).amax(0))).toEqual(["max"]);
});
