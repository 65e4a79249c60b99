/** The float64 functions in lanes, by the name of their op. Each is the same operations wherever it stands. */
import type { LaneFunction } from "../../lanes/lane-function.ts";
import { erf, erfc } from "./error-function.ts";
import { exp, exp2, expm1, sigmoid } from "./exponential.ts";
import { cosh, sinh, tanh } from "./hyperbolic.ts";
import { acosh, asinh, atanh } from "./inverse-hyperbolic.ts";
import { acos, asin, atan, atan2 } from "./inverse-trigonometric.ts";
import { log, log1p, log2, log10 } from "./logarithm.ts";
import { pow } from "./power.ts";
import { floorDivide, fmod, remainder } from "./remainder.ts";
import { cbrt, hypot } from "./root.ts";
import { cos, sin, tan } from "./trigonometric.ts";

// biome-ignore format: a list of names
export type Float64Name =
  | "exp" | "exp2" | "expm1" | "log" | "log2" | "log10" | "log1p" | "sigmoid" | "sin" | "cos" | "tan" | "asin" | "acos"
  | "atan" | "atan2" | "sinh" | "cosh" | "tanh" | "asinh" | "acosh" | "atanh" | "erf" | "erfc" | "pow" | "cbrt" | "hypot"
  | "fmod" | "remainder" | "floorDivide";

// biome-ignore format: as above
export const float64Functions: Readonly<Record<Float64Name, LaneFunction>> = {
  exp, exp2, expm1, log, log2, log10, log1p, sigmoid, sin, cos, tan, asin, acos, atan, atan2, sinh, cosh,
  tanh, asinh, acosh, atanh, erf, erfc, pow, cbrt, hypot, fmod, remainder, floorDivide,
};
