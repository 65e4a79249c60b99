/**
 * Ops that programs are made of at random: usual ones, and all that move, window, look up, sort and scatter. Each gives float32 of a
 * shape that the next one can take.
 */
import * as fuseau from "fuseau";
import { type AnyTensor, fromTypedArray } from "fuseau";
import { randomFloats } from "../measure/inputs.ts";
import type { Choices } from "../random/choices.ts";

export type Step = (x: AnyTensor) => AnyTensor;
/** Makes a step for a shape; null where it has none. */
export type Maker = (choices: Choices, shape: readonly number[]) => Step | null;

/** Elements of a result, at most. */
export const MOST_CELLS = 2e5;

export const cellsOf = (shape: readonly number[]): number => shape.reduce((cells, size) => cells * size, 1);

export const floats = (shape: readonly number[], seed: number): AnyTensor =>
  fromTypedArray(randomFloats(cellsOf(shape), seed, 0.1, 0.9), { shape });

/** Positions below `below`. */
function positions(choices: Choices, shape: readonly number[], below: number): AnyTensor {
  const elements = BigInt64Array.from({ length: cellsOf(shape) }, () =>
    BigInt(choices.between(0, below - 1)),
  );
  return fromTypedArray(elements, { shape });
}

const float = (x: AnyTensor): AnyTensor => (x.dtype === "float32" ? x : x.to("float32"));
const at = (shape: readonly number[], axis: number): number => shape[axis < 0 ? shape.length + axis : axis]!;
const axisOf = (choices: Choices, shape: readonly number[]): number => choices.between(0, shape.length - 1);
const replaced = (shape: readonly number[], axis: number, size: number): number[] =>
  shape.map((each, k) => (k === axis ? size : each));

/** A method of the tensor or a function of the library, by name. */
export const call = (name: string, x: AnyTensor, ...args: readonly unknown[]): AnyTensor => {
  const method: unknown = Reflect.get(x, name);
  return typeof method === "function"
    ? Reflect.apply(method, x, args)
    : Reflect.apply(Reflect.get(fuseau, name), undefined, [x, ...args]);
};

const unary: Maker = (choices) => {
  const name = choices.pick([
    "exp",
    "log",
    "sqrt",
    "rsqrt",
    "sin",
    "cos",
    "tan",
    "atan",
    "asin",
    "acos",
    "sinh",
    "cosh",
    "tanh",
    "erf",
    "erfc",
    "sigmoid",
    "log1p",
    "expm1",
    "log2",
    "log10",
    "abs",
    "neg",
    "relu",
    "gelu",
    "silu",
    "softplus",
    "mish",
    "elu",
    "selu",
    "square",
    "reciprocal",
    "floor",
    "ceil",
    "round",
    "trunc",
    "sign",
    "lgamma",
    "digamma",
    "logit",
  ]);
  return (x) => call(name, x);
};

const parametric: Maker = (choices) =>
  choices.pick<Step>([
    (x) => x.add(0.7),
    (x) => x.mul(1.3),
    (x) => x.sub(0.1),
    (x) => x.div(1.7),
    (x) => x.pow(2.5),
    (x) => x.clamp(0.2, 0.8),
    (x) => call("leakyRelu", x, 0.2),
    (x) => call("hardtanh", x),
    (x) => x.remainder(0.3),
    (x) => call("fmod", x, 0.3),
  ]);

const binary: Maker = (choices, shape) => {
  const name = choices.pick([
    "add",
    "mul",
    "sub",
    "div",
    "maximum",
    "minimum",
    "atan2",
    "hypot",
    "pow",
    "logaddexp",
  ]);
  const axis = choices.between(-1, shape.length);
  const other = floats(
    axis < 0 ? shape : axis === shape.length ? shape.slice(-1) : replaced(shape, axis, 1),
    3,
  );
  return (x) => call(name, x, other);
};

