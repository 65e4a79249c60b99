/**
 * Initial values of parameters, written in place. PyTorch's `torch.nn.init`, pytorch.org/docs/stable/nn.init.html: its distributions, with
 * other random numbers.
 */
import { declareFunction } from "../declare/declaration.ts";
import { type AnyTensor, type Generator, noGrad, rand, randn, ShapeError, tensor } from "../js.ts";
import type { Parameter } from "./parameter.ts";

export interface InitOptions {
  /** Where numbers are drawn from; the default generator unless given. */
  readonly generator?: Generator;
}

/** The function after the layer, for {@link calculateGain}. */
export type Nonlinearity =
  | "linear"
  | "conv1d"
  | "conv2d"
  | "conv3d"
  | "convTranspose1d"
  | "convTranspose2d"
  | "convTranspose3d"
  | "sigmoid"
  | "tanh"
  | "relu"
  | "leakyRelu"
  | "selu";

export interface XavierOptions extends InitOptions {
  /** Default 1. */
  readonly gain?: number;
}

export interface KaimingOptions extends InitOptions {
  /** The slope of a leaky relu below zero. Default 0. */
  readonly a?: number;
  /** Keeps the variance of values ("fanIn", the default), or that of gradients ("fanOut"). */
  readonly mode?: "fanIn" | "fanOut";
  /** Default "leakyRelu". */
  readonly nonlinearity?: Nonlinearity;
}

/**
 * The factor of a layer's weights for the function that follows; `param` is a leaky relu's slope (0.01).
 * @throws TypeError for another word.
 */
export const calculateGain = declareFunction("calculateGain(nonlinearity: text, param?: number)", gainOf);

function gainOf(nonlinearity: Nonlinearity, param?: number): number {
  switch (nonlinearity) {
    case "tanh":
      return 5 / 3;
    case "relu":
      return Math.SQRT2;
    case "leakyRelu":
      return Math.sqrt(2 / (1 + (param ?? 0.01) ** 2));
    case "selu":
      return 3 / 4;
    case "linear":
    case "conv1d":
    case "conv2d":
    case "conv3d":
    case "convTranspose1d":
    case "convTranspose2d":
    case "convTranspose3d":
    case "sigmoid":
      return 1;
    default:
      throw new TypeError(`Unsupported nonlinearity ${String(nonlinearity satisfies never)}`);
  }
}

/** Fan in and fan out: how many inputs an output has, and how many outputs use an input. Weights are [out, in, ...kernel]. */
function fans({ shape }: AnyTensor): { readonly fanIn: number; readonly fanOut: number } {
  const [out, from, ...kernel] = shape;
  if (out === undefined || from === undefined)
    throw new ShapeError(
      `Fan in and fan out can not be computed for tensor with fewer than 2 dimensions (shape [${shape.join(", ")}])`,
    );
  const field = kernel.reduce((product, size) => product * size, 1);
  return { fanIn: from * field, fanOut: out * field };
}

const written = <T extends AnyTensor>(x: T, write: () => unknown): T => {
  noGrad(write);
  return x;
};

/** Uniform on [a, b): [0, 1) by default. */
export const uniform_ = declareFunction(
  "uniform_(x: tensor, a?: number, b?: number, { generator })",
  <T extends AnyTensor>(x: T, a = 0, b = 1, options: InitOptions = {}): T =>
    written(x, () => x.uniform_(a, b, options)),
);

/** Normal; by default with mean 0 and standard deviation 1. */
export const normal_ = declareFunction(
  "normal_(x: tensor, mean?: number, std?: number, { generator })",
  <T extends AnyTensor>(x: T, mean = 0, std = 1, options: InitOptions = {}): T =>
    written(x, () => x.normal_(mean, std, options)),
);

/** One number everywhere. */
export const constant_ = declareFunction(
  "constant_(x: tensor, value: scalar)",
  <T extends AnyTensor>(x: T, value: number): T => written(x, () => x.fill_(value)),
);

/** All zeros. */
export const zeros_ = declareFunction("zeros_(x: tensor)", <T extends AnyTensor>(x: T): T => constant_(x, 0));

