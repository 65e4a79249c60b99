/**
 * Random tensors. PyTorch's functions of the same name, with numbers of their own: those of Philox4x32-10 under the
 * generator's seed, drawn when they are recorded. docs/random.md tells which.
 */

import type { Broadcast, CheckShape, DType, FloatDType } from "@fuseau/ir";
import { operation } from "../entry/operation.ts";
import { checkDType, dtypeOr } from "../ops/creation.ts";
import * as ops from "../ops/random.ts";
import { defaultGenerator, type Generator, type GeneratorState, generatorOr } from "../random/generator.ts";
import type { GeneratorOptions, MultinomialOptions, Sampled } from "../tensor/random.ts";
import { Tensor, tensorArgument, wrap } from "../tensor/tensor.ts";
import type { AnyTensor, Fits, OperandsDType, Same, ShapeOf, WithDType } from "../tensor/types.ts";
import { functionOf } from "./function-of.ts";

export { defaultGenerator, Generator, type GeneratorState } from "../random/generator.ts";

/** The dtype of what is made, and where its numbers come from. */
export interface RandomOptions<D extends DType = DType> extends GeneratorOptions {
  readonly dtype?: D;
}

/** Starts the default generator's sequence of a seed; gives the generator. @throws TypeError, RangeError. */
export const manualSeed: (seed: number | bigint) => Generator = operation(
  "manualSeed",
  "seed",
  (seed: number | bigint) => defaultGenerator.manualSeed(seed),
);

/** Starts the default generator's sequence from a seed of the host's choice; gives the seed. */
export const seed: () => bigint = operation("seed", "", () => defaultGenerator.seed());

/** The seed of the default generator. */
export const initialSeed: () => bigint = operation("initialSeed", "", () => defaultGenerator.initialSeed());

/** The state of the default generator. */
export const getRngState: () => GeneratorState = operation("getRngState", "", () =>
  defaultGenerator.getState(),
);

/** Puts the default generator back into a state. @throws TypeError for what `getRngState` does not give. */
export const setRngState: (state: GeneratorState) => void = operation(
  "setRngState",
  "state",
  (state: GeneratorState) => {
    defaultGenerator.setState(state);
  },
);

const generatorOf = (op: string, options: GeneratorOptions | undefined): Generator =>
  generatorOr(op, options?.generator);

/** Uniform on [0, 1); float32 by default. One word an element, for float64 two. @throws DTypeError unless floating. */
export const rand: <const R extends readonly number[], D extends FloatDType = "float32">(
  shape: CheckShape<R>,
  options?: RandomOptions<D>,
) => Tensor<[...R], NoInfer<D>> = operation(
  "rand",
  "shape, { dtype, generator }",
  (shape: readonly number[], options?: RandomOptions): AnyTensor => {
    const dtype = dtypeOr("rand", options?.dtype, "float32");
    return wrap(ops.uniform("rand", generatorOf("rand", options), shape, dtype));
  },
);

/**
 * Normal with mean 0 and variance 1, by Box and Muller; float32 by default. Two words an element, for float64 four.
 * @throws DTypeError unless floating.
 */
export const randn: <const R extends readonly number[], D extends FloatDType = "float32">(
  shape: CheckShape<R>,
  options?: RandomOptions<D>,
) => Tensor<[...R], NoInfer<D>> = operation(
  "randn",
  "shape, { dtype, generator }",
  (shape: readonly number[], options?: RandomOptions): AnyTensor => {
    const dtype = dtypeOr("randn", options?.dtype, "float32");
    return wrap(ops.normal("randn", generatorOf("randn", options), shape, dtype));
  },
);

type Integer = number | bigint;

/**
 * Integers from `low` (0) up to `high`, without it; int64 by default. One word an element, beyond 2^20 integers two.
 * @throws RangeError when there are none, or the dtype does not hold them all (a float: not up to its last odd integer).
 */