const compared: Maker = (choices) => {
  const name = choices.pick(["gt", "lt", "ge", "ne"]);
  return choices.chance(0.5)
    ? (x) => fuseau.where(call(name, x, 0.5), x, x.mul(0.25))
    : (x) => x.maskedFill(call(name, x, 0.5), 0.125);
};

const folded: Maker = (choices, shape) => {
  const name = choices.pick(["sum", "mean", "amax", "amin", "prod", "logsumexp", "var", "std", "norm"]);
  const axis = axisOf(choices, shape);
  if (shape.length === 0 || at(shape, axis) < 2) return null;
  if (name === "norm") return (x) => x.square().sum(axis).sqrt();
  return (x) => call(name, x, axis);
};

const located: Maker = (choices, shape) => {
  const name = choices.pick(["argmax", "argmin"]);
  const axis = axisOf(choices, shape);
  return (x) => float(call(name, x, axis));
};

const normalised: Maker = (choices, shape) => {
  const axis = axisOf(choices, shape);
  return choices.pick<Step>([
    (x) => x.softmax(axis),
    (x) => x.logSoftmax(axis),
    (x) => fuseau.layerNorm(x, [at(shape, -1)]),
    (x) => x.sub(x.mean(axis, { keepdim: true })),
    (x) => x.div(x.square().sum(axis, { keepdim: true }).add(1).sqrt()),
    (x) => x.sub(x.amax(axis, { keepdim: true })),
  ]);
};

const scanned: Maker = (choices, shape) => {
  const axis = axisOf(choices, shape);
  const name = choices.pick(["cumsum", "cumprod", "logcumsumexp", "cummax", "cummin"]);
  if (name.startsWith("cumm"))
    return (x) => (call(name, x, axis) as unknown as { readonly values: AnyTensor }).values;
  return (x) => call(name, x, axis);
};

const modes = ["constant", "reflect", "replicate", "circular"] as const;

const padded: Maker = (choices, shape) => {
  const mode = choices.pick(modes);
  const most = mode === "constant" ? shape.length : shape.length - 1;
  const rank = choices.between(1, Math.min(3, most));
  if (rank < 1 || (mode !== "constant" && shape.length > rank + 2)) return null;
  const widths = Array.from({ length: 2 * rank }, (_, k) => {
    const size = at(shape, -1 - (k >> 1));
    return choices.between(0, Math.min(3, mode === "reflect" ? size - 1 : size));
  });
  return (x) => x.pad(widths, { mode });
};

const rolled: Maker = (choices, shape) => {
  const count = choices.between(1, shape.length);
  const axes = shape.map((_, axis) => axis).slice(-count);
  const shifts = axes.map((axis) => choices.between(-at(shape, axis), at(shape, axis)));
  return (x) => x.roll(shifts, axes);
};

const moved: Maker = (choices, shape) => {
  const axis = axisOf(choices, shape);
  const size = at(shape, axis);
  const start = choices.between(0, size >> 1);
  const length = choices.between(1, size - start);
  const order = shape.map((_, k) => k).sort(() => choices.between(0, 1) - 0.5);
  const offset = choices.between(-2, 2);
  const steps: Step[] = [
    (x) => x.flip(axis),
    (x) => x.permute(order),
    (x) => x.narrow(axis, start, length),
    (x) => x.reshape([-1]),
    (x) => x.reshape([-1, at(shape, -1)]),
    (x) => x.unsqueeze(axis),
    (x) => x.slice([null, null, 2]),
  ];
  if (shape.length > 1)
    steps.push(
      (x) => x.transpose(0, -1),
      (x) => x.tril(offset),
      (x) => x.triu(offset),
      (x) => x.diagonal(0),
      (x) => call("rot90", x),
    );
  if (size > 1) steps.push((x) => x.select(axis, start));
  return choices.pick(steps);
};

