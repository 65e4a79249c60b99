/**
 * Random tensors. Each is PyTorch's function of the same name. The numbers are not PyTorch's: they are those of Philox4x32-10 under the
 * generator's seed, drawn when the op is recorded. docs/random.md says which.
 */
import {
  type Broadcast,
  type CheckShape,
  checkNumber,
  checkShape,
  type DType,
  type FloatDType,
  type Shape,
  showArgument,
} from "@fuseau/ir";
import { elementsOfAll } from "../autograd/whole.ts";
import { declareFunction } from "../declare/declaration.ts";
import { isOptions, optionsLast } from "../entry/inspect.ts";
import { dtypeOr } from "../ops/creation.ts";
import { softmax } from "../ops/normalization.ts";
import { as, onlyFloat, torchName } from "../ops/operand.ts";
import { add, div, eq, gt, log, mul, neg, sub, where } from "../ops/pointwise.ts";
import * as ops from "../ops/random.ts";
import { position } from "../ops/reduction.ts";
import { drawOpen, drawWide } from "../ops/words.ts";
import {
  defaultGenerator,
  type Generator,
  type GeneratorOptions,
  type GeneratorState,
  generatorOf,
} from "../random/generator.ts";
import * as record from "../record.ts";
import { detached } from "../tape/detached.ts";
import { type ShapeKey, Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor, Fits, ShapeOf } from "../tensor/types.ts";
import { Value } from "../value.ts";
import { declareMade, type MadeOptions } from "./made.ts";

export {
  defaultGenerator,
  Generator,
  type GeneratorOptions,
  type GeneratorState,
} from "../random/generator.ts";

/** The dtype of what is made, and where its numbers come from. */
export interface RandomOptions<D extends DType = DType> extends GeneratorOptions, MadeOptions {
  readonly dtype?: D;
}

/**
 * Starts the default generator's sequence of a seed; returns the generator.
 * @throws TypeError unless the seed is an integer, RangeError beyond 64 bits.
 */
export const manualSeed = declareFunction(
  "manualSeed(seed)",
  (seed: number | bigint): Generator => defaultGenerator.manualSeed(seed),
);

/** Starts the default generator's sequence of a seed that the host chooses; returns the seed. */
export const seed = declareFunction("seed()", (): bigint => defaultGenerator.seed());

/** The seed of the default generator. */
export const initialSeed = declareFunction("initialSeed()", (): bigint => defaultGenerator.initialSeed());

/** The state of the default generator. */
export const getRngState = declareFunction(
  "getRngState()",
  (): GeneratorState => defaultGenerator.getState(),
);

/**
 * Restores a state of the default generator.
 * @throws TypeError unless `getRngState` returned it.
 */
export const setRngState = declareFunction("setRngState(state)", (state: GeneratorState): void => {
  defaultGenerator.setState(state);
});

type Distribution = (generator: Generator, shape: Shape, dtype: DType) => Value;

/* @__NO_SIDE_EFFECTS__ */
const drawn = (name: string, draw: Distribution) =>
  declareMade(
    `${name}(shape, { dtype, generator })`,
    <const R extends readonly number[], D extends FloatDType = "float32">(
      shape: CheckShape<R>,
      options?: RandomOptions<D>,
    ): Tensor<[...R], NoInfer<D>> => {
      const dtype = dtypeOr(options?.dtype, "float32");
      return wrap(draw(generatorOf(options), shape as R, dtype));
    },
  );

/** Uniform on [0, 1); float32 by default. One word an element, for float64 two. @throws DTypeError unless floating. */
export const rand = drawn("rand", ops.uniform);

/**
 * Normal numbers with mean 0 and variance 1, by the Box-Muller transform; float32 by default. Two words an element, for float64 four.
 * @throws DTypeError unless floating.
 */
export const randn = drawn("randn", ops.normal);

/* @__NO_SIDE_EFFECTS__ */
const drawnLike = (name: string, draw: Distribution) =>
  declareMade(
    `${name}(input, { dtype, generator })`,
    <T extends AnyTensor, D extends DType = T["dtype"]>(
      x: T,
      options?: RandomOptions<D>,
    ): Tensor<T[ShapeKey], NoInfer<D>> => {
      const { dtype, shape } = unwrap(x).node;
      const result = dtypeOr(options?.dtype, dtype);
      return wrap(draw(generatorOf(options), shape, result));
    },
  );

/** {@link rand} of another tensor's shape and dtype. */
export const randLike = drawnLike("randLike", ops.uniform);

/** {@link randn} of another tensor's shape and dtype. */
export const randnLike = drawnLike("randnLike", ops.normal);

type Integer = number | bigint;

/**
 * Integers from `low` (0) up to but without `high`; int64 by default. One word an element; two for more than 2^20 integers.
 * @throws RangeError when there are none, or the dtype does not hold all of them exactly.
 */