export const randint: {
  <const R extends readonly number[], D extends DType = "int64">(
    high: Integer,
    shape: CheckShape<R>,
    options?: RandomOptions<D>,
  ): Tensor<[...R], NoInfer<D>>;

  <const R extends readonly number[], D extends DType = "int64">(
    low: Integer,
    high: Integer,
    shape: CheckShape<R>,
    options?: RandomOptions<D>,
  ): Tensor<[...R], NoInfer<D>>;
} = operation(
  "randint",
  "high, shape, { dtype, generator } | low, high, shape, { dtype, generator }",
  (
    first: Integer,
    second: Integer | readonly number[],
    third?: readonly number[] | RandomOptions,
    fourth?: RandomOptions,
  ): AnyTensor => {
    const [low, high, shape, options] = (
      typeof second === "object" ? [0, first, second, third] : [first, second, third, fourth]
    ) as [Integer, Integer, readonly number[], RandomOptions | undefined];
    return wrap(integers("randint", low, high, shape, dtypeOr("randint", options?.dtype, "int64"), options));
  },
);

function integers(
  op: string,
  low: Integer,
  high: Integer,
  shape: readonly number[],
  dtype: DType,
  options: GeneratorOptions | undefined,
): ReturnType<typeof ops.integersBetween> {
  const from = ops.integerArgument(op, "low", low);
  const to = ops.integerArgument(op, "high", high);
  return ops.integersBetween(op, generatorOf(op, options), shape, dtype, from, to);
}

/** {@link rand} of another tensor's shape and dtype. */
export const randLike: <T extends AnyTensor, D extends DType = T["dtype"]>(
  x: T,
  options?: RandomOptions<D>,
) => WithDType<T, NoInfer<D>> = operation(
  "randLike",
  "input, { dtype, generator }",
  (x: AnyTensor, options?: RandomOptions): AnyTensor => {
    const { dtype, shape } = tensorArgument("randLike", "input", x).node;
    const result = dtypeOr("randLike", options?.dtype, dtype);
    return wrap(ops.uniform("randLike", generatorOf("randLike", options), shape, result));
  },
);

/** {@link randn} of another tensor's shape and dtype. */
export const randnLike: <T extends AnyTensor, D extends DType = T["dtype"]>(
  x: T,
  options?: RandomOptions<D>,
) => WithDType<T, NoInfer<D>> = operation(
  "randnLike",
  "input, { dtype, generator }",
  (x: AnyTensor, options?: RandomOptions): AnyTensor => {
    const { dtype, shape } = tensorArgument("randnLike", "input", x).node;
    const result = dtypeOr("randnLike", options?.dtype, dtype);
    return wrap(ops.normal("randnLike", generatorOf("randnLike", options), shape, result));
  },
);

/** {@link randint} of another tensor's shape and dtype. */
export const randintLike: {
  <T extends AnyTensor, D extends DType = T["dtype"]>(
    x: T,
    high: Integer,
    options?: RandomOptions<D>,
  ): WithDType<T, NoInfer<D>>;

  <T extends AnyTensor, D extends DType = T["dtype"]>(
    x: T,
    low: Integer,
    high: Integer,
    options?: RandomOptions<D>,
  ): WithDType<T, NoInfer<D>>;
} = operation(
  "randintLike",
  "input, high, { dtype, generator } | input, low, high, { dtype, generator }",
  (x: AnyTensor, first: Integer, second?: Integer | RandomOptions, third?: RandomOptions): AnyTensor => {
    const { dtype, shape } = tensorArgument("randintLike", "input", x).node;
    const ranged = typeof second === "number" || typeof second === "bigint";
    const [low, high, options] = ranged ? [first, second, third] : [0, first, second];
    const result = dtypeOr("randintLike", options?.dtype, dtype);
    return wrap(integers("randintLike", low, high, shape, result, options));
  },
);

