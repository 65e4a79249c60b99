/** What makes a matrix of floats, and what reads one, in all the ways that programs are made of. */
import {
  type AnyTensor,
  avgPool1d,
  cat,
  conv1d,
  dropout,
  layerNorm,
  maxPool1d,
  pad,
  rand,
  randint,
  randn,
  type Tensor,
  where,
} from "fuseau";

type Floats = Tensor<number[], "float32">;
const stored = (...shape: number[]): Floats => randn(shape).compute() as Floats;
const floats = (x: AnyTensor): Floats => x.float() as AnyTensor as Floats;
const rowsOf = (x: AnyTensor): number => x.shape[0] as number;
const columnsOf = (x: AnyTensor): number => x.shape[1] as number;
const along = { keepdim: true } as const;
/** An image of one channel for each row. */
const inRows = (x: Floats, of: (rows: AnyTensor) => AnyTensor): AnyTensor => of(x.unsqueeze(0)).squeeze(0);

export function madeOf(rows: number, columns: number): Readonly<Record<string, () => AnyTensor>> {
  const [x, y, row, column] = [
    stored(rows, columns),
    stored(rows, columns),
    stored(columns),
    stored(rows, 1),
  ];
  const positive = floats(x.abs().add(0.1)).compute();
  const mask = x.gt(0).compute();
  const [few, some, left, filters] = [
    stored(columns, 3),
    stored(columns, 16),
    stored(4, rows),
    stored(2, 1, 3),
  ];
  const places = randint(0, rows, [rows]).compute();
  const inRow = randint(0, columns, [rows, columns]).compute();
  return {
    mul: () => x.mul(y),
    exp: () => x.exp(),
    sigmoid: () => x.sigmoid(),
    pow: () => positive.pow(1.7),
    twoExpensive: () => x.tanh().add(y.exp()),
    gt: () => x.gt(y),
    int: () => x.mul(10).to("int32"),
    where: () => where(mask, x, y),
    row: () => x.mul(row),
    columnAndRow: () => x.mul(column).add(row),
    outer: () => column.mul(row),
    matmul3: () => x.matmul(few),
    matmul16: () => x.matmul(some),
    matmulOf4: () => left.matmul(x),
    cumsum0: () => x.cumsum(0),
    cumsum1: () => x.cumsum(1),
    cumprod1: () => positive.cumprod(1),
    cummax1: () => x.cummax(1).values,
    logcumsumexp1: () => x.logcumsumexp(1),
    sort1: () => x.sort(1).values,
    topk: () => x.topk(3).values,
    gather1: () => x.gather(1, inRow),
    indexSelect0: () => x.indexSelect(0, places),
    indexAdd0: () => x.indexAdd(0, places, y),
    randn: () => randn([rows, columns]),
    rand: () => rand([rows, columns]),
    dropout: () => dropout(x, 0.3),
    softmax0: () => x.softmax(0),
    softmax1: () => x.softmax(1),
    logSoftmax1: () => x.logSoftmax(1),
    layerNorm: () => layerNorm(x, [columns]),
    lessSum0: () => x.sub(x.sum(0, along)),
    lessSum1: () => x.sub(x.sum(1, along)),
    lessMax1: () => x.sub(x.amax(1, along)),
    overDeviation0: () => x.div(x.std(0, along)),
    t: () => x.t(),
    tAdded: () => x.t().add(1),
    pad: () => pad(x, [1, 2, 2, 1]),
    roll0: () => x.roll(1, 0),
    roll1: () => x.roll(1, 1),
    flip0: () => x.flip([0]),
    flip1: () => x.flip([1]),
    cat0: () => cat([x, y.mul(2)], 0),
    cat1: () => cat([x, y.mul(2)], 1),
    narrow: () => x.narrow(1, 1, columns - 2),
    difference: () => x.narrow(1, 1, columns - 1).sub(x.narrow(1, 0, columns - 1)),
    tril: () => x.tril(),
    avgPool: () => inRows(x, (rows) => avgPool1d(rows as never, 3)),
    maxPool: () => inRows(x, (rows) => maxPool1d(rows as never, 2)),
    conv1d: () => conv1d(x.unsqueeze(1) as never, filters as never).select(1, 0),
  };
}

