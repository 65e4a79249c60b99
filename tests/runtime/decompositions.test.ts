/** torch.linalg: factors multiply to what they are of, numbers and errors are PyTorch's. */
import {
  type AnyTensor,
  autograd,
  det,
  eye,
  func,
  Generator,
  jit,
  linalg,
  logdet,
  ones,
  rand,
  randn,
  type Tensor,
  tensor,
  zeros,
} from "fuseau";
import { assertClose } from "fuseau/testing";
import { describe, expect, test } from "vitest";

type Call = (...given: readonly unknown[]) => unknown;
const any = linalg as unknown as Record<string, Call>;
const near = (actual: AnyTensor, expected: unknown): void =>
  assertClose(actual, expected as never, { rtol: 1e-6, atol: 1e-7 });
const float64 = { dtype: "float64" } as const;

const tall = tensor(
  [
    [1, 2],
    [3, 4],
    [5, 6],
  ],
  float64,
);
const symmetric = tensor(
  [
    [4, 1, 2],
    [1, 3, 0],
    [2, 0, 5],
  ],
  float64,
);

describe("numbers of PyTorch", () => {
  test("Q and R have LAPACK's signs", () => {
    const { Q, R } = linalg.qr(tall);
    near(Q, [
      [-0.16903085, 0.89708523],
      [-0.50709255, 0.27602622],
      [-0.84515425, -0.34503278],
    ]);
    near(R, [
      [-5.91607978, -7.43735744],
      [0, 0.82807867],
    ]);
    near(linalg.qr(tall.t()).R, [
      [-2.23606798, -4.91934955, -7.60263112],
      [0, -0.89442719, -1.78885438],
    ]);
    near(linalg.qr(tall, "complete").Q.select(1, 2), [0.40824829, -0.81649658, 0.40824829]);
    expect(linalg.qr(tall, { mode: "r" }).Q.shape).toEqual([0]);
  });
  test("of a symmetric matrix", () => {
    near(linalg.cholesky(symmetric), [
      [2, 0, 0],
      [0.5, 1.6583124, 0],
      [1, -0.30151134, 1.97714211],
    ]);
    near(linalg.cholesky(symmetric, { upper: true }), linalg.cholesky(symmetric).t());
    near(linalg.eigvalsh(symmetric), [1.85489731, 3.4760236, 6.66907909]);
    near(linalg.eigvalsh(symmetric.triu(), { UPLO: "U" }), [1.85489731, 3.4760236, 6.66907909]);
    const { sign, logabsdet } = linalg.slogdet(symmetric.neg());
    near(sign, -1);
    near(logabsdet, 3.76120012);
    expect(logdet(symmetric.neg()).item()).toBeNaN();
    near(det(symmetric), 43);
    near(linalg.inv(symmetric).select(0, 0), [0.34883721, -0.11627907, -0.13953488]);
    near(linalg.cond(symmetric), 3.59538992);
    near(linalg.cond(symmetric, -2), 0.27813395);
    near(linalg.norm(symmetric, "nuc"), 12);
    near(linalg.norm(symmetric, 2), 6.66907909);
    near(linalg.matrixPower(symmetric, -2).select(0, 0), [0.1546782, -0.09031909, -0.08977826]);
  });
  test("of more rows than columns", () => {
    near(linalg.svdvals(tall), [9.52551809, 0.51430058]);
    near(linalg.pinv(tall), [
      [-1.33333333, -0.33333333, 0.66666667],
      [1.08333333, 0.33333333, -0.41666667],
    ]);
    const { solution, residuals, rank } = linalg.lstsq(tall, tensor([1, 2, 4], float64));
    near(solution, [0.66666667, 0.08333333]);
    near(residuals, [0.16666667]);
    expect(rank.item()).toBe(2);
    expect(
      linalg
        .matrixRank(
          tensor([
            [1, 2],
            [2, 4],
          ]),
        )
        .item(),
    ).toBe(1);
    expect(linalg.matrixRank(symmetric, { atol: 2 }).item()).toBe(2);
  });
});

