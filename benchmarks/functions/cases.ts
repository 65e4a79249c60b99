/** Functions that no program of the suite is about, on a million elements or on matrices of 200 rows, each beside the same in PyTorch. */
import {
  type AnyTensor,
  affineGrid,
  arange,
  bernoulli,
  bucketize,
  cartesianProd,
  cdist,
  combinations,
  cosineSimilarity,
  embeddingBag,
  eye,
  fold,
  frexp,
  gcd,
  gridSample,
  histogram,
  igamma,
  interpolate,
  isin,
  kron,
  linalg,
  maxPool2d,
  nextafter,
  normal,
  pad,
  pdist,
  pixelShuffle,
  poisson,
  polygamma,
  randint,
  randn,
  randperm,
  searchsorted,
  special,
  tensordot,
  unfold,
  vander,
} from "fuseau";
import { floats, integers, positive, program } from "../programs/program.ts";

const [x, y, p] = [floats(1_000_000), floats(1_000_000), positive(1_000_000)];
const m = floats(1_000, 1_000);
const k = integers(100, 1_000_000);
const at = integers(1_000_000, 1_000_000);
const a = floats(200, 200);
const batch = floats(1_000, 4, 4);
const table = floats(1_000, 21);
const image = floats(1, 3, 256, 256);

/** A function has one order of writing. */
const named = <const I extends Parameters<typeof program>[1]>(
  name: string,
  inputs: I,
  torch: string,
  run: Parameters<typeof program<I>>[3],
): ReturnType<typeof program> => program(name, inputs, torch, run, run);

const symmetric = (matrix: AnyTensor): AnyTensor => matrix.matmul(matrix.t() as never) as AnyTensor;

