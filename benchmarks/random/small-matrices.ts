/** Ops over many small matrices: points, pixels, boxes, transforms. */
import { cat, stack, where } from "fuseau";
import { axisOf, type Draw, type Family, type Floats, type Step } from "./chain.ts";

const kept = { keepdim: true } as const;
/** Operands have some of the axes of x. */
const beside = (x: Floats, draw: Draw): Floats =>
  draw.operand(x.shape.map((size) => (draw.choices.chance(0.5) ? 1 : size)));
const lastTwo = (x: Floats): Floats => (x.ndim > 1 ? (x.transpose(-1, -2) as Floats) : x);

const steps: Readonly<Record<string, Step>> = {
  add: (x, draw) => x.add(beside(x, draw)),
  mul: (x, draw) => x.mul(beside(x, draw)),
  max: (x, draw) => x.maximum(beside(x, draw)),
  where: (x, draw) => where(x.gt(beside(x, draw)), x, 0.5),
  exp: (x) => x.clamp({ max: 3 }).exp(),
  sin: (x) => x.sin(),
  sum: (x, draw) => x.sum(axisOf(x, draw)),
  mean: (x, draw) => x.mean(axisOf(x, draw), kept),
  outerSum: (x) => (x.ndim > 1 ? x.sum([0, -1]) : x.sum()),
  amax: (x, draw) => x.amax(axisOf(x, draw)),
  argmin: (x, draw) => x.argmin(axisOf(x, draw)).to(x.dtype),
  softmax: (x, draw) => x.softmax(axisOf(x, draw)),
  lessMean: (x, draw) => x.sub(x.mean(axisOf(x, draw), kept)),
  unit: (x) => x.div(x.square().sum(-1, kept).add(1).sqrt()),
  cumsum: (x, draw) => x.cumsum(axisOf(x, draw)),
  cummax: (x, draw) => x.cummax(axisOf(x, draw)).values,
  turned: (x) => lastTwo(x).contiguous(),
  addTurned: (x) => (x.ndim > 1 && x.shape.at(-1) === x.shape.at(-2) ? x.add(lastTwo(x)) : x.mul(2)),
  flip: (x, draw) => x.flip([axisOf(x, draw)]),
  roll: (x, draw) => x.roll(1, axisOf(x, draw)),
  cat: (x, draw) => cat([x, x], axisOf(x, draw)),
  stack: (x, draw) => stack([x, x], axisOf(x, draw)),
  pad: (x, { choices }) => x.pad([choices.between(0, 2), choices.between(0, 2)]),
  outer: (x) => (x.ndim < 4 && x.shape.at(-1)! < 8 ? x.unsqueeze(-1).mul(x.unsqueeze(-2)) : x),
  matmul: (x, draw) =>
    x.ndim > 1 ? x.matmul(draw.operand([x.shape.at(-1)!, draw.choices.between(1, 5)])) : x,
  gather: (x, draw) => {
    const axis = axisOf(x, draw);
    return x.gather(axis, draw.places(axis, x, x.shape));
  },
  select: (x, draw) => {
    const axis = axisOf(x, draw);
    return x.indexSelect(axis, draw.places(axis, x, [draw.choices.between(1, 6)]));
  },
  scatter: (x, draw) => {
    const axis = axisOf(x, draw);
    return x.scatterAdd(axis, draw.places(axis, x, x.shape), x);
  },
  toInt: (x) => x.mul(7).to("int32").to(x.dtype),
};

export const smallMatrices: Family = {
  steps,
  shape: (choices, elements) => {
    const [rows, columns] = [choices.between(2, 6), choices.between(2, 6)];
    const count = Math.floor(elements / (rows * columns));
    return choices.pick([
      [count, rows, columns],
      [count, rows, columns],
      [count * columns, rows],
      [10, Math.floor(count / 10), rows, columns],
    ]);
  },
  rank: null,
  most: 8,
};
