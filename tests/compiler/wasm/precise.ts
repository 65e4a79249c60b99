/**
 * Elementary functions to about 200 bits, the judges of the lane functions: BigInt mantissas, textbook series (Abramowitz &
 * Stegun, chapters 4 and 7). Nothing here is fast or clever enough to be wrong in the same way as what it judges.
 *
 * Every result is relative: a tiny sine has as many good bits as one near 1. Arguments are finite, results are those of the
 * reals: whoever asks knows where the poles are.
 */
import { intrinsics } from "../../../packages/compiler/src/emit/intrinsics/index.ts";

/** mantissa · 2^exponent. */
export interface Precise {
  readonly mantissa: bigint;
  readonly exponent: number;
}

/** Bits kept after each operation, and of fractions in fixed point. */
const KEPT = 256;
const BITS = 320;
const ONE = 1n << BigInt(BITS);

const view = new DataView(new ArrayBuffer(8));

/** floor(log2(|n|)), or one more right below a power of 2. */
function magnitude(n: bigint): number {
  if (n === 0n) return -Infinity;
  const float = Number(n);
  if (!Number.isFinite(float)) return 960 + magnitude(n >> 960n);
  view.setFloat64(0, float);
  return ((view.getUint16(0) >> 4) & 0x7ff) - 1023;
}

const shift = (n: bigint, left: number): bigint => (left >= 0 ? n << BigInt(left) : n >> BigInt(-left));

function rounded(mantissa: bigint, exponent: number): Precise {
  const excess = magnitude(mantissa) - KEPT;
  return excess <= 0
    ? { mantissa, exponent }
    : { mantissa: shift(mantissa, -excess), exponent: exponent + excess };
}

export function precise(x: number): Precise {
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = biased === 0 ? fraction : fraction | (1n << 52n);
  return { mantissa: x < 0 ? -mantissa : mantissa, exponent: Math.max(biased, 1) - 1075 };
}

const zero = precise(0);
const one = precise(1);
const two = precise(2);

const isZero = (x: Precise): boolean => x.mantissa === 0n;
const sign = (x: Precise): number => (x.mantissa < 0n ? -1 : x.mantissa > 0n ? 1 : 0);
const neg = (x: Precise): Precise => ({ mantissa: -x.mantissa, exponent: x.exponent });
const abs = (x: Precise): Precise => (x.mantissa < 0n ? neg(x) : x);
const times2 = (x: Precise, power: number): Precise => ({
  mantissa: x.mantissa,
  exponent: x.exponent + power,
});
/** floor(log2(|x|)), or one more. */
const order = (x: Precise): number => magnitude(x.mantissa) + x.exponent;

export function add(x: Precise, y: Precise): Precise {
  if (isZero(x)) return y;
  if (isZero(y)) return x;
  const [high, low] = x.exponent > y.exponent ? [x, y] : [y, x];
  if (order(high) - order(low) > 700) return high;
  if (order(low) - order(high) > 700) return low;
  return rounded(shift(high.mantissa, high.exponent - low.exponent) + low.mantissa, low.exponent);
}

export const sub = (x: Precise, y: Precise): Precise => add(x, neg(y));

export const mul = (x: Precise, y: Precise): Precise =>
  rounded(x.mantissa * y.mantissa, x.exponent + y.exponent);

export function div(x: Precise, y: Precise): Precise {
  const left = Math.max(0, KEPT + magnitude(y.mantissa) - magnitude(x.mantissa));
  if (isZero(x)) return zero;
  return rounded(shift(x.mantissa, left) / y.mantissa, x.exponent - left - y.exponent);
}

export function sqrt(x: Precise): Precise {
  if (isZero(x)) return zero;
  const left = 2 * KEPT - magnitude(x.mantissa);
  const even = left + ((x.exponent - left) & 1);
  const n = shift(x.mantissa, even);
  // Newton's iteration, from above: it falls until it has arrived.
  let root = 1n << BigInt((magnitude(n) >> 1) + 1);
  for (;;) {
    const next = (root + n / root) >> 1n;
    if (next >= root) return rounded(root, (x.exponent - even) / 2);
    root = next;
  }
}

/** x as a fraction of 2^BITS. */
const fixed = (x: Precise): bigint => shift(x.mantissa, x.exponent + BITS);
const unfixed = (x: bigint): Precise => rounded(x, -BITS);

/** π · 2^bits by Machin's formula, 16 atan(1/5) − 4 atan(1/239). */
export function piTimesPowerOfTwo(bits: number): bigint {
  const inverseTangent = (n: bigint): bigint => {
    let power = (1n << BigInt(bits + 32)) / n;
    let sum = 0n;
    for (let k = 1n; power !== 0n; k += 2n, power /= -n * n) sum += power / k;
    return sum;
  };
  return (16n * inverseTangent(5n) - 4n * inverseTangent(239n)) >> 32n;
}

