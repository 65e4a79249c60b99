/** Distances between rows: PyTorch's modes of cdist. */
import { autograd, cdist, func, randn, type Tensor } from "fuseau";
import { describe, expect, it } from "vitest";

type Rows = Tensor<number[], "float64">;
const rows = (...shape: number[]): Rows => randn(shape, { dtype: "float64" }).compute() as Rows;
const apart = { computeMode: "donotUseMmForEuclidDist" } as const;
const product = { computeMode: "useMmForEuclidDist" } as const;
const far = (x: Tensor, y: Tensor): number => x.sub(y).abs().amax().item() as number;

describe("cdist", () => {
  const pairs: readonly (readonly [number[], number[]])[] = [
    [
      [30, 20],
      [7, 20],
    ],
    [
      [3, 30, 20],
      [7, 20],
    ],
    [
      [2, 1, 5, 20],
      [3, 40, 20],
    ],
  ];
  it.each(pairs)(
    "of %j and %j has the same values and derivatives by differences and by a product",
    (a, b) => {
      const made = [apart, product].map((mode) => {
        const [x, y] = [rows(...a).requiresGrad_(), rows(...b).requiresGrad_()];
        return { x, y, mode };
      });
      const [one, other] = made as [(typeof made)[0], (typeof made)[0]];
      const results = [one.mode, other.mode].map((mode) => {
        const distances = cdist(one.x, one.y, 2, mode);
        const first = autograd.grad([distances.pow(3).sum()], [one.x, one.y] as const, { createGraph: true });
        const second = autograd.grad([first[0].square().sum().add(first[1].square().sum())], [
          one.x,
          one.y,
        ] as const);
        return [distances, ...first, ...second];
      });
      results[0]?.forEach((value, k) => {
        expect(far(value, results[1]?.[k] as Tensor)).toBeLessThan(1e-7);
      });
    },
  );

  it("is made of a product for more than 25 rows, of 16 elements at least", () => {
    const isProduct = (count: number, width: number): boolean => {
      const x = randn([count, width]).compute();
      return cdist(x, x)
        .explain()
        .toJSON()
        .kernels.some(({ ops }) => ops.includes("contract"));
    };
    expect([isProduct(25, 16), isProduct(26, 15), isProduct(26, 16)]).toEqual([false, false, true]);
  });

  it("passes no gradient where rows are equal", () => {
    const x = rows(30, 20).requiresGrad_();
    cdist(x, x, 2, product).sum().backward();
    expect(x.grad?.isfinite().all().item()).toBe(true);
    const [, tangent] = func.jvp((y: Rows) => cdist(y, x.detach(), 2, product), [x.detach()], [rows(30, 20)]);
    expect((tangent as Tensor).isfinite().all().item()).toBe(true);
  });

  it("of rows without elements is 0, and has an empty gradient", () => {
    const x = rows(2, 0).requiresGrad_();
    const distances = cdist(x, rows(3, 0));
    distances.sum().backward();
    expect([distances.toArray(), x.grad?.shape]).toEqual([
      [
        [0, 0, 0],
        [0, 0, 0],
      ],
      [2, 0],
    ]);
  });

  it("refuses a mode that it has not", () => {
    expect(() => cdist(rows(2, 2), rows(2, 2), 2, { computeMode: "mm" as never })).toThrow(
      'cdist: computeMode must be one of "useMmForEuclidDistIfNecessary", "useMmForEuclidDist", "donotUseMmForEuclidDist", but got "mm"',
    );
  });
});