export const randint = declareMade(
  "randint(high, shape, { dtype, generator } | low, high, shape, { dtype, generator })",
  drawIntegers,
);

function drawIntegers<const R extends readonly number[], D extends DType = "int64">(
  high: Integer,
  shape: CheckShape<R>,
  options?: RandomOptions<D>,
): Tensor<[...R], NoInfer<D>>;
function drawIntegers<const R extends readonly number[], D extends DType = "int64">(
  low: Integer,
  high: Integer,
  shape: CheckShape<R>,
  options?: RandomOptions<D>,
): Tensor<[...R], NoInfer<D>>;
function drawIntegers(
  first: Integer,
  second: Integer | readonly number[],
  third?: readonly number[] | RandomOptions,
  fourth?: RandomOptions,
): AnyTensor {
  const [low, high, shape, options] = (
    Array.isArray(second) ? [0, first, second, optionsLast("randint", third)] : [first, second, third, fourth]
  ) as [Integer, Integer, readonly number[], RandomOptions | undefined];
  return wrap(integers(low, high, shape, dtypeOr(options?.dtype, "int64"), options));
}

function integers(
  low: Integer,
  high: Integer,
  shape: readonly number[],
  dtype: DType,
  options: GeneratorOptions | undefined,
): ReturnType<typeof ops.integersBetween> {
  const from = ops.integerArgument("low", low);
  const to = ops.integerArgument("high", high);
  return ops.integersBetween(generatorOf(options), shape, dtype, from, to);
}

/** {@link randint} of another tensor's shape and dtype. */
export const randintLike = declareMade(
  "randintLike(input, high, { dtype, generator } | input, low, high, { dtype, generator })",
  drawIntegersLike,
);

function drawIntegersLike<T extends AnyTensor, D extends DType = T["dtype"]>(
  x: T,
  high: Integer,
  options?: RandomOptions<D>,
): Tensor<T[ShapeKey], NoInfer<D>>;
function drawIntegersLike<T extends AnyTensor, D extends DType = T["dtype"]>(
  x: T,
  low: Integer,
  high: Integer,
  options?: RandomOptions<D>,
): Tensor<T[ShapeKey], NoInfer<D>>;
function drawIntegersLike(
  x: AnyTensor,
  first: Integer,
  second?: Integer | RandomOptions,
  third?: RandomOptions,
): AnyTensor {
  const { dtype, shape } = unwrap(x).node;
  const ranged = second !== undefined && !isOptions(second);
  const [low, high, options] = (ranged ? [first, second, third] : [0, first, second]) as [
    Integer,
    Integer,
    RandomOptions | undefined,
  ];
  const result = dtypeOr(options?.dtype, dtype);
  return wrap(integers(low, high, shape, result, options));
}

/** The integers 0 … n − 1 in random order; int64 by default. Two words an element. @throws RangeError for a negative n. */
export const randperm = declareMade(
  "randperm(n, { dtype, generator })",
  <const N extends number, D extends DType = "int64">(
    n: N,
    options?: RandomOptions<D>,
  ): Tensor<[N], NoInfer<D>> => {
    const [generator, dtype] = [generatorOf(options), dtypeOr(options?.dtype, "int64")];
    if (!Number.isInteger(n)) throw new TypeError(`argument 'n' must be int, not ${showArgument(n)}`);
    if (n < 0) throw new RangeError(`n must be non-negative, got ${n}`);
    checkShape([n]);
    if (BigInt(n) > ops.largestInteger(dtype))
      throw new RangeError(`n is too large for result tensor type: '${torchName[dtype]}' (n is ${n})`);
    return wrap(record.cast(record.argsort(drawWide(generator, [n]), 0, false), dtype));
  },
);

/**
 * Normal numbers with the mean and the standard deviation at each place; or of a given shape, with one mean and one deviation. A tensor of
 * deviations is computed at the call.
 * @throws RangeError for a negative deviation.
 */
export const normal = declareMade(
  "normal(mean, std, { generator } | mean, std, shape, { dtype, generator })",
  drawNormal,
);

