import type { DType, Scalar } from "@fuseau/ir";
import { operation } from "../entry/operation.ts";
import { logspace as powersOf } from "../ops/logspace.ts";
import { type Tensor, wrap } from "../tensor/tensor.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { CheckCount, CreationOptions } from "./creation.ts";

/**
 * `steps` powers of `base` (10), from `base ** start` to `base ** end`; float32 by default. For an integer dtype `start` and `end`
 * lose their fraction first, and each power loses its own then. PyTorch: `logspace`.
 * @throws TypeError for steps with a fraction, RangeError for negative ones or a bound that the dtype does not hold.
 */
export const logspace: <const N extends number, D extends DType = "float32">(
  start: Scalar,
  end: Scalar,
  steps: CheckCount<N>,
  base?: number,
  options?: CreationOptions<D>,
) => Tensor<[N], NoInfer<D>> = operation(
  "logspace",
  "start, end, steps, base, { dtype }",
  (start: Scalar, end: Scalar, steps: number, base = 10, options?: CreationOptions): AnyTensor =>
    wrap(powersOf(start, end, steps, base, options?.dtype)),
);
