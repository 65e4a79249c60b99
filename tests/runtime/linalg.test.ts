/** linalg: what is accepted and refused, with PyTorch's results. */
import {
  type AnyTensor,
  cdist,
  cosineSimilarity,
  DTypeError,
  eye,
  linalg,
  norm,
  ones,
  randn,
  tensor,
  zeros,
} from "fuseau";
import { assertClose } from "fuseau/testing";
import { describe, expect, test } from "vitest";

const near = (actual: AnyTensor, expected: unknown): void =>
  assertClose(actual, expected as never, { rtol: 1e-5, atol: 1e-6 });

const double = { dtype: "float64" } as const;

describe("norms", () => {
  test.each(["fro", "nuc", 1, -1, 2, -2, Infinity, -Infinity] as const)(
    "a matrix norm of order %s takes two axes",
    (order) => {
      const x = ones([2, 3, 4]);
      for (const dim of [[0], [], [0, 1, 2], 0 as never])
        expect(() => linalg.matrixNorm(x, order, dim)).toThrow(
          /^linalg\.matrixNorm: dim must be a 2-tuple\. Got/,
        );
      expect(() => linalg.matrixNorm(x, order, [0, -3] as number[])).toThrow("appears multiple times");
      expect(() => linalg.matrixNorm(ones([3]), order)).toThrow("must have at least 2 dimensions");
      expect(linalg.matrixNorm(x, order, [2, 0]).shape).toEqual([3]);
      expect(linalg.matrixNorm(x, order, [0, -1], { keepdim: true }).shape).toEqual([1, 3, 1]);
    },
  );
  test("the nuclear norm takes two axes wherever it is asked for", () => {
    expect(() => norm(ones([2, 2, 2]), "nuc", [0])).toThrow(/^norm: dim must be a 2-tuple\. Got \[0\]/);
    expect(() => norm(ones([2, 2, 2]), "nuc")).toThrow("Expected a tensor with 2 dimensions");
  });
  test("an order without axes is for vectors and matrices", () => {
    for (const order of [2, "fro", 1] as const)
      expect(() => linalg.norm(ones([2, 2, 2]), order)).toThrow(
        "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got 3D.",
      );
    expect(() => linalg.norm(ones([]), 2)).toThrow("Got 0D.");
    near(linalg.norm(ones([2, 2, 2])), Math.sqrt(8));
    near(linalg.norm(ones([3]), 1), 3);
    near(linalg.norm(ones([2, 2]), 1), 2);
  });
  test("axes are one or two", () => {
    for (const order of [2, "fro", null] as const)
      for (const dim of [[], [0, 1, 2]])
        expect(() => linalg.norm(ones([2, 2, 2]), order, dim)).toThrow(
          "linalg.norm: If dim is specified, it must be of length 1 or 2. Got",
        );
    near(linalg.norm(ones([2, 2, 2]), 2, 0), [
      [Math.SQRT2, Math.SQRT2],
      [Math.SQRT2, Math.SQRT2],
    ]);
    near(linalg.norm(ones([2, 2, 2]), 2, [0, 1]), [2, 2]);
    near(linalg.norm(ones([2, 2, 2]), null, [0, 1]), [2, 2]);
    expect(() => linalg.norm(randn([2, 2]), "nuc", 0)).toThrow("is a norm of matrices");
  });
});

describe("linear systems", () => {
  test("least squares of a vector for each matrix", () => {
    for (const shape of [
      [2, 3, 3],
      [2, 3, 2],
      [2, 2, 3],
      [3, 2, 3, 2],
    ]) {
      const [a, b] = [randn(shape, double).compute(), randn(shape.slice(0, -1), double).compute()];
      const { solution, residuals } = linalg.lstsq(a, b);
      const columns = linalg.lstsq(a, b.unsqueeze(-1));
      expect(solution.shape).toEqual([...shape.slice(0, -2), shape.at(-1)]);
      near(solution, columns.solution.squeeze(-1));
      near(residuals, columns.residuals);
    }
  });
  test("of a square matrix for each vector it is what solve gives", () => {
    const [a, b] = [
      randn([2, 2, 2], double).compute(),
      tensor(
        [
          [1, 2],
          [3, 4],
        ],
        double,
      ),
    ];
    near(linalg.lstsq(a, b).solution, linalg.solve(a, b));
  });
  test("rows must be as many", () => {
    expect(() => linalg.lstsq(ones([2, 3, 3]), ones([2, 2]))).toThrow(
      "input.size(-2) should match other.size(-2)",
    );
    expect(() => linalg.lstsq(ones([2, 3, 3]), ones([2, 3], double))).toThrow("to have the same dtype");
  });
  test("a vector is no row", () => {
    for (const a of [eye(3), eye(3).expand([2, 3, 3])])
      for (const b of [ones([3]), ones(a.shape.slice(0, -1))])
        expect(() => linalg.solve(a, b, { left: false })).toThrow(
          "linalg.solve: Incompatible shapes of A and B for the equation XA = B (3x3 and 3x1)",
        );
    near(linalg.solve(tensor([[2]]), tensor([4]), { left: false }), [2]);
    near(
      linalg.solve(
        tensor([
          [2, 0],
          [0, 4],
        ]),
        tensor([[2, 4]]),
        { left: false },
      ),
      [[1, 1]],
    );
    expect(() => linalg.solve(eye(3), ones([3, 2]), { left: false })).toThrow("XA = B (3x3 and 3x2)");
    expect(() => linalg.solveTriangular(eye(3), ones([3, 2]), { upper: true, left: false })).toThrow(
      "linalg.solveTriangular: Incompatible shapes of A and B for the equation XA = B (3x3 and 3x2)",
    );
  });
});

