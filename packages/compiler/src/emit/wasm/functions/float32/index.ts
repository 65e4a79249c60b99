/**
 * The float32 functions in lanes, by op. A function consists of the same operations wherever it is used. The errors in the
 * docstrings are the largest that were measured (docs/accuracy.md): at 2·10⁷ random points of all exponents and at special
 * values; for functions of one operand also at every float32 of a magnitude from 2⁻⁴ to 2⁵.
 */
import type { LaneFunction } from "../../lanes/lane-function.ts";
import { type FloatName, ofCode } from "../lanes.ts";
import { float32Lanes } from "./arithmetic.ts";
import { digamma, erfinv, lgamma, ndtri } from "./as-doubles.ts";
import { erf, erfc } from "./error-function.ts";
import { exp, exp2, expm1 } from "./exponential.ts";
import { cosh, sinh, tanh } from "./hyperbolic.ts";
import { acosh, asinh, atanh } from "./inverse-hyperbolic.ts";
import { acos, asin, atan, atan2 } from "./inverse-trigonometric.ts";
import { log, log1p, log2, log10 } from "./logarithm.ts";
import { pow } from "./power.ts";
import { floorDivide, fmod, remainder } from "./remainder.ts";
import { hypot } from "./root.ts";
import { sigmoid } from "./sigmoid.ts";
import { cos, sin, tan } from "./trigonometric.ts";

// biome-ignore format: a list of names
export const float32Functions: Readonly<Record<FloatName, LaneFunction>> = ofCode(float32Lanes, {
  exp, exp2, expm1, log, log2, log10, log1p, sigmoid, sin, cos, tan, asin, acos, atan, atan2, sinh, cosh,
  tanh, asinh, acosh, atanh, erf, erfc, erfinv, ndtri, lgamma, digamma, pow, hypot, fmod, remainder, floorDivide,
});