function drawNormal<const M extends AnyTensor, const S extends AnyTensor>(
  mean: M,
  std: Fits<M, S>,
  options?: GeneratorOptions,
): Tensor<Broadcast<ShapeOf<M>, ShapeOf<S>>, M["dtype"]>;
function drawNormal<T extends AnyTensor>(
  mean: T,
  std?: number,
  options?: GeneratorOptions,
): Tensor<T[ShapeKey], T["dtype"]>;
function drawNormal<T extends AnyTensor>(
  mean: number,
  std: T,
  options?: GeneratorOptions,
): Tensor<T[ShapeKey], T["dtype"]>;
function drawNormal<const R extends readonly number[], D extends FloatDType = "float32">(
  mean: number,
  std: number,
  shape: CheckShape<R>,
  options?: RandomOptions<D>,
): Tensor<[...R], NoInfer<D>>;
function drawNormal(
  mean: number | AnyTensor,
  std: number | AnyTensor = 1,
  third?: readonly number[] | GeneratorOptions,
  fourth?: RandomOptions,
): AnyTensor {
  if (!(mean instanceof Tensor) && !(std instanceof Tensor)) {
    const dtype = dtypeOr(fourth?.dtype, "float32");
    const source = generatorOf(fourth);
    return wrap(ops.normal(source, third as readonly number[], dtype, mean, std));
  }
  const generator = generatorOf(optionsLast<GeneratorOptions>("normal", third));
  const [means, deviations] = [mean, std].map((each) => (each instanceof Tensor ? unwrap(each) : each)) as [
    Value | number,
    Value | number,
  ];
  return wrap(normalAround(generator, means, deviations));
}

/**
 * Normal numbers, each with a mean and a standard deviation of its own. They have the mean's dtype if that is a tensor, else the
 * deviation's. Deviations are computed at the call.
 * @throws RangeError when a deviation is negative or NaN.
 */
function normalAround(generator: Generator, mean: Value | number, std: Value | number): Value {
  if (std instanceof Value) {
    const deviations = elementsOfAll("normal", record.cast(std, "float64")) as Float64Array;
    if (deviations.some((deviation) => !(deviation >= 0)))
      throw new RangeError("normal expects all elements of std >= 0.0");
  } else {
    checkNumber("std", std);
    if (!(std >= 0)) throw new RangeError(`normal expects std >= 0.0, but found std ${std}`);
  }
  const { shape } = add(mean, std).node;
  const { dtype } = (mean instanceof Value ? mean : (std as Value)).node;
  return record.cast(add(mul(ops.normal(generator, shape, dtype), std), mean), dtype);
}

/** Options of {@link rrelu}. */
export interface RreluOptions extends GeneratorOptions {
  /** Draws the slopes; if false, each is the mean of the bounds. Default false. */
  readonly training?: boolean;
}

/**
 * x above zero, slope·x below. In training, slopes are drawn between `lower` (1/8) and `upper` (1/3) (Xu et al., 2015).
 * @throws RangeError when `lower` is above `upper`; DTypeError unless x is floating.
 */
export const rrelu = declareFunction(
  "rrelu(input, lower, upper, { training, generator })",
  <T extends AnyTensor>(
    input: T,
    lower = 1 / 8,
    upper = 1 / 3,
    options: RreluOptions = {},
  ): Tensor<T[ShapeKey], T["dtype"]> => {
    const x = onlyFloat(unwrap(input));
    const { dtype, shape } = x.node;
    checkNumber("lower", lower);
    checkNumber("upper", upper);
    if (!(lower <= upper))
      throw new RangeError(
        `Lower bound should be less than or equal to the upper bound (${lower}, ${upper})`,
      );
    const slope =
      (options.training ?? false)
        ? ops.uniform(generatorOf(options), shape, dtype, lower, upper)
        : (lower + upper) / 2;
    return wrap(where(gt(x, 0), x, mul(x, slope)));
  },
);

/** Options of {@link gumbelSoftmax}. */
export interface GumbelSoftmaxOptions extends GeneratorOptions {
  /** The temperature: near 0, samples are nearly one-hot. Default 1. */
  readonly tau?: number;
  /** Returns one-hot samples, with the gradient of the soft ones. Default false. */
  readonly hard?: boolean;
  /** Default −1. */
  readonly dim?: number;
}

/** Samples of the categories along `dim` with these logits, as weights that gradients flow through (Jang et al., 2016). */
export const gumbelSoftmax = declareFunction(
  "gumbelSoftmax(logits, { tau, hard, dim, generator })",
  <T extends AnyTensor>(logits: T, options: GumbelSoftmaxOptions = {}): Tensor<T[ShapeKey], T["dtype"]> => {
    const { tau = 1, hard = false, dim = -1 } = options;
    const x = onlyFloat(unwrap(logits));
    const { dtype, shape } = x.node;
    checkNumber("tau", tau);
    const open = drawOpen(generatorOf(options), shape, dtype === "float64");
    const noise = record.cast(neg(log(neg(log(open)))), dtype);
    const soft = softmax("gumbelSoftmax", div(add(x, noise), tau), dim, null);
    if (!hard) return wrap(soft);
    const best = position("argmax", soft, dim, true);
    const size = shape.at(dim) as number;
    const along = shape.map((_, axis) => (axis === (dim < 0 ? dim + shape.length : dim) ? size : 1));
    const places = record.reshape(record.iota("int64", size), along);
    const oneHot = where(eq(places, best), as(dtype, 1), as(dtype, 0));
    return wrap(add(sub(oneHot, detached(soft)), soft));
  },
);
