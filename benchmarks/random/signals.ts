/** Ops over signals and series, of batch, channels and time. */
import {
  avgPool1d,
  cat,
  conv1d,
  interpolate,
  layerNorm,
  maxPool1d,
  pad,
  stack,
  type Tensor,
  where,
} from "fuseau";
import { axisOf, type Draw, type Family, type Floats, type Step } from "./chain.ts";

type Signals = Tensor<[number, number, number], "float32">;
const signals = (x: Floats): Signals => x as unknown as Signals;
const of = (x: Floats) => {
  const [count, channels, length] = x.shape as [number, number, number];
  return { count, channels, length };
};
const kept = { keepdim: true } as const;
const ifLong =
  (step: Step): Step =>
  (x, draw) =>
    of(x).length > 16 ? step(x, draw) : x;
const padded = (mode: "reflect" | "replicate" | "circular"): Step =>
  ifLong((x) => pad(signals(x), [2, 2], { mode }));
const filter = (x: Floats, { operand, choices }: Draw, size: number): Signals =>
  signals(operand([choices.between(2, 9), of(x).channels, size]));
const late = (x: Floats, by: number) => x.narrow(2, by, of(x).length - by);
const early = (x: Floats, by: number) => x.narrow(2, 0, of(x).length - by);

const steps: Readonly<Record<string, Step>> = {
  conv: (x, draw) => conv1d(signals(x), filter(x, draw, 5), { padding: 2 }),
  conv1: (x, draw) => conv1d(signals(x), filter(x, draw, 1)),
  dilated: (x, draw) => conv1d(signals(x), filter(x, draw, 3), { padding: 4, dilation: 4 }),
  stride: ifLong((x, draw) => conv1d(signals(x), filter(x, draw, 3), { stride: 2, padding: 1 })),
  taps: (x, draw) => {
    const { channels } = of(x);
    return conv1d(signals(x), signals(draw.operand([channels, 1, 7])), { padding: 3, groups: channels });
  },
  max2: ifLong((x) => maxPool1d(signals(x), 2)),
  avg4: ifLong((x) => avgPool1d(signals(x), 4)),
  max5: (x) => maxPool1d(signals(x), 5, { stride: 1, padding: 2 }),
  avg5: (x) => avgPool1d(signals(x), 5, { stride: 1, padding: 2 }),
  up: (x) => interpolate(signals(x), { scaleFactor: 2 }),
  linear: (x) => interpolate(signals(x), { scaleFactor: 2, mode: "linear" }),
  relu: (x) => x.relu(),
  tanh: (x) => x.tanh(),
  square: (x) => x.square(),
  decibels: (x) => x.square().add(1e-6).log10().mul(10),
  bias: (x, draw) => x.add(draw.operand([of(x).channels, 1])),
  window: (x, draw) => x.mul(draw.operand([of(x).length])),
  where: (x, draw) => where(x.gt(draw.operand([of(x).channels, 1])), x, 0.5),
  diff: ifLong((x) => x.diff(1, 2)),
  diff2: ifLong((x) => x.diff(2, 2)),
  pre: ifLong((x) => late(x, 1).sub(early(x, 1).mul(0.97))),
  echo: ifLong((x) => x.add(early(x, 8).pad([8, 0]).mul(0.5))),
  roll: (x, draw) => x.roll(3, axisOf(x, draw)),
  flip: (x) => x.flip([2]),
  running: (x) => x.cumsum(2),
  envelope: (x) => x.abs().cummax(2).values,
  drawdown: (x) => x.sub(x.cummax(2).values),
  moving: ifLong((x) => {
    const sums = x.cumsum(2);
    return late(sums, 8).sub(early(sums, 8)).div(8);
  }),
  frames: ifLong((x) => x.unfold(2, 16, 8).mean(-1)),
  framesMax: ifLong((x) => x.unfold(2, 8, 4).amax(-1)),
  power: ifLong((x) => x.unfold(2, 16, 4).square().sum(-1)),
  lessMean: (x) => x.sub(x.mean(2, kept)),
  standard: (x) => x.sub(x.mean(2, kept)).div(x.std(2, kept)),
  layerNorm: (x) => layerNorm(x, [of(x).length]),
  overChannels: (x) => x.sub(x.mean(1, kept)),
  softmax: (x) => x.softmax(2),
  softmaxChannels: (x) => x.softmax(1),
  best: (x) => x.argmax(1, kept).to(x.dtype),
  peak: (x) => x.div(x.abs().amax(2, kept).add(1)),
  sum: (x, draw) => x.sum(axisOf(x, draw), kept),
  mix: (x) => x.mean(1, kept),
  every3: ifLong((x) => x.slice([], [], [null, null, 3])),
  pad: (x) => x.pad([3, 3]),
  padReflect: padded("reflect"),
  padEdge: padded("replicate"),
  padWrap: padded("circular"),
  cat: (x) => cat([x, x.neg()], 1),
  catTime: (x) => cat([x, x], 2),
  interleave: (x) => stack([x, x.square()], 3).flatten(2),
  timeFirst: (x) => x.transpose(1, 2).contiguous(),
  crossings: ifLong((x) => late(x, 1).ge(0).ne(early(x, 1).ge(0)).to(x.dtype)),
  resample: (x, draw) => x.indexSelect(2, draw.places(2, x, [of(x).length])),
  sort: (x) => (of(x).length < 300 ? x.sort(2).values : x),
  median3: ifLong((x) => {
    const [a, b, c] = [early(x, 2), x.narrow(2, 1, of(x).length - 2), late(x, 2)];
    return a.minimum(b).maximum(a.maximum(b).minimum(c));
  }),
  quantised: (x) => x.mul(16).round().div(16),
  correlation: (x) => x.matmul(x.transpose(1, 2)),
  spectrum: (x, draw) => (of(x).length <= 512 ? x.matmul(draw.operand([of(x).length, 32])) : x),
};

export const signalsAndSeries: Family = {
  steps,
  shape: (choices, elements) => {
    const [channels, length] = choices.pick([
      [1, 1000],
      [2, 4000],
      [8, 256],
      [16, 100],
      [64, 50],
      [3, 30_000],
      [1, 64],
      [40, 200],
    ]);
    return [Math.max(1, Math.floor(elements / (channels! * length!))), channels!, length!];
  },
  rank: 3,
  most: 6,
};
