/** Ops over images and feature maps, of batch, channels, height and width. */
import {
  adaptiveAvgPool2d,
  avgPool2d,
  cat,
  conv2d,
  gelu,
  groupNorm,
  instanceNorm,
  interpolate,
  layerNorm,
  maxPool2d,
  pad,
  pixelShuffle,
  pixelUnshuffle,
  stack,
  type Tensor,
  where,
} from "fuseau";
import { axisOf, type Draw, type Family, type Floats, type Step } from "./chain.ts";

/** As the ops' types want it: of four axes. */
type Images = Tensor<[number, number, number, number], "float32">;
const images = (x: Floats): Images => x as unknown as Images;
const of = (x: Floats) => {
  const [count, channels, height, width] = x.shape as [number, number, number, number];
  return { count, channels, height, width };
};
const kept = { keepdim: true } as const;
const weight = (x: Floats, { operand, choices }: Draw, size: number): Images =>
  images(operand([choices.between(3, 8), of(x).channels, size, size]));
const perChannel = (x: Floats, draw: Draw): Floats => draw.operand([1, of(x).channels, 1, 1]);
const perPixel = (x: Floats, draw: Draw): Floats => draw.operand([1, 1, of(x).height, of(x).width]);
/** The step where it leaves a pixel. */
const ifLarge =
  (step: Step): Step =>
  (x, draw) =>
    of(x).height > 2 && of(x).width > 2 ? step(x, draw) : x;
const padded = (mode: "reflect" | "replicate" | "circular"): Step =>
  ifLarge((x) => pad(images(x), [1, 1, 1, 1], { mode }));

const steps: Readonly<Record<string, Step>> = {
  conv: (x, draw) => conv2d(images(x), weight(x, draw, 3), { padding: 1 }),
  conv1: (x, draw) => conv2d(images(x), weight(x, draw, 1)),
  stride: (x, draw) => conv2d(images(x), weight(x, draw, 3), { stride: 2, padding: 1 }),
  depthwise: (x, draw) => {
    const { channels } = of(x);
    return conv2d(images(x), images(draw.operand([channels, 1, 3, 3])), { padding: 1, groups: channels });
  },
  max2: ifLarge((x) => maxPool2d(images(x), 2)),
  avg2: ifLarge((x) => avgPool2d(images(x), 2)),
  max3: (x) => maxPool2d(images(x), 3, { stride: 1, padding: 1 }),
  avg3: (x) => avgPool2d(images(x), 3, { stride: 1, padding: 1 }),
  adaptive: (x) => adaptiveAvgPool2d(images(x), 4),
  up: (x) => interpolate(images(x), { scaleFactor: 2 }),
  bilinear: (x) => interpolate(images(x), { scaleFactor: 2, mode: "bilinear" }),
  half: ifLarge((x) => interpolate(images(x), { scaleFactor: 0.5, mode: "bilinear" })),
  relu: (x) => x.relu(),
  sigmoid: (x) => x.sigmoid(),
  gelu: (x) => gelu(x),
  square: (x) => x.square(),
  toBytes: (x) => x.mul(50).add(128).clamp({ min: 0, max: 255 }).to("uint8").to(x.dtype),
  bias: (x, draw) => x.add(perChannel(x, draw)),
  scale: (x, draw) => x.mul(perChannel(x, draw)),
  mask: (x, draw) => x.mul(perPixel(x, draw)),
  where: (x, draw) => where(x.gt(perPixel(x, draw)), x, 0.5),
  batchNorm: (x) => {
    const rest = x.sub(x.mean([0, 2, 3], kept));
    return rest.div(rest.square().mean([0, 2, 3], kept).add(1e-5).sqrt());
  },
  instanceNorm: (x) => instanceNorm(images(x)),
  groupNorm: (x) => (of(x).channels % 2 === 0 ? groupNorm(images(x), 2) : x),
  layerNorm: (x) => layerNorm(x, [of(x).width]),
  channelSum: (x) => x.sum(1, kept),
  channelMean: (x) => x.sub(x.mean(1, kept)),
  channelMax: (x) => x.amax(1, kept),
  softmax: (x) => x.softmax(1),
  logSoftmax: (x) => x.logSoftmax(1),
  unit: (x) => x.div(x.square().sum(1, kept).add(1).sqrt()),
  rowSum: (x) => x.sum(3, kept),
  columnMax: (x) => x.sub(x.amax(2, kept)),
  spread: (x) => x.sub(x.mean([2, 3], kept)),
  toChannelsLast: (x) => x.permute([0, 2, 3, 1]).contiguous(),
  toChannelsFirst: (x) => x.permute([0, 3, 1, 2]).contiguous(),
  turned: (x) => x.transpose(2, 3).contiguous(),
  flip: (x) => x.flip([3]),
  flipUp: (x) => x.flip([2]),
  roll: (x, draw) => x.roll(1, axisOf(x, draw)),
  crop: (x) => x.narrow(2, 1, of(x).height - 1).narrow(3, 1, of(x).width - 1),
  every2: (x) => x.slice([], [], [], [null, null, 2]),
  pad: (x) => x.pad([1, 1, 1, 1]),
  padReflect: padded("reflect"),
  padEdge: padded("replicate"),
  padWrap: padded("circular"),
  cat: (x) => cat([x, x.neg()], 1),
  catRow: (x) => cat([x, x], 3),
  stackAdd: (x) => stack([x, x.square()], 0).sum(0),
  shuffle: (x) => (of(x).channels % 4 === 0 ? pixelShuffle(images(x), 2) : x),
  unshuffle: (x) => (of(x).height % 2 === 0 && of(x).width % 2 === 0 ? pixelUnshuffle(images(x), 2) : x),
  integral: (x) => x.cumsum(2).cumsum(3),
  slope: (x) => x.narrow(3, 1, of(x).width - 1).sub(x.narrow(3, 0, of(x).width - 1)),
  laplace: (x) => {
    const { height, width } = of(x);
    const around = x.pad([1, 1, 1, 1]);
    const at = (row: number, column: number) => around.narrow(2, row, height).narrow(3, column, width);
    return at(0, 1).add(at(2, 1)).add(at(1, 0)).add(at(1, 2)).sub(x.mul(4));
  },
  channels: (x, draw) => x.indexSelect(1, draw.places(1, x, [of(x).channels])),
  attention: (x) => x.mul(x.mean([2, 3], kept).sigmoid()),
  mixed: (x, draw) =>
    x
      .permute([0, 2, 3, 1])
      .matmul(draw.operand([of(x).channels, 6]))
      .permute([0, 3, 1, 2]),
  flat: (x) => x.reshape([of(x).count, of(x).channels, of(x).height * of(x).width, 1]),
  isMax: (x) => x.eq(x.amax([2, 3], kept)).to(x.dtype),
};

/** Channels, and heights. */
const maps = [
  [8, 64],
  [16, 28],
  [32, 56],
  [3, 256],
  [3, 32],
  [64, 14],
  [1, 200],
  [128, 7],
  [5, 97],
] as const;

export const imagesAndMaps: Family = {
  steps,
  shape: (choices, elements) => {
    const [channels, height] = choices.pick(maps);
    const width = choices.chance(0.7) ? height : Math.floor(height * 1.3);
    return [Math.max(1, Math.floor(elements / (channels * height * width))), channels, height, width];
  },
  rank: 4,
  most: 6,
};
