/** Statistics beyond the plain folds: those that leave NaNs out, both extremes at once, covariance. */
import {
  type Axes,
  type DType,
  DTypeError,
  elementCount,
  isFloat,
  isInt,
  ShapeError,
  showShape,
} from "@fuseau/ir";
import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { clamp } from "./arithmetic.ts";
import { numbersNow } from "./host.ts";
import { withShape } from "./movement.ts";
import { torchName } from "./operand.ts";
import { div, eq, mul, ne, sqrt, sub, where } from "./pointwise.ts";
import { matmul } from "./product.ts";
import { extreme, sum } from "./reduction.ts";

const asked = (x: Value, dtype: DType | null): Value => (dtype === null ? x : record.cast(x, dtype));

/** NaNs count as 0. */
export function nansum(x: Value, dims: Axes, keepdim: boolean, dtype: DType | null): Value {
  const values = asked(x, dtype);
  const counted = isFloat(values.node.dtype) ? where(ne(values, values), 0, values) : values;
  return sum(counted, dims, keepdim, dtype);
}

/** The mean of what is not NaN; of nothing NaN. @throws DTypeError for integers and bools. */
export function nanmean(x: Value, dims: Axes, keepdim: boolean, dtype: DType | null): Value {
  if (!isFloat(x.node.dtype)) {
    throw new DTypeError(
      `nanmean(): expected input to have floating point or complex dtype but got ${torchName[x.node.dtype]} (cast first, e.g. x.to("float32"))`,
    );
  }
  const values = asked(x, dtype);
  const wide = values.node.dtype === "float16" ? record.cast(values, "float32") : values;
  const total = nansum(wide, dims, keepdim, null);
  return record.cast(div(total, sum(eq(x, x), dims, keepdim, null)), values.node.dtype);
}

/**
 * [smallest, largest] along one axis, or of all. A 0-d value has one place along an axis that is named, as in PyTorch: kept, it
 * gives the shape [1]. @throws ShapeError or RangeError for nothing.
 */
export function aminmax(x: Value, dim: number | null, keepdim: boolean): [min: Value, max: Value] {
  if (dim === null && elementCount(x.node.shape) === 0) {
    throw new ShapeError(
      `aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity. (shape ${showShape(x.node.shape)})`,
    );
  }
  const along = dim !== null && keepdim ? atLeastOneAxis(x) : x;
  return [extreme("aminmax", "min", along, dim, keepdim), extreme("aminmax", "max", along, dim, keepdim)];
}

const atLeastOneAxis = (x: Value): Value => (x.node.shape.length === 0 ? withShape(x, [1]) : x);

export interface Weights {
  /** How often each observation occurs: integers. */
  readonly fweights: Value | null;
  /** How much each observation counts: floats. */
  readonly aweights: Value | null;
}

/**
 * The covariances of the rows of a matrix, whose columns are observations; of one row its variance, 0-d. Weights are read at the
 * call, to be checked.
 */
export function cov(x: Value, correction: number, { fweights, aweights }: Weights): Value {
  const { dtype, shape } = x.node;
  if (shape.length > 2) {
    throw new ShapeError(
      `cov(): expected input to have two or fewer dimensions but got an input with ${shape.length} dimensions (shape ${showShape(shape)})`,
    );
  }
  if (dtype === "bool") throw new DTypeError("cov(): bool dtype is not supported for input");
  const rows = shape.length < 2 ? withShape(x, [1, elementCount(shape)]) : x;
  const count = rows.node.shape[1]!;
  const frequencies = fweights === null ? null : checkWeights("fweights", fweights, count);
  const amounts = aweights === null ? null : checkWeights("aweights", aweights, count);
  const weights =
    frequencies !== null && amounts !== null ? mul(frequencies, amounts) : (frequencies ?? amounts);
  const total = weights === null ? count : sum(weights, null, false, null);
  if (weights !== null && numbersNow("cov", sum(weights, null, false, null))[0] === 0) {
    throw new RangeError("cov(): weights sum to zero, can't be normalized");
  }
  const mean = div(sum(weights === null ? rows : mul(rows, weights), 1, true, null), total);
  const divisor =
    weights !== null && amounts !== null && correction !== 0
      ? sub(total, div(mul(sum(mul(weights, amounts), null, false, null), correction), total))
      : typeof total === "number"
        ? Math.max(0, total - correction)
        : sub(total, correction);
  const centered = sub(rows, mean);
  const weighted = weights === null ? centered : mul(centered, weights);
  const matched = record.cast(weighted, centered.node.dtype);
  const products = matmul(centered, record.permute(matched, [1, 0]));
  const result = div(products, typeof divisor === "number" ? divisor : clamp("cov", divisor, 0, null));
  return withShape(
    result,
    result.node.shape.filter((size) => size !== 1),
  );
}

function checkWeights(name: "fweights" | "aweights", weights: Value, count: number): Value {
  const { dtype, shape } = weights.node;
  if (shape.length > 1) {
    throw new ShapeError(
      `cov(): expected ${name} to have one or fewer dimensions but got ${name} with ${shape.length} dimensions (shape ${showShape(shape)})`,
    );
  }
  const [fits, kind] = name === "fweights" ? [isInt(dtype), "integral"] : [isFloat(dtype), "floating point"];
  if (!fits) {
    throw new DTypeError(
      `cov(): expected ${name} to have ${kind} dtype but got ${name} with ${torchName[dtype]} dtype`,
    );
  }
  if (elementCount(shape) !== count) {
    throw new ShapeError(
      `cov(): expected ${name} to have the same numel as there are observations in the input but got ${elementCount(shape)} != ${count}`,
    );
  }
  if (numbersNow("cov", weights).some((weight) => weight < 0)) {
    throw new RangeError(`cov(): ${name} cannot be negative`);
  }
  return weights;
}

/** The covariances over the products of the standard deviations, within [−1, 1]; of one row 1. */
export function corrcoef(x: Value): Value {
  if (x.node.shape.length > 2) {
    throw new ShapeError(
      `corrcoef(): expected input to have two or fewer dimensions but got an input with ${x.node.shape.length} dimensions (shape ${showShape(x.node.shape)})`,
    );
  }
  const covariance = cov(x, 1, { fweights: null, aweights: null });
  if (covariance.node.shape.length === 0) return div(covariance, covariance);
  const deviation = sqrt(record.diagonal(covariance, 0, 0, 1));
  const size = deviation.node.shape[0]!;
  const scaled = div(div(covariance, record.reshape(deviation, [size, 1])), deviation);
  return clamp("corrcoef", scaled, -1, 1);
}
