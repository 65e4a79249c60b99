import type { DType, Scalar } from "@fuseau/ir";
import { boundOf, checkSpacing, full, numberOf, spaced } from "../ops/creation.ts";
import { checkTerm } from "../ops/operand.ts";
import { pow } from "../ops/pointwise.ts";
import { cast, constant } from "../record.ts";
import { type Tensor, wrap } from "../tensor/handle.ts";
import type { CheckCount, CreationOptions } from "./creation.ts";
import { declareMade } from "./made.ts";

/**
 * `steps` powers of `base` (10), from `base ** start` to `base ** end`; float32 by default. For an integer dtype `start` and `end`
 * lose their fraction first, and each power loses its own then. They are computed in float64 and rounded once. PyTorch: `logspace`.
 * @throws TypeError for steps with a fraction, RangeError for negative ones or a bound that the dtype does not hold.
 */
export const logspace = declareMade(
  "logspace(start, end, steps, base, { dtype })",
  <const N extends number, D extends DType = "float32">(
    start: Scalar,
    end: Scalar,
    steps: CheckCount<N>,
    base = 10,
    options?: CreationOptions<D>,
  ): Tensor<[N], NoInfer<D>> => {
    const count = steps as number;
    checkTerm(base);
    const dtype = checkSpacing([start, end], count, options?.dtype);
    if (count < 2) return wrap(full([count], numberOf(base) ** numberOf(start), dtype));
    const powers = spaced(boundOf("start", start, dtype), boundOf("end", end, dtype), count);
    return wrap(cast(pow(constant("float64", numberOf(base)), powers), dtype));
  },
);