describe("factors", () => {
  const shapes = [
    [1, 1],
    [5, 5],
    [7, 4],
    [4, 7],
    [2, 3, 6, 6],
    [3, 0, 2, 2],
    [0, 3],
  ];
  test.each(shapes)("multiply to what they are of: %j, %j", (...shape) => {
    const x: Tensor = randn(
      shape.filter((size) => size !== undefined),
      float64,
    );
    const { Q, R } = linalg.qr(x);
    near(Q.matmul(R), x);
    for (const fullMatrices of [true, false]) {
      const { U, S, Vh } = linalg.svd(x, { fullMatrices });
      const k = S.shape.at(-1) as number;
      near(
        U.slice("...", [0, k])
          .mul(S.unsqueeze(-2))
          .matmul(Vh.slice("...", [0, k], ":")),
        x,
      );
      near(U.mT.matmul(U), eye(U.shape.at(-1) as number, float64).expand(U.mT.matmul(U).shape));
    }
  });
  test("of no columns or no rows have whole bases", () => {
    expect(linalg.svd(zeros([2, 0])).U.toArray()).toEqual([
      [1, 0],
      [0, 1],
    ]);
    expect(linalg.svd(zeros([0, 2])).Vh.toArray()).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });
  test("of large ones", () => {
    const x = randn([60, 60], float64);
    const s = x.add(x.t());
    const { eigenvalues, eigenvectors } = linalg.eigh(s);
    assertClose(eigenvectors.mul(eigenvalues).matmul(eigenvectors.t()), s, { rtol: 0, atol: 1e-11 });
    assertClose(x.matmul(linalg.solve(x, s)), s, { rtol: 0, atol: 1e-9 });
  });
  test("of equal and of vanishing singular values are orthonormal", () => {
    for (const x of [
      eye(4),
      zeros([4, 3]),
      tensor([
        [1, 1],
        [1, 1],
        [0, 0],
      ]),
    ]) {
      const { U } = linalg.svd(x);
      assertClose(U.t().matmul(U), eye(U.shape[1]));
    }
  });
  test("are rounded once", () => {
    expect(
      linalg
        .inv(
          tensor([
            [3, 0],
            [0, 7],
          ]),
        )
        .toArray(),
    ).toEqual([
      [Math.fround(1 / 3), 0],
      [0, Math.fround(1 / 7)],
    ]);
  });
});

describe("elimination, four columns at a time", () => {
  test.each([9, 12, 13])("gives L·U, also where columns and factors are zeros: %j", (n) => {
    const sparse = randn([3, n, n], float64)
      .mul(rand([3, n, n]).gt(0.6))
      .compute();
    for (const x of [sparse, sparse.narrow(1, 0, 6).contiguous(), sparse.narrow(2, 0, 6).contiguous()]) {
      const { P, L, U } = linalg.lu(x);
      near(P.matmul(L).matmul(U), x);
    }
    const whole = randn([n, n], float64).compute();
    near(linalg.inv(whole).matmul(whole), eye(n, float64));
    const singular = whole.clone();
    singular.select(1, 5).fill_(0);
    expect(Math.abs(linalg.det(singular).item())).toBe(0);
  });
  test("a factor of Cholesky is found whatever the size", () => {
    for (const n of [1, 2, 4, 5, 6, 9, 11]) {
      const x = randn([n, n], float64).compute();
      const s = x.matmul(x.t()).add(eye(n, float64)).compute();
      const l = linalg.cholesky(s);
      near(l.matmul(l.t()), s);
      near(l.triu(1), zeros([n, n], float64));
    }
    const indefinite = eye(6);
    indefinite.select(0, 4).neg_();
    expect(() => linalg.cholesky(indefinite).compute()).toThrow("leading minor of order 5");
  });
});

