/**
 * The logarithm of the gamma function and its derivative, float64 in and out. The coefficients are our own:
 * interpolation at Chebyshev nodes, computed with mpmath at 70 digits and rounded to float64.
 *
 * Largest errors measured against mpmath (a sample is in tests/compiler/intrinsics.test.ts): for x > 0 lgamma 4.7 ulp, digamma 2.9
 * ulp, their zeros included. For x < 0 both pass zero between the poles, so only the absolute error stays small: lgamma 1.5e-14
 * down to −20, digamma 7e-16 times the largest term of its reflection.
 */

/** log |Γ(x)|. Poles (0 and the negative integers) and ±∞ give ∞, as C's lgamma does. */
export function lgamma(x: number): number {
  if (x >= 8) return stirling(x);
  if (x >= 3) {
    // Γ(x) = (x − 1)(x − 2)…(x − k) Γ(x − k), with x − k in [2, 3)
    let product = 1;
    let y = x;
    while (y >= 3) {
      y -= 1;
      product *= y;
    }
    return Math.log(product) + nearZeros(y - 1);
  }
  if (x >= 1) return nearZeros(x - 1) + 0; // 0 at 1, not −0
  if (x > 0) return nearZeros(x) - Math.log(x); // Γ(x) = Γ(x + 1)/x
  if (Number.isNaN(x)) return NaN;
  if (x === Math.floor(x)) return Infinity;
  // Γ(x) Γ(1 − x) = π / sin πx
  return -Math.log(Math.abs(sinPi(x)) / Math.PI) - lgamma(1 - x);
}

/**
 * ψ, the derivative of log Γ. As PyTorch has it: ±0 gives ∓∞, negative integers and −∞ give NaN.
 * @see https://pytorch.org/docs/stable/special.html#torch.special.digamma
 */
export function digamma(x: number): number {
  if (x >= 10) {
    const t = 1 / (x * x);
    return Math.log(x) - 0.5 / x - t * digammaSeries(t);
  }
  if (x >= 1) {
    // ψ(x) = ψ(x − 1) + 1/(x − 1)
    let shift = 0;
    let y = x;
    while (y > 2) {
      y -= 1;
      shift += 1 / y;
    }
    return digammaNearRoot(y - 1) + shift;
  }
  if (x > 0) return digammaNearRoot(x) - 1 / x;
  if (x === 0) return -1 / x;
  if (Number.isNaN(x) || x === Math.floor(x)) return NaN;
  // ψ(x) = ψ(1 − x) − π cot πx
  return digamma(1 - x) - (Math.PI * cosPi(x)) / sinPi(x);
}

/** sin πx, the argument reduced before π enters; 0 at integers. */
function sinPi(x: number): number {
  const f = x - 2 * Math.round(x / 2); // exact, in [−1, 1]
  const a = Math.abs(f);
  const sine =
    a <= 0.25
      ? Math.sin(Math.PI * a)
      : a <= 0.75
        ? Math.cos(Math.PI * (0.5 - a))
        : Math.sin(Math.PI * (1 - a));
  return f < 0 ? -sine : sine;
}

/** cos πx = sin π(½ − |x|), the argument reduced before π enters. */
function cosPi(x: number): number {
  return sinPi(0.5 - Math.abs(x - 2 * Math.round(x / 2)));
}

/** log Γ(x) for x ≥ 8: (x − ½) log x − x + ½ log 2π + the rest of Stirling's series. */
function stirling(x: number): number {
  if (x >= 1e17) return x * (Math.log(x) - 1); // also keeps ∞ from ∞ − ∞
  return (x - 0.5) * (Math.log(x) - 1) + (HALF_LOG_TWO_PI - 0.5 + stirlingSeries(1 / (x * x)) / x);
}

const HALF_LOG_TWO_PI = 0.9189385332046727;

/** The positive zero of ψ, less 1, in two parts. */
const ROOT = 0.46163214496836236;
const ROOT_REST = -1.5522348162858677e-17;

/** log Γ(1 + t) for 0 ≤ t ≤ 2, with its zeros at t = 0 and 1 as exact factors. */
// biome-ignore format: one polynomial, one expression
const nearZeros = (t: number): number =>
  t * (t - 1) *
  (0.5772156649015329 + t * (1.7958790189979141 + t * (2.1865334418936686 + t * (1.3226883681227712
    + t * (0.41752536810484064 + t * (0.06620652414372609 + t * (0.004630212547045681
    + t * (0.00010318936786845246 + t * 1.5462129680160472e-7)))))))) /
  (1 + t * (3.5361659629744975 + t * (5.021257900661177 + t * (3.672221755210662 + t * (1.4771004522958526
    + t * (0.323976917346042 + t * (0.03613884447121172 + t * (0.0017463681006451486
    + t * 2.470185221908832e-5))))))));

/** (log Γ(x) − (x − ½) log x + x − ½ log 2π) x in t = 1/x², for x ≥ 8. */
// biome-ignore format: one polynomial, one expression
const stirlingSeries = (t: number): number =>
  (0.08333333333333333 + t * (-0.0027777777777776747 + t * (0.0007936507935117282
    + t * (-0.0005952380234291253 + t * (0.000841732526802233 + t * (-0.0019149659121622845
    + t * (0.006208136766203285 + t * -0.020855820837011485)))))));

/** ψ(1 + t) for 0 ≤ t ≤ 1, with its zero as a factor. */
// biome-ignore format: one polynomial, one expression
const digammaNearRoot = (t: number): number =>
  (t - ROOT - ROOT_REST) *
  (1.2503801375034054 + t * (1.8675925104074453 + t * (0.9711327526262392 + t * (0.21631407251432455
    + t * (0.01996408274151926 + t * (0.0005811135063985677 + t * 1.0894678528383955e-6)))))) /
  (1 + t * (2.1771665986671342 + t * (1.6630736963665909 + t * (0.5710455727133128
    + t * (0.09111902253303285 + t * (0.006100975692434821 + t * 0.00012043151172286901))))));

/** (log x − 1/(2x) − ψ(x)) x² in t = 1/x², for x ≥ 10. */
// biome-ignore format: one polynomial, one expression
const digammaSeries = (t: number): number =>
  (0.08333333333333333 + t * (-0.008333333333329107 + t * (0.0039682539614681435
    + t * (-0.004166662567441333 + t * (0.007574572233138122 + t * (-0.020915106432928057
    + t * 0.06980456110772017))))));
