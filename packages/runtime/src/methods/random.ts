/**
 * Random numbers, drawn from a generator when the op is recorded, that overwrite the tensor for all that see its elements. Each is
 * PyTorch's op of the same name, with numbers of its own.
 * @throws DTypeError for dtypes that a distribution does not have, RangeError for parameters that make none.
 */
import { randomFill } from "../declare/random-fills.ts";
import * as ops from "../ops/random.ts";
import { type GeneratorOptions, generatorOf } from "../random/generator.ts";
import { Tensor, unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";

/** Uniform on [from, to); floats only. */
export const uniform_ = randomFill<[from?: number, to?: number, options?: GeneratorOptions]>(
  "uniform_(from, to, { generator })",
  ({ node: { shape, dtype } }, from = 0, to = 1, options) =>
    ops.uniform(generatorOf(options), shape, dtype, from, to),
);

/** Normal; floats only. */
export const normal_ = randomFill<[mean?: number, std?: number, options?: GeneratorOptions]>(
  "normal_(mean, std, { generator })",
  ({ node: { shape, dtype } }, mean = 0, std = 1, options) =>
    ops.normal(generatorOf(options), shape, dtype, mean, std),
);

/** exp of normal numbers; floats only. */
export const logNormal_ = randomFill<[mean?: number, std?: number, options?: GeneratorOptions]>(
  "logNormal_(mean, std, { generator })",
  (x, mean = 1, std = 2, options) => ops.logNormal(generatorOf(options), x, mean, std),
);

/** Exponential, of rate `lambda`; floats only. */
export const exponential_ = randomFill<[lambda?: number, options?: GeneratorOptions]>(
  "exponential_(lambda, { generator })",
  (x, lambda = 1, options) => ops.exponential(generatorOf(options), x, lambda),
);

/** Cauchy; floats only. */
export const cauchy_ = randomFill<[median?: number, sigma?: number, options?: GeneratorOptions]>(
  "cauchy_(median, sigma, { generator })",
  (x, median = 0, sigma = 1, options) => ops.cauchy(generatorOf(options), x, median, sigma),
);

/** The number of trials up to the first success, each of probability p. */
export const geometric_ = randomFill<[p: number, options?: GeneratorOptions]>(
  "geometric_(p, { generator })",
  (x, p, options) => ops.geometric(generatorOf(options), x, p),
);

type Integer = number | bigint;

/**
 * Integers from `from` (0) up to `to`, without it. With no `to`, up to the largest that the dtype holds; of a float, up to the
 * largest below which it holds all integers.
 */
export const random_ = randomFill<[from?: Integer, to?: Integer | null, options?: GeneratorOptions]>(
  "random_(from, to, { generator })",
  ({ node: { shape, dtype } }, from = 0, to = null, options) => {
    const low = ops.integerArgument("from", from);
    const high = to === null ? ops.largestInteger(dtype) + 1n : ops.integerArgument("to", to);
    return ops.integersBetween(generatorOf(options), shape, dtype, low, high);
  },
);

/** 1 with probability p, a number or a tensor of probabilities that is computed at the call, else 0. */
export const bernoulli_ = randomFill<[p?: number | AnyTensor, options?: GeneratorOptions]>(
  "bernoulli_(p, { generator })",
  ({ node: { shape, dtype } }, p = 0.5, options) => {
    const generator = generatorOf(options);
    if (!(p instanceof Tensor)) return ops.bernoulli(generator, shape, dtype, p);
    return ops.bernoulliOf("bernoulli_", generator, shape, dtype, unwrap(p));
  },
);