describe("least squares", () => {
  /** By singular values, as PyTorch's documentation says of rcond. */
  const byInverse = (a: Tensor, b: Tensor): Tensor => linalg.pinv(a).matmul(b);

  test.each([
    [6, 6],
    [9, 4],
    [4, 9],
    [1, 5],
    [5, 1],
    [0, 3],
    [3, 0],
  ])("of full rank, [%j, %j]", (m, n) => {
    const [a, b] = [randn([2, m, n], float64).compute(), randn([2, m, 3], float64).compute()];
    near(linalg.lstsq(a, b).solution, byInverse(a, b));
  });
  test("the rank may be less in some matrices of a batch", () => {
    for (const [m, n] of [
      [6, 4],
      [4, 6],
      [4, 4],
    ] as const) {
      const a = randn([3, m, n], float64).compute();
      a.select(0, 1).select(1, 2).copy_(a.select(0, 1).select(1, 0));
      a.select(0, 2).fill_(0);
      const b = randn([3, m, 2], float64).compute();
      near(linalg.lstsq(a, b).solution, byInverse(a, b));
      // Those of full rank do not depend on their neighbours.
      expect(linalg.lstsq(a, b).solution.select(0, 0).toArray()).toEqual(
        linalg.lstsq(a.select(0, 0), b.select(0, 0)).solution.toArray(),
      );
    }
  });
  test("its rank and singular values can be read again and again", () => {
    const found = linalg.lstsq(tall, tensor([1, 2, 4], float64));
    for (let times = 0; times < 3; times++) {
      expect(found.rank.item()).toBe(2);
      expect(found.singularValues.shape).toEqual([2]);
      near(found.singularValues, linalg.svdvals(tall));
      near(tensor(found.singularValues.toArray() as number[], float64), linalg.svdvals(tall));
    }
  });
  test("rcond says which singular values count", () => {
    const a = tensor(
      [
        [1, 0],
        [0, 1e-3],
        [0, 0],
      ],
      float64,
    );
    const b = tensor([1, 1, 1], float64);
    near(linalg.lstsq(a, b).solution, [1, 1000]);
    near(linalg.lstsq(a, b, { rcond: 0.01 }).solution, [1, 0]);
    expect(linalg.lstsq(a, b, { rcond: 0.01 }).rank.item()).toBe(1);
    expect(() => linalg.lstsq(a, b, { rcond: -1 })).toThrow("rcond must be a number that is not negative");
  });
  test("of sizes whose squares overflow or underflow", () => {
    for (const scale of [1e-200, 1e200]) {
      const a = tensor(
        [
          [1, 2],
          [3, 4],
          [5, 7],
        ],
        float64,
      ).mul(scale);
      near(linalg.lstsq(a, a.sum(1)).solution, [1, 1]);
    }
  });
  test("a NaN reaches the result", () => {
    const [a, b] = [eye(3, float64), ones([3, 2], float64)];
    a.select(0, 1).fill_(Number.NaN);
    expect(linalg.lstsq(a, b).solution.isnan().all().item()).toBe(true);
    b.select(1, 0).fill_(Number.NaN);
    near(linalg.lstsq(eye(3, float64), b).solution.select(1, 1), [1, 1, 1]);
  });
  test.each([
    [5, 3],
    [3, 5],
    [3, 3],
  ])("is differentiated, [%j, %j]", (m, n) => {
    const [a, b] = [randn([m, n], float64).compute(), randn([m, 2], float64).compute()];
    const solve = (x: Tensor, y: Tensor): Tensor => linalg.lstsq(x, y).solution;
    const inputs = [a.requiresGrad_(), b.requiresGrad_()] as const;
    expect(autograd.gradcheck(solve, inputs)).toBe(true);
    expect(autograd.gradgradcheck(solve, inputs)).toBe(true);
  });
});

