import { noGrad, stats, tensor, zeros } from "fuseau";
import { describe, expect, it } from "vitest";
import { unwrap } from "../../packages/runtime/src/tensor/handle.ts";

/** How many nodes the tensor's own leads to. */
function nodesBeneath(x: Parameters<typeof unwrap>[0]): number {
  const seen = new Set([unwrap(x).node]);
  for (const node of seen) for (const input of node.inputs) seen.add(input);
  return seen.size;
}

const steps = 400;

describe("a loop that writes into its state and reads nothing", () => {
  it("is computed from time to time, by a few programs", () => {
    const state = zeros([8]);
    const misses = stats().programs.misses;
    let most = 0;
    for (let k = 0; k < steps; k++) {
      state.mul_(0.5).add_(k % 2);
      most = Math.max(most, nodesBeneath(state));
    }
    expect(stats().programs.misses - misses).toBeLessThanOrEqual(6);
    expect(most).toBeLessThan(1_000);
    let expected = 0;
    for (let k = 0; k < steps; k++) expected = Math.fround(expected * 0.5) + (k % 2);
    expect(state.slice(0).item()).toBeCloseTo(expected, 6);
  });

  it("keeps no nodes of earlier steps, though steps overlap", () => {
    const x = tensor([
      [1, 2],
      [3, 4],
      [5, 7],
    ]);
    const y = tensor([1, 0, 1]);
    const w = zeros([2]).requiresGrad_();
    let most = 0;
    for (let k = 0; k < steps; k++) {
      x.matmul(w).sigmoid().sub(y).square().mean().backward();
      noGrad(() => w.sub_(w.grad!.mul(0.1)));
      w.grad = null;
      most = Math.max(most, nodesBeneath(w));
    }
    expect(most).toBeLessThan(3_000);
    expect(w.requiresGrad).toBe(true);
  });
});
