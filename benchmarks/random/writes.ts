/** Ops that write in place: grids that are relaxed, borders, rows and columns that are set, and what is read of them afterwards. */
import { type AnyTensor, type Tensor, where } from "fuseau";
import { axisOf, type Draw, type Family, type Floats, type Step } from "./chain.ts";

const kept = { keepdim: true } as const;
const rows = (x: Floats): number => x.shape[0]!;
const columns = (x: Floats): number => x.shape[1]!;

/** A step that writes to a copy of what it is given, as the first one must, and gives it. */
const writing =
  (write: (x: Floats, draw: Draw) => void): Step =>
  (x, draw) => {
    const copy = x.clone() as Floats;
    write(copy, draw);
    return copy;
  };
const ifGrid = (write: (x: Floats, draw: Draw) => void): Step =>
  writing((x, draw) => {
    if (rows(x) > 4 && columns(x) > 4) write(x, draw);
  });
/** The part of a grid without so many rows and columns at each end, moved. */
const inner = (x: Floats, by = 1, down = 0, right = 0): Floats =>
  x.narrow(0, by + down, rows(x) - 2 * by).narrow(1, by + right, columns(x) - 2 * by) as Floats;
const every2 = (x: Floats, from: number): Floats => x.slice([from, null, 2]) as Floats;

const steps: Readonly<Record<string, Step>> = {
  relax: ifGrid((x) => {
    const around = inner(x, 1, -1)
      .add(inner(x, 1, 1))
      .add(inner(x, 1, 0, -1))
      .add(inner(x, 1, 0, 1));
    inner(x).copy_(around.mul(0.25));
  }),
  diffuse: ifGrid((x) => {
    inner(x).add_(
      inner(x, 1, -1)
        .sub(inner(x).mul(2))
        .add(inner(x, 1, 1))
        .mul(0.1),
    );
  }),
  redBlack: ifGrid((x) => {
    for (const from of [0, 1]) every2(x, from).mul_(0.9).add_(every2(x, from).mean(0, kept).mul(0.1));
  }),
  border: ifGrid((x) => {
    x.select(0, 0).fill_(0);
    x.select(0, -1).fill_(0);
    x.select(1, 0).copy_(x.select(1, 1));
    x.select(1, -1).copy_(x.select(1, -2));
  }),
  setRow: writing((x, draw) => void x.select(0, 0).copy_(draw.operand([columns(x)]))),
  setColumn: writing((x, draw) => void x.select(1, -1).copy_(draw.operand([rows(x)]))),
  addColumn: writing((x, draw) => void x.select(1, 0).add_(draw.operand([rows(x)]))),
  halves: ifGrid((x) => {
    const half = Math.floor(columns(x) / 2);
    x.narrow(1, 0, half).mul_(2);
    x.narrow(1, half, columns(x) - half).sub_(1);
  }),
  swap: ifGrid((x) => {
    const half = Math.floor(rows(x) / 2);
    const [a, b] = [x.narrow(0, 0, half), x.narrow(0, half, half)];
    const old = a.clone();
    a.copy_(b);
    b.copy_(old);
  }),
  eliminate: ifGrid((x) => {
    const below = x.narrow(0, 1, rows(x) - 1);
    below.sub_(below.select(1, 0).unsqueeze(1).mul(x.select(0, 0).tanh()));
  }),
  decay: writing((x) => void x.mul_(0.9)),
  momentum: writing((x, draw) => void x.mul_(0.9).add_(draw.operand(x.shape).mul(0.1))),
  addcmul: writing((x, draw) => void x.addcmul_(draw.operand(x.shape), x)),
  lerp: writing((x, draw) => void x.lerp_(draw.operand([columns(x)]), 0.3)),
  clamp: writing((x) => void x.clamp_({ min: -1, max: 1 })),
  masked: writing((x) => void x.maskedFill_(x.gt(1), 0)),
  relu: writing((x) => void x.relu_()),
  centre: writing((x, draw) => void x.sub_(x.mean(axisOf(x, draw), kept))),
  normalise: writing((x) => void x.div_(x.square().sum(1, kept).add(1e-3).sqrt())),
  running: writing((x, draw) => void x.copy_(x.cumsum(axisOf(x, draw)))),
  shift: writing((x) => void x.copy_(x.roll(1, 0))),
  turn: writing((x) => void x.copy_(x.flip([1]))),
  indexAdd: writing((x, draw) => {
    const at = draw.places(0, x, [Math.max(1, rows(x) >> 2)]);
    x.indexAdd_(0, at, draw.operand([Math.max(1, rows(x) >> 2), columns(x)]));
  }),
  indexCopy: writing((x, draw) => void x.indexFill_(0, draw.places(0, x, [7]), 0)),
  scatter: writing((x, draw) => {
    x.scatter_(1, draw.places(1, x, [rows(x), 1]), draw.operand([rows(x), 1]));
  }),
  scatterAdd: writing((x, draw) => {
    x.scatterAdd_(0, draw.places(0, x, x.shape), draw.operand(x.shape));
  }),
  product: writing((x, draw) => {
    if (columns(x) <= 256)
      x.copy_(x.matmul(draw.operand([columns(x), columns(x)]) as unknown as Tensor<[number, number]>));
  }),
  sin: (x) => x.sin(),
  square: (x) => x.square(),
  bias: (x, draw) => x.add(draw.operand([columns(x)])),
  where: (x, draw) => where(x.gt(draw.operand([rows(x), 1])), x, 0.5),
  turned: (x) => x.t().contiguous(),
  softmax: (x) => x.softmax(1),
  sum: (x, draw) => x.sum(axisOf(x, draw), kept),
  max: (x, draw) => x.amax(axisOf(x, draw), kept),
  gather: (x, draw): AnyTensor => x.indexSelect(0, draw.places(0, x, [rows(x)])),
};

export const writesInPlace: Family = {
  steps,
  shape: (choices, elements) => {
    const width = choices.pick([3, 8, 16, 60, 100, 256, 447, 1000, 5000]);
    return [Math.max(1, Math.floor(elements / width)), width];
  },
  rank: 2,
  most: 4,
};
