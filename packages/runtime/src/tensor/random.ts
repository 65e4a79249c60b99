import { copyInto } from "../alias/alias.ts";
import * as ops from "../ops/random.ts";
import { type Generator, generatorOr } from "../random/generator.ts";
import { type ShapeKey, Tensor, unwrap, wrap } from "./handle.ts";
import type { Narrowed } from "./pieces.ts";
import type { AnyTensor, Erased, Same } from "./types.ts";

/** Places of the last axis: T's shape with N places there, int64. */
export type Sampled<T extends AnyTensor, N extends number> = Tensor<Narrowed<T[ShapeKey], -1, N>, "int64">;

/** Where the numbers come from: the default generator, unless another is given. */
export interface GeneratorOptions {
  readonly generator?: Generator | undefined;
}

/** How {@link RandomMethods.multinomial} samples. */
export interface MultinomialOptions extends GeneratorOptions {
  /** Whether a place may come more than once. Default false. */
  readonly replacement?: boolean;
}

/**
 * Random numbers, drawn from a generator when the op is recorded. Those with an underscore overwrite the tensor, for all that
 * see its elements, and give it back. Each is PyTorch's op of the same name, with numbers of its own.
 * @throws DTypeError for dtypes that a distribution does not have, RangeError for parameters that make none.
 */
export interface RandomMethods {
  /** Uniform on [from, to); floats only. */
  uniform_<T extends AnyTensor>(this: T, from?: number, to?: number, options?: GeneratorOptions): T;
  /** Normal; floats only. */
  normal_<T extends AnyTensor>(this: T, mean?: number, std?: number, options?: GeneratorOptions): T;
  /** exp of normal numbers; floats only. */
  logNormal_<T extends AnyTensor>(this: T, mean?: number, std?: number, options?: GeneratorOptions): T;
  /** Exponential, of rate `lambda`; floats only. */
  exponential_<T extends AnyTensor>(this: T, lambda?: number, options?: GeneratorOptions): T;
  /** Cauchy; floats only. */
  cauchy_<T extends AnyTensor>(this: T, median?: number, sigma?: number, options?: GeneratorOptions): T;
  /** The number of trials up to the first success, each of probability p. */
  geometric_<T extends AnyTensor>(this: T, p: number, options?: GeneratorOptions): T;
  /**
   * Integers from `from` (0) up to `to`, without it; with no `to`, up to the largest that the dtype holds (of a float: up to
   * which it holds them all).
   */
  random_<T extends AnyTensor>(
    this: T,
    from?: number | bigint,
    to?: number | bigint | null,
    options?: GeneratorOptions,
  ): T;
  /** 1 with probability p, a number or a tensor of probabilities that is computed at the call, else 0. */
  bernoulli_<T extends AnyTensor>(this: T, p?: number | AnyTensor, options?: GeneratorOptions): T;
  /**
   * 1 with the probability that x has there, else 0, or with probability `p` everywhere. x's shape and dtype.
   * x is computed at the call.
   */
  bernoulli<T extends AnyTensor>(this: T, p?: number | null, options?: GeneratorOptions): Same<T>;
  /** Places of the last axis, `samples` for each row, drawn by weight; int64. x is computed at the call. */
  multinomial<T extends AnyTensor, const N extends number>(
    this: T,
    samples: N,
    options?: MultinomialOptions,
  ): Sampled<T, N>;
}

const generatorOf = (op: string, options: GeneratorOptions | undefined): Generator =>
  generatorOr(op, options?.generator);

export const randomMethods: Erased<RandomMethods> = {
  uniform_(from = 0, to = 1, options) {
    const { dtype, shape } = this;
    return copyInto(
      "uniform_",
      this,
      ops.uniform("uniform_", generatorOf("uniform_", options), shape, dtype, from, to),
    );
  },
  normal_(mean = 0, std = 1, options) {
    const { dtype, shape } = this;
    return copyInto(
      "normal_",
      this,
      ops.normal("normal_", generatorOf("normal_", options), shape, dtype, mean, std),
    );
  },
  logNormal_(mean = 1, std = 2, options) {
    const generator = generatorOf("logNormal_", options);
    return copyInto("logNormal_", this, ops.logNormal(generator, unwrap(this), mean, std));
  },
  exponential_(lambda = 1, options) {
    const generator = generatorOf("exponential_", options);
    return copyInto("exponential_", this, ops.exponential(generator, unwrap(this), lambda));
  },
  cauchy_(median = 0, sigma = 1, options) {
    const generator = generatorOf("cauchy_", options);
    return copyInto("cauchy_", this, ops.cauchy(generator, unwrap(this), median, sigma));
  },
  geometric_(p, options) {
    const generator = generatorOf("geometric_", options);
    return copyInto("geometric_", this, ops.geometric(generator, unwrap(this), p));
  },
  random_(from = 0, to = null, options) {
    const { dtype, shape } = this;
    const low = ops.integerArgument("random_", "from", from);
    const high = to === null ? ops.largestInteger(dtype) + 1n : ops.integerArgument("random_", "to", to);
    const generator = generatorOf("random_", options);
    return copyInto("random_", this, ops.integersBetween("random_", generator, shape, dtype, low, high));
  },
  bernoulli_(p = 0.5, options) {
    const { dtype, shape } = this;
    const generator = generatorOf("bernoulli_", options);
    const drawn =
      p instanceof Tensor
        ? ops.bernoulliOf("bernoulli_", generator, shape, dtype, unwrap(p))
        : ops.bernoulli("bernoulli_", generator, shape, dtype, p);
    return copyInto("bernoulli_", this, drawn);
  },
  bernoulli(p = null, options) {
    const { dtype, shape } = this;
    const generator = generatorOf("bernoulli", options);
    return wrap(
      p === null
        ? ops.bernoulliOf("bernoulli", generator, shape, dtype, unwrap(this))
        : ops.bernoulli("bernoulli", generator, shape, dtype, p),
    );
  },
  multinomial(samples, options) {
    const generator = generatorOf("multinomial", options);
    return wrap(ops.multinomial(generator, unwrap(this), samples, options?.replacement ?? false));
  },
};