/** All ones. */
export const ones_ = declareFunction("ones_(x: tensor)", <T extends AnyTensor>(x: T): T => constant_(x, 1));

/** The identity matrix. @throws ShapeError unless x has two axes. */
export const eye_ = declareFunction("eye_(x: tensor)", <T extends AnyTensor>(x: T): T => {
  if (x.ndim !== 2) throw new ShapeError(`Only tensors with 2 dimensions are supported (got ${x.ndim})`);
  return written(x, () => {
    x.zero_();
    x.diagonal().fill_(1);
  });
});

/**
 * Kernels [out, in, ...sizes] that copy channels, as far as there are equally many: 1 in the middle of the kernel from a channel to itself,
 * 0 elsewhere; for each of `groups` of channels by itself.
 * @throws ShapeError unless x has 3 to 5 axes, and a number of rows that `groups` divides.
 */
export const dirac_ = declareFunction(
  "dirac_(x: tensor, groups?: positive)",
  <T extends AnyTensor>(x: T, groups = 1): T => {
    const [out = 0, from = 0, ...sizes] = x.shape;
    if (x.ndim < 3 || x.ndim > 5)
      throw new ShapeError(`Only tensors with 3, 4, or 5 dimensions are supported (got ${x.ndim})`);
    if (!(groups > 0) || out % groups !== 0)
      throw new ShapeError(`dim 0 must be divisible by groups (${out} by ${groups})`);
    const middle = sizes.map((size) => Math.floor(size / 2));
    return written(x, () => {
      x.zero_();
      const kept = Math.min(out / groups, from);
      const center = middle.reduce((part: AnyTensor, place) => part.select(2, place), x as AnyTensor);
      for (let group = 0; group < groups; group++)
        center
          .narrow(0, (group * out) / groups, kept)
          .diagonal()
          .fill_(1);
    });
  },
);

/**
 * Normal numbers (standard deviation 0.01); in each column a part `sparsity` of them is 0 (Martens, 2010).
 * @throws ShapeError unless x has two axes.
 */
export const sparse_ = declareFunction(
  "sparse_(x: tensor, sparsity: share, std?: number, { generator })",
  <T extends Parameter>(x: T, sparsity: number, std = 0.01, options: InitOptions = {}): T => {
    const [rows = 0, columns = 0] = x.shape;
    if (x.ndim !== 2) throw new ShapeError(`Only tensors with 2 dimensions are supported (got ${x.ndim})`);
    const target: Parameter = x;
    return written(x, () => {
      const order = rand([rows, columns], generatorOf(options)).argsort(0).argsort(0);
      target.normal_(0, std, options).maskedFill_(order.lt(Math.ceil(sparsity * rows)), 0);
    });
  },
);

/** Normal numbers within [a, b] ([−2, 2] by default), drawn by the inverse of the distribution function. */
export const truncNormal_ = declareFunction(
  "truncNormal_(x: tensor, mean?: number, std?: number, a?: number, b?: number, { generator })",
  <T extends Parameter>(x: T, mean = 0, std = 1, a = -2, b = 2, options: InitOptions = {}): T => {
    const below = (bound: number): number => normalDistribution((bound - mean) / std);
    const target: Parameter = x;
    return written(x, () =>
      target
        .uniform_(2 * below(a) - 1, 2 * below(b) - 1, options)
        .erfinv_()
        .mul_(std * Math.SQRT2)
        .add_(mean)
        .clamp_(a, b),
    );
  },
);

/** Φ(x); the error function is formula 7.1.26 of Abramowitz and Stegun (error below 1.5e-7). */
function normalDistribution(x: number): number {
  const z = Math.abs(x) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * z);
  const series =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const error = 1 - series * Math.exp(-z * z);
  return x < 0 ? (1 - error) / 2 : (1 + error) / 2;
}

/** Uniform with variance gain² · 2 / (fan in + fan out). @throws ShapeError for fewer than two axes. */
export const xavierUniform_ = declareFunction(
  "xavierUniform_(x: tensor, { gain, generator })",
  <T extends AnyTensor>(x: T, { gain = 1, ...options }: XavierOptions = {}): T => {
    const { fanIn, fanOut } = fans(x);
    const bound = gain * Math.sqrt(6 / (fanIn + fanOut));
    return uniform_(x, -bound, bound, options);
  },
);

