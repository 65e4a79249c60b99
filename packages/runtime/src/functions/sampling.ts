import { DTypeError, elementCount, isFloat, ShapeError, showArgument } from "@fuseau/ir";
import { elementsOfAll, ofAll } from "../autograd/whole.ts";
import { declare } from "../declare/declaration.ts";
import { elementsNow } from "../ops/host.ts";
import { torchName } from "../ops/operand.ts";
import { div, log } from "../ops/pointwise.ts";
import * as ops from "../ops/random.ts";
import { drawOpen, drawUniform } from "../ops/words.ts";
import { type GeneratorOptions, generatorOf } from "../random/generator.ts";
import * as record from "../record.ts";
import { Storage } from "../storage.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor, Narrowed } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/** Options of {@link multinomial}. */
export interface MultinomialOptions extends GeneratorOptions {
  /** True if a position may be drawn more than once. Default false. */
  readonly replacement?: boolean;
}

/**
 * 1 with the probability that x has at each place (or with probability `p` everywhere), else 0; of x's shape and dtype. x is computed at
 * the call.
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
        ? ops.bernoulliOf("bernoulli", generator, shape, dtype, x, elementsOfAll)
        : ops.bernoulli(generator, shape, dtype, p),
    );
  },
);

/**
 * Positions along the last axis, `samples` for each row, drawn by weight; int64. x is computed at the call, since its weights are checked.
 * With replacement, a sample is the first position whose running sum exceeds a uniform number. Without, the samples are the positions of
 * the largest weight / Exp(1), in order.
 * @throws ShapeError, DTypeError, RangeError.
 */
export const multinomial = declare(
  "multinomial(samples, { replacement, generator })",
  <T extends AnyTensor, const N extends number>(
    input: T,
    samples: N,
    options?: MultinomialOptions,
  ): Tensor<Narrowed<T[ShapeKey], -1, N>, "int64"> => {
    const x = unwrap(input);
    const [generator, replacement] = [generatorOf(options), options?.replacement ?? false];
    const { dtype, shape } = x.node;
    const categories = shape.at(-1) ?? 0;
    if (shape.length === 0 || shape.length > 2)
      throw new ShapeError(`prob_dist must be 1 or 2 dim (it has ${shape.length})`);
    if (!isFloat(dtype))
      throw new DTypeError(
        `multinomial only supports floating-point dtypes for input, got: ${torchName[dtype]}`,
      );
    if (!Number.isInteger(samples))
      throw new TypeError(`argument 'num_samples' must be int, not ${showArgument(samples)}`);
    if (samples <= 0) throw new RangeError(`cannot sample n_sample <= 0 samples (got ${samples})`);
    if (!replacement && samples > categories)
      throw new RangeError(
        `cannot sample n_sample > prob_dist.size(-1) samples without replacement (${samples} of ${categories}; give { replacement: true })`,
      );
    const weights = record.cast(x, "float64");
    const elements = elementsOfAll("multinomial", weights) as Float64Array;
    const rows = categories > 0 ? elements.length / categories : elementCount(shape.slice(0, -1));
    checkWeights(elements, rows, categories, replacement);
    const result = [...shape.slice(0, -1), samples];
    if (!replacement) {
      const race = div(weights, div(log(drawOpen(generator, shape, true)), -1));
      const order = record.argsort(race, shape.length - 1, true);
      const zeros = shape.map(() => 0);
      const ones = shape.map(() => 1);
      return wrap(record.slice(order, zeros, ones, result));
    }
    const [places] = ofAll([weights, drawUniform(generator, result, 53)], ([all, uniform]) => {
      const [elements, drawn] = [all, uniform].map((each) => elementsNow("multinomial", each as Value));
      const found = drawByWeights(elements as Float64Array, drawn as Float64Array, categories, samples);
      const { shape } = (uniform as Value).node;
      return [record.stored("int64", shape, new Storage("int64", found))];
    });
    return wrap(places as Value);
  },
);

/** @throws RangeError for weights that are no distribution. */
function checkWeights(elements: Float64Array, rows: number, categories: number, replacement: boolean): void {
  const wrong = elements.find((weight) => !(weight >= 0 && weight < Infinity));
  if (wrong !== undefined) {
    const message = !replacement
      ? "probability tensor contains either `inf`, `nan` or element < 0"
      : wrong < 0
        ? "invalid multinomial distribution (encountering probability entry < 0)"
        : "invalid multinomial distribution (encountering probability entry = infinity or NaN)";
    throw new RangeError(`${message}`);
  }
  for (let row = 0; row < rows; row++) {
    if (elements.subarray(row * categories, (row + 1) * categories).some((weight) => weight > 0)) continue;
    throw new RangeError("invalid multinomial distribution (sum of probabilities <= 0)");
  }
}

function drawByWeights(
  weights: Float64Array,
  uniform: Float64Array,
  categories: number,
  samples: number,
): BigInt64Array {
  const rows = uniform.length / samples;
  const places = new BigInt64Array(uniform.length);
  const running = new Float64Array(categories);
  for (let row = 0; row < rows; row++) {
    let total = 0;
    let last = 0;
    for (let k = 0; k < categories; k++) {
      const weight = weights[row * categories + k]!;
      total += weight;
      running[k] = total;
      if (weight > 0) last = k;
    }
    for (let k = row * samples; k < (row + 1) * samples; k++)
      places[k] = BigInt(Math.min(last, firstAbove(running, uniform[k]! * total)));
  }
  return places;
}

/** The first position in an ascending list whose element is above `limit`; the length if there is none. */
function firstAbove(ascending: Float64Array, limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}
