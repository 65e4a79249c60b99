/** Views that a jitted function is given, each of another place: minibatches. */
import { arange, jit, stats, type Tensor, tensor, zeros } from "fuseau";
import { describe, expect, it } from "vitest";

const rows = (x: Tensor, k: number): Tensor => x.slice([k * 2, k * 2 + 2]) as Tensor;

describe("a jitted function that is given views", () => {
  it("is recorded a few times, and then reads any of them", () => {
    let calls = 0;
    const fn = jit((batch: Tensor) => {
      calls++;
      return batch.mul(2).add(1).sum() as Tensor;
    });
    const x = arange(40).reshape([20, 2]).compute() as Tensor;
    for (let k = 0; k < 10; k++) expect(fn(rows(x, k)).item()).toBe(rows(x, k).mul(2).add(1).sum().item());
    expect(calls).toBe(4);
    expect(fn.cacheSize).toBe(4);
    expect(
      fn(
        tensor([
          [1, 2],
          [3, 4],
        ]).float() as Tensor,
      ).item(),
    ).toBe(24);
    expect(fn(x.transpose(0, 1).slice([0, 2], [3, 5]) as Tensor).item()).toBe(64);
    expect(calls).toBeLessThanOrEqual(6);
  });

  it("turns an argument into another view of itself, at the first call too", () => {
    const turned = jit((x: Tensor) => {
      x.add_(1);
      x.t_();
      x.mul_(2);
      return x.sum(0) as Tensor;
    });
    const longer = jit((x: Tensor) => {
      x.unsqueeze_(0);
      return x.sum() as Tensor;
    });
    const cut = jit((x: Tensor) => {
      x.detach_();
      return x.mul(2) as Tensor;
    });
    for (let call = 0; call < 3; call++) {
      const x = arange(6).reshape([2, 3]).clone() as Tensor;
      expect(turned(x).toArray()).toEqual([12, 30]);
      expect(x.toArray()).toEqual([
        [2, 8],
        [4, 10],
        [6, 12],
      ]);
      expect(x.stride()).toEqual([1, 3]);
      const base = zeros([2, 3]);
      const row = base.slice([0, 1]) as unknown as Tensor;
      longer(row);
      expect(row.shape).toEqual([1, 1, 3]);
      row.fill_(7);
      expect(base.sum().item()).toBe(21);
      const y = zeros([2]).requiresGrad_().mul(1) as Tensor;
      cut(y);
      expect(y.requiresGrad).toBe(false);
    }
  });

  it("writes to what it captures, which they share nothing with", () => {
    const sum = zeros([2, 2]).compute() as Tensor;
    const fn = jit((batch: Tensor) => {
      sum.add_(batch);
    });
    const x = arange(40).reshape([20, 2]).float().compute() as Tensor;
    for (let k = 0; k < 10; k++) fn(rows(x, k));
    const whole = x.reshape([10, 2, 2]).sum(0).toArray();
    expect(sum.toArray()).toEqual(whole);
    // Now one of them is of what is written.
    const wide = zeros([4, 2]).compute() as Tensor;
    const other = jit((batch: Tensor) => {
      wide.add_(1);
      return batch.sum() as Tensor;
    });
    for (let k = 0; k < 6; k++) expect(other(rows(x, k)).item()).toBe(rows(x, k).sum().item());
    expect(other(wide.slice([0, 2]) as Tensor).item()).toBe(28);
    expect(other(wide.slice([2, 4]) as Tensor).item()).toBe(32);
  });

  it("gives back what it copies of a minibatch, and keeps that of a view which is given again", () => {
    const fn = jit((batch: Tensor) => batch.mul(2).sum() as Tensor);
    const x = zeros([40_000, 16]).add(1).compute() as Tensor;
    const part = (k: number): Tensor => x.slice([k * 1_000, k * 1_000 + 1_000]) as Tensor;
    for (let k = 0; k < 8; k++) fn(part(k)).dispose();
    const views = Array.from({ length: 20 }, (_, k) => part(k + 8));
    const { bytes } = stats().results;
    for (const view of views) expect(fn(view).item()).toBe(32_000);
    expect(stats().results.bytes).toBe(bytes);
    const programs = (): number => stats().runs.programs;
    const [view] = views as [Tensor];
    fn(view);
    const before = programs();
    fn(view);
    expect(programs() - before).toBe(1);
  });

  it("reads elements as they are when it is called", () => {
    const fn = jit((batch: Tensor) => batch.sum() as Tensor);
    const x = zeros([20, 2]).compute() as Tensor;
    for (let k = 0; k < 6; k++) fn(rows(x, k));
    const view = rows(x, 7);
    for (let k = 0; k < 4; k++) {
      expect(fn(view).item()).toBe(k * 4);
      x.add_(1);
    }
  });

  it("writes through them, and gives views of them, each recorded by itself", () => {
    const x = zeros([20, 2]).compute() as Tensor;
    const add = jit((batch: Tensor) => batch.add_(1) as Tensor);
    for (let k = 0; k < 10; k++)
      expect(add(rows(x, k)).toArray()).toEqual([
        [1, 1],
        [1, 1],
      ]);
    expect(x.sum().item()).toBe(40);
    const first = jit((batch: Tensor) => batch.select(0, 0) as Tensor);
    for (let k = 0; k < 10; k++) first(rows(x, k)).fill_(k);
    expect(x.sum().item()).toBe(20 + 2 * 45);
  });

  it("writes through a view where it was given whole tensors, beside views that it reads", () => {
    const x = arange(40).reshape([20, 2]).float().compute() as Tensor;
    const target = zeros([4, 2]).compute() as Tensor;
    const fn = jit((batch: Tensor, sum: Tensor) => {
      sum.add_(batch);
    });
    for (let k = 0; k < 5; k++) fn(rows(x, k), zeros([2, 2]) as Tensor);
    for (let k = 0; k < 5; k++) fn(rows(x, k), rows(target, 1));
    expect(target.slice([2, 4]).toArray()).toEqual(x.slice([0, 10]).reshape([5, 2, 2]).sum(0).toArray());
  });

  it("refuses to begin writing to what it was known to read", () => {
    const x = zeros([20, 2]).compute() as Tensor;
    let writes = false;
    const fn = jit((batch: Tensor) => (writes ? batch.add_(1) : batch.add(1)).sum() as Tensor);
    for (let k = 0; k < 3; k++) fn(rows(x, k));
    writes = true;
    expect(() => fn(rows(x, 4))).toThrow(/jit: the function writes into what it is given a view of/);
    expect(x.sum().item()).toBe(0);
    expect(fn(rows(x, 1)).item()).toBe(4);
  });

  it("gives what was detached without derivatives, each time", () => {
    const w = tensor([1, 2]).requiresGrad_();
    const trained = jit(() => {
      w.grad = null;
      const loss = w.mul(2).square().mean();
      loss.backward();
      return [loss.detach()];
    });
    for (let k = 0; k < 3; k++) expect(trained()[0]!.requiresGrad).toBe(false);
    const both = jit((x: Tensor) => {
      const cut = x.detach();
      return [cut, cut.slice([0, 2])] as const;
    });
    for (let k = 0; k < 4; k++) {
      w.grad = null;
      const [whole, part] = both(tensor([1, 2]) as Tensor);
      whole.mul_(w);
      part.sum().backward();
      expect((w.grad as Tensor | null)?.toArray()).toEqual([1, 2]);
    }
    const first = jit((x: Tensor) => x.detach().slice([0, 1]) as Tensor);
    for (let k = 0; k < 3; k++) {
      const x = tensor([1, 2, 3]) as Tensor;
      const seen = first(x);
      x.copy_(tensor([k, 1, 1]).requiresGrad_());
      expect([seen.requiresGrad, seen.toArray(), x.requiresGrad]).toEqual([false, [k], true]);
    }
  });
});
