import { arange, bucketize, fullLike, searchsorted, stack, tensor, zerosLike } from "fuseau";
import { floats, integers, program } from "./program.ts";

const long = { x: floats(200_000) };
const rows = { x: floats(1_000, 200) };

export const sorting = [
  program(
    "elements in order",
    long,
    "x.sort().values",
    ({ x }) => x.sort().values,
    ({ x }) => x.take(x.argsort()),
  ),
  program(
    "rows in descending order",
    rows,
    "x.sort(1, descending=True).values",
    ({ x }) => x.sort(1, { descending: true }).values,
    ({ x }) => x.neg().sort(1).values.neg(),
  ),
  program(
    "the ten largest of each row",
    rows,
    "x.topk(10, 1).values",
    ({ x }) => x.topk(10, 1).values,
    ({ x }) => x.sort(1, { descending: true }).values.narrow(1, 0, 10),
  ),
  program(
    "ranks",
    { x: floats(50_000) },
    "x.argsort().argsort()",
    ({ x }) => x.argsort().argsort(),
    ({ x }) => {
      const order = x.argsort();
      return zerosLike(order).scatter(0, order, arange(50_000));
    },
  ),
  program(
    "one array in the order of another",
    { x: floats(100_000), y: floats(100_000) },
    "y[x.sort(stable=True).indices]",
    ({ x, y }) => y.take(x.argsort()),
    ({ x, y }) => y.gather(0, x.sort().indices),
  ),
  program(
    "medians of rows",
    rows,
    "x.median(1).values",
    ({ x }) => x.median(1).values,
    ({ x }) => x.kthvalue(100, 1).values,
  ),
  program(
    "distinct integers",
    { x: integers(1_000, 200_000) },
    "x.unique()",
    ({ x }) => x.unique(),
    ({ x }) => x.bincount(null, 1_000).nonzero().flatten(),
  ),
  program(
    "distinct integers and their counts",
    { x: integers(10_000, 200_000) },
    "x.unique(return_counts=True)[1]",
    ({ x }) => x.unique({ returnCounts: true }).counts,
    ({ x }) => x.sort().values.uniqueConsecutive({ returnCounts: true }).counts,
  ),
  program(
    "bins of given edges",
    { x: floats(200_000) },
    "torch.bucketize(x, torch.linspace(-1, 1, 33))",
    ({ x }) => bucketize(x, arange(33).div(16).sub(1)),
    ({ x }) => searchsorted(arange(33).div(16).sub(1), x),
  ),
  program(
    "places in a sorted list",
    { x: floats(100_000), y: floats(10_000) },
    "torch.searchsorted(y.sort().values, x)",
    ({ x, y }) => searchsorted(y.sort().values, x),
    ({ x, y }) => searchsorted(y, x, { sorter: y.argsort() }),
  ),
  program(
    "which class scores best",
    { x: floats(5_000, 100) },
    "x.argmax(1)",
    ({ x }) => x.argmax(1),
    ({ x }) => x.t().neg().argmin(0),
  ),
  program(
    "all but the fifty largest set to 0",
    { x: floats(500, 500) },
    "x * (x >= x.topk(50, 1).values[:, -1:])",
    ({ x }) => x.mul(x.ge(x.topk(50, 1).values.narrow(1, 49, 1))),
    ({ x }) => {
      const best = x.topk(50, 1);
      return zerosLike(x).scatter(1, best.indices, best.values);
    },
  ),
  program(
    "the trimmed mean of rows",
    rows,
    "x.sort(1).values[:, 20:180].mean(1)",
    ({ x }) => x.sort(1).values.narrow(1, 20, 160).mean(1),
    ({ x }) => {
      const [low, high] = [x.topk(20, 1, { largest: false }).values, x.topk(20, 1).values];
      return x.sum(1).sub(low.sum(1)).sub(high.sum(1)).div(160);
    },
  ),
  program(
    "the area under a curve of scores",
    { x: floats(50_000), y: floats(50_000) },
    "((x.argsort().argsort().double() * (y > 0)).sum() / (y > 0).sum() - ((y > 0).sum() - 1) / 2) / (y <= 0).sum()",
    ({ x, y }) => {
      const [hits, ranks] = [y.gt(0), x.argsort().argsort().to("float64")];
      const mean = ranks.mul(hits).sum().div(hits.sum());
      return mean.sub(hits.sum().sub(1).div(2)).div(y.le(0).sum());
    },
    ({ x, y }) => {
      const sorted = y.take(x.argsort());
      const below = sorted.le(0).to("float64").cumsum(0);
      return below
        .mul(sorted.gt(0))
        .sum()
        .div(sorted.gt(0).sum().to("float64").mul(sorted.le(0).sum()));
    },
  ),
  program(
    "values within any of three ranges",
    long,
    "((x > -0.9) & (x < -0.7)) | ((x > -0.1) & (x < 0.1)) | (x > 0.8)",
    ({ x }) =>
      x
        .gt(-0.9)
        .logicalAnd(x.lt(-0.7))
        .logicalOr(x.gt(-0.1).logicalAnd(x.lt(0.1)))
        .logicalOr(x.gt(0.8)),
    ({ x }) =>
      bucketize(x, tensor([-0.9, -0.7, -0.1, 0.1, 0.8]))
        .remainder(2)
        .eq(1),
  ),
  program(
    "the least and the largest so far",
    rows,
    "torch.stack([x.cummin(1).values, x.cummax(1).values])",
    ({ x }) => stack([x.cummin(1).values, x.cummax(1).values]),
    ({ x }) => stack([x.neg().cummax(1).values.neg(), fullLike(x, 0).sub(x).cummin(1).values.neg()]),
  ),
];