/** The integers 0 … n − 1 in random order; int64 by default. Two words an element. @throws RangeError for a negative n. */
export const randperm: <const N extends number, D extends DType = "int64">(
  n: N,
  options?: RandomOptions<D>,
) => Tensor<[N], NoInfer<D>> = operation(
  "randperm",
  "n, { dtype, generator }",
  (n: number, options?: RandomOptions): AnyTensor => {
    const dtype = options?.dtype === undefined ? "int64" : checkDType("randperm", options.dtype);
    return wrap(ops.permutation(generatorOf("randperm", options), n, dtype));
  },
);

/**
 * Normal numbers, each with the mean and the standard deviation at its place; or of a shape, with one of both. A tensor of
 * deviations is computed at the call. @throws RangeError for a negative deviation.
 */
export const normal: {
  <const M extends AnyTensor, const S extends AnyTensor>(
    mean: M,
    std: Fits<M, S>,
    options?: GeneratorOptions,
  ): Tensor<Broadcast<ShapeOf<M>, ShapeOf<S>>, OperandsDType<M, S>>;

  <T extends AnyTensor>(mean: T, std?: number, options?: GeneratorOptions): Same<T>;

  <T extends AnyTensor>(mean: number, std: T, options?: GeneratorOptions): Same<T>;

  <const R extends readonly number[], D extends FloatDType = "float32">(
    mean: number,
    std: number,
    shape: CheckShape<R>,
    options?: RandomOptions<D>,
  ): Tensor<[...R], NoInfer<D>>;
} = operation(
  "normal",
  "mean, std, { generator } | mean, std, shape, { dtype, generator }",
  (
    mean: number | AnyTensor,
    std: number | AnyTensor = 1,
    third?: readonly number[] | GeneratorOptions,
    fourth?: RandomOptions,
  ): AnyTensor => {
    const options = Array.isArray(third) ? fourth : (third as GeneratorOptions | undefined);
    const generator = generatorOf("normal", options);
    if (!(mean instanceof Tensor) && !(std instanceof Tensor)) {
      const dtype = dtypeOr("normal", fourth?.dtype, "float32");
      return wrap(ops.normal("normal", generator, third as readonly number[], dtype, mean, std));
    }
    if (std instanceof Tensor) {
      const deviations = tensorArgument("normal", "std", std);
      const means = mean instanceof Tensor ? tensorArgument("normal", "mean", mean) : mean;
      return wrap(ops.normalAround(generator, means, deviations));
    }
    return wrap(ops.normalAround(generator, tensorArgument("normal", "mean", mean), std));
  },
);

/** {@link Tensor.bernoulli} */
export const bernoulli: <T extends AnyTensor>(
  x: T,
  p?: number | null,
  options?: GeneratorOptions,
) => Same<T> = functionOf("bernoulli");

/** {@link Tensor.multinomial} */
export const multinomial: <T extends AnyTensor, const N extends number>(
  x: T,
  samples: N,
  options?: MultinomialOptions,
) => Sampled<T, N> = functionOf("multinomial");

/** How {@link dropout} works. */
export interface DropoutOptions extends GeneratorOptions {
  /** Without it x comes back as it is. Default true. */
  readonly training?: boolean;
}

/**
 * x with elements set to 0 with probability `p` (0.5), and the others divided by 1 − p so that the mean stays
 * (PyTorch: `torch.nn.functional.dropout`). One word an element.
 * @throws RangeError when p is not from 0 to 1; DTypeError unless x is floating.
 */
export const dropout: <T extends AnyTensor>(x: T, p?: number, options?: DropoutOptions) => Same<T> =
  operation(
    "dropout",
    "input, p, { training, generator }",
    (x: AnyTensor, p = 0.5, options?: DropoutOptions): AnyTensor => {
      const value = tensorArgument("dropout", "input", x);
      const result = ops.dropout(generatorOf("dropout", options), value, p, options?.training ?? true);
      return result === value ? x : wrap(result);
    },
  );
