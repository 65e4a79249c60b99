/** Gradients of the pieces of a tensor: beside each other where they do not overlap, and added where they do. */
import { type AnyTensor, autograd, cat, fromTypedArray, func, stack, zeros } from "fuseau";
import { expect, it } from "vitest";

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