export const functions = [
  named("randn", {}, "torch.randn(1000000)", () => randn([1_000_000])),
  named("normal", {}, "torch.normal(0., 1., (1000000,))", () => normal(0, 1, [1_000_000])),
  named("randint", {}, "torch.randint(0, 10, (1000000,))", () => randint(0, 10, [1_000_000])),
  named("randperm", {}, "torch.randperm(1000000)", () => randperm(1_000_000)),
  named("bernoulli", { p }, "torch.bernoulli(p)", ({ p }) => bernoulli(p)),
  named("poisson", { p }, "torch.poisson(p * 5)", ({ p }) => poisson(p.mul(5))),
  named("sort", { x }, "x.sort().values", ({ x }) => x.sort().values),
  named("topk", { x }, "x.topk(100).values", ({ x }) => x.topk(100).values),
  named("kthvalue", { x }, "x.kthvalue(500000).values", ({ x }) => x.kthvalue(500_000).values),
  named("median", { x }, "x.median()", ({ x }) => x.median()),
  named(
    "mode",
    { k },
    "k.reshape(1000, 1000).mode(1).values",
    ({ k }) => k.reshape([1_000, 1_000]).mode(1).values,
  ),
  named("unique", { k }, "k.unique()", ({ k }) => k.unique() as AnyTensor),
  named("uniqueConsecutive", { k }, "k.unique_consecutive()", ({ k }) => k.uniqueConsecutive() as AnyTensor),
  named("bincount", { k }, "k.bincount()", ({ k }) => k.bincount()),
  named("histogram", { x }, "x.histogram(100).hist", ({ x }) => histogram(x, { bins: 100 }).hist),
  named("searchsorted", { x, y }, "torch.searchsorted(x.sort().values, y)", ({ x, y }) =>
    searchsorted(x.sort().values, y),
  ),
  named("bucketize", { x }, "torch.bucketize(x, torch.arange(1000) / 500 - 1)", ({ x }) =>
    bucketize(x, arange(1_000).div(500).sub(1)),
  ),
  named("isin", { k }, "torch.isin(k, torch.arange(0, 100, 2))", ({ k }) => isin(k, arange(0, 100, 2))),
  named("nonzero", { x }, "(x > 0).nonzero()", ({ x }) => x.gt(0).nonzero() as AnyTensor),
  named("maskedSelect", { x }, "x.masked_select(x > 0)", ({ x }) => x.maskedSelect(x.gt(0))),
  named("maskedScatter", { x, y }, "x.masked_scatter(x > 0, y)", ({ x, y }) => x.maskedScatter(x.gt(0), y)),
  named("gather", { x, at }, "x.gather(0, at)", ({ x, at }) => x.gather(0, at)),
  named("scatterAdd", { x, y, at }, "x.scatter_add(0, at, y)", ({ x, y, at }) => x.scatterAdd(0, at, y)),
  named("scatterReduce", { x, y, at }, "x.scatter_reduce(0, at, y, 'amax')", ({ x, y, at }) =>
    x.scatterReduce(0, at, y, "amax"),
  ),
  named("cumsum", { x }, "x.cumsum(0)", ({ x }) => x.cumsum(0)),
  named("cumprod", { x }, "x.cumprod(0)", ({ x }) => x.cumprod(0)),
  named("cummax", { x }, "x.cummax(0).values", ({ x }) => x.cummax(0).values),
  named("logcumsumexp", { x }, "x.logcumsumexp(0)", ({ x }) => x.logcumsumexp(0)),
  named("repeatInterleave", { k }, "k[:100000].repeat_interleave(k[:100000])", ({ k }) =>
    k.slice([0, 100_000]).repeatInterleave(k.slice([0, 100_000])),
  ),
  named("combinations", { x }, "torch.combinations(x[:400])", ({ x }) => combinations(x.slice([0, 400]))),
  named("cartesianProd", { x }, "torch.cartesian_prod(x[:1000], x[:1000])", ({ x }) =>
    cartesianProd([x.slice([0, 1_000]), x.slice([0, 1_000])]),
  ),
  named("vander", { x }, "torch.vander(x[:100000], 8)", ({ x }) => vander(x.slice([0, 100_000]), 8)),
  named("kron", { m }, "torch.kron(m[:40, :40], m[:25, :25])", ({ m }) =>
    kron(m.slice([0, 40], [0, 40]), m.slice([0, 25], [0, 25])),
  ),
  named("tensordot", { m }, "torch.tensordot(m, m, dims=1)", ({ m }) => tensordot(m, m, 1) as AnyTensor),
  named("cdist", { m }, "torch.cdist(m[:500, :64], m[500:, :64])", ({ m }) =>
    cdist(m.slice([0, 500], [0, 64]), m.slice([500, 1_000], [0, 64])),
  ),
  named("pdist", { m }, "torch.pdist(m[:500, :64])", ({ m }) => pdist(m.slice([0, 500], [0, 64]))),
  named("cosineSimilarity", { m }, "F.cosine_similarity(m, m + 1)", ({ m }) => cosineSimilarity(m, m.add(1))),
  named("prod", { m }, "m.prod(1)", ({ m }) => m.prod(1)),
  named("logsumexp", { m }, "m.logsumexp(1)", ({ m }) => m.logsumexp(1)),
  named("norm of order 3", { m }, "m.norm(3, dim=1)", ({ m }) => m.norm(3, 1)),
  named("float64 sum", { x }, "x.double().sum()", ({ x }) => x.double().sum()),
  named("int64 sum", { k }, "k.sum()", ({ k }) => k.sum()),
  named("gcd", { k, at }, "torch.gcd(k, at)", ({ k, at }) => gcd(k, at)),
  named("lgamma", { p }, "p.lgamma()", ({ p }) => p.lgamma()),
  named("digamma", { p }, "p.digamma()", ({ p }) => p.digamma()),
  named("erfinv", { x }, "x.erfinv()", ({ x }) => x.erfinv()),
  named("igamma", { p }, "torch.special.gammainc(p, p)", ({ p }) => igamma(p, p)),
  named("polygamma", { p }, "torch.polygamma(2, p)", ({ p }) => polygamma(2, p)),
  named("zeta", { p }, "torch.special.zeta(p + 1.5, p + 1)", ({ p }) => special.zeta(p.add(1.5), p.add(1))),
  named("i0e", { x }, "torch.special.i0e(x)", ({ x }) => special.i0e(x)),
  named("frexp", { x }, "torch.frexp(x).mantissa", ({ x }) => frexp(x).mantissa),
  named("nextafter", { x, y }, "torch.nextafter(x, y)", ({ x, y }) => nextafter(x, y)),
  named("solve", { a }, "torch.linalg.solve(a, a.t())", ({ a }) => linalg.solve(a, a.t())),
  named("det", { a }, "torch.linalg.slogdet(a)[1]", ({ a }) => linalg.slogdet(a).logabsdet),
  named("cholesky", { a }, "torch.linalg.cholesky(a @ a.t() + torch.eye(200))", ({ a }) =>
    linalg.cholesky(symmetric(a).add(eye(200) as never) as AnyTensor),
  ),
  named("qr", { a }, "torch.linalg.qr(a).R.abs()", ({ a }) => linalg.qr(a).R.abs()),
  named("svd", { a }, "torch.linalg.svd(a).S", ({ a }) => linalg.svd(a).S),
  named(
    "eigh",
    { a },
    "torch.linalg.eigh(a @ a.t()).eigenvalues",
    ({ a }) => linalg.eigh(symmetric(a)).eigenvalues,
  ),
  named("lstsq", { a }, "torch.linalg.lstsq(a, a).solution", ({ a }) => linalg.lstsq(a, a).solution),
  named(
    "lstsq of a table",
    { table },
    "torch.linalg.lstsq(table[:, :20], table[:, 20:]).solution",
    ({ table }) => linalg.lstsq(table.slice(":", [0, 20]), table.slice(":", [20, null])).solution,
  ),
  named("pinv", { a }, "torch.linalg.pinv(a)", ({ a }) => linalg.pinv(a)),
  named("matrixExp", { a }, "torch.linalg.matrix_exp(a[:100, :100] / 10)", ({ a }) =>
    linalg.matrixExp(a.slice([0, 100], [0, 100]).div(10)),
  ),
  named("inv of a thousand", { batch }, "torch.linalg.inv(batch + 4 * torch.eye(4))", ({ batch }) =>
    linalg.inv(batch.add(arange(4).unsqueeze(1).eq(arange(4)).mul(4))),
  ),
  named(
    "slogdet of a thousand",
    { batch },
    "torch.linalg.slogdet(batch)[1]",
    ({ batch }) => linalg.slogdet(batch).logabsdet,
  ),
  named("svd of a thousand", { batch }, "torch.linalg.svd(batch).S", ({ batch }) => linalg.svd(batch).S),
  named(
    "eigh of a thousand",
    { batch },
    "torch.linalg.eigh(batch + batch.mT).eigenvalues",
    ({ batch }) => linalg.eigh(batch.add(batch.mT)).eigenvalues,
  ),
  named("qr of a thousand", { batch }, "torch.linalg.qr(batch).R.abs()", ({ batch }) =>
    linalg.qr(batch).R.abs(),
  ),
  named("matrixExp of a thousand", { batch }, "torch.linalg.matrix_exp(batch)", ({ batch }) =>
    linalg.matrixExp(batch),
  ),
  named(
    "interpolate, bicubic",
    { image },
    "F.interpolate(image, scale_factor=2, mode='bicubic')",
    ({ image }) => interpolate(image, { scaleFactor: 2, mode: "bicubic" }),
  ),
  named("interpolate, area", { image }, "F.interpolate(image, size=(100, 100), mode='area')", ({ image }) =>
    interpolate(image, { size: [100, 100], mode: "area" }),
  ),
  named(
    "gridSample",
    { image, theta: floats(1, 2, 3) },
    "F.grid_sample(image, F.affine_grid(theta, (1, 3, 256, 256), align_corners=False), align_corners=False)",
    ({ image, theta }) =>
      gridSample(image, affineGrid(theta, [1, 3, 256, 256], { alignCorners: false }), {
        alignCorners: false,
      }),
  ),
  named("unfold", { image }, "F.unfold(image, (3, 3))", ({ image }) => unfold(image, [3, 3])),
  named("fold", { image }, "F.fold(F.unfold(image, (3, 3)), (256, 256), (3, 3))", ({ image }) =>
    fold(unfold(image, [3, 3]), [256, 256], [3, 3]),
  ),
  named("pad, reflected", { image }, "F.pad(image, (8, 8, 8, 8), mode='reflect')", ({ image }) =>
    pad(image, [8, 8, 8, 8], { mode: "reflect" }),
  ),
  named("pixelShuffle", { image }, "F.pixel_shuffle(image.reshape(1, 48, 64, 64), 4)", ({ image }) =>
    pixelShuffle(image.reshape([1, 48, 64, 64]), 4),
  ),
  named(
    "maxPool with places",
    { image },
    "F.max_pool2d(image, 2, return_indices=True)[1]",
    ({ image }) => maxPool2d(image, 2, { returnIndices: true }).indices,
  ),
  named("embeddingBag", { m, at }, "F.embedding_bag((at % 1000).reshape(10000, 100), m)", ({ m, at }) =>
    embeddingBag(at.remainder(1_000).reshape([10_000, 100]), m),
  ),
] as const;
