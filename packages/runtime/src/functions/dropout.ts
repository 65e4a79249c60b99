/**
 * Sets random elements to zero in training. Each is the function of that name in torch.nn.functional. One random word is drawn for each
 * element or channel.
 */
import { checkNumber, elementCount, type Shape, ShapeError } from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { as, onlyFloat } from "../ops/operand.ts";
import { add, lt, mul, where } from "../ops/pointwise.ts";
import { drawUniform } from "../ops/words.ts";
import { type GeneratorOptions, generatorOf } from "../random/generator.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/** Options of {@link dropout} and its like. */
export interface DropoutOptions extends GeneratorOptions {
  /** If false, x is returned as it is. Default true. */
  readonly training?: boolean;
}

/** Drops elements and rescales the others, so that the mean stays (and for `alpha` the standard deviation). */
type Thinning = (stays: Value, x: Value, p: number) => Value;

const scaled: Thinning = (stays, x, p) => {
  const { dtype } = x.node;
  return mul(x, where(stays, as(dtype, 1 / (1 - p)), as(dtype, 0)));
};

/** The limit of SELU at −∞: −λα. */
const saturated = -1.7580993408473766;

const saturating: Thinning = (stays, x, p) => {
  const { dtype } = x.node;
  const scale = 1 / Math.sqrt((saturated * saturated * p + 1) * (1 - p));
  return add(mul(where(stays, x, as(dtype, saturated)), scale), -saturated * scale * p);
};

/** Random numbers of the shape `drawn` broadcast to x: along an axis of size 1, elements are dropped together. */
/* @__NO_SIDE_EFFECTS__ */
const dropping = (
  name: string,
  thinned: Thinning,
  drawn: (shape: Shape) => Shape,
  ranks: readonly number[] | null = null,
) =>
  declareFunction(
    `${name}(input, p, { training, generator })`,
    <T extends AnyTensor>(x: T, p = 0.5, options?: DropoutOptions): Tensor<T[ShapeKey], T["dtype"]> => {
      const [generator, value] = [generatorOf(options), unwrap(x)];
      checkNumber("p", p);
      if (!(p >= 0 && p <= 1))
        throw new RangeError(`dropout probability has to be between 0 and 1, but got ${p}`);
      const { shape } = value.node;
      if (ranks?.includes(shape.length) === false)
        throw new ShapeError(
          `Expected ${ranks.map((rank) => `${rank}D`).join(" or ")} input, but received a ${shape.length}D input`,
        );
      if (!(options?.training ?? true) || p === 0 || elementCount(shape) === 0) return x;
      onlyFloat(value);
      const noise = drawn(shape);
      if (p === 1) return wrap(mul(value, 0));
      return wrap(thinned(lt(drawUniform(generator, noise, 32), 1 - p), value, p));
    },
  );

const elements = (shape: Shape): Shape => shape;

/** One number for each channel, the axis after the batch. Shapes with `unbatched` axes have no batch. */
/* @__NO_SIDE_EFFECTS__ */
const channels =
  (unbatched: number | null) =>
  (shape: Shape): Shape => {
    if (shape.length < 2) throw new ShapeError("Feature dropout requires at least 2 dimensions in the input");
    const kept = shape.length === unbatched ? 1 : 2;
    return shape.map((size, axis) => (axis < kept ? size : 1));
  };

/**
 * x with elements set to 0 with probability `p` (0.5), and the others divided by 1 − p, so that the mean stays.
 * @throws RangeError unless p is from 0 to 1; DTypeError unless x is floating, if something is drawn.
 */
export const dropout = dropping("dropout", scaled, elements);

/** {@link dropout} of whole channels of x [N, C, L] or [C, L]. @throws ShapeError for another number of axes. */
export const dropout1d = dropping("dropout1d", scaled, channels(2), [2, 3]);

/** {@link dropout} of whole channels of x [N, C, …]. @throws ShapeError for fewer than two axes. */
export const dropout2d = dropping("dropout2d", scaled, channels(null));

/** {@link dropout} of whole channels of x [N, C, D, H, W] or [C, D, H, W]. @throws ShapeError for fewer than two axes. */
export const dropout3d = dropping("dropout3d", scaled, channels(4));

/**
 * x with random elements set to the limit of `selu` at −∞, then scaled and shifted so that mean and standard deviation stay (Klambauer et
 * al., 2017).
 */
export const alphaDropout = dropping("alphaDropout", saturating, elements);

/** {@link alphaDropout} of whole channels of x [N, C, …]. @throws ShapeError for fewer than two axes. */
export const featureAlphaDropout = dropping("featureAlphaDropout", saturating, channels(null));
