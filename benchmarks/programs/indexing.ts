import { arange, cat, fullLike, oneHot, stack, where, zeros } from "fuseau";
import { floats, integers, positive, program, truths } from "./program.ts";

const rows = { x: floats(20_000, 32), at: integers(20_000, 50_000) };
const long = { x: floats(300_000), mask: truths(300_000) };

export const indexing = [
  program(
    "rows of a table",
    rows,
    "x[at]",
    ({ x, at }) => x.indexSelect(0, at),
    ({ x, at }) => x.gather(0, at.unsqueeze(1).expand([50_000, 32])),
  ),
  program(
    "rows of a table, summed",
    rows,
    "x[at].sum(1)",
    ({ x, at }) => x.indexSelect(0, at).sum(1),
    ({ x, at }) => x.sum(1).indexSelect(0, at),
  ),
  program(
    "what a mask selects",
    long,
    "x[mask]",
    ({ x, mask }) => x.maskedSelect(mask),
    ({ x, mask }) => x.take(mask.nonzero().flatten()),
  ),
  program(
    "where elements pass a bound",
    { x: floats(1_000, 300) },
    "(x > 0.5).nonzero()",
    ({ x }) => x.gt(0.5).nonzero(),
    ({ x }) => stack(x.sub(0.5).clampMin(0).nonzero({ asTuple: true }), 1),
  ),
  program(
    "elements replaced under a mask",
    long,
    "x.masked_fill(mask, 0).exp()",
    ({ x, mask }) => x.maskedFill(mask, 0).exp(),
    ({ x, mask }) => where(mask, 1, x.exp()),
  ),
  program(
    "sums at places",
    { x: floats(300_000), at: integers(1_000, 300_000) },
    "torch.zeros(1000).scatter_add(0, at, x)",
    ({ x, at }) => zeros([1_000]).scatterAdd(0, at, x),
    ({ x, at }) => at.bincount(x, 1_000),
  ),
  program(
    "one of each row",
    { x: floats(20_000, 20), at: integers(20, 20_000) },
    "x.gather(1, at.unsqueeze(1)).squeeze(1)",
    ({ x, at }) => x.gather(1, at.unsqueeze(1)).squeeze(1),
    ({ x, at }) => x.mul(oneHot(at, 20)).sum(1),
  ),
  program(
    "classes as rows of ones",
    { at: integers(50, 20_000) },
    "F.one_hot(at, 50).float()",
    ({ at }) => oneHot(at, 50).float(),
    ({ at }) => at.unsqueeze(1).eq(arange(50)).float(),
  ),
  program(
    "every second row and third column",
    { x: floats(1_500, 900) },
    "x[::2, ::3] * 2 + 1",
    ({ x }) => x.slice([null, null, 2], [null, null, 3]).mul(2).add(1),
    ({ x }) => x.mul(2).add(1).slice([null, null, 2], [null, null, 3]),
  ),
  program(
    "shifted by a row and a column",
    { x: floats(700, 700) },
    "x.roll((1, -1), (0, 1)) - x",
    ({ x }) => x.roll([1, -1], [0, 1]).sub(x),
    ({ x }) =>
      cat([x.narrow(0, 699, 1), x.narrow(0, 0, 699)], 0)
        .roll(-1, 1)
        .sub(x),
  ),
  program(
    "two halves joined the other way round",
    { x: floats(1_000, 400), y: floats(1_000, 300) },
    "torch.cat([y * 2, x], 1).relu()",
    ({ x, y }) => cat([y.mul(2), x], 1).relu(),
    ({ x, y }) => cat([y.relu().mul(2), x.relu()], 1),
  ),
  program(
    "eight tables one below the other",
    { x: floats(600, 64) },
    "torch.cat([x, x * 2, x + 1, x - 3, x.relu(), -x, x.abs(), x * x], 0)",
    ({ x }) => cat([x, x.mul(2), x.add(1), x.sub(3), x.relu(), x.neg(), x.abs(), x.square()], 0),
    ({ x }) =>
      stack([x, x.mul(2), x.add(1), x.sub(3), x.relu(), x.neg(), x.abs(), x.square()], 0).flatten(0, 1),
  ),
  program(
    "a window written into",
    { x: floats(800, 800), y: floats(400, 400) },
    "torch.cat([x[:200], torch.cat([x[200:600, :200], y, x[200:600, 600:]], 1), x[600:]], 0)",
    ({ x, y }) => x.sliceScatter(x.narrow(0, 200, 400).sliceScatter(y, 1, 200, 600), 0, 200, 600),
    ({ x, y }) => {
      const middle = cat([x.slice([200, 600], [0, 200]), y, x.slice([200, 600], [600, 800])], 1);
      return cat([x.narrow(0, 0, 200), middle, x.narrow(0, 600, 200)], 0);
    },
  ),
  program(
    "the upper triangle, doubled",
    { x: floats(800, 800) },
    "x.triu() * 2",
    ({ x }) => x.triu().mul(2),
    ({ x }) => where(arange(800).unsqueeze(1).le(arange(800)), x.mul(2), 0),
  ),
  program(
    "the counts that a table maps to",
    { at: integers(256, 500_000), table: positive(256) },
    "table[at]",
    ({ at, table }) => table.take(at),
    ({ at, table }) => table.indexSelect(0, at.to("int32")),
  ),
  program(
    "last written wins",
    { at: integers(100_000, 50_000), x: floats(100_000) },
    "x.index_fill(0, at, 0).sum()",
    ({ at, x }) => x.indexFill(0, at, 0).sum(),
    ({ at, x }) => x.mul(fullLike(x, 1).scatter(0, at, 0)).sum(),
  ),
  program(
    "the sum of rows of a table",
    { x: floats(1_217, 726), at: integers(1_217, 591) },
    "x[at].sum()",
    ({ x, at }) => x.indexSelect(0, at).sum(),
    ({ x, at }) => x.indexSelect(0, at).sum(1).sum(),
  ),
];
