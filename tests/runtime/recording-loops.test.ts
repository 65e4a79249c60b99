import { clearCaches, compute, noGrad, ones, stats, type Tensor, tensor, trace, zeros } from "fuseau";
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

  it("stores none of the large states that clones of earlier rounds still have", () => {
    const size = 128;
    const state = ones([size, size]).compute();
    const clones: Tensor[] = [];
    const before = stats().results;
    let recorded = 0;
    for (let k = 0; k < steps / 4; k++) {
      const old = state.clone();
      clones.push(old);
      const around = old
        .slice([0, -2], [1, -1])
        .add(old.slice([2, null], [1, -1]))
        .add(old.slice([1, -1], [0, -2]))
        .add(old.slice([1, -1], [2, null]));
      state.slice([1, -1], [1, -1]).add_(around.sub(old.slice([1, -1], [1, -1]).mul(4)).mul(0.1));
      recorded = Math.max(recorded, nodesBeneath(state));
    }
    const { results } = stats();
    expect(recorded).toBeLessThan(1_000);
    const left = (of: typeof before): number => of.bytes / (4 * size * size) + of.movedOut + of.forgotten;
    expect(left(results) - left(before)).toBeLessThan(steps / 16);
    // A clone that is read after all has what it had.
    clones.forEach((clone, k) => {
      if (k % 30 === 7) expect(clone.sum().item()).toBeCloseTo(size * size, 0);
    });
  });

  it("is computed without what others wrote, if they share nothing that is to be computed", () => {
    const loop = (others: number): number => {
      clearCaches();
      const waiting = Array.from({ length: others }, (_, k) => zeros([3 + k]));
      const state = zeros([8]);
      const misses = stats().programs.misses;
      for (let k = 0; k < steps; k++) {
        if (k % 150 === 50) for (const other of waiting) other.add_(k);
        state.mul_(0.5).add_(k % 2);
      }
      const count = stats().programs.misses - misses;
      for (const other of waiting) expect(other.slice(0).item()).toBe(50 + 200 + 350);
      return count;
    };
    expect(loop(5)).toBe(loop(0));
  });

  it("is computed with what shares with it, once", () => {
    const x = zeros([64]);
    const [a, b] = [zeros([64]), zeros([64])];
    const runs = stats().runs.programs;
    for (let k = 0; k < steps; k++) {
      const next = x.add(k).sin();
      a.add_(next);
      b.sub_(next);
    }
    expect(compute(a.add(b))[0].toArray()).toEqual(new Array(64).fill(0));
    expect(stats().runs.programs - runs).toBeLessThanOrEqual(steps / 32);
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

describe("a tensor that is read and then written", () => {
  const length = 50_000;
  const start = (): Tensor => tensor(new Float32Array(length).fill(1)).mul(2).compute();
  const inPlace = (work: () => unknown): number =>
    trace(work).events.reduce((sum, event) => sum + (event.kind === "memory" ? event.inPlace : 0), 0);

  it.each(["js", "wasm", "closure"] as const)(
    "is written in place by a kernel that runs last, %s",
    (emitter) => {
      for (const isFirst of [true, false]) {
        const w = start();
        const sum = w.sum();
        w.add_(1);
        const tensors = isFirst ? ([sum, w] as const) : ([w, sum] as const);
        expect(inPlace(() => compute(...tensors, { emitter }))).toBe(4 * length);
        expect(sum.item()).toBe(2 * length);
        expect(w.slice(7).item()).toBe(3);
      }
    },
  );

  it("is copied where what was written is read before", () => {
    const w = start();
    const rows = w.reshape([50, 1000]).sum(0);
    w.add_(1);
    const later = rows.mul(w.slice([0, 1000])).cumsum(0);
    expect(later.slice(0).item()).toBe(300);
    expect(w.slice(3).item()).toBe(3);
  });
});
