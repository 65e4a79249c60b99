/**
 * Methods that overwrite a tensor's elements with random numbers, for all tensors that share them. Numbers are drawn from a generator when
 * the op is recorded. Each method is PyTorch's op of the same name; the numbers are different ones.
 * @throws DTypeError for a dtype that the distribution does not have, RangeError for invalid parameters.
 */

import { checkNumber } from "@fuseau/ir";
import { elementsOfAll } from "../autograd/whole.ts";
import { randomFill } from "../declare/random-fills.ts";
import { add, div, exp, log, map, mul, sub } from "../ops/pointwise.ts";
import * as ops from "../ops/random.ts";
import { drawOpen } from "../ops/words.ts";
import { type GeneratorOptions, generatorOf } from "../random/generator.ts";
import { cast } from "../record.ts";
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
  ({ node: { shape, dtype } }, mean = 1, std = 2, options) => {
    checkNumber("std", std);
    if (!(std > 0)) throw new RangeError(`log_normal_ expects std > 0.0, but found std=${std}`);
    ops.checkFloat("log_normal_cpu", dtype);
    return cast(exp(ops.normal(generatorOf(options), shape, "float64", mean, std)), dtype);
  },
);

/** Exponential, of rate `lambda`: −ln u / λ; floats only. */
export const exponential_ = randomFill<[lambda?: number, options?: GeneratorOptions]>(
  "exponential_(lambda, { generator })",
  ({ node: { shape, dtype } }, lambda = 1, options) => {
    checkNumber("lambda", lambda);
    if (!(lambda > 0))
      throw new RangeError(
        `exponential_ expects lambda > 0.0, but found lambda=${lambda} (a rate is positive)`,
      );
    ops.checkFloat("exponential_cpu", dtype);
    return cast(div(log(drawOpen(generatorOf(options), shape, dtype === "float64")), -lambda), dtype);
  },
);

/** Cauchy: median + σ · tan π(u − ½); floats only. */
export const cauchy_ = randomFill<[median?: number, sigma?: number, options?: GeneratorOptions]>(
  "cauchy_(median, sigma, { generator })",
  ({ node: { shape, dtype } }, median = 0, sigma = 1, options) => {
    checkNumber("median", median);
    checkNumber("sigma", sigma);
    if (!(sigma > 0)) throw new RangeError(`cauchy_ expects sigma > 0.0, but found sigma=${sigma}`);
    ops.checkFloat("cauchy_cpu", dtype);
    const open = drawOpen(generatorOf(options), shape, dtype === "float64");
    return cast(add(mul(map("tan", mul(sub(open, 0.5), Math.PI)), sigma), median), dtype);
  },
);

/** The number of trials up to the first success, each of probability p: ⌈ln u / ln(1 − p)⌉. */
export const geometric_ = randomFill<[p: number, options?: GeneratorOptions]>(
  "geometric_(p, { generator })",
  ({ node: { shape, dtype } }, p, options) => {
    checkNumber("p", p);
    if (!(p > 0 && p < 1)) throw new RangeError(`geometric_ expects p to be in (0, 1), but got p=${p}`);
    const open = drawOpen(generatorOf(options), shape, dtype === "float64");
    return cast(map("ceil", div(log(open), Math.log1p(-p))), dtype);
  },
);

type Integer = number | bigint;

/**
 * Integers from `from` (0) up to but without `to`. Without `to`, up to the largest that the dtype holds; for a float dtype, up to the
 * largest below which it holds every integer.
 */
export const random_ = randomFill<[from?: Integer, to?: Integer | null, options?: GeneratorOptions]>(
  "random_(from, to, { generator })",
  ({ node: { shape, dtype } }, from = 0, to = null, options) => {
    const low = ops.integerArgument("from", from);
    const high = to === null ? ops.largestInteger(dtype) + 1n : ops.integerArgument("to", to);
    return ops.integersBetween(generatorOf(options), shape, dtype, low, high);
  },
);

/** 1 with probability p, else 0. p is a number, or a tensor of probabilities that is computed at the call. */
export const bernoulli_ = randomFill<[p?: number | AnyTensor, options?: GeneratorOptions]>(
  "bernoulli_(p, { generator })",
  ({ node: { shape, dtype } }, p = 0.5, options) => {
    const generator = generatorOf(options);
    if (!(p instanceof Tensor)) return ops.bernoulli(generator, shape, dtype, p);
    return ops.bernoulliOf("bernoulli_", generator, shape, dtype, unwrap(p), elementsOfAll);
  },
);