describe("solve", () => {
  test.each([
    [[2, 2], [2], [2]],
    [
      [3, 2, 2],
      [3, 2],
      [3, 2],
    ],
    [
      [3, 2, 2],
      [2, 4],
      [3, 2, 4],
    ],
    [
      [2, 2],
      [3, 2, 4],
      [3, 2, 4],
    ],
    [
      [1, 3, 2, 2],
      [5, 1, 2, 1],
      [5, 3, 2, 1],
    ],
  ])("%j and %j give %j", (a, b, expected) => {
    const A: Tensor = randn(a).add(eye(2).mul(3));
    expect(linalg.solve(A, randn(b) as Tensor).shape).toEqual(expected);
  });
  test("takes the matrix on either side", () => {
    const x = randn([3, 4, 3], float64);
    near(linalg.solve(symmetric, x, { left: false }).matmul(symmetric), x);
    near(linalg.solveTriangular(symmetric, x, { upper: true, left: false }).matmul(symmetric.triu()), x);
    near(
      symmetric
        .cholesky()
        .t()
        .matmul(linalg.solveTriangular(symmetric.cholesky().t(), x.mT, { upper: true })),
      x.mT,
    );
  });
});

describe("derivatives", () => {
  test("of derivatives", () => {
    const a = symmetric.clone().requiresGrad_();
    const b = tall.clone().requiresGrad_();
    expect(autograd.gradgradcheck((x, y) => linalg.solve(x, y), [a, b])).toBe(true);
    expect(autograd.gradgradcheck((x) => linalg.cholesky(x.add(x.mT)), [a])).toBe(true);
    expect(autograd.gradgradcheck((x) => linalg.det(x), [a])).toBe(true);
    expect(autograd.gradgradcheck((x) => linalg.pinv(x), [b])).toBe(true);
    expect(autograd.gradgradcheck((x) => [linalg.qr(x).Q, linalg.qr(x).R], [b])).toBe(true);
  });
  test("of the determinant of a singular matrix are its cofactors", () => {
    const x = tensor([
      [1, 2],
      [2, 4],
    ]).requiresGrad_();
    det(x).backward();
    assertClose(x.grad as AnyTensor, [
      [4, -2],
      [-2, 1],
    ]);
  });
  test("do not need the factors that were given back", () => {
    const x = symmetric.clone().requiresGrad_();
    const loss = (() => {
      using factor = linalg.cholesky(x);
      return factor.sum().add(factor.diagonal().log().sum()).compute();
    })();
    loss.backward({ retainGraph: true });
    const first = (x.grad as AnyTensor).clone().compute();
    x.grad = null;
    loss.backward();
    near(x.grad as unknown as AnyTensor, first);
  });
  test("mapped, and of what is mapped", () => {
    const x = randn([4, 3, 3], float64).add(eye(3, float64).mul(3));
    const each = func.vmap(func.grad((a: AnyTensor): AnyTensor => linalg.inv(a).square().sum()))(x);
    const whole = func.grad(
      (a: AnyTensor): AnyTensor =>
        func
          .vmap((one: AnyTensor): AnyTensor => linalg.inv(one).square().sum())(a)
          .sum(),
    )(x);
    near(each as AnyTensor, whole);
  });
});

