/** What products over given axes, attention, norms, factors and derivatives make of shapes, in types and when they run. */
import {
  type AnyTensor,
  affineGrid,
  chainMatmul,
  cosineSimilarity,
  crossEntropy,
  diagEmbed,
  einsum,
  func,
  glu,
  interpolate,
  kron,
  linalg,
  linear,
  multiDot,
  ones,
  pairwiseDistance,
  pixelShuffle,
  pixelUnshuffle,
  scaledDotProductAttention,
  type Tensor,
  tensor,
  tensordot,
  upsampleNearest,
  vander,
  vecdot,
  zeros,
} from "fuseau";
import { Bilinear } from "fuseau/nn";
import { describe, expect, expectTypeOf, it } from "vitest";
import { expectShape, expectTensor } from "./expect.ts";

const x = zeros([2, 3, 4]);
const n: number = 3;

describe("products", () => {
  it("tensordot leaves the axes that are not summed", () => {
    expectShape(tensordot(x, zeros([3, 4, 5, 6])), [2, 5, 6]);
    expectShape(tensordot(x, zeros([4, 5]), 1), [2, 3, 5]);
    expectShape(tensordot(x, zeros([5]), 0), [2, 3, 4, 5]);
    expectShape(tensordot(x, x, 3), []);
    expectShape(
      tensordot(x, zeros([4, 7, 2]), [
        [0, -1],
        [2, 0],
      ]),
      [3, 7],
    );
    expectShape(tensordot(x, zeros([5]), [[], []]), [2, 3, 4, 5]);
    expectTypeOf(tensordot(x, zeros([n, 4, 5]))).toEqualTypeOf<Tensor<[2, 5], "float32">>();
  });
  it("einsum reads its equation", () => {
    expectTensor(einsum("bij, bjk -> bik", x, zeros([2, 4, 5])), [2, 3, 5], "float32");
    expectShape(einsum("bhqd,bhkd->bhqk", zeros([2, 8, 5, 16]), zeros([2, 8, 7, 16])), [2, 8, 5, 7]);
    expectShape(einsum("ijk->kji", x), [4, 3, 2]);
    expectShape(einsum("ii->i", zeros([3, 3])), [3]);
    expectShape(einsum("ij,ij->", zeros([2, 3]), zeros([2, 3])), []);
    expectShape(einsum("i,j->ij", zeros([1]), zeros([4])), [1, 4]);
    expectShape(einsum("ij,ij->ij", zeros([1, 4]), zeros([3, 1])), [3, 4]);
    expectTypeOf(einsum("i,i->i", zeros([n]), zeros([1])).shape).toEqualTypeOf<readonly [number]>();
    expectTensor(einsum("ij->j", ones([2, 3], { dtype: "float64" })), [3], "float64");
    const text: string = "ij,jk";
    expectTypeOf(einsum(text, zeros([2, 3]), zeros([3, 4]))).toEqualTypeOf<Tensor<number[], "float32">>();
    expectShape(einsum("ij,jk", zeros([2, 3]), zeros([3, 4])), [2, 4]);
    expectShape(einsum("ba", zeros([2, 3])), [3, 2]);
    expectShape(einsum("bA", zeros([2, 3])), [3, 2]);
    expectShape(einsum("ii", zeros([3, 3])), []);
    expectTypeOf(einsum("...i->...", x)).toEqualTypeOf<Tensor<number[], "float32">>();
    const some: AnyTensor[] = [zeros([2, 3]), zeros([3, 4])];
    expectTypeOf(einsum("ij,jk->ik", ...some).shape).toEqualTypeOf<readonly [number, number]>();
    expectTypeOf(einsum("ij,jk->ik", zeros([n, 3]), zeros([3, 4])).shape).toEqualTypeOf<
      readonly [number, 4]
    >();
  });
  it("kron multiplies the sizes from the last on", () => {
    expectShape(kron(zeros([2, 3]), zeros([4, 5])), [8, 15]);
    expectShape(zeros([2, 3]).kron(zeros([5])), [2, 15]);
    expectShape(kron(zeros([5]), x), [2, 3, 20]);
    expectShape(kron(zeros([]), x), [2, 3, 4]);
  });
  it("chains keep the rows of the first and the columns of the last", () => {
    expectShape(multiDot([zeros([2, 3]), zeros([3, 4]), zeros([4, 5])]), [2, 5]);
    expectShape(chainMatmul(zeros([3]), zeros([3, 4]), zeros([4, 5])), [5]);
    expectShape(chainMatmul(zeros([3]), zeros([3, 4]), zeros([4])), []);
  });
  it("attention has the queries' rows and the values' columns", () => {
    const [q, k, v] = [zeros([2, 8, 5, 16]), zeros([2, 8, 7, 16]), zeros([2, 8, 7, 32])];
    expectTensor(scaledDotProductAttention(q, k, v), [2, 8, 5, 32], "float32");
    expectShape(scaledDotProductAttention(q, zeros([7, 16]), zeros([7, 3])), [2, 8, 5, 3]);
    const mask = ones([3, 1, 5, 7], { dtype: "bool" });
    expectShape(
      scaledDotProductAttention(q.slice(0), k.slice(0), v.slice(0), { attnMask: mask }),
      [3, 8, 5, 32],
    );
    expectShape(scaledDotProductAttention(q, k, v, { attnMask: null, scale: 1 }), [2, 8, 5, 32]);
    const some: { attnMask?: AnyTensor | null } = {};
    expectTypeOf(scaledDotProductAttention(q, k, v, some)).toEqualTypeOf<Tensor<number[], "float32">>();
    expect(() => scaledDotProductAttention(q, zeros([7, 15]), v)).toThrow("cannot be multiplied");
  });
  it("products along an axis drop it", () => {
    expectShape(vecdot(x, zeros([3, 1])), [2, 3]);
    expectShape(vecdot(x, x, { dim: 0 }), [3, 4]);
    expectShape(cosineSimilarity(x, x), [2, 4]);
    expectShape(cosineSimilarity(x, zeros([4]), { dim: -1 }), [2, 3]);
    expectShape(pairwiseDistance(x, x), [2, 3]);
    expectShape(pairwiseDistance(x, x, { keepdim: true }), [2, 3, 1]);
  });
  it("a bilinear form gives a size of its own", () => {
    expectShape(new Bilinear(3, 4, 5).forward(zeros([7, 3]), zeros([7, 4])), [7, 5]);
  });
});

