/** PyTorch's other names for functions that are declared elsewhere. */
import { alias } from "../declare/declaration.ts";
import { atan2, div, mul, sub } from "./arithmetic.ts";
import { ge, gt, le, lt, ne } from "./comparison.ts";
import { abs, acos, acosh, asin, asinh, atan, atanh, digamma, lgamma, neg, trunc } from "./elementary.ts";
import { outer } from "./product.ts";
import { igamma, igammac, mvlgamma } from "./special.ts";

/** {@link abs}. */
export const absolute = alias("absolute", abs);

/** {@link acos}. */
export const arccos = alias("arccos", acos);

/** {@link acosh}. */
export const arccosh = alias("arccosh", acosh);

/** {@link asin}. */
export const arcsin = alias("arcsin", asin);

/** {@link asinh}. */
export const arcsinh = alias("arcsinh", asinh);

/** {@link atan}. */
export const arctan = alias("arctan", atan);

/** {@link atan2}. */
export const arctan2 = alias("arctan2", atan2);

/** {@link atanh}. */
export const arctanh = alias("arctanh", atanh);

/** {@link div}. */
export const divide: typeof div = alias("divide", div);

/** {@link trunc}. */
export const fix = alias("fix", trunc);

/** {@link igamma}. */
export const gammainc = alias("gammainc", igamma);

/** {@link igammac}. */
export const gammaincc = alias("gammaincc", igammac);

/** {@link lgamma}. */
export const gammaln = alias("gammaln", lgamma);

/** {@link outer}. */
export const ger: typeof outer = alias("ger", outer);

/** {@link gt}. */
export const greater = alias("greater", gt);

/** {@link ge}. */
export const greaterEqual = alias("greaterEqual", ge);

/** {@link lt}. */
export const less = alias("less", lt);

/** {@link le}. */
export const lessEqual = alias("lessEqual", le);

/** {@link mvlgamma}. */
export const multigammaln = alias("multigammaln", mvlgamma);

/** {@link mul}. */
export const multiply = alias("multiply", mul);

/** {@link neg}. */
export const negative = alias("negative", neg);

/** {@link ne}. */
export const notEqual = alias("notEqual", ne);

/** {@link digamma}. */
export const psi = alias("psi", digamma);

/** {@link sub}. */
export const subtract = alias("subtract", sub);