const joined: Maker = (choices, shape) => {
  const axis = axisOf(choices, shape);
  const count = choices.between(2, 4);
  const parts = (x: AnyTensor): AnyTensor[] =>
    Array.from({ length: count }, (_, k) => (k === 0 ? x : x.mul(k + 0.5)));
  return choices.pick<Step>([
    (x) => fuseau.concat(parts(x), axis),
    (x) => fuseau.stack(parts(x), axis),
    (x) => x.tile([count]),
    (x) => call("repeatInterleave", x, count, axis),
    (x) => fuseau.concat(x.chunk(count, axis).reverse(), axis),
  ]);
};

/** [N, C, ...sizes] of so many spatial axes, made of what there is. */
function image(shape: readonly number[], rank: number): number[] | null {
  if (shape.length > rank + 2) return null;
  const sizes = [...new Array<number>(rank + 2 - shape.length).fill(1), ...shape];
  return sizes.slice(2).every((size) => size >= 3) ? sizes : null;
}

const spatially =
  (
    make: (choices: Choices, sizes: readonly number[], rank: number) => Step | null,
    ranks: readonly number[],
  ): Maker =>
  (choices, shape) => {
    const rank = choices.pick(ranks);
    const sizes = image(shape, rank);
    if (sizes === null) return null;
    const step = make(choices, sizes, rank);
    return step === null ? null : (x) => step(x.reshape(sizes));
  };

const convolved = spatially(
  (choices, [, channels], rank) => {
    const filters = choices.between(1, 6);
    const kernel = Array.from({ length: rank }, () => choices.between(1, 3));
    const weight = floats([filters, channels!, ...kernel], 5);
    const options = { stride: choices.between(1, 2), padding: choices.between(0, 1), dilation: 1 };
    return (x) => call(`conv${rank}d`, x, weight, options);
  },
  [1, 2, 2, 3],
);

const convolvedBack = spatially(
  (choices, [, channels], rank) => {
    const filters = choices.between(1, 4);
    const kernel = Array.from({ length: rank }, () => choices.between(1, 3));
    const weight = floats([channels!, filters, ...kernel], 5);
    const options = { stride: choices.between(1, 2), padding: 0 };
    return (x) => call(`convTranspose${rank}d`, x, weight, options);
  },
  [1, 2, 2, 3],
);

const pooled = spatially(
  (choices, _, rank) => {
    const kernel = choices.between(2, 3);
    const options = choices.chance(0.5) ? {} : { stride: choices.between(1, 2), padding: 1 };
    const names = [
      `maxPool${rank}d`,
      `avgPool${rank}d`,
      `adaptiveAvgPool${rank}d`,
      `adaptiveMaxPool${rank}d`,
    ];
    if (rank < 3) names.push(`lpPool${rank}d`);
    const name = choices.pick(names);
    if (name.startsWith("adaptive")) return (x) => call(name, x, choices.chance(0) ? 1 : kernel);
    if (name.startsWith("lp")) return (x) => call(name, x, 2, kernel);
    return (x) => call(name, x, kernel, options);
  },
  [1, 2, 2, 3],
);

const resampled = spatially(
  (choices, sizes, rank) => {
    const mode = choices.pick(
      rank === 1
        ? ["nearest", "linear"]
        : rank === 2
          ? ["nearest", "bilinear", "bicubic", "nearest-exact"]
          : ["nearest", "trilinear"],
    );
    const size = sizes.slice(2).map((each) => choices.between(1, Math.min(2 * each, each + 7)));
    return (x) => call("interpolate", x, { size, mode });
  },
  [1, 2, 2, 3],
);

const blocks = spatially(
  (choices, sizes) => {
    const kernel = choices.between(2, 3);
    const padding = choices.between(0, 1);
    const stride = choices.between(1, 2);
    if (choices.chance(0.5)) return (x) => fuseau.unfold(x, kernel, { padding, stride });
    return (x) =>
      fuseau.fold(fuseau.unfold(x, kernel, { padding, stride }), sizes.slice(2), kernel, { padding, stride });
  },
  [2],
);

