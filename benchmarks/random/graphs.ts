/** Ops of networks over graphs and tables: rows at edges, sums at nodes, groups, ranks. */
import { arange, cat, type Tensor, where, zeros } from "fuseau";
import type { Draw, Family, Floats, Step } from "./chain.ts";

const kept = { keepdim: true } as const;
const places = (x: Floats, draw: Draw, count: number): Tensor<number[], "int64"> =>
  draw.places(0, x, [count]);
const rowsOf = (x: Floats): number => x.shape[0]!;
const columnsOf = (x: Floats): number => x.shape[1]!;
const GROUPS = 500;
/** The group of each row. */
const groups = (x: Floats, draw: Draw): Tensor<number[], "int64"> => {
  const at = places(x, draw, rowsOf(x));
  return at.remainder(GROUPS) as Tensor<number[], "int64">;
};
const perRow = (at: Tensor<number[], "int64">, x: Floats) =>
  at.unsqueeze(1).expand([rowsOf(x), columnsOf(x)]);
const groupSums = (x: Floats, at: Tensor<number[], "int64">): Floats =>
  zeros([GROUPS, columnsOf(x)], { dtype: x.dtype }).indexAdd(0, at, x) as unknown as Floats;

const steps: Readonly<Record<string, Step>> = {
  relu: (x) => x.relu(),
  tanh: (x) => x.tanh(),
  bias: (x, draw) => x.add(draw.operand([columnsOf(x)])),
  scaleRows: (x, draw) => x.mul(draw.operand([rowsOf(x), 1])),
  linear: (x, draw) => x.matmul(draw.operand([columnsOf(x), draw.choices.between(2, 33)])),
  rows: (x, draw) => x.indexSelect(0, places(x, draw, rowsOf(x))),
  moreRows: (x, draw) => x.indexSelect(0, places(x, draw, 2 * rowsOf(x))),
  fewRows: (x, draw) => x.indexSelect(0, places(x, draw, Math.ceil(rowsOf(x) / 4))),
  message: (x, draw) => {
    const [from, to] = [places(x, draw, 2 * rowsOf(x)), places(x, draw, 2 * rowsOf(x))];
    return x.mul(0).indexAdd(0, to, x.indexSelect(0, from));
  },
  edges: (x, draw) => {
    const [from, to] = [places(x, draw, 2 * rowsOf(x)), places(x, draw, 2 * rowsOf(x))];
    return x.indexSelect(0, from).sub(x.indexSelect(0, to));
  },
  edgeCat: (x, draw) => {
    const [from, to] = [places(x, draw, rowsOf(x)), places(x, draw, rowsOf(x))];
    return cat([x.indexSelect(0, from), x.indexSelect(0, to)], 1);
  },
  distances: (x, draw) => {
    const [from, to] = [places(x, draw, 2 * rowsOf(x)), places(x, draw, 2 * rowsOf(x))];
    return x.indexSelect(0, from).sub(x.indexSelect(0, to)).square().sum(1, kept).sqrt();
  },
  groupSum: (x, draw) => groupSums(x, groups(x, draw)),
  lessGroupMean: (x, draw) => {
    const at = groups(x, draw);
    const counts = zeros([GROUPS], { dtype: x.dtype })
      .indexAdd(0, at, x.select(1, 0).mul(0).add(1))
      .clampMin(1);
    return x.sub(groupSums(x, at).div(counts.unsqueeze(1)).indexSelect(0, at));
  },
  groupSoftmax: (x, draw) => {
    const at = groups(x, draw);
    const powers = x.clamp({ max: 5 }).exp();
    return powers.div(groupSums(powers, at).indexSelect(0, at));
  },
  groupMax: (x, draw) =>
    zeros([GROUPS, columnsOf(x)], { dtype: x.dtype }).scatterReduce(0, perRow(groups(x, draw), x), x, "amax"),
  scatterRows: (x, draw) => x.scatter(0, perRow(places(x, draw, rowsOf(x)), x), x.neg()),
  unit: (x) => x.div(x.square().sum(1, kept).add(1).sqrt()),
  softmax: (x) => x.softmax(1),
  logSoftmax: (x) => x.logSoftmax(1),
  rowSum: (x) => x.sum(1, kept),
  columnMean: (x) => x.sub(x.mean(0, kept)),
  best: (x) => x.argmax(1, kept).to(x.dtype),
  chosen: (x, draw) => x.gather(1, draw.places(1, x, [rowsOf(x), 1])),
  exchanged: (x, draw) => x.gather(1, draw.places(1, x, x.shape)),
  columns: (x, draw) => x.indexSelect(1, draw.places(1, x, [draw.choices.between(1, 2 * columnsOf(x))])),
  masked: (x, draw) => where(draw.operand([rowsOf(x), 1]).gt(0), x, 0),
  sortRows: (x) => x.sort(1).values,
  sortColumn: (x) => x.indexSelect(0, x.select(1, 0).argsort()),
  top: (x) => (columnsOf(x) > 3 ? x.topk(3, 1).values : x),
  running: (x) => x.cumsum(0),
  runningRow: (x) => x.cumsum(1),
  segments: (x, draw) => {
    // Sums of runs of rows: differences of running sums.
    const ends = draw.places(0, x, [200]).sort(0).values;
    return x.cumsum(0).indexSelect(0, ends).diff(1, 0);
  },
  classes: (x) =>
    x
      .argmax(1)
      .unsqueeze(1)
      .eq(arange(columnsOf(x)))
      .to(x.dtype),
  embedding: (x, draw) =>
    draw.operand([64, 16]).indexSelect(0, x.select(1, 0).mul(8).to("int64").clamp({ min: 0, max: 63 })),
  turned: (x) => (rowsOf(x) < 20_000 ? x.t().contiguous() : x),
  reshaped: (x) => (rowsOf(x) % 2 === 0 ? x.reshape([rowsOf(x) / 2, -1]) : x),
  flat: (x) => x.reshape([-1, 1]),
  dropped: (x) => x.mul(x.sign().add(1)),
  covariance: (x) => x.t().matmul(x),
  lessFirst: (x) => x.sub(x.narrow(0, 0, 1)),
  outer: (x) => (columnsOf(x) < 9 ? x.unsqueeze(2).mul(x.unsqueeze(1)).flatten(1) : x),
};

export const graphsAndTables: Family = {
  steps,
  shape: (choices, elements) => {
    const columns = choices.pick([1, 3, 8, 16, 32, 64, 100]);
    return [Math.floor(elements / columns), columns];
  },
  rank: 2,
  most: 6,
};
