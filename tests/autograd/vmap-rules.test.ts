/** Derivatives of what is mapped: those that compositions have of their own must not be lost. */
import { type AnyTensor, func, linalg, manualSeed, ones, randn, tensor, zeros } from "fuseau";
import { beforeEach, expect, it } from "vitest";

beforeEach(() => {
  manualSeed(11);
});

const functions: Readonly<Record<string, (x: AnyTensor) => AnyTensor>> = {
  norm: (x) => x.norm(),
  "norm of zeros": (x) => x.mul(0).norm(),
  std: (x) => x.std(),
  softmax: (x) => x.softmax(0).square().sum(),
  logsumexp: (x) => x.logsumexp(0),
  clamp: (x) => x.clamp(-0.5, 0.5).sum(),
  "a clamp of a norm": (x) => x.mul(x.norm().clamp(0, 1)).sum(),
  cumprod: (x) => x.cumprod(0).sum(),
};

it.each(Object.entries(functions))("of a batch, %s has the gradients of its examples", (_, f) => {
  const x = randn([5, 4], { dtype: "float64" }).compute();
  const mapped = func.grad((batch: AnyTensor) => func.vmap(f)(batch).sum())(x);
  const each = func.vmap(func.grad(f))(x);
  expect(mapped.toArray()).toEqual(each.toArray());
});

it("the gradient of a norm at 0 is 0", () => {
  const gradient = func.grad((batch: AnyTensor) =>
    func
      .vmap((x: AnyTensor) => x.norm())(batch)
      .sum(),
  )(zeros([2, 3]));
  expect(gradient.toArray()).toEqual([
    [0, 0, 0],
    [0, 0, 0],
  ]);
});

it("what is not mapped has the sum of the examples' gradients", () => {
  const x = randn([5, 4], { dtype: "float64" }).compute();
  const w = randn([4], { dtype: "float64" }).compute();
  const mapped = func.grad((weight: AnyTensor) =>
    func
      .vmap((row: AnyTensor) => row.mul(weight).softmax(0).square().sum())(x)
      .sum(),
  )(w);
  const direct = func.grad((weight: AnyTensor) => x.mul(weight).softmax(1).square().sum())(w);
  const expected = direct.toArray() as number[];
  for (const [k, value] of (mapped.toArray() as number[]).entries())
    expect(value).toBeCloseTo(expected[k]!, 12);
});

it("second derivatives too", () => {
  const x = tensor(
    [
      [1, 2],
      [0.5, -1],
    ],
    { dtype: "float64" },
  );
  const f = (row: AnyTensor): AnyTensor => row.softmax(0).square().sum();
  const mapped = func.hessian((batch: AnyTensor) => func.vmap(f)(batch).sum())(x);
  const each = func.vmap(func.hessian(f))(x);
  for (const k of [0, 1]) {
    const own = mapped.select(2, k).select(0, k).flatten().toArray() as number[];
    const expected = each.select(0, k).flatten().toArray() as number[];
    for (const [place, value] of own.entries()) expect(value).toBeCloseTo(expected[place]!, 12);
  }
});

const decompositions: Readonly<Record<string, (x: AnyTensor) => AnyTensor>> = {
  det: (x) => linalg.det(x),
  slogdet: (x) => linalg.slogdet(x).logabsdet,
  inv: (x) => linalg.inv(x),
  pinv: (x) => linalg.pinv(x),
  cholesky: (x) => linalg.cholesky(x.matmul(x.mT)),
  solve: (x) => linalg.solve(x, x.mT.mul(2).add(1)),
  solveTriangular: (x) => linalg.solveTriangular(x, x.mul(3), { upper: false }),
  lu: (x) => {
    const { L, U } = linalg.lu(x);
    return L.mul(2).add(U);
  },
  qr: (x) => {
    const { Q, R } = linalg.qr(x);
    return Q.add(R);
  },
  eigh: (x) => {
    const { eigenvalues, eigenvectors } = linalg.eigh(x.add(x.mT));
    return eigenvectors.square().mul(eigenvalues.unsqueeze(-2));
  },
  svd: (x) => linalg.svdvals(x),
  matrixExp: (x) => linalg.matrixExp(x),
};

it.each(Object.entries(decompositions))("derivatives go through %s of examples", (_, f) => {
  const x = tensor([2, 1, 1, 3, 4, 0, 1, 5, 1, 2, 3, 4], { dtype: "float64" }).reshape([3, 2, 2]);
  const mapped = (batch: AnyTensor): AnyTensor => func.vmap(f)(batch);
  const scalar = (g: (x: AnyTensor) => AnyTensor) => (x: AnyTensor) => g(x).sin().sum();
  const pairs: [AnyTensor, AnyTensor][] = [
    [mapped(x), f(x)],
    [func.grad(scalar(mapped))(x), func.grad(scalar(f))(x)],
    [func.vmap(func.grad(scalar(f)))(x), func.grad(scalar(f))(x)],
    [func.jacrev(mapped)(x), func.jacrev(f)(x)],
    [func.jacfwd(mapped)(x), func.jacrev(f)(x)],
    [func.jacfwd(f)(x), func.jacrev(f)(x)],
    [func.vmap(func.jacfwd(f))(x), func.vmap(func.jacrev(f))(x)],
    [func.hessian(scalar(mapped))(x), func.hessian(scalar(f))(x)],
    [
      func
        .vmap(func.grad(scalar(mapped)))(x.unsqueeze(0))
        .squeeze(0),
      func.grad(scalar(f))(x),
    ],
  ];
  for (const [own, expected] of pairs) {
    expect(own.shape).toEqual(expected.shape);
    expect(own.sub(expected).abs().max().item()).toBeLessThan(1e-9);
  }
});