const multiplied: Maker = (choices, shape) => {
  if (shape.length < 2) return null;
  const [rows, inner] = [at(shape, -2), at(shape, -1)];
  const columns = choices.pick([1, 3, 8, 16, 33]);
  const other = floats([inner, columns], 7);
  const letters = "abcdef".slice(0, shape.length - 1);
  return choices.pick<Step>([
    (x) => x.matmul(other),
    (x) => fuseau.einsum(`${letters}k,kn->${letters}n`, x, other),
    (x) => fuseau.einsum(`${letters}k,kn->n${letters}`, x, other),
    (x) => fuseau.einsum(`${letters}k->${letters}`, x),
    (x) => fuseau.linear(x, other.t(), floats([columns], 8)),
    (x) => fuseau.matmul(x, x.transpose(-1, -2)).div(rows),
  ]);
};

const ordered: Maker = (choices, shape) => {
  const axis = axisOf(choices, shape);
  const size = at(shape, axis);
  const k = choices.between(1, Math.min(size, 5));
  const descending = choices.chance(0.5);
  return choices.pick<Step>([
    (x) => x.sort(axis, { descending }).values,
    (x) => float(x.argsort(axis, { descending })),
    (x) => x.topk(k, axis).values,
    (x) => float(x.topk(k, axis).indices),
    (x) => x.kthvalue(k, axis).values,
    (x) => x.median(axis).values,
    (x) => call("quantile", x, 0.3, axis),
  ]);
};

const lookedUp: Maker = (choices, shape) => {
  const axis = axisOf(choices, shape);
  const size = at(shape, axis);
  const count = choices.between(1, 12);
  const few = positions(choices, [count], size);
  const many = positions(choices, replaced(shape, axis, count), size);
  const flat = positions(choices, [count, 3], cellsOf(shape));
  return choices.pick<Step>([
    (x) => x.indexSelect(axis, few),
    (x) => x.gather(axis, many),
    (x) => x.take(flat),
    (x) => call("takeAlongDim", x, many, axis),
  ]);
};

const scattered: Maker = (choices, shape) => {
  const axis = axisOf(choices, shape);
  const size = at(shape, axis);
  const few = positions(choices, [size], size);
  const many = positions(choices, shape, size);
  const source = floats(shape, 9);
  const reduce = choices.pick(["sum", "prod", "amax", "amin", "mean"] as const);
  return choices.pick<Step>([
    (x) => x.scatterAdd(axis, many, source),
    (x) => x.scatter(axis, many, 0.5),
    (x) => x.indexAdd(axis, few, source),
    (x) => x.indexCopy(axis, few, source),
    (x) => x.indexFill(axis, few, 0.25),
    (x) => x.scatterReduce(axis, many, source, reduce),
  ]);
};

const random: Maker = (choices) =>
  choices.pick<Step>([
    (x) => x.add(fuseau.rand(x.shape)),
    (x) => x.mul(fuseau.randn(x.shape)),
    (x) => call("dropout", x, 0.5),
    (x) => float(fuseau.randint(0, 10, x.shape)).add(x),
  ]);

const counted: Maker = (choices) =>
  choices.pick<Step>([
    (x) => float(x.gt(0.5).cumsum(-1)),
    (x) => float(x.mul(8).to("int32").remainder(3)),
    (x) => float(x.mul(100).to("uint8")),
    (x) => x.to("float64").sin().to("float32"),
    (x) => x.to("float16").add(1).to("float32"),
    (x) => float(x.gt(0.5).any(-1)),
    (x) => float(x.mul(8).to("int64").floorDivide(3)),
  ]);

export const makers: Readonly<Record<string, Maker>> = {
  unary,
  parametric,
  binary,
  compared,
  folded,
  located,
  normalised,
  scanned,
  padded,
  rolled,
  moved,
  joined,
  convolved,
  convolvedBack,
  pooled,
  resampled,
  blocks,
  multiplied,
  ordered,
  lookedUp,
  scattered,
  random,
  counted,
};
