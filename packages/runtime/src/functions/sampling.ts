/** Samples by the probabilities that a tensor holds, which is computed at the call. */
import { declare } from "../declare/declaration.ts";
import * as ops from "../ops/random.ts";
import { type GeneratorOptions, generatorOf } from "../random/generator.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor, Narrowed } from "../tensor/types.ts";

/** How {@link multinomial} samples. */
export interface MultinomialOptions extends GeneratorOptions {
  /** Whether a place may come more than once. Default false. */
  readonly replacement?: boolean;
}

/**
 * 1 with the probability that x has there, else 0, or with probability `p` everywhere. x's shape and dtype.
 * x is computed at the call.
 */
export const bernoulli = declare(
  "bernoulli(p, { generator })",
  <T extends AnyTensor>(
    input: T,
    p: number | null = null,
    options?: GeneratorOptions,
  ): Tensor<T[ShapeKey], T["dtype"]> => {
    const x = unwrap(input);
    const { dtype, shape } = x.node;
    const generator = generatorOf(options);
    return wrap(
      p === null
        ? ops.bernoulliOf("bernoulli", generator, shape, dtype, x)
        : ops.bernoulli(generator, shape, dtype, p),
    );
  },
);

/** Places of the last axis, `samples` for each row, drawn by weight; int64. x is computed at the call. */
export const multinomial = declare(
  "multinomial(samples, { replacement, generator })",
  <T extends AnyTensor, const N extends number>(
    input: T,
    samples: N,
    options?: MultinomialOptions,
  ): Tensor<Narrowed<T[ShapeKey], -1, N>, "int64"> => {
    const x = unwrap(input);
    const generator = generatorOf(options);
    return wrap(ops.multinomial(generator, x, samples, options?.replacement ?? false));
  },
);
