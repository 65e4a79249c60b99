import type { DType, Scalar } from "@fuseau/ir";
import { logspace as powersOf } from "../ops/logspace.ts";
import { type Tensor, wrap } from "../tensor/tensor.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { CreationOptions } from "./creation.ts";

/** `steps` powers of `base` (10), from `base ** start` to `base ** end`; float32 by default. PyTorch: `logspace`. */
export function logspace<const N extends number, D extends DType = "float32">(
  start: Scalar,
  end: Scalar,
  steps: N,
  base?: number,
  options?: CreationOptions<D>,
): Tensor<[N], NoInfer<D>>;
export function logspace(
  start: Scalar,
  end: Scalar,
  steps: number,
  base = 10,
  options?: CreationOptions,
): AnyTensor {
  return wrap(powersOf(start, end, steps, base, options?.dtype));
}