/** Normal with variance gain² · 2 / (fan in + fan out). @throws ShapeError for fewer than two axes. */
export const xavierNormal_ = declareFunction(
  "xavierNormal_(x: tensor, { gain, generator })",
  <T extends AnyTensor>(x: T, { gain = 1, ...options }: XavierOptions = {}): T => {
    const { fanIn, fanOut } = fans(x);
    return normal_(x, 0, gain * Math.sqrt(2 / (fanIn + fanOut)), options);
  },
);

/** Uniform with variance gain² / fan. @throws ShapeError for fewer than two axes. */
export const kaimingUniform_ = declareFunction(
  "kaimingUniform_(x: tensor, { a, mode, nonlinearity, generator })",
  <T extends AnyTensor>(x: T, options: KaimingOptions = {}): T => {
    const bound = Math.sqrt(3) * kaimingDeviation(x, options);
    return uniform_(x, -bound, bound, generatorOf(options));
  },
);

/** Normal with variance gain² / fan. @throws ShapeError for fewer than two axes. */
export const kaimingNormal_ = declareFunction(
  "kaimingNormal_(x: tensor, { a, mode, nonlinearity, generator })",
  <T extends AnyTensor>(x: T, options: KaimingOptions = {}): T => {
    return normal_(x, 0, kaimingDeviation(x, options), generatorOf(options));
  },
);

function kaimingDeviation(
  x: AnyTensor,
  { a = 0, mode = "fanIn", nonlinearity = "leakyRelu" }: KaimingOptions,
): number {
  const found = fans(x);
  if (!Object.hasOwn(found, mode))
    throw new TypeError(`mode ${String(mode)} not supported, please use one of "fanIn", "fanOut"`);
  return gainOf(nonlinearity, a) / Math.sqrt(found[mode]);
}

const generatorOf = ({ generator }: InitOptions): InitOptions =>
  generator === undefined ? {} : { generator };

/**
 * Orthonormal rows, with the axes after the first flattened; orthonormal columns if there are more rows. They are made of normal numbers by
 * the Gram-Schmidt process in float64. It is computed at the call.
 * @throws ShapeError for fewer than two axes.
 */
export const orthogonal_ = declareFunction(
  "orthogonal_(x: tensor, { gain, generator })",
  <T extends Parameter>(x: T, { gain = 1, ...options }: XavierOptions = {}): T => {
    const { shape } = x;
    if (shape.length < 2) throw new ShapeError("Only tensors with 2 or more dimensions are supported");
    const rows = shape[0]!;
    const columns = x.numel() / rows;
    const [count, length] = [Math.min(rows, columns), Math.max(rows, columns)];
    const numbers = randn([count, length], { dtype: "float64", ...generatorOf(options) }).toTypedArray();
    orthonormalise(numbers, count, length);
    const basis = tensor(numbers, { shape: [count, length] });
    const matrix = rows <= columns ? basis : basis.t();
    const target: Parameter = x;
    return written(x, () => target.copy_(matrix.mul(gain).reshape([...shape])));
  },
);

/** Repeated once, which is enough (Giraud, Langou and Rozložník, "The loss of orthogonality in the Gram-Schmidt process"). */
function orthonormalise(rows: Float64Array, count: number, length: number): void {
  const row = (k: number): Float64Array => rows.subarray(k * length, (k + 1) * length);
  const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, x, k) => sum + x * b[k]!, 0);
  for (let k = 0; k < count; k++) {
    const own = row(k);
    for (let pass = 0; pass < 2; pass++)
      for (let earlier = 0; earlier < k; earlier++) {
        const other = row(earlier);
        const share = dot(own, other);
        for (let c = 0; c < length; c++) own[c]! -= share * other[c]!;
      }
    const norm = Math.sqrt(dot(own, own));
    for (let c = 0; c < length; c++) own[c]! /= norm;
  }
}
