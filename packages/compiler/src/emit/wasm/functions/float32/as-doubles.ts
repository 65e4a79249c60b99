/**
 * Functions that are computed by those of float64, on two halves: a float32 has too few bits for their formulas. Each is correctly
 * rounded except next to the middle of two float32.
 */
import type { Register } from "../../lanes/straight.ts";
import { type Float64Lanes, float64Lanes } from "../float64/arithmetic.ts";
import * as gamma from "../float64/gamma.ts";
import * as inverse from "../float64/inverse-error-function.ts";
import type { Float32Function, Float32Lanes } from "./arithmetic.ts";
import { doubleLanes } from "./doubles.ts";

const asDoubles =
  (fn: (lanes: Float64Lanes, x: Register) => Register) =>
  (lanes: Float32Lanes, x: Register): Register => {
    const { widen, narrow } = doubleLanes(lanes);
    const wide = float64Lanes(lanes.code);
    const [low, high] = widen(x);
    return narrow([fn(wide, low), fn(wide, high)]);
  };

// They are looked up when they are called, since their files must not be evaluated earlier.
export const erfinv: Float32Function = asDoubles((lanes, x) => inverse.erfinv(lanes, x));
export const ndtri: Float32Function = asDoubles((lanes, x) => inverse.ndtri(lanes, x));
export const lgamma: Float32Function = asDoubles((lanes, x) => gamma.lgamma(lanes, x));
export const digamma: Float32Function = asDoubles((lanes, x) => gamma.digamma(lanes, x));
