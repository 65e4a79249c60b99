/** What grows is watched more and more rarely, so this has a process of its own. */
import { type AnyTensor, clearCaches, ones } from "fuseau";
import * as nn from "fuseau/nn";
import { afterEach, expect, it, vi } from "vitest";

afterEach(() => vi.restoreAllMocks());

it("a recording that grows is said with the user's line, however many layers lie between", () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  clearCaches();
  let layer: { forward(x: AnyTensor): AnyTensor } = new nn.ReLU();
  for (let depth = 0; depth < 5; depth++) layer = new nn.Sequential(layer as nn.ReLU);
  let x: AnyTensor = ones([300_000]).compute();
  for (let round = 0; round < 60; round++) {
    x = layer.forward(x);
    x.sum().item();
  }
  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn.mock.calls[0]?.[0]).toMatch(/recorded at [^\n]*growth-line\.test\.ts:\d+:\d+ reads/);
});
