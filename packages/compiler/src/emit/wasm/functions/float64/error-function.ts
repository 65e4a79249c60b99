/** erf and erfc. Coefficients here are minimax polynomials, fitted for this file by Remez's algorithm. */
import type { Register } from "../../lanes/straight.ts";
import type { Float64Lanes } from "./arithmetic.ts";
import { growthOfPower, naturalPower, reduceByLn2, TWO_BIASES, timesPowerOfTwo } from "./natural-power.ts";

/**
 * erf x, within 1.31 ulp.
 *
 * x + x p(x²) up to 0.84; beyond that 1 − e^(−x²) w(u), where u = (|x| − 2.375)/(|x| + 3) makes a polynomial of the slowly
 * falling w.
 */
export function erf(lanes: Float64Lanes, x: Register): Register {
  const { constant, add, sub, mul, div, or, sign, negative, magnitude } = lanes;
  const { atMost, less, select, shiftLeft, polynomial } = lanes;
  const a = magnitude(x);
  // The result is 1 from 5.95 on.
  const bounded = atMost(a, constant(5.95));
  const { shifted, growth } = naturalPower(lanes, negative(mul(bounded, bounded)), 1023);
  const power = mul(add(constant(1), add(growth.high, growth.low)), shiftLeft(shifted, 52));
  const u = div(sub(bounded, constant(2.375)), add(bounded, constant(3)));
  const large = sub(constant(1), mul(power, polynomial(u, ERFC_SCALED)));
  const small = add(a, mul(a, polynomial(mul(a, a), ERF)));
  return or(select(less(a, constant(0.84)), small, large), sign(x));
}
/** erf x/x − 1 in x², for x up to 0.8437. */
const ERF = [
  0.12837916709551256, -0.37612638903183254, 0.11283791670928268, -0.02686617063946694, 0.005223977563990902,
  -0.0008548323122100817, 0.0001205517800879815, -1.4921677883759705e-5, 1.6396220217795417e-6,
  -1.5678038656578895e-7, 1.0622589293441654e-8,
];
/** e^(x²) erfc x in u, as accurate as erf needs it. */
const ERFC_SCALED = [
  0.22050569220490615, -0.43525206903186336, 0.37903050109139963, -0.25993917720678394, 0.13456846782176557,
  -0.04700041394848366, 0.006701396412589035, 0.0027481969971391907, -0.0014531667706305334,
  -9.344813761745186e-5, 0.00022863129498432828, 1.7933063513622505e-5, -1.9734267507005077e-5,
];

/**
 * erfc x, within 1.56 ulp.
 *
 * 1 − x − x p(x²) up to 0.7 in magnitude; beyond that e^(−x²) g/(|x| + ½), for negative x subtracted from 2, where g is
 * nearly constant and a polynomial in (|x| − 3.4375)/(|x| + 3). What |x| + ½ and the square lose is added to the exponent, and
 * e^(−x²) is not rounded before it is multiplied.
 */
export function erfc(lanes: Float64Lanes, x: Register): Register {
  const { constant, add, sub, mul, negative, magnitude, less, select, polynomial, orderedSum } = lanes;
  const a = magnitude(x);
  const tail = complement(lanes, a);
  const large = select(less(x, constant(0)), sub(constant(2), tail), tail);
  const line = orderedSum(constant(1), negative(x));
  const small = add(line.high, sub(line.low, mul(x, polynomial(mul(x, x), ERF))));
  return select(less(a, constant(0.7)), small, large);
}

/** erfc a for a from 0.7 on. */
function complement(lanes: Float64Lanes, a: Register): Register {
  const { constant, pattern, add, sub, mul, div, negative, atMost, subInt, polynomial } = lanes;
  const { halves, orderedSum, exactSum } = lanes;
  // The result is 0 from 27.3 on.
  const bounded = atMost(a, constant(28));
  const upper = halves(bounded);
  const squareLow = mul(upper.low, add(bounded, upper.high));
  const divisor = exactSum(bounded, constant(0.5));
  const reciprocal = subInt(pattern(RECIPROCAL), divisor.high);
  const { shifted, high, low } = reduceByLn2(lanes, negative(mul(upper.high, upper.high)), TWO_BIASES);
  const growth = growthOfPower(lanes, high, add(low, add(squareLow, mul(divisor.low, reciprocal))));
  const u = div(sub(bounded, constant(3.4375)), add(bounded, constant(3)));
  const g = orderedSum(constant(ERFC_TAIL[0]), mul(u, polynomial(u, ERFC_TAIL.slice(1))));
  const sum = orderedSum(g.high, mul(g.high, growth.high));
  const numerator = orderedSum(sum.high, add(sum.low, add(g.low, mul(g.high, growth.low))));
  const quotient = add(div(numerator.high, divisor.high), mul(numerator.low, reciprocal));
  return timesPowerOfTwo(lanes, quotient, shifted);
}
/** This minus the bits of a float64 is the bits of its reciprocal, within an eighth. */
const RECIPROCAL = 0x7fde_0000_0000_0000n;
/** (x + ½) e^(x²) erfc x for x from 0.69 to 27.4, in u = (x − 3.4375)/(x + 3). */
const ERFC_TAIL = [
  0.62180483002599, -0.06544412081092095, -0.010523494877402685, 0.0405756500729779, -0.0368557578808446,
  0.0207106343711596, -0.007323744469015577, 0.0010458743242376194, 0.000397588792113124,
  -0.00021747931716794715, -2.9521676417111563e-6, 2.810621711359195e-5, -2.709838483393482e-6,
  -3.82316433995363e-6, 5.346142940043401e-7, 6.028029117853475e-7, -6.774139656756266e-8,
  -1.0948591167212986e-7, 3.048771149650224e-9, 2.147759322967108e-8, 8.487794330508675e-10,
  -3.3042955289402394e-9,
] as const;
