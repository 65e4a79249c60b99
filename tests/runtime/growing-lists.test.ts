/** Lists that each round of a loop adds to, and joins. */
import {
  type AnyTensor,
  arange,
  cat,
  type DType,
  func,
  jit,
  ones,
  stack,
  stats,
  tensor,
  zeros,
} from "fuseau";
import { describe, expect, it } from "vitest";

describe("a list that grows, and is read in each round", () => {
  const rows = arange(100).float().mul(2).unsqueeze(1).expand([100, 3]).clone().compute();
  const pieces: Readonly<Record<string, (k: number) => AnyTensor>> = {
    "stored scalars": (k) => tensor(k).mul(2).compute(),
    "lazy scalars": (k) => tensor(k).mul(2),
    "lazy vectors": (k) => ones([4]).mul(2 * k),
    "rows of one tensor": (k) => rows.select(0, k),
    "elements of one tensor": (k) => rows.select(0, k).select(0, 1),
    "rows and what is made of them": (k) => (k % 2 === 0 ? rows.select(0, k) : rows.select(0, k).mul(1)),
  };
  it.each(Object.entries(pieces))("is no new program for each length: %s", (_, make) => {
    const list: AnyTensor[] = [];
    const before = stats().programs.misses;
    for (let k = 0; k < 100; k++) {
      list.push(make(k));
      expect(stack(list).mean().item()).toBe(k);
      if (k % 10 === 0)
        expect(
          cat(list.map((x) => x.reshape([-1, 1])))
            .amax()
            .item(),
        ).toBe(2 * k);
    }
    expect(stats().programs.misses - before).toBeLessThan(60);
  });
});

describe("many stored pieces", () => {
  it.each(["float32", "float64", "float16", "int64", "int32", "uint8", "bool"] as const)(
    "are joined along any axis: of %s",
    (dtype: DType) => {
      const pieces = Array.from({ length: 20 }, (_, k) =>
        arange(6).add(k).remainder(7).to(dtype).reshape([2, 3]).compute(),
      );
      const lazy = pieces.map((x) => (dtype === "bool" ? x.logicalNot().logicalNot() : x.add(0)));
      for (const axis of [0, 1]) {
        expect(cat(pieces, axis).toArray()).toEqual(cat(lazy, axis).toArray());
        const mixed = pieces.map((x, k) => (k % 5 === 3 ? (lazy[k] as AnyTensor) : x));
        expect(cat(mixed, axis).toArray()).toEqual(cat(lazy, axis).toArray());
      }
      expect(stack(pieces, 2).toArray()).toEqual(stack(lazy, 2).toArray());
    },
  );
  it("keep the elements that they had when they were joined", () => {
    const pieces = Array.from({ length: 16 }, (_, k) => tensor([k]));
    const joined = cat(pieces);
    for (const piece of pieces) piece.add_(100);
    pieces[0]?.dispose();
    expect(joined.sum().item()).toBe(120);
    expect(() => cat(pieces).compute()).toThrow("given back by dispose()");
  });
  it("may be empty, and some may have derivatives", () => {
    const pieces = Array.from({ length: 16 }, (_, k) => ones([k % 2]));
    expect(cat(pieces).shape).toEqual([8]);
    const x = tensor([2]).requiresGrad_();
    cat([...pieces, x, ...pieces, x.mul(x)])
      .sum()
      .backward();
    expect(x.grad?.toArray()).toEqual([5]);
    const slope = func.grad((y: AnyTensor) =>
      stack([...pieces.map((p) => p.sum()), y.sum()])
        .square()
        .sum(),
    );
    expect(slope(tensor([3])).toArray()).toEqual([6]);
  });
  it("are operands where a function is recorded for many calls", () => {
    const pieces = Array.from({ length: 16 }, () => zeros([2]));
    const joined = jit((x: AnyTensor) => cat([...pieces, x]).sum());
    expect(joined(ones([1])).item()).toBe(1);
    pieces[3]?.add_(1);
    expect(joined(ones([1])).item()).toBe(3);
  });
});

it("generation token by token is no program for each token, whichever column the host takes", () => {
  const table = tensor(Float32Array.from({ length: 1_024 }, (_, k) => Math.sin(k * k))).reshape([32, 32]);
  const context = (ids: AnyTensor): AnyTensor => table.index([ids.slice(":", [-8, null])]).mean(1);
  const before = stats().programs.misses;
  let ids: AnyTensor = zeros([1, 8], { dtype: "int64" });
  for (let k = 0; k < 60; k++) {
    const column = 1 + (k % 4);
    ids = cat(
      [
        ids,
        context(ids)
          .topk(5)
          .indices.slice(":", [column, column + 1]),
      ],
      1,
    ).compute();
  }
  expect(ids.shape).toEqual([1, 68]);
  expect(stats().programs.misses - before).toBeLessThan(25);
});

it("tokens that nothing computes but what reads them settle in one program for all lengths", () => {
  const table = tensor(Float32Array.from({ length: 1_024 }, (_, k) => Math.sin(k * k))).reshape([32, 32]);
  const run = (): number => {
    let ids: AnyTensor = zeros([1], { dtype: "int64" });
    for (let k = 0; k < 50; k++) {
      const x = table.index([ids]);
      const { values, indices } = x.matmul(table).softmax(-1).mean(0).topk(4);
      const column = values.cumsum(0).lt(0.05).sum().item() as number;
      ids = cat([ids, indices.slice([column, column + 1])]);
    }
    return ids.sum().item() as number;
  };
  const before = stats();
  const sum = run();
  const { programs, late } = stats();
  expect(programs.misses - before.programs.misses).toBeLessThan(16);
  // The interval has no end within what was looked at: at three sizes, at both ends, and at the size that came.
  expect(late.samples - before.late.samples).toBeLessThanOrEqual(6);
  expect(run()).toBe(sum);
  expect(stats().programs.misses - programs.misses).toBeLessThan(8);
});

it("a cache of keys and values, cut from one product and joined in each round, is a few programs beyond 16 KiB too", () => {
  const w = tensor(Float32Array.from({ length: 3_072 }, (_, k) => Math.sin(k * k))).reshape([32, 96]);
  const before = stats();
  const run = (isComputed: boolean): number[] => {
    let [keys, values]: [AnyTensor | null, AnyTensor | null] = [null, null];
    const chosen: number[] = [];
    for (let k = 0, id = 1; k < 200; k++) {
      const x = w.select(1, id % 96).reshape([1, 32]);
      const [q, key, value] = x.matmul(w).chunk(3, -1) as [AnyTensor, AnyTensor, AnyTensor];
      keys = keys === null ? key : cat([keys, key]);
      values = values === null ? value : cat([values, value]);
      if (isComputed) [keys, values] = [keys.compute(), values.compute()];
      id = x.add(q.matmul(keys.t()).softmax(-1).matmul(values)).argmax().item() as number;
      chosen.push(id);
    }
    return chosen;
  };
  const chosen = run(false);
  expect(stats().programs.misses - before.programs.misses).toBeLessThan(30);
  expect(stats().late.samples - before.late.samples).toBeLessThan(60);
  expect(run(true)).toEqual(chosen);
});

it("a list that is joined with one element more in each round is settled piece by piece", () => {
  let ids: AnyTensor = zeros([1], { dtype: "int64" });
  for (let k = 1; k < 30; k++) {
    const next = tensor([k], { dtype: "int64" }).mul(2);
    next.compute();
    ids = cat([ids, next]);
  }
  expect(ids.toArray()).toEqual(Array.from({ length: 30 }, (_, k) => 2 * k));
});
