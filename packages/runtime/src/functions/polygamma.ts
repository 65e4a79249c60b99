import type { FloatResult } from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { polygamma as polygammaOf } from "../ops/special.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";

/** The n-th derivative of the digamma function. PyTorch: `polygamma`. */
export const polygamma = declareFunction(
  "polygamma(n, input)",
  <T extends AnyTensor>(n: number, input: T): Tensor<T[ShapeKey], FloatResult<T["dtype"]>> =>
    wrap(polygammaOf(n, unwrap(input))),
);