describe("a batch", () => {
  const batch = (rows: number, columns: number): Tensor => {
    const x = randn([5, rows, columns], { dtype: "float64", generator: new Generator(rows + 8 * columns) });
    // One has equal rows, one is 0.
    x.select(0, 1)
      .select(0, rows - 1)
      .copy_(x.select(0, 1).select(0, 0).clone());
    x.select(0, 2).zero_();
    return x.compute();
  };
  const square = batch(4, 4);
  const regular = square.matmul(square.mT).add(eye(4, float64)).compute();
  const sides = batch(4, 3);
  const several: Record<string, [Tensor, (x: Tensor) => AnyTensor | readonly AnyTensor[]]> = {
    inv: [regular, linalg.inv],
    det: [square, linalg.det],
    slogdet: [square, (x) => Object.values(linalg.slogdet(x))],
    cholesky: [regular, linalg.cholesky],
    eigh: [regular, (x) => Object.values(linalg.eigh(x))],
    lu: [batch(4, 6), (x) => Object.values(linalg.lu(x))],
    "qr of tall ones": [batch(5, 3), (x) => Object.values(linalg.qr(x, "complete"))],
    "qr of wide ones": [batch(3, 5), (x) => Object.values(linalg.qr(x))],
    "svd of tall ones": [batch(5, 3), (x) => Object.values(linalg.svd(x))],
    "svd of wide ones": [batch(3, 5), (x) => Object.values(linalg.svd(x, { fullMatrices: false }))],
    matrixExp: [square, linalg.matrixExp],
  };
  for (const [name, [x, call]] of Object.entries(several))
    test(`${name}: what each matrix gives, to the bit`, () => {
      const all = [call(x)].flat() as AnyTensor[];
      for (let k = 0; k < 5; k++) {
        const own = [call(x.select(0, k))].flat() as AnyTensor[];
        all.forEach((result, part) => {
          expect(result.select(0, k).toArray()).toEqual(own[part]!.toArray());
        });
      }
    });
  test("solve: what each system gives, to the bit", () => {
    const all = linalg.solve(regular, sides);
    for (let k = 0; k < 5; k++)
      expect(all.select(0, k).toArray()).toEqual(
        linalg.solve(regular.select(0, k), sides.select(0, k)).toArray(),
      );
  });
  test("orthonormal factors, whatever the rank", () => {
    const sizes: readonly (readonly [number, number])[] = [
      [5, 3],
      [3, 5],
      [4, 4],
    ];
    for (const [rows, columns] of sizes) {
      const x = batch(rows, columns);
      const { U, S, Vh } = linalg.svd(x);
      const least = Math.min(rows, columns);
      const middle = zeros([5, rows, columns], float64);
      for (let k = 0; k < least; k++) middle.select(2, k).select(1, k).copy_(S.select(1, k));
      near(U.matmul(middle).matmul(Vh), x);
      near(U.mT.matmul(U), eye(rows, float64).expand([5, rows, rows]));
      near(Vh.matmul(Vh.mT), eye(columns, float64).expand([5, columns, columns]));
    }
  });
});

describe("singular values", () => {
  const random = randn([14, 14], { ...float64, generator: new Generator().manualSeed(3) });
  const place = (i: number, j: number): number => random.select(0, i).select(0, j).item() as number;
  const awkward: Readonly<Record<string, (i: number, j: number) => number>> = {
    random: place,
    "few integers": (i, j) => Math.round(place(i, j)),
    zeros: () => 0,
    ones: () => 1,
    "a diagonal with a zero in the middle": (i, j) => (i === j ? i - 3 : 0),
    "a bidiagonal matrix with zeros on its diagonal": (i, j) =>
      i === j && i % 3 > 0 ? 1 : Number(j === i + 1),
    "only above the diagonal": (i, j) => Number(j === i + 1),
    "rows that get smaller": (i, j) => place(i, j) / 1000 ** i,
    "columns that get larger": (i, j) => place(i, j) * 1000 ** j,
    "Hilbert's": (i, j) => 1 / (i + j + 1),
    large: (i, j) => place(i, j) * 1e300,
    small: (i, j) => place(i, j) * 1e-300,
  };
  for (const [name, element] of Object.entries(awkward))
    test.each([
      [1, 1],
      [2, 2],
      [9, 9],
      [14, 9],
      [5, 12],
    ])(`make the matrix up again, and are the same without vectors: ${name}, %j by %j`, (m, n) => {
      const rows = Array.from({ length: m }, (_, i) => Array.from({ length: n }, (_, j) => element(i, j)));
      const x = tensor(rows, float64);
      const { U, S, Vh } = linalg.svd(x, false);
      const scale = Math.max(x.abs().max().item() as number, 1e-305);
      const close = { rtol: 0, atol: 1e-14 * Math.max(m, n) };
      assertClose(U.mul(S.div(scale)).matmul(Vh), x.div(scale), close);
      const least = eye(Math.min(m, n), float64);
      assertClose(U.mT.matmul(U), least as AnyTensor, close);
      assertClose(Vh.matmul(Vh.mT), least as AnyTensor, close);
      expect(linalg.svdvals(x).toArray()).toEqual(S.toArray());
      expect(S.ge(0).all().item()).toBe(true);
      expect(S.diff().le(0).all().item()).toBe(true);
    });
  test("and eigenvalues alone have the derivatives that they have beside vectors", () => {
    const x = random.slice([0, 5], [0, 4]) as AnyTensor;
    const of = (fn: (a: AnyTensor) => AnyTensor, at: AnyTensor) => func.jacrev(fn)(at) as AnyTensor;
    near(
      of(linalg.svdvals as never, x),
      of((a) => linalg.svd(a as never, false).S, x),
    );
    const square = random.slice([0, 4], [0, 4]) as AnyTensor;
    near(
      of(linalg.eigvalsh as never, square),
      of((a) => linalg.eigh(a as never).eigenvalues, square),
    );
    const [, along] = func.jvp(linalg.svdvals as never, [x] as never, [x] as never) as unknown as AnyTensor[];
    near(along as AnyTensor, linalg.svdvals(x as never));
    near(
      func.hessian((a: AnyTensor) =>
        linalg
          .svdvals(a as never)
          .square()
          .sum(),
      )(square) as AnyTensor,
      eye(16, float64).mul(2).reshape([4, 4, 4, 4]),
    );
  });
  test("are numbers, or NaN where an element is none", () => {
    const broken = random.clone();
    broken.select(0, 3).select(0, 2).fill_(Number.NaN);
    expect(linalg.svdvals(broken).isnan().all().item()).toBe(true);
  });
});

