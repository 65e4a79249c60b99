/** Gradients of the pieces of a tensor: beside each other where they do not overlap, and added where they do. */
import {
  type AnyTensor,
  autograd,
  cat,
  fromTypedArray,
  func,
  noGrad,
  stack,
  stats,
  tensor,
  zeros,
} from "fuseau";
import { expect, it } from "vitest";
import { lookForParts } from "../compiled-whole.ts";

lookForParts();

const numbers = (...shape: number[]): AnyTensor => {
  const count = shape.reduce((a, b) => a * b, 1);
  return fromTypedArray(
    Float64Array.from({ length: count }, (_, k) => ((k * 37) % 41) / 8 - 2),
    { shape },
  );
};

/** Each takes pieces of a tensor of [7, 6] and gives one result. */
const programs: Readonly<Record<string, (x: AnyTensor) => AnyTensor>> = {
  "all rows": (x) => stack(x.unbind(0).map((row: AnyTensor, k: number) => row.mul(k + 1))),
  "rows in another order": (x) => cat([x.slice([4, 7]), x.slice([0, 2]), x.slice([2, 4]).square()], 0),
  "chunks of columns": (x) => x.chunk(2, 1).reduce((a: AnyTensor, b: AnyTensor) => a.mul(b)),
  "some rows": (x) => x.select(0, 1).mul(x.select(0, 5)),
  "a row twice, and others, less than half of all": (x) =>
    x.select(0, 4).mul(x.select(0, 0)).add(x.select(0, 4).square()),
  "windows that overlap, less than half of all": (x) => x.slice([0, 2], [0, 1]).mul(x.slice([1, 2], [0, 1])),
  "one row twice": (x) => x.select(0, 3).mul(x.select(0, 3).exp()),
  "windows that overlap": (x) =>
    stack(
      Array.from({ length: 5 }, (_, k) =>
        x
          .slice([k, k + 3])
          .square()
          .mul(k + 1),
      ),
    ),
  "pieces of both axes": (x) =>
    x
      .select(0, 2)
      .sum()
      .mul(x.select(1, 2))
      .mul(x.slice([1, 3], [2, 4]).sum()),
  "pieces and the whole": (x) => x.mul(cat([x.slice([3, 7]), x.slice([0, 3])], 0)),
  "every other row, and rows": (x) =>
    x
      .slice([0, 7, 2])
      .square()
      .sum()
      .mul(x.slice([5, 7]).square().sum()),
  "pieces padded by the user": (x) =>
    x
      .slice([2, 5])
      .pad([0, 0, 2, 2])
      .mul(x)
      .add(x.slice([0, 2]).sum()),
};

it.each(Object.entries(programs))("of %s are those of small differences", (_, program) => {
  expect(() => autograd.gradcheck(program as never, [numbers(7, 6).requiresGrad_()] as never)).not.toThrow();
  expect(() =>
    autograd.gradgradcheck(program as never, [numbers(7, 6).requiresGrad_()] as never),
  ).not.toThrow();
});

it("are one join, however many pieces there are", () => {
  const x = zeros([40, 3]).requiresGrad_();
  stack(x.unbind(0).map((row, k) => row.mul(k)))
    .sum()
    .backward();
  expect(`${(x.grad as AnyTensor).explain()}`).not.toMatch(/\bpad\b/);
});

it("are the same for a function of one piece and of the whole", () => {
  const x = numbers(7, 6);
  const whole = func.grad((t: AnyTensor) => t.square().sum() as never)(x as never) as AnyTensor;
  const rows = func.grad(
    (t: AnyTensor) =>
      t.unbind(0).reduce((sum: AnyTensor, row: AnyTensor) => sum.add(row.square().sum()), zeros([])) as never,
  )(x as never) as AnyTensor;
  expect(rows.toArray()).toEqual(whole.toArray());
});

/** The same numbers each time, from 0 up to `most`. */
function* places(most: number): Generator<number> {
  for (let seed = 7; ; seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31)
    yield Math.floor(seed / 65_536) % most;
}

const trained = (rows: (table: AnyTensor, next: () => number) => AnyTensor, steps: number): AnyTensor => {
  const table = numbers(20, 4).requiresGrad_();
  const from = places(20);
  const next = (): number => from.next().value as number;
  for (let step = 0; step < steps; step++) {
    const loss = rows(table, next);
    loss.backward();
    noGrad(() => table.sub_((table.grad as AnyTensor).mul(0.01)));
    table.grad = null;
    loss.item();
  }
  return table;
};

const distance = (a: AnyTensor, b: AnyTensor): AnyTensor => a.sub(b).square().sum();

it("of rows that the host chooses are a few programs, some of them twice or not", () => {
  const rows = (table: AnyTensor, next: () => number): AnyTensor => {
    const row = (): AnyTensor => table.select(0, next());
    return distance(row(), row()).sub(distance(row(), row())).add(1);
  };
  trained(rows, 60);
  const before = stats().programs.misses;
  trained(rows, 60);
  expect(stats().programs.misses - before).toBeLessThan(5);
});

it("of rows are those of the rows that an index takes", () => {
  const bySelect = trained((table, next) => distance(table.select(0, next()), table.select(0, next())), 40);
  const byIndex = trained((table, next) => {
    const row = (): AnyTensor => table.indexSelect(0, tensor([BigInt(next())])).reshape([4]);
    return distance(row(), row());
  }, 40);
  expect(bySelect.toArray()).toEqual(byIndex.toArray());
});
