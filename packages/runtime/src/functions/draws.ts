/** Counts drawn from distributions whose parameters are tensors. Each is PyTorch's function of the same name. */
import { erfinv } from "@fuseau/compiler";
import { type Broadcast, DTypeError, type Shape } from "@fuseau/ir";
import { ofAll } from "../autograd/whole.ts";
import { declareFunction } from "../declare/declaration.ts";
import { elementsNow } from "../ops/host.ts";
import { broadcastAll } from "../ops/movement.ts";
import { torchName } from "../ops/operand.ts";
import { checkFloat } from "../ops/random.ts";
import { drawUniform } from "../ops/words.ts";
import { type GeneratorOptions, generatorOf } from "../random/generator.ts";
import * as record from "../record.ts";
import { Storage } from "../storage.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor, Fits } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/** ln n!, by Stirling's series from 20 on. */
function logFactorial(n: number): number {
  if (n < 20) {
    let product = 1;
    for (let k = 2; k <= n; k++) product *= k;
    return Math.log(product);
  }
  const inverse = 1 / (n * n);
  const series = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse / 1680))) / n;
  return n * Math.log(n) - n + Math.log(2 * Math.PI * n) / 2 + series;
}

/**
 * The count for a uniform number, by inversion from the mode outward: about as many steps as the standard deviation. `ratio(k)` is the
 * probability of k + 1 by that of k.
 */
function countAt(u: number, mode: number, atMode: number, ratio: (k: number) => number): number {
  let [low, high, below, above, left] = [mode, mode, atMode, atMode, u - atMode];
  while (left >= 0 && below + above > 1e-18) {
    above *= ratio(high++);
    left -= above;
    if (left < 0) return high;
    below = low === 0 ? 0 : below / ratio(low - 1);
    left -= below;
    if (low > 0) low--;
    if (left < 0) return low;
  }
  return mode;
}

/** From this variance on counts are not added up one by one: that would take as many steps as the deviation. */
const WIDE = 1e6;

/**
 * The count for a uniform number, by Cornish and Fisher's expansion up to the skewness (Abramowitz and Stegun 26.2.49). It is off by one
 * for fewer than one number in 10,000. `asymmetry` is the skewness times the deviation.
 */
function wideCountAt(u: number, mean: number, variance: number, asymmetry: number): number {
  // Half a step of 53 bits keeps 0 from giving -Infinity.
  const w = Math.SQRT2 * erfinv(2 * u - 1 + 2 ** -53);
  return Math.floor(mean + Math.sqrt(variance) * w + (asymmetry * (w * w - 1)) / 6 + 0.5);
}

function poissonAt(u: number, rate: number): number {
  if (rate === 0) return 0;
  if (rate >= WIDE) return wideCountAt(u, rate, rate, 1);
  const mode = Math.floor(rate);
  return countAt(u, mode, Math.exp(mode * Math.log(rate) - rate - logFactorial(mode)), (k) => rate / (k + 1));
}

function binomialAt(u: number, given: number, p: number): number {
  const count = Math.floor(given);
  if (count <= 0 || p <= 0) return 0;
  if (!(p < 1)) return p >= 1 ? count : Number.NaN;
  const variance = count * p * (1 - p);
  if (variance >= WIDE && count < Infinity) return wideCountAt(u, count * p, variance, 1 - 2 * p);
  const mode = Math.min(count, Math.floor((count + 1) * p));
  const ways = logFactorial(count) - logFactorial(mode) - logFactorial(count - mode);
  const atMode = Math.exp(ways + mode * Math.log(p) + (count - mode) * Math.log1p(-p));
  return countAt(u, mode, atMode, (k) => ((count - k) / (k + 1)) * (p / (1 - p)));
}

/** A count for each place of the parameters, which are computed now. */
function counts(
  op: string,
  parameters: readonly Value[],
  options: GeneratorOptions | undefined,
  draw: (u: number, ...parameters: number[]) => number,
): Value {
  const { shape, dtype } = parameters[0]!.node as {
    readonly shape: Shape;
    readonly dtype: Value["node"]["dtype"];
  };
  const uniform = drawUniform(generatorOf(options), shape, 53);
  const exact = parameters.map((value) => record.cast(value, "float64"));
  const [drawn] = ofAll([uniform, ...exact], (wholes) => {
    const [all, ...lists] = wholes.map((whole) => elementsNow(op, whole) as Float64Array);
    const counted = (all as Float64Array).map((u, k) => draw(u, ...lists.map((list) => list[k]!)));
    return [record.stored("float64", (wholes[0] as Value).node.shape, new Storage("float64", counted))];
  });
  return record.cast(drawn as Value, dtype);
}

/**
 * How many events there are where `input` are expected, in its floating dtype. The rates are computed at the call, since they are checked.
 * No derivative flows through it.
 * @throws DTypeError for integers, RangeError for a rate that is negative, infinite or NaN.
 */
export const poisson = declareFunction(
  "poisson(input, { generator })",
  <T extends AnyTensor>(input: T, options?: GeneratorOptions): Tensor<T[ShapeKey], T["dtype"]> => {
    const rates = unwrap(input);
    checkFloat("poisson_cpu", rates.node.dtype);
    return wrap(
      counts("poisson", [rates], options, (u, rate) => {
        if (rate >= 0 && rate < Number.POSITIVE_INFINITY) return poissonAt(u, rate);
        throw new RangeError(
          `invalid Poisson rate, expected rate to be non-negative (and finite; there is ${rate})`,
        );
      }),
    );
  },
);

/**
 * How many of `count` trials succeed, each with probability `prob`; in their floating dtype. Both are computed at the call. Counts are
 * rounded down, and 0 stands for negative ones; probabilities beyond 0 and 1 stand for these. No derivative flows through it.
 * @throws DTypeError unless both are of one floating dtype, ShapeError when the shapes do not broadcast.
 */
export const binomial = declareFunction(
  "binomial(count, prob, { generator })",
  <A extends AnyTensor, B extends AnyTensor>(
    count: A,
    prob: Fits<A, B>,
    options?: GeneratorOptions,
  ): Tensor<Broadcast<A[ShapeKey], B[ShapeKey]>, A["dtype"]> => {
    const [trials, shares] = broadcastAll([unwrap(count), unwrap(prob as AnyTensor)]) as [Value, Value];
    const { dtype } = trials.node;
    checkFloat("binomial_cpu", dtype);
    if (shares.node.dtype !== dtype)
      throw new DTypeError(
        `Found dtype ${torchName[shares.node.dtype]} but expected ${torchName[dtype]} (cast one: count.to(prob.dtype))`,
      );
    return wrap(counts("binomial", [trials, shares], options, binomialAt));
  },
);
