/** Ops over integers, bytes, truths and doubles: pixels as bytes, codes, counts, masks. */
import { type AnyTensor, arange, cat, type Tensor, where } from "fuseau";
import { axisOf, type Draw, type Family, type Floats, type Step } from "./chain.ts";

type Whole = Tensor<number[], "int32">;
const kept = { keepdim: true } as const;
/** Of any dtype, as the ops' types want it: what PyTorch promotes is what the chain is about. */
const floats = (x: AnyTensor): Floats => x as unknown as Floats;
/** Whole numbers of at most 8 bits, as they stand or cast. */
const whole = (x: Floats): Whole =>
  (x.dtype === ("int32" as string) || x.dtype === ("uint8" as string) || x.dtype === ("int64" as string)
    ? x
    : x.mul(40).to("int32")) as unknown as Whole;
const bytes = (x: Floats) => whole(x).bitwiseAnd(255);
const beside = (x: Floats, draw: Draw): Whole =>
  draw
    .operand(x.shape.map((size) => (draw.choices.chance(0.5) ? 1 : size)))
    .mul(20)
    .to("int32");

const steps: Readonly<Record<string, Step>> = {
  toInt32: (x) => x.to("int32"),
  toUint8: (x) => bytes(x).to("uint8"),
  toInt16: (x) => bytes(x).to("int16"),
  toInt64: (x) => x.to("int64"),
  toFloat: (x) => x.to("float32"),
  toDouble: (x) => x.to("float64"),
  toHalf: (x) => x.to("float16"),
  isPositive: (x) => x.gt(0),
  isLarge: (x, draw) => x.gt(beside(x, draw)),
  equal: (x, draw) => whole(x).eq(beside(x, draw)),
  add: (x, draw) => whole(x).add(beside(x, draw)),
  mul: (x, draw) => whole(x).mul(beside(x, draw)),
  floorDiv: (x) => whole(x).floorDivide(7),
  remainder: (x) => whole(x).remainder(10),
  and: (x, draw) => whole(x).bitwiseAnd(beside(x, draw)),
  xor: (x) => whole(x).bitwiseXor(85),
  shift: (x) => whole(x).bitwiseRightShift(2),
  scaled: (x) => x.to("float32").div(255),
  where: (x, draw) => where(x.gt(beside(x, draw)), x, 1),
  clamp: (x) => whole(x).clamp({ min: 0, max: 100 }),
  sum: (x, draw) => x.sum(axisOf(x, draw)),
  mean: (x, draw) => x.to("float32").mean(axisOf(x, draw), kept),
  amax: (x, draw) => x.amax(axisOf(x, draw), kept),
  argmax: (x, draw) => whole(x).argmax(axisOf(x, draw)),
  any: (x, draw) => x.gt(1).any(axisOf(x, draw)),
  all: (x, draw) => x.gt(-100).all(axisOf(x, draw)),
  count: (x, draw) => x.gt(0).sum(axisOf(x, draw)),
  cumsum: (x, draw) => x.cumsum(axisOf(x, draw)),
  prod: (x, draw) => x.gt(-1).to("int32").prod(axisOf(x, draw)),
  lessMean: (x, draw) => x.to("float32").sub(x.to("float32").mean(axisOf(x, draw), kept)),
  table: (x, draw) => floats(draw.operand([256]).take(bytes(x).to("int64"))),
  rows: (x, draw) => floats(draw.operand([256, 4]).indexSelect(0, bytes(x).flatten().to("int64"))),
  turned: (x) => (x.ndim > 1 ? x.transpose(-1, -2).contiguous() : x),
  flip: (x, draw) => x.flip([axisOf(x, draw)]),
  roll: (x, draw) => x.roll(1, axisOf(x, draw)),
  pad: (x) => x.pad([1, 1]),
  cat: (x, draw) => cat([x, x], axisOf(x, draw)),
  every2: (x) => x.slice([null, null, 2]),
  diff: (x) => (x.shape[0]! > 2 ? whole(x).diff(1, 0) : x),
  gather: (x, draw) => {
    const axis = axisOf(x, draw);
    return x.gather(axis, draw.places(axis, x, x.shape));
  },
  scatter: (x, draw) => {
    const axis = axisOf(x, draw);
    return x.scatterAdd(axis, draw.places(axis, x, x.shape), x);
  },
  bins: (x) => bytes(x).flatten().bincount(null, 256),
  sort: (x) => whole(x).sort(-1).values,
  product: (x, draw) => (x.ndim > 1 ? x.to("float32").matmul(draw.operand([x.shape.at(-1)!, 5])) : x),
  oneHot: (x) => (x.numel() < 50_000 ? whole(x).remainder(8).unsqueeze(-1).eq(arange(8)) : x),
  pack: (x) => (x.shape.at(-1)! % 2 === 0 ? packed(x) : x),
};

/** Two bytes as one number. */
function packed(x: Floats): AnyTensor {
  const pairs = bytes(x).unflatten(-1, [-1, 2]);
  return pairs.select(-1, 0).bitwiseLeftShift(8).bitwiseOr(pairs.select(-1, 1));
}

export const integers: Family = {
  steps,
  shape: (choices, elements) => {
    const width = choices.pick([3, 16, 100, 480, 1000]);
    const height = Math.floor(elements / width);
    return choices.pick([[height, width], [elements], [Math.floor(height / 10), 10, width]]);
  },
  rank: null,
  most: 8,
};