/** Bits of π behind the point: 1024 for the largest argument, the rest for what is left of it. */
const PI_BITS = 1024 + BITS + 128;
const PI_FIXED = piTimesPowerOfTwo(PI_BITS);
export const pi: Precise = rounded(PI_FIXED, -PI_BITS);

/** 2 atanh(s) = log((1 + s)/(1 − s)), for small s. */
function twoAtanh(s: Precise): Precise {
  const z = mul(s, s);
  return times2(
    mul(
      s,
      powerSeries(fixed(z), (k) => [1n, BigInt(2 * k + 1)]),
    ),
    1,
  );
}

/** Σ c(k) zᵏ for |z| below 1, with c(k) as numerator and denominator. */
function powerSeries(z: bigint, c: (k: number) => readonly [bigint, bigint]): Precise {
  let sum = 0n;
  let power = ONE;
  for (let k = 0; power !== 0n && power !== -1n; k++) {
    const [numerator, denominator] = c(k);
    sum += (power * numerator) / denominator;
    power = (power * z) >> BigInt(BITS);
  }
  return unfixed(sum);
}

/** Σ zᵏ Π_{j ≤ k} 1/d(j). */
function factorialSeries(z: bigint, d: (k: number) => bigint): Precise {
  let sum = ONE;
  let term = ONE;
  for (let k = 1; term !== 0n && term !== -1n; k++) {
    term = ((term * z) / d(k)) >> BigInt(BITS);
    sum += term;
  }
  return unfixed(sum);
}

export const ln2: Precise = twoAtanh(div(one, precise(3)));

/** Beyond any float64. */
const FAR = 20;

export function exp(x: Precise): Precise {
  if (order(x) > FAR) return times2(one, sign(x) * 2 ** FAR);
  const n = Math.round(toNumber(div(x, ln2)));
  const r = sub(x, mul(precise(n), ln2));
  // (e^(r/256))^256
  let power = factorialSeries(fixed(times2(r, -8)), (k) => BigInt(k));
  for (let i = 0; i < 8; i++) power = mul(power, power);
  return times2(power, n);
}

export function expm1(x: Precise): Precise {
  if (order(x) >= -4) return sub(exp(x), one);
  return mul(
    x,
    factorialSeries(fixed(x), (k) => BigInt(k + 1)),
  );
}

export function log(x: Precise): Precise {
  const k = order(x);
  const m = times2(x, -k);
  // log(m) = y + log(m e^−y): a second y makes little of what is left.
  const y = precise(Math.log(toNumber(m)));
  const rest = isZero(y) ? m : mul(m, exp(neg(y)));
  return add(mul(precise(k), ln2), add(y, twoAtanh(div(sub(rest, one), add(rest, one)))));
}

const ln10 = log(precise(10));

export function log1p(x: Precise): Precise {
  return order(x) < -4 ? twoAtanh(div(x, add(x, two))) : log(add(one, x));
}

/** x = n π/2 + rest, |rest| at most π/4. */
function quarterTurns(x: Precise): { n: bigint; rest: Precise } {
  if (order(x) < -2) return { n: 0n, rest: x };
  const high = shift(x.mantissa, x.exponent + PI_BITS);
  const half = PI_FIXED >> 1n;
  const n = (high + (half >> 1n)) / half - (high + (half >> 1n) < 0n ? 1n : 0n);
  return { n, rest: rounded(high - ((n * PI_FIXED) >> 1n), -PI_BITS) };
}

/** The sine (0) or cosine (1), for |x| below 1. */
const circular = (x: Precise, which: 0 | 1): Precise => {
  const series = factorialSeries(-fixed(mul(x, x)), (k) => BigInt((2 * k - which) * (2 * k + 1 - which)));
  return which === 0 ? mul(x, series) : series;
};

function sinOfTurns(x: Precise, ahead: bigint): Precise {
  const { n, rest } = quarterTurns(x);
  const quadrant = BigInt.asUintN(2, n + ahead);
  const value = circular(rest, quadrant % 2n === 0n ? 0 : 1);
  return quadrant < 2n ? value : neg(value);
}

export const sin = (x: Precise): Precise => sinOfTurns(x, 0n);
export const cos = (x: Precise): Precise => sinOfTurns(x, 1n);
export const tan = (x: Precise): Precise => div(sin(x), cos(x));

export function atan(x: Precise): Precise {
  // atan(x) = y + atan((x − tan y)/(1 + x tan y))
  const y = order(x) < -40 ? zero : precise(Math.atan(toNumber(x)));
  const t = isZero(y) ? zero : tan(y);
  const rest = div(sub(x, t), add(one, mul(x, t)));
  const series = powerSeries(-fixed(mul(rest, rest)), (k) => [1n, BigInt(2 * k + 1)]);
  return add(y, mul(rest, series));
}