describe("norms", () => {
  it("fold their axes", () => {
    expectShape(linalg.norm(x), []);
    expectShape(linalg.norm(x, null, null, { keepdim: true }), [1, 1, 1]);
    expectShape(linalg.norm(x, 2, 1), [2, 4]);
    expectShape(linalg.norm(x, "fro", [0, 1]), [4]);
    expectShape(linalg.vectorNorm(x, 2, [0, 1], { keepdim: true }), [1, 1, 4]);
    expectTensor(linalg.vectorNorm(x, 2, -1, { dtype: "float64" }), [2, 3], "float64");
    expectShape(linalg.matrixNorm(x), [2]);
    expectShape(linalg.matrixNorm(x, "nuc", [0, 2]), [3]);
    expectTypeOf(linalg.norm(x, 2, n - 1)).toEqualTypeOf<Tensor<[number, number], "float32">>();
    // @ts-expect-error -- there is no such axis
    expect(() => linalg.norm(x, 2, 3)).toThrow("Dimension out of range");
  });
});

describe("factors", () => {
  const a = ones([2, 5, 3]);
  it("QR keeps as many columns as the smaller size, unless all are asked for", () => {
    const { Q, R } = linalg.qr(a);
    expectShape(Q, [2, 5, 3]);
    expectShape(R, [2, 3, 3]);
    const whole = linalg.qr(a, "complete");
    expectShape(whole.Q, [2, 5, 5]);
    expectShape(whole.R, [2, 5, 3]);
    expectShape(linalg.qr(a, { mode: "r" }).R, [2, 3, 3]);
  });
  it("singular vectors are all of them, or as many as there are values", () => {
    const { U, S, Vh } = linalg.svd(a);
    expectShape(U, [2, 5, 5]);
    expectShape(S, [2, 3]);
    expectShape(Vh, [2, 3, 3]);
    expectShape(linalg.svd(a, false).U, [2, 5, 3]);
    expectShape(linalg.svd(a.mT, { fullMatrices: false }).Vh, [2, 3, 5]);
  });
  it("LU", () => {
    const { P, L, U } = linalg.lu(a);
    expectShape(P, [2, 5, 5]);
    expectShape(L, [2, 5, 3]);
    expectShape(U, [2, 3, 3]);
    expectShape(linalg.luFactor(a).pivots, [2, 3]);
  });
  it("transposes swap the last two sizes, and powers are a new axis", () => {
    expectShape(x.mT, [2, 4, 3]);
    expectShape(linalg.vander(zeros([3, 4])), [3, 4, 4]);
    expectShape(linalg.vander(zeros([3]), 5), [3, 5]);
  });
  it("what is expected of a diagonal does not change what is inferred", () => {
    const along: Tensor<[3], "float32"> = zeros([4, 3]).diagonal();
    const embedded: Tensor<[4, 3, 3], "float32"> = zeros([4, 3]).diagEmbed();
    const [main, other]: [Tensor<[3], "float32">, Tensor<[7, 7], "float32">] = [
      zeros([4, 3]).diag(),
      zeros([5]).diag(-2),
    ];
    const squareOf = <N extends number>(x: Tensor<[N], "float32">): Tensor<[N, N], "float32"> => x.diag();
    expect(squareOf(zeros([2])).shape).toEqual([2, 2]);
    expect([along, embedded, main, other].map(({ shape }) => shape)).toEqual([[3], [4, 3, 3], [3], [7, 7]]);
  });
  it("differences are fewer, by their order", () => {
    expectShape(zeros([4, 3]).diff(), [4, 2]);
    expectShape(zeros([4, 3]).diff(2, 0), [2, 3]);
    expectShape(zeros([4, 3]).diff(5, 0), [0, 3]);
    expectTypeOf(zeros([4, 3]).diff(1, 1, { prepend: zeros([4, 1]) })).toEqualTypeOf<
      Tensor<[4, number], "float32">
    >();
    const ends: { readonly prepend?: AnyTensor } = {};
    expectTypeOf(zeros([3]).diff(1, 0, ends).shape).toEqualTypeOf<readonly [number]>();
    expectShape(vander(zeros([5])), [5, 5]);
    expectShape(vander(zeros([5]), 4), [5, 4]);
  });
  it("nothing is known of any", () => {
    const index = JSON.parse("[0, 1]").map((place: number) => tensor(place, { dtype: "int64" }))[1];
    expectTypeOf(zeros([3, 4]).index([index])).toEqualTypeOf<Tensor<number[], "float32">>();
    zeros([3, 4]).assign_([index, index], 1);
    expectTypeOf(zeros([3, 4]).sub(index).shape).toEqualTypeOf<readonly number[]>();
  });
  it("a diagonal has as many rows as columns", () => {
    expectShape(diagEmbed(x), [2, 3, 4, 4]);
    expectShape(x.diagEmbed(-2), [2, 3, 6, 6]);
    expectTypeOf(x.diagEmbed(0, 0, 1)).toEqualTypeOf<Tensor<[number, number, number, number], "float32">>();
  });
});

