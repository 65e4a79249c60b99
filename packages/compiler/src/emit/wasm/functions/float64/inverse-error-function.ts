/**
 * The inverses of erf and of the normal distribution function. With w = −log(1 − x²), erfinv x is x times a function of w that is smooth up
 * to |x| = 0.999 (Giles, "Approximating the erfinv function", 2010). Coefficients were fitted for this file with mpmath: interpolation at
 * Chebyshev nodes, rounded to float64.
 */
import type { Register } from "../../lanes/straight.ts";
import { type Float64Lanes, helper } from "./arithmetic.ts";
import { log } from "./logarithm.ts";

/** The inverse of erf; ±∞ at ±1, NaN beyond. At most 4.6 ulp. */
export function erfinv(lanes: Float64Lanes, x: Register): Register {
  const { constant, add, sub, mul, magnitude } = lanes;
  const a = magnitude(x);
  const rest = sub(constant(1), a);
  return inverse(lanes, x, rest, mul(rest, add(constant(1), a)));
}

/** The inverse of the normal distribution function: √2 erfinv(2p − 1), without cancellation for small p. At most 5.8 ulp. */
export function ndtri(lanes: Float64Lanes, p: Register): Register {
  const { constant, add, sub, mul, atMost } = lanes;
  const complement = sub(constant(1), p);
  const rest = mul(constant(2), atMost(p, complement));
  const product = mul(mul(constant(4), p), complement);
  return mul(constant(Math.SQRT2), inverse(lanes, sub(add(p, p), constant(1)), rest, product));
}

/** erfinv x, where `rest` is 1 − |x|, and `product` 1 − x². */
function inverse(lanes: Float64Lanes, x: Register, rest: Register, product: Register): Register {
  const { constant, mul, div, negative, atMost, less, polynomial } = lanes;
  const w = negative(log(lanes, product));
  const bounded = atMost(w, constant(CENTER));
  const usual = mul(x, div(polynomial(bounded, CENTER_NUMERATOR), polynomial(bounded, CENTER_DENOMINATOR)));
  return lanes.rarely(less(constant(CENTER), w), usual, inverseOfTail, x, rest, w, usual);
}

const inverseOfTail = helper("inverse error function near ±1, of float64", (lanes, x, rest, w, usual) => {
  const { constant, sub, div, sqrt, negative, atMost, less, equal, or, sign, select, polynomial } = lanes;
  const r = sqrt(negative(log(lanes, rest)));
  const t = sub(atMost(r, constant(SPLIT + 0.05)), constant(2.6));
  const near = div(polynomial(t, TAIL_NUMERATOR), polynomial(t, TAIL_DENOMINATOR));
  const s = sub(atMost(r, constant(28)), constant(SPLIT));
  const far = div(polynomial(s, FAR_NUMERATOR), polynomial(s, FAR_DENOMINATOR));
  const finite = select(less(r, constant(SPLIT)), near, far);
  const value = select(equal(r, constant(Infinity)), r, finite);
  return select(less(constant(CENTER), w), or(value, sign(x)), usual);
});

/** The largest w, and the r = √(−log(1 − |x|)) where the formulas of the tail change. */
const CENTER = 6.25;
const SPLIT = 6.05;

/** erfinv(x)/x in w. */
const CENTER_NUMERATOR = [
  0.8862269254527579, 0.31046546052052837, 0.07991130021404544, 0.014577430411796353, 0.0019703712025465805,
  0.0002024363528240357, 1.5305133273931845e-5, 7.810221446016542e-7, 2.2153618838986576e-8,
  1.8388155167930922e-10,
];
const CENTER_DENOMINATOR = [
  1, 0.08852336995492387, 0.0539628453673725, 0.003802669122040944, 0.0009022734225406982,
  4.5034029361835896e-5, 4.602629177905843e-6, 1.1880462188023568e-7, 3.163535003290491e-9,
];
/** erfinv x in r − 2.6, for r up to 6.1. */
const TAIL_NUMERATOR = [
  2.2971964697356513, 5.002597694724025, 4.438724001892761, 2.0655635644873764, 0.537846713909593,
  0.07685748348015913, 0.00541605837848789, 0.00013829001079985364,
];
const TAIL_DENOMINATOR = [
  1, 1.7223526286454722, 1.150152726369885, 0.3796312138203482, 0.06404588831703022, 0.005057812680212886,
  0.00013827647552091377, 1.1769361483039627e-10,
];
/** erfinv x in r − 6.05, for r up to 27.4, where 1 − |x| is the least float64. */
const FAR_NUMERATOR = [
  5.852281821915316, 4.432132170507198, 1.38366040382964, 0.22959379450297993, 0.021777136164785892,
  0.0011824057049354838, 3.483230220204927e-5, 4.888567015364125e-7, 2.367446336453529e-9,
];
const FAR_DENOMINATOR = [
  1, 0.5831609734003249, 0.13522003284284384, 0.015850361761396432, 0.0009901960093865578,
  3.196921619397201e-5, 4.745374840489024e-7, 2.367439478519807e-9, 1.0304955831955591e-17,
];
