/** Closures against the text, bit for bit, where runs begin, end and cross: lengths about 256, and loops of every kind around them. */
import { arange, cat, randn, type Tensor, zeros } from "fuseau";
import { describe, expect, it } from "vitest";

type Any = Tensor<number[]>;
const at = (shape: number[]): Any => randn(shape).compute() as Any;

const same = (record: () => Any): void => {
  const [text, closures] = (["js", "closure"] as const).map((emitter) =>
    record().compute({ emitter }).toTypedArray(),
  );
  expect(closures).toEqual(text);
};

describe.each([[1], [7], [255], [256], [257], [600]])("runs over %i elements", (n) => {
  const x = at([n]);
  const rows = at([3, n]);
  const columns = at([n, 3]);
  const three = at([3]);
  it.each<[string, () => Any]>([
    ["chains", () => x.mul(2).add(x).exp().sub(1) as Any],
    ["broadcasts", () => columns.add(three).mul(columns.sum(1, { keepdim: true })) as Any],
    ["sums and maxima", () => cat([rows.sum(1), rows.amax(1), columns.sum(0)]) as Any],
    ["sums of all, over short rows", () => columns.mul(three).sum() as Any],
    ["places of the best", () => cat([rows.argmax(1), columns.argmin(1)]) as Any],
    ["scans", () => cat([rows.cumsum(1).flatten(), columns.cumsum(0).flatten()]) as Any],
    ["softmax", () => cat([rows.softmax(1).flatten(), columns.softmax(1).flatten()]) as Any],
    ["joins and flips", () => cat([x, x.flip(0).mul(2), x], 0) as Any],
    ["reshapes that strides cannot say", () => columns.t().reshape([-1]).add(1) as Any],
    ["gathers", () => columns.indexSelect(0, arange(n).mul(7).remainder(n)) as Any],
    ["scatters that meet", () => zeros([5]).scatterAdd(0, arange(n).remainder(5), x) as Any],
    ["products", () => rows.matmul(columns) as Any],
    ["int64", () => arange(n).mul(3).remainder(7).cumsum(0) as unknown as Any],
    ["compensated sums", () => rows.to("float64").mul(1e10).sum(1) as unknown as Any],
  ])("%s", (_, record) => same(record));
});

it("ends blocks of the accumulation order where they end, over one axis and over several", () => {
  const long = at([70_001]);
  const several = at([9_001, 9]);
  const weights = at([9]);
  same(() => long.sum() as Any);
  same(() => several.mul(weights).sum() as Any);
  same(() => several.sum(0) as Any);
  same(() => several.gt(0).sum() as unknown as Any);
});