export function atan2(y: Precise, x: Precise): Precise {
  if (isZero(x)) return times2(y.mantissa < 0n ? neg(pi) : pi, -1);
  const angle = atan(div(y, x));
  return x.mantissa > 0n ? angle : add(angle, y.mantissa < 0n ? neg(pi) : pi);
}

const oneMinusSquare = (x: Precise): Precise => mul(sub(one, x), add(one, x));
export const asin = (x: Precise): Precise => atan2(x, sqrt(oneMinusSquare(x)));
export const acos = (x: Precise): Precise => atan2(sqrt(oneMinusSquare(x)), x);

export function sinh(x: Precise): Precise {
  if (x.mantissa < 0n) return neg(sinh(neg(x)));
  const e = expm1(x);
  return times2(add(e, div(e, add(e, one))), -1);
}

export const cosh = (x: Precise): Precise => times2(add(exp(x), exp(neg(x))), -1);

export function tanh(x: Precise): Precise {
  const e = expm1(times2(x, 1));
  return div(e, add(e, two));
}

export function asinh(x: Precise): Precise {
  const a = abs(x);
  const square = mul(a, a);
  const result = log1p(add(a, div(square, add(one, sqrt(add(one, square))))));
  return x.mantissa < 0n ? neg(result) : result;
}

export function acosh(x: Precise): Precise {
  const t = sub(x, one);
  return log1p(add(t, sqrt(mul(t, add(t, two)))));
}

export const atanh = (x: Precise): Precise => times2(log1p(div(times2(x, 1), sub(one, x))), -1);

export const sigmoid = (x: Precise): Precise => div(one, add(one, exp(neg(x))));

const twoOverRootPi = div(two, sqrt(pi));

/** erf(x) = 2/√π e^(−x²) Σ (2x²)ᵏ x/(2k + 1)!!, all of one sign. */
export function erf(x: Precise): Precise {
  if (x.mantissa < 0n) return neg(erf(neg(x)));
  const square = mul(x, x);
  if (order(square) > 6) return sub(one, erfc(x));
  const series = factorialSeries(fixed(times2(square, 1)), (k) => BigInt(2 * k + 1));
  return mul(mul(twoOverRootPi, mul(x, exp(neg(square)))), series);
}

/** For x above 3, e^(−x²)/√π over a continued fraction: x + ½/(x + 1/(x + 3/2/(x + …))). */
export function erfc(x: Precise): Precise {
  const number = toNumber(x);
  if (number <= 3) return sub(one, erf(x));
  let fraction = x;
  for (let k = Math.ceil(2400 / (number * number)) + 20; k > 0; k--)
    fraction = add(x, div(times2(precise(k), -1), fraction));
  return div(times2(mul(twoOverRootPi, exp(neg(mul(x, x)))), -1), fraction);
}

/** The y from `guess` on, which is right to 50 bits, where `value` is 0: two steps of Newton's method. */
function rootFrom(guess: number, value: (y: Precise) => Precise, slope: (y: Precise) => Precise): Precise {
  let y = precise(guess);
  for (let step = 0; step < 2; step++) y = sub(y, div(value(y), slope(y)));
  return y;
}

/** The slope of erf. */
const bell = (x: Precise): Precise => mul(twoOverRootPi, exp(neg(mul(x, x))));

export const erfinv = (x: Precise): Precise =>
  rootFrom(intrinsics.erfinv(toNumber(x)), (y) => sub(erf(y), x), bell);

/** −√2 y, where erfc y = 2p. */
export const ndtri = (p: Precise): Precise =>
  mul(
    neg(sqrt(two)),
    rootFrom(
      -intrinsics.ndtri(toNumber(p)) * Math.SQRT1_2,
      (y) => sub(erfc(y), times2(p, 1)),
      (y) => neg(bell(y)),
    ),
  );

/** B(2k) as numerator and denominator, by the tangent numbers. */
const bernoulli: readonly (readonly [bigint, bigint])[] = bernoulliNumbers(40);
function bernoulliNumbers(count: number): (readonly [bigint, bigint])[] {
  const tangents = [1n];
  for (let k = 1; k < count; k++) tangents.push(tangents[k - 1]! * BigInt(k));
  for (let k = 1; k < count; k++)
    for (let j = k; j < count; j++)
      tangents[j] = BigInt(j - k) * tangents[j - 1]! + BigInt(j - k + 2) * tangents[j]!;
  return tangents.map((tangent, at) => {
    const k = BigInt(at + 1);
    const power = 4n ** k;
    return [(k % 2n === 0n ? -2n : 2n) * k * tangent, power * (power - 1n)];
  });
}
const ratio = ([numerator, denominator]: readonly [bigint, bigint]): Precise =>
  div({ mantissa: numerator, exponent: 0 }, { mantissa: denominator, exponent: 0 });

