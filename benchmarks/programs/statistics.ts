import { cdist, full, oneHot, stack, where, zeros } from "fuseau";
import { doubles, floats, integers, positive, program, truths } from "./program.ts";

const table = { x: floats(2_000, 200) };
const long = { x: floats(500_000) };
const pair = { x: floats(300_000), y: floats(300_000) };

export const statistics = [
  program(
    "columns of mean 0 and deviation 1",
    table,
    "(x - x.mean(0)) / x.std(0)",
    ({ x }) => x.sub(x.mean(0)).div(x.std(0)),
    ({ x }) => {
      const centred = x.sub(x.mean(0));
      return centred.mul(centred.square().sum(0).div(1_999).rsqrt());
    },
  ),
  program(
    "covariance of columns",
    { x: floats(5_000, 64) },
    "torch.cov(x.t())",
    ({ x }) => x.t().cov(),
    ({ x }) => {
      const centred = x.sub(x.mean(0));
      return centred.t().matmul(centred).div(4_999);
    },
  ),
  program(
    "correlation of columns",
    { x: floats(5_000, 64) },
    "torch.corrcoef(x.t())",
    ({ x }) => x.t().corrcoef(),
    ({ x }) => {
      const scores = x.sub(x.mean(0)).div(x.std(0));
      return scores.t().matmul(scores).div(4_999);
    },
  ),
  program(
    "Pearson's r of two series",
    pair,
    "((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()).norm() * (y - y.mean()).norm())",
    ({ x, y }) => {
      const [a, b] = [x.sub(x.mean()), y.sub(y.mean())];
      return a.mul(b).sum().div(a.norm().mul(b.norm()));
    },
    ({ x, y }) => x.sub(x.mean()).div(x.std()).mul(y.sub(y.mean()).div(y.std())).sum().div(299_999),
  ),
  program(
    "skewness and kurtosis",
    long,
    "torch.stack([((x - x.mean()) / x.std()).pow(3).mean() + 1, ((x - x.mean()) / x.std()).pow(4).mean()])",
    ({ x }) => {
      const z = x.sub(x.mean()).div(x.std());
      return stack([z.pow(3).mean().add(1), z.pow(4).mean()]);
    },
    ({ x }) => {
      const centred = x.sub(x.mean());
      const square = centred.square();
      const variance = square.sum().div(499_999);
      return stack([
        square.mul(centred).mean().div(variance.pow(1.5)).add(1),
        square.square().mean().div(variance.square()),
      ]);
    },
  ),
  program(
    "extremes, mean and deviation of rows",
    table,
    "torch.stack([x.amin(1), x.amax(1), x.mean(1), x.std(1)])",
    ({ x }) => stack([x.amin(1), x.amax(1), x.mean(1), x.std(1)]),
    ({ x }) => {
      const t = x.t();
      return stack([t.amin(0), t.amax(0), t.mean(0), t.std(0)]);
    },
  ),
  program(
    "means of 100 groups",
    { x: floats(100_000, 4), group: integers(100, 100_000) },
    "torch.zeros(100, 4).index_add(0, group, x) / torch.bincount(group, minlength=100).unsqueeze(1)",
    ({ x, group }) => zeros([100, 4]).indexAdd(0, group, x).div(group.bincount(null, 100).unsqueeze(1)),
    ({ x, group }) =>
      zeros([100, 4])
        .scatterAdd(0, group.unsqueeze(1).expand([100_000, 4]), x)
        .div(group.reshape([-1]).bincount(null, 100).reshape([100, 1])),
  ),
  program(
    "mean where a mask is set",
    { x: floats(1_000, 500), mask: truths(1_000, 500) },
    "x.masked_fill(~mask, 0).sum(1) / mask.sum(1)",
    ({ x, mask }) => x.maskedFill(mask.logicalNot(), 0).sum(1).div(mask.sum(1)),
    ({ x, mask }) => where(mask, x, 0).sum(1).div(mask.to("float32").sum(1)),
  ),
  program(
    "outliers clipped at three deviations",
    long,
    "x.clamp(x.mean() - 1.2 * x.std(), x.mean() + 1.2 * x.std())",
    ({ x }) => {
      const [mean, reach] = [x.mean(), x.std().mul(1.2)];
      return x.minimum(mean.add(reach)).maximum(mean.sub(reach));
    },
    ({ x }) => {
      const z = x.sub(x.mean()).div(x.std());
      return z.clamp(-1.2, 1.2).mul(x.std()).add(x.mean());
    },
  ),
  program(
    "counts of 64 even bins",
    long,
    "torch.histc(x, 64, -1, 1)",
    ({ x }) => x.histc({ bins: 64, min: -1, max: 1 }),
    ({ x }) => x.add(1).mul(32).floor().clamp(0, 63).to("int64").bincount(null, 64).float(),
  ),
  program(
    "quartiles of columns",
    { x: floats(5_000, 20) },
    "torch.quantile(x, torch.tensor([0.25, 0.5, 0.75]), dim=0)",
    ({ x }) => x.quantile([0.25, 0.5, 0.75], 0),
    ({ x }) => {
      const sorted = x.t().sort(1).values;
      const at = (q: number) => {
        const place = q * 4_999;
        const low = Math.floor(place);
        return sorted.select(1, low).lerp(sorted.select(1, low + 1), place - low);
      };
      return stack([at(0.25), at(0.5), at(0.75)]);
    },
  ),
  program(
    "logarithm of a mixture's density",
    { x: floats(100_000), mean: floats(8), scale: positive(8) },
    "torch.logsumexp(-0.5 * ((x.unsqueeze(1) - mean) / scale).square() - scale.log(), 1)",
    ({ x, mean, scale }) =>
      x.unsqueeze(1).sub(mean).div(scale).square().mul(-0.5).sub(scale.log()).logsumexp([1]),
    ({ x, mean, scale }) =>
      x
        .sub(mean.unsqueeze(1))
        .div(scale.unsqueeze(1))
        .square()
        .mul(-0.5)
        .sub(scale.log().unsqueeze(1))
        .logsumexp([0]),
  ),
  program(
    "means over a window of 25",
    long,
    "x.unfold(0, 25, 1).mean(1)",
    ({ x }) => x.unfold(0, 25, 1).mean(1),
    ({ x }) => {
      const sums = x.to("float64").cumsum(0);
      const first = sums.narrow(0, 24, 1);
      const rest = sums.narrow(0, 25, 499_975).sub(sums.narrow(0, 0, 499_975));
      return full([499_976], 0, { dtype: "float64" })
        .sliceScatter(first, 0, 0, 1)
        .sliceScatter(rest, 0, 1)
        .div(25)
        .float();
    },
  ),
  program(
    "weighted mean and variance, float64",
    { x: doubles(200_000), w: doubles(200_000) },
    "torch.stack([(x * w.abs()).sum() / w.abs().sum() + 1, ((x - (x * w.abs()).sum() / w.abs().sum()).square() * w.abs()).sum() / w.abs().sum()])",
    ({ x, w }) => {
      const weight = w.abs();
      const mean = x.mul(weight).sum().div(weight.sum());
      return stack([mean.add(1), x.sub(mean).square().mul(weight).sum().div(weight.sum())]);
    },
    ({ x, w }) => {
      const share = w.abs().div(w.abs().sum());
      const mean = share.mul(x).sum();
      return stack([mean.add(1), share.mul(x.square()).sum().sub(mean.square())]);
    },
  ),
  program(
    "nearest of 16 centres",
    { x: floats(20_000, 8), centres: floats(16, 8) },
    "torch.cdist(x, centres).amin(1)",
    ({ x, centres }) => cdist(x.reshape([20_000, 8]), centres.reshape([16, 8])).amin(1),
    ({ x, centres }) => x.unsqueeze(1).sub(centres).square().sum(2).amin(1).sqrt(),
  ),
  program(
    "table of two classes",
    { a: integers(12, 200_000), b: integers(9, 200_000) },
    "torch.bincount(a * 9 + b, minlength=108).reshape(12, 9)",
    ({ a, b }) => a.mul(9).add(b).bincount(null, 108).reshape([12, 9]),
    ({ a, b }) => oneHot(a, 12).float().t().matmul(oneHot(b, 9).float()).to("int64"),
  ),
  program(
    "points less their mean, over their deviation",
    { x: floats(100_000, 3) },
    "(x - x.mean(0)) / x.std(0)",
    ({ x }) => x.sub(x.mean(0)).div(x.std(0)),
    ({ x }) => {
      const centred = x.sub(x.mean(0));
      return centred.mul(centred.square().sum(0).div(99_999).rsqrt());
    },
  ),
  program(
    "shares down a few columns",
    { x: floats(4_000, 5) },
    "x.softmax(0)",
    ({ x }) => x.softmax(0),
    ({ x }) => x.exp().div(x.exp().sum(0)),
  ),
  program(
    "entropy down a few columns",
    { x: floats(4_000, 13) },
    "-(x.softmax(0) * x.log_softmax(0)).sum(0)",
    ({ x }) => x.softmax(0).mul(x.logSoftmax(0)).sum(0).neg(),
    ({ x }) => {
      const shares = x.softmax(0);
      return shares.mul(shares.log()).sum(0).neg();
    },
  ),
  program(
    "log shares down the columns",
    { x: floats(1_000, 200) },
    "x.log_softmax(0)",
    ({ x }) => x.logSoftmax(0),
    ({ x }) => x.sub(x.logsumexp(0)),
  ),
  program(
    "log shares of short rows",
    { x: floats(5_000, 20) },
    "x.log_softmax(1)",
    ({ x }) => x.logSoftmax(1),
    ({ x }) => x.sub(x.logsumexp(1, { keepdim: true })),
  ),
  program(
    "sums of columns with a margin",
    { x: floats(1_000, 331) },
    "F.pad(x, (2, 3)).sum(0)",
    ({ x }) => x.pad([2, 3]).sum(0),
    ({ x }) => x.sum(0).pad([2, 3]),
  ),
  program(
    "log odds, squashed",
    { x: positive(500_000) },
    "torch.sigmoid(torch.logit(x, eps=1e-6))",
    ({ x }) => x.logit(1e-6).sigmoid(),
    ({ x }) => {
      const share = x.clamp(1e-6, 1 - 1e-6);
      return share.div(share.neg().add(1)).log().neg().exp().add(1).reciprocal();
    },
  ),
  program(
    "rows plus the exponential of a column",
    { x: floats(3_000, 100), y: floats(3_000, 1) },
    "x + y.exp()",
    ({ x, y }) => x.add(y.exp()),
    ({ x, y }) => x.exp().mul(y.exp().exp()).log(),
  ),
  program(
    "two products, added to a fifth array",
    { a: floats(252_053), b: floats(252_053), c: floats(252_053), d: floats(252_053), e: floats(252_053) },
    "a * b + c * d + e",
    ({ a, b, c, d, e }) => a.mul(b).add(c.mul(d)).add(e),
    ({ a, b, c, d, e }) => e.add(c.mul(d)).add(a.mul(b)),
  ),
];