describe("very large and very small elements", () => {
  test.each([
    [
      [
        [1e200, 0],
        [0, 1e200],
      ],
      [
        [1e200, 0],
        [0, 1e200],
      ],
    ],
    [
      [
        [1e-170, 0],
        [0, 2e-170],
      ],
      [
        [2e-170, 0],
        [0, 1e-170],
      ],
    ],
    [[[1e-310]], [[1]]],
  ])("the gradient of the determinant of %j", (matrix, expected) => {
    const x = tensor(matrix, float64).requiresGrad_();
    (linalg.det(x as never) as AnyTensor).backward();
    expect((x.grad as AnyTensor).toArray()).toEqual(expected);
  });
  test("singular vectors are orthonormal", () => {
    const { Vh } = linalg.svd(tensor([1, 0, 0, 0, 1e-165, 2e-165, 0, 0, 3e-165], float64).reshape([3, 3]));
    near(Vh.matmul(Vh.mT), eye(3, float64));
  });
  test.each([1e160, 1e-200])("eigenvalues of multiples by %d are multiples", (factor) => {
    const x = tensor([2, 1, 0, 1, 3, 1, 0, 1, 5], float64).reshape([3, 3]);
    near(linalg.eigh(x.mul(factor)).eigenvalues.div(factor), linalg.eigh(x).eigenvalues);
  });
});

describe("refusals", () => {
  test.each<[string, () => unknown, string]>([
    [
      "sizes",
      () => (any.solve as Call)(zeros([2, 2]), zeros([3])),
      "linalg.solve: Incompatible shapes of A and B for the equation AX = B (2x2 and 3x1)",
    ],
    [
      "no square",
      () => (any.inv as Call)(zeros([2, 3])),
      "linalg.inv: A must be batches of square matrices, but they are 2 by 3 matrices",
    ],
    [
      "no matrix",
      () => (any.svd as Call)(zeros([2])),
      "linalg.svd: The input tensor A must have at least 2 dimensions. (it has 1)",
    ],
    [
      "integers",
      () => (any.inv as Call)(zeros([2, 2], { dtype: "int64" })),
      "linalg.inv: Expected a floating point or complex tensor as input. Got Long (cast to float32 first)",
    ],
    [
      "singular",
      () => linalg.solve(zeros([2, 2]), zeros([2])),
      "linalg.solve: The solver failed because the input matrix is singular.",
    ],
    [
      "singular in a batch",
      () => linalg.inv(zeros([3, 2, 2])),
      "linalg.inv: (Batch element 0): The diagonal element 1 is zero, the inversion could not be completed because the input matrix is singular.",
    ],
    [
      "not positive",
      () => linalg.cholesky(eye(2).neg()),
      "linalg.cholesky: The factorization could not be completed because the input is not positive-definite (the leading minor of order 1 is not positive-definite).",
    ],
    [
      "a triangle",
      () => (any.eigh as Call)(eye(2), { UPLO: "X" }),
      'linalg.eigh: Expected UPLO argument to be "L" or "U", but got "X"',
    ],
    [
      "no triangle",
      () => (any.solveTriangular as Call)(eye(2), eye(2)),
      'linalg.solveTriangular: missing option "upper" (say which triangle of A: { upper: true } or { upper: false })',
    ],
    [
      "other dtypes",
      () => (any.solve as Call)(eye(2), eye(2, float64)),
      "linalg.solve: Expected A and B to have the same dtype, but found A of type float32 and B of type float64 instead (cast one of them)",
    ],
  ])("%s", (_, run, message) => {
    expect(run).toThrow(message);
  });
  test("inside of jit, where nothing can be read", () => {
    expect(() => jit((x: AnyTensor) => linalg.inv(x))(eye(2))).toThrow(
      /linalg.inv: decompositions read their matrices .* a jitted function/,
    );
  });
});