/** From here on Stirling's series has 256 bits. */
const LARGE = 60;

/** x + n ≥ 60, x (x + 1) … (x + n − 1), and its logarithmic derivative, for x > 0. */
function raised(x: Precise): { z: Precise; product: Precise; slope: Precise } {
  let [z, product, slope] = [x, one, zero];
  while (toNumber(z) < LARGE) {
    slope = add(slope, div(one, z));
    product = mul(product, z);
    z = add(z, one);
  }
  return { z, product, slope };
}

/** Σ B(2k)/divisor(k) · first · stepᵏ. */
function stirling(first: Precise, step: Precise, divisor: (k: bigint) => bigint): Precise {
  let [sum, power] = [zero, first];
  bernoulli.forEach(([numerator, denominator], at) => {
    sum = add(sum, mul(power, ratio([numerator, denominator * divisor(BigInt(at + 1))])));
    power = mul(power, step);
  });
  return sum;
}

/** log |Γ(x)|, for x > 0 by Stirling's series, else by Γ(x) Γ(1 − x) = π / sin πx. */
export function lgamma(x: Precise): Precise {
  if (x.mantissa < 0n) return sub(log(abs(div(pi, sin(mul(pi, fraction(x)))))), lgamma(sub(one, x)));
  const { z, product } = raised(x);
  const inverse = div(one, z);
  const half = precise(0.5);
  const leading = add(sub(mul(sub(z, half), log(z)), z), mul(half, log(times2(pi, 1))));
  const series = stirling(inverse, mul(inverse, inverse), (k) => 2n * k * (2n * k - 1n));
  const result = sub(add(leading, series), log(product));
  // Only at 1 and 2, where it is 0, is so little left.
  return order(result) < -200 ? zero : result;
}

/** The derivative of {@link lgamma}. */
export function digamma(x: Precise): Precise {
  if (x.mantissa < 0n) return sub(digamma(sub(one, x)), div(pi, tan(mul(pi, fraction(x)))));
  const { z, slope } = raised(x);
  const inverse = div(one, z);
  const square = mul(inverse, inverse);
  const series = stirling(square, square, (k) => 2n * k);
  return sub(sub(sub(log(z), times2(inverse, -1)), series), slope);
}

/** x less its whole part, for negative x. */
const fraction = (x: Precise): Precise =>
  x.exponent >= 0 ? zero : { mantissa: x.mantissa % (1n << BigInt(-x.exponent)), exponent: x.exponent };

/** x^y for positive x, and for negative x and whole y. */
export function pow(x: Precise, y: Precise): Precise {
  const result = exp(mul(y, log(abs(x))));
  return x.mantissa < 0n && isOdd(y) ? neg(result) : result;
}

const isOdd = (y: Precise): boolean =>
  y.exponent <= 0 && BigInt.asUintN(1, y.mantissa >> BigInt(-y.exponent)) === 1n;

export const exp2 = (x: Precise): Precise => exp(mul(x, ln2));
export const log2 = (x: Precise): Precise => div(log(x), ln2);
export const log10 = (x: Precise): Precise => div(log(x), ln10);
export const hypot = (x: Precise, y: Precise): Precise => sqrt(add(mul(x, x), mul(y, y)));

/** Within an ulp or so. */
export function toNumber(x: Precise): number {
  const excess = Math.max(0, magnitude(x.mantissa) - 60);
  const exponent = x.exponent + excess;
  const half = exponent >> 1; // in two steps, or 2^exponent might be 0
  return Number(shift(x.mantissa, -excess)) * 2 ** half * 2 ** (exponent - half);
}

/**
 * How far a float64 is from the exact value, in units of the last place of the exact value's binade (for subnormal values
 * 2^−1074). ∞ counts as 2^1024. NaN is infinitely far.
 */
export function ulpsBetween(actual: number, exact: Precise): number {
  if (Number.isNaN(actual)) return Infinity;
  const value = Number.isFinite(actual) ? precise(actual) : times2(precise(Math.sign(actual)), 1024);
  const limit = times2(one, 1024);
  // What lies beyond is as good as ∞.
  const bounded = sign(sub(abs(exact), limit)) > 0 ? (exact.mantissa < 0n ? neg(limit) : limit) : exact;
  const lastPlace = Math.min(Math.max(order(bounded), -1022), 1023) - 52;
  const difference = abs(sub(value, bounded));
  return isZero(difference) ? 0 : toNumber(times2(difference, -lastPlace));
}