describe("images", () => {
  const images = zeros([2, 8, 6, 10]);
  it("are resampled to sizes, or to multiples of theirs", () => {
    expectShape(interpolate(images, { size: [3, 5] }), [2, 8, 3, 5]);
    expectShape(interpolate(images, { size: 7 }), [2, 8, 7, 7]);
    expectShape(interpolate(images, { scaleFactor: 2, mode: "bilinear" }), [2, 8, 12, 20]);
    expectShape(upsampleNearest(images, { scaleFactor: [2, 3] }), [2, 8, 12, 30]);
    expectTypeOf(interpolate(images, { scaleFactor: 1.5 })).toEqualTypeOf<
      Tensor<[2, 8, number, number], "float32">
    >();
    expectShape(affineGrid(zeros([2, 2, 3]), [2, 8, 6, 10]), [2, 6, 10, 2]);
  });
  it("channels become places, and places channels", () => {
    expectShape(pixelShuffle(images, 2), [2, 2, 12, 20]);
    expectShape(pixelUnshuffle(images, 2), [2, 32, 3, 5]);
    expectShape(glu(images), [2, 8, 6, 5]);
    expectShape(glu(images, 1), [2, 4, 6, 10]);
  });
});

describe("derivatives", () => {
  const v = ones([3]);
  const rows = (u: Tensor<[3], "float32">) => ones([2, 3]).matmul(u);
  it("of a vector by a vector are a matrix", () => {
    expectShape(func.jacrev(rows)(v), [2, 3]);
    expectShape(func.jacfwd(rows)(v), [2, 3]);
    expectShape(func.hessian((u: Tensor<[3], "float32">) => u.square().sum())(v), [3, 3]);
    expectShape(func.hessian(rows)(v), [2, 3, 3]);
  });
  it("of several by several are a tree", () => {
    const both = (p: { a: Tensor<[3], "float32">; b: Tensor<[], "float32"> }) =>
      [rows(p.a), p.b.mul(2)] as const;
    const [first, second] = func.jacrev(both)({ a: v, b: ones([]) });
    expectShape(first.a, [2, 3]);
    expectShape(first.b, [2]);
    expectShape(second.a, [3]);
  });
  it("by forward mode have the dtype of the result", () => {
    const wide = (u: Tensor<[3], "float32">) => u.to("float64").square();
    expectTensor(func.jacfwd(wide)(v), [3, 3], "float64");
    expectTensor(func.jacrev(wide)(v), [3, 3], "float32");
    // @ts-expect-error -- a Hessian has nothing beside it
    expect(() => func.hessian(wide, { hasAux: true })).toThrow("unknown option");
  });
  it("come with what the function returns beside its result", () => {
    const [jacobian, aux] = func.jacrev((u: Tensor<[3], "float32">) => [rows(u), "seen"] as const, {
      hasAux: true,
    })(v);
    expectShape(jacobian, [2, 3]);
    expectTypeOf(aux).toEqualTypeOf<"seen">();
  });
});

describe("functions and classes of any size", () => {
  class Layer<In extends number, Out extends number> {
    readonly weight: Tensor<[Out, In], "float32">;
    constructor(weight: Tensor<[Out, In], "float32">) {
      this.weight = weight;
    }
    forward(x: Tensor<[number, In], "float32">) {
      return linear(x, this.weight);
    }
  }
  const attend = <B extends number>(x: Tensor<[B, 5, 8], "float32">) => scaledDotProductAttention(x, x, x);
  const loss = <N extends number>(x: Tensor<[N, 3], "float32">, y: Tensor<[N], "int64">) =>
    crossEntropy(x, y);
  const ends = <N extends number>(x: Tensor<[N, 3], "float32">) => [x.select(0, 0), x.select(0, -1)] as const;
  it("name the first place and the last", () => {
    expectShape(ends(zeros([4, 3]))[0], [3]);
  });
  it("call layers and losses", () => {
    expectTypeOf(new Layer(zeros([2, 3])).forward(zeros([7, 3])).shape).toExtend<readonly number[]>();
    expect(attend(zeros([4, 5, 8])).shape).toEqual([4, 5, 8]);
    expect(loss(zeros([2, 3]), tensor([0n, 1n])).shape).toEqual([]);
  });
});