describe("condition numbers", () => {
  test.each([null, 2, -2] as const)("of matrices without elements are 0 (p = %s)", (p) => {
    for (const shape of [
      [2, 0, 0],
      [2, 0, 3],
      [2, 3, 0],
    ]) {
      const x = zeros(shape).requiresGrad_();
      const made = linalg.cond(x, p);
      expect(made.toArray()).toEqual([0, 0]);
      made.sum().backward();
      expect(x.grad?.shape).toEqual(shape);
    }
    expect(linalg.cond(zeros([0, 0]), p).item()).toBe(0);
    expect(linalg.cond(zeros([0, 2, 2], { dtype: "float64" }), p).shape).toEqual([0]);
    expect(linalg.cond(zeros([1, 0, 0], { dtype: "float64" }), p).dtype).toBe("float64");
  });
});

describe("products of vectors", () => {
  test("vecdot broadcasts, also along the axis that is summed", () => {
    const x = tensor([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(linalg.vecdot(x, tensor([[1], [10]])).toArray()).toEqual([6, 150]);
    expect(linalg.vecdot(x, ones([3])).toArray()).toEqual([6, 15]);
    expect(linalg.vecdot(x, ones([])).toArray()).toEqual([6, 15]);
    expect(linalg.vecdot(x, ones([1, 3]), { dim: 0 }).toArray()).toEqual([5, 7, 9]);
    expect(linalg.vecdot(x, ones([3]), { dim: -2 }).toArray()).toEqual([5, 7, 9]);
    expect(linalg.vecdot(x, ones([3]), { dim: 1 }).toArray()).toEqual([6, 15]);
    expect(() => linalg.vecdot(x, ones([2]))).toThrow(/^linalg\.vecdot: The size of tensor a \(3\)/);
    expect(() => linalg.vecdot(x, x, { dim: 5 })).toThrow(RangeError);
  });
  test("two dtypes are refused where PyTorch does not promote", () => {
    const [x, y] = [ones([2, 3]), ones([2, 3], { dtype: "float64" })];
    expect(() => linalg.vecdot(x, y)).toThrow(
      "linalg.vecdot: Expected x and y to have the same dtype, but found x of type float32 and y of type float64 instead (cast",
    );
    for (const refused of [
      () => linalg.cross(x, y),
      () => x.cross(y),
      () => cdist(x, y),
      () => cdist(x, y, 1),
      () => cdist(x, y, 2, { computeMode: "useMmForEuclidDist" }),
    ])
      expect(refused).toThrow(
        /: expected scalar type Float but found Double \(operands of float32 and float64; cast one of them\)/,
      );
    expect(() => linalg.cross(y, ones([2, 3], { dtype: "int32" }))).toThrow("Double but found Int");
  });
  test("integers are refused where PyTorch has floats alone", () => {
    const x = ones([2, 3], { dtype: "int32" });
    expect(() => linalg.vecdot(x, x)).toThrow(DTypeError);
    expect(() => x.dist(x)).toThrow(/^dist: "dist" not implemented for 'Int' \(cast/);
    expect(() => cosineSimilarity(x, x)).toThrow("yet common dtype is Int");
    expect(() => linalg.cross(x.bool(), x.bool())).toThrow();
    expect(linalg.cross(x, x).dtype).toBe("int32");
    expect(x.dist(ones([3], double)).dtype).toBe("float64");
    expect(() => x.bool().dist(ones([3]))).toThrow("Subtraction");
  });
  test.each([0, 1, 2, Infinity, -1, -Infinity])("the distance of no elements is 0 (p = %d)", (p) => {
    const x = zeros([0, 1]).requiresGrad_();
    const made = x.dist(zeros([0, 1]), p);
    expect([made.item(), made.shape, made.dtype]).toEqual([0, [], "float32"]);
    made.backward();
    expect(x.grad?.shape).toEqual([0, 1]);
    expect(zeros([0]).dist(zeros([1], double), p).dtype).toBe("float64");
  });
});

describe("what a decomposition gave", () => {
  test("has a pivot for each row", () => {
    const { LU, pivots } = linalg.luFactor(
      tensor([
        [2, 1],
        [4, 3],
      ]),
    );
    const b = tensor([[1], [2]]);
    near(linalg.luSolve(LU, pivots, b), [[0.5], [0]]);
    near(linalg.luSolve(LU, pivots, b.t(), { left: false }), [[-2.5, 1.5]]);
    const int32 = { dtype: "int32" } as const;
    expect(() => linalg.luSolve(LU, tensor([1], int32), b)).toThrow(
      "linalg.luSolve: Number of pivots per batch",
    );
    expect(() => linalg.luSolve(LU, tensor([1, 3], int32), b)).toThrow(
      "must all be from 1 to LU.size(-2), 2, but got 3",
    );
    expect(() => linalg.luSolve(LU, tensor([0, 2], int32), b)).toThrow("but got 0");
    expect(() => linalg.luSolve(LU, pivots.long(), b)).toThrow("scalar type torch.int32");
    expect(() => linalg.luSolve(LU, pivots, b, { left: false })).toThrow("XA = B (2x2 and 2x1)");
  });
  test("has a tau for each matrix", () => {
    expect(() => linalg.householderProduct(ones([3, 2]), ones([]))).toThrow(
      "but got tau.ndim equal to 0 and",
    );
    expect(() => linalg.householderProduct(ones([2, 3, 2]), ones([2]))).toThrow(
      "one dimension less than input",
    );
    expect(() => linalg.householderProduct(ones([2, 3, 2]), ones([3, 2]))).toThrow(
      "to be equal to input.shape[:-2]",
    );
  });
});