const rows = () =>
  tensor([
    [1, 2, 3],
    [4, 5, 6],
  ]);

it("what differs between examples is not written to a tensor from outside", () => {
  const outer = zeros([3]);
  const message = /^add_: inplace arithmetic\(self, \*extra_args\) is not possible/;
  expect(() => func.vmap((row: AnyTensor) => outer.add_(row))(rows())).toThrow(message);
  expect(() => func.vmap((row: AnyTensor) => outer.narrow(0, 1, 2).add_(row.sum()))(rows())).toThrow(message);
  const inner = func.vmap((row: AnyTensor) => func.vmap((x: AnyTensor) => row.add_(x))(tensor([1, 2])));
  expect(() => inner(rows())).toThrow(message);
  expect(outer.toArray()).toEqual([0, 0, 0]);
  expect(
    func
      .vmap((row: AnyTensor) => row.mul(outer.add_(2)))(rows())
      .toArray(),
  ).toEqual([
    [2, 4, 6],
    [8, 10, 12],
  ]);
  expect(
    func
      .vmap((row: AnyTensor) => outer.clone().add_(row))(rows())
      .toArray(),
  ).toEqual([
    [3, 4, 5],
    [6, 7, 8],
  ]);
  expect(
    func
      .vmap((row: AnyTensor) => zeros([2]).add_(row.sum()))(rows())
      .toArray(),
  ).toEqual([
    [6, 6],
    [15, 15],
  ]);
});

it("a write to an example is one to the batch", () => {
  const columns = rows().t();
  const sums = func.vmap((row: AnyTensor) => {
    row.select(0, 0).mul_(row.sum());
    return row.sum();
  }, 1)(columns);
  expect(columns.toArray()).toEqual([
    [6, 60],
    [2, 5],
    [3, 6],
  ]);
  expect(sums.toArray()).toEqual([11, 71]);
  const x = rows().requiresGrad_();
  const doubled = x.mul(2);
  const squares = func.vmap((row: AnyTensor) => row.mul_(row).sum())(doubled);
  doubled.sum().add(squares.sum()).backward();
  expect(x.grad?.toArray()).toEqual([
    [16, 32, 48],
    [64, 80, 96],
  ]);
});

it("arguments without a batch axis may be anything", () => {
  const scaled = func.vmap(
    (x: AnyTensor, k: number, { isNegative }: { isNegative: boolean }) => x.mul(isNegative ? -k : k),
    [0, null, null],
  );
  expect(
    scaled(ones([2, 3]), 2, { isNegative: true })
      .sum()
      .item(),
  ).toBe(-12);
  expect(() => func.vmap((x: AnyTensor, k: number) => x.mul(k))(ones([2]), 2 as never)).toThrow(
    "argument[1] must be a tensor",
  );
});

it("outDims has the form of the results; null is for what is the same for all examples", () => {
  const x = ones([3, 2]);
  const named = func.vmap((row: AnyTensor) => ({ a: row, b: [row] }), 0, { a: 0, b: [1] })(x);
  expect([named.a.shape, named.b[0]?.shape]).toEqual([
    [3, 2],
    [2, 3],
  ]);
  expect(func.vmap((row: AnyTensor) => row, 0, [1])(x).shape).toEqual([2, 3]);
  const both = func.vmap((row: AnyTensor) => [row, ones([5])], 0, [0, null])(x);
  expect(both.map(({ shape }) => shape)).toEqual([[3, 2], [5]]);
  expect(() => func.vmap((row: AnyTensor) => row, 0, null)(x)).toThrow(
    "func.vmap: outDims must say an axis for every result that differs between examples",
  );
});

it("what is written through an argument is its elements, whatever shape it took", () => {
  const x = tensor([
    [
      [1, 2],
      [3, 4],
    ],
  ]);
  func.vmap((m: AnyTensor) => {
    m.unsqueeze_(0);
    return m.sum();
  })(x);
  expect([x.shape, x.toArray()]).toEqual([
    [1, 2, 2],
    [
      [
        [1, 2],
        [3, 4],
      ],
    ],
  ]);
  func.vmap((m: AnyTensor) => {
    m.transpose_(0, 1);
    return m.select(0, 0).mul_(10);
  })(x);
  expect(x.toArray()).toEqual([
    [
      [10, 2],
      [30, 4],
    ],
  ]);
  const both = func.vmap((a: AnyTensor, b: AnyTensor) => a.add_(1).add(b.mul_(2)));
  expect(() => both(x, x)).toThrow("func.vmap: elements of one tensor are written through two arguments");
});