/** Operands of readers, by what they are and their shape. */
const operands = new Map<string, AnyTensor>();
function operand(rows: number, columns: number): Floats {
  const key = `${rows}x${columns}`;
  let made = operands.get(key);
  if (made === undefined) {
    made = stored(rows, columns);
    operands.set(key, made);
  }
  return made as Floats;
}
function placesIn(count: number): AnyTensor {
  const key = `places in ${count}`;
  let made = operands.get(key);
  if (made === undefined) {
    made = randint(0, count, [Math.min(count, 3_000)]).compute();
    operands.set(key, made);
  }
  return made;
}

export const readers: Readonly<Record<string, (x: AnyTensor) => AnyTensor>> = {
  sum: (x) => x.sum(),
  sum0: (x) => x.sum(0),
  sum1: (x) => x.sum(1),
  any1: (x) => x.gt(0.5).any(1),
  amax0: (x) => x.amax(0),
  amax1: (x) => x.amax(1),
  argmax0: (x) => floats(x).argmax(0),
  argmax1: (x) => floats(x).argmax(1),
  std1: (x) => floats(x).std(1),
  norm1: (x) => floats(x).norm(2, 1),
  prod1: (x) => floats(x).mul(0.01).add(1).prod(1),
  squares1: (x) => floats(x).mul(floats(x)).sum(1),
  logsumexp1: (x) => floats(x).logsumexp(1),
  lessMean0: (x) => floats(x).sub(floats(x).mean(0, along)),
  lessMean1: (x) => floats(x).sub(floats(x).mean(1, along)),
  lessSum1Sin: (x) => floats(x).sub(floats(x).sum(1, along)).sin(),
  overMax0: (x) => floats(x).div(floats(x).amax(0, along)),
  softmax0: (x) => floats(x).softmax(0),
  softmax1: (x) => floats(x).softmax(1),
  layerNorm: (x) => layerNorm(floats(x), [columnsOf(x)]),
  mse: (x) =>
    floats(x)
      .sub(operand(rowsOf(x), columnsOf(x)))
      .square()
      .mean(),
  cumsum0: (x) => x.cumsum(0),
  cumsum1: (x) => x.cumsum(1),
  cumsumExp: (x) => floats(x).cumsum(0).mul(-0.001).exp(),
  cummax0: (x) => floats(x).cummax(0).values,
  logcumsumexp1: (x) => floats(x).logcumsumexp(1),
  sort1: (x) => floats(x).sort(1).values,
  topk: (x) => floats(x).topk(2).values,
  matmul3: (x) => floats(x).matmul(operand(columnsOf(x), 3)),
  matmul16: (x) => floats(x).matmul(operand(columnsOf(x), 16)),
  tMatmul: (x) =>
    floats(x)
      .t()
      .matmul(operand(rowsOf(x), 12)),
  rightOfMatmul: (x) => operand(6, rowsOf(x)).matmul(floats(x)),
  tanh: (x) => floats(x).tanh(),
  rowAndColumn: (x) => x.mul(operand(1, columnsOf(x))).add(operand(rowsOf(x), 1)),
  addT: (x) => floats(x).add(operand(columnsOf(x), rowsOf(x)).t()),
  tAdd: (x) => x.t().add(operand(columnsOf(x), rowsOf(x))),
  flip1: (x) => x.flip([1]),
  lessRolled: (x) => floats(x).sub(floats(x).roll(1, 1)),
  pad: (x) => pad(floats(x), [1, 1, 1, 1]),
  cat1: (x) => cat([floats(x), operand(rowsOf(x), 5)], 1),
  everySecondRow: (x) => x.slice([0, rowsOf(x), 2]),
  indexSelect0: (x) => x.indexSelect(0, placesIn(rowsOf(x)) as never),
  indexSelect1: (x) => x.indexSelect(1, placesIn(columnsOf(x)) as never),
  avgPool: (x) => inRows(floats(x), (rows) => avgPool1d(rows as never, 3, { stride: 1 })),
  maxPool: (x) => inRows(floats(x), (rows) => maxPool1d(rows as never, 2)),
};