describe("factors of elimination, and what is reshaped to a system", () => {
  const wide = tall.t();

  test.each([
    ["square", symmetric],
    ["tall", tall],
    ["wide", wide],
  ])("P·L·U is the matrix, and its gradient that of the identity, %s", (_, A) => {
    const x = A.detach().clone().requiresGrad_();
    const { P, L, U } = linalg.lu(x);
    const product = P.matmul(L as never).matmul(U as never);
    near(product, A.toArray());
    const weights = randn(A.shape, float64);
    product
      .mul(weights as never)
      .sum()
      .backward();
    near(x.grad!, weights.toArray());
  });

  test("luSolve solves from either side, of A or its transpose", () => {
    const { LU, pivots } = linalg.luFactor(symmetric);
    const B = tall;
    near(symmetric.matmul(linalg.luSolve(LU, pivots, B) as never), B.toArray());
    near(
      linalg.luSolve(LU, pivots, wide, { left: false, adjoint: true }).matmul(symmetric as never),
      wide.toArray(),
    );
  });

  test("matrixExp turns by an angle, and multiplies over sums", () => {
    const turn = tensor(
      [
        [0, -2],
        [2, 0],
      ],
      float64,
    );
    near(turn.matrixExp(), [
      [Math.cos(2), -Math.sin(2)],
      [Math.sin(2), Math.cos(2)],
    ]);
    near(
      symmetric
        .mul(-3)
        .matrixExp()
        .matmul(symmetric.mul(3).matrixExp() as never),
      eye(3, 3, float64).toArray(),
    );
  });

  test("householderProduct of reflections is what they reflect, one by one", () => {
    const A = tensor(
      [
        [9, 9],
        [0.5, 9],
        [-1, 2],
      ],
      float64,
    );
    const tau = tensor([0.25, 0.4], float64);
    const reflect = (v: number[], t: number) => {
      const column = tensor(v, float64).unsqueeze(1);
      return eye(3, 3, float64).sub(column.matmul(column.t() as never).mul(t) as never);
    };
    const whole = reflect([1, 0.5, -1], 0.25).matmul(reflect([0, 1, 2], 0.4) as never);
    near(linalg.householderProduct(A, tau), whole.narrow(1, 0, 2).toArray());
  });

  test("tensorsolve and tensorinv are systems of reshaped tensors", () => {
    const A = randn([2, 3, 6], float64);
    const B = randn([2, 3], float64);
    const x = linalg.tensorsolve(A, B);
    near(A.reshape([6, 6]).mv(x as never), B.flatten().toArray());
    expect(linalg.tensorinv(A).shape).toEqual([6, 2, 3]);
  });

  test("choleskyInverse is the inverse of what the factor is of", () => {
    near(
      linalg
        .cholesky(symmetric)
        .choleskyInverse()
        .matmul(symmetric as never),
      eye(3, 3, float64).toArray(),
    );
  });
});
