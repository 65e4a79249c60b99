/** The float64 functions in lanes, by op. A function consists of the same operations wherever it is used. */
import type { LaneFunction } from "../../lanes/lane-function.ts";
import { type FloatName, ofCode } from "../lanes.ts";
import { float64Lanes } from "./arithmetic.ts";
import { erf, erfc } from "./error-function.ts";
import { exp, exp2, expm1, sigmoid } from "./exponential.ts";
import { digamma, lgamma } from "./gamma.ts";
import { cosh, sinh, tanh } from "./hyperbolic.ts";
import { erfinv, ndtri } from "./inverse-error-function.ts";
import { acosh, asinh, atanh } from "./inverse-hyperbolic.ts";
import { acos, asin, atan, atan2 } from "./inverse-trigonometric.ts";
import { log, log1p, log2, log10 } from "./logarithm.ts";
import { pow } from "./power.ts";
import { floorDivide, fmod, remainder } from "./remainder.ts";
import { hypot } from "./root.ts";
import { cos, sin, tan } from "./trigonometric.ts";

// biome-ignore format: a list of names
export const float64Functions: Readonly<Record<FloatName, LaneFunction>> = ofCode(float64Lanes, {
  exp, exp2, expm1, log, log2, log10, log1p, sigmoid, sin, cos, tan, asin, acos, atan, atan2, sinh, cosh,
  tanh, asinh, acosh, atanh, erf, erfc, erfinv, ndtri, lgamma, digamma, pow, hypot, fmod, remainder, floorDivide,
});
