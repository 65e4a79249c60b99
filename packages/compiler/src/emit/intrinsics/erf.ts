/**
 * The error function and its kin, float64 in and out. Each interval has a polynomial or rational function that interpolates the
 * exact one at Chebyshev nodes. The coefficients are our own, computed with mpmath at 70 digits and rounded to float64 (together
 * off by less than 1e-16, relative).
 *
 * Largest errors measured against mpmath (a sample is in tests/compiler/intrinsics.test.ts):
 * erf 0.9 ulp; erfc 2.6 ulp while the result is normal (x < 26.5); erfinv 4.1 ulp, worst near ±1; ndtri 4.7 ulp.
 */

/** Below this |x| erf is computed from its series; the bound is that of FreeBSD's s_erf.c. */
const SERIES_END = 0.84375;

/** The error function. erf(±0) is ±0, erf(±∞) is ±1, erf(NaN) is NaN. */
export function erf(x: number): number {
  const magnitude = Math.abs(x);
  if (magnitude < SERIES_END) return x + x * series(x * x);
  if (magnitude >= 6) return x > 0 ? 1 : -1;
  const result = 1 - tail(magnitude); // tail(NaN) is NaN
  return x < 0 ? -result : result;
}

/** 1 − erf(x), without cancellation for large x; 0 beyond 27.3, where it underflows. */
export function erfc(x: number): number {
  if (x < 0.5) {
    if (x <= -6) return 2;
    if (x <= -SERIES_END) return 2 - tail(-x);
    const rest = x * series(x * x);
    return x < 0.25 ? 1 - (x + rest) : 0.5 - (x - 0.5 + rest);
  }
  return x >= 28 ? 0 : tail(x);
}

/** The inverse of erf. ±1 gives ±∞, anything outside [−1, 1] NaN. */
export function erfinv(x: number): number {
  return inverse(x, 1 - Math.abs(x));
}

/** The inverse of the normal distribution function: √2 erfinv(2p − 1). 0 and 1 give −∞ and ∞, anything outside [0, 1] NaN. */
export function ndtri(p: number): number {
  return Math.SQRT2 * inverse(2 * p - 1, 2 * Math.min(p, 1 - p));
}

/**
 * erfinv(x), where `rest` is 1 − |x|. The split into a middle in 0.5625 − x² and tails in √(−log(1 − |x|)) follows Wichura's AS 241
 * (1988).
 */
function inverse(x: number, rest: number): number {
  if (rest >= 0.25) return x * inverseMiddle(0.5625 - x * x);
  if (!(rest > 0)) return rest === 0 ? x * Infinity : NaN;
  const r = Math.sqrt(-Math.log(rest));
  const result = r < 3 ? inverseTail(r - 1) : r < 6.05 ? inverseFarTail(r - 3) : inverseEnd(r - 6.05);
  return x < 0 ? -result : result;
}

/**
 * erfc(x) for 0.5 ≤ x < 28: exp(−x²) times a smooth function, which on each interval is a constant plus a small
 * correction, so that few roundings count.
 */
function tail(x: number): number {
  // x² = z² + (x − z)(x + z), where z² is exact in float64, so that exp's argument carries no rounding error.
  const z = Math.fround(x);
  const d = (z - x) * (z + x); // |d| < 1e-4
  const growth = d + d * d * (0.5 + d / 6); // exp(d) − 1
  if (x < 1.25) {
    const correction = (x - 0.875) * scaledNear(x - 0.875);
    return Math.exp(-z * z) * (SCALED_AT_7_8 + (correction + (SCALED_AT_7_8 + correction) * growth));
  }
  const t = 1 / (x * x);
  const correction = t * (x < 3 ? scaledMiddle(t) : scaledFar(t));
  return (
    (Math.exp(-z * z) * (ONE_OVER_SQRT_PI + (correction + (ONE_OVER_SQRT_PI + correction) * growth))) / x
  );
}

/** exp(x²) erfc(x) at x = 7/8. */
const SCALED_AT_7_8 = 0.464311583202669;
/** The limit of x exp(x²) erfc(x). */
const ONE_OVER_SQRT_PI = 0.5641895835477563;

/** erf(x)/x − 1 in t = x², for |x| ≤ 0.84375. */
// biome-ignore format: one polynomial, one expression
const series = (t: number): number =>
  (0.12837916709551256 + t * (-0.376126389031834 + t * (0.11283791670935311 + t * (-0.02686617064077985
    + t * (0.005223977576377844 + t * (-0.000854832379116413 + t * (0.00012055199941321885
    + t * (-1.4922121574443055e-5 + t * (1.640162967934702e-6 + t * (-1.571446067260244e-7
    + t * 1.0726571432176348e-8))))))))));

/** The slope of exp(x²) erfc(x) from x = 7/8, in t = x − 7/8, for 0.5 ≤ x ≤ 1.25. */
// biome-ignore format: one polynomial, one expression
const scaledNear = (t: number): number =>
  (-0.3158338964908418 + t * (-0.31286609531447956 + t * (-0.1307021044626282 + t * (-0.02609885508934837
    + t * (-0.002098646288239614 + t * 1.203096361896286e-7))))) /
  (1 + t * (1.585716494183151 + t * (1.0379953203312686 + t * (0.3514634206762258
    + t * (0.06173463861338119 + t * 0.004515716325634471)))));

/** (x exp(x²) erfc(x) − 1/√π)/t in t = 1/x², for 1.25 ≤ x ≤ 3. */
// biome-ignore format: one polynomial, one expression
const scaledMiddle = (t: number): number =>
  (-0.28209479016862 + t * (-6.615888430949434 + t * (-55.920401479794464 + t * (-215.67150865801025
    + t * (-397.97353368877043 + t * (-338.22418085959293 + t * (-116.35983071359148
    + t * (-11.616176027669237 + t * -0.03279672558164294)))))))) /
  (1 + t * (24.95271330092352 + t * (231.91175853665536 + t * (1031.954687441185 + t * (2357.505899955098
    + t * (2759.86813556465 + t * (1561.2559481367957 + t * (370.5357479786351
    + t * 25.9211127721415))))))));

/** The same for 3 ≤ x ≤ 28. */
// biome-ignore format: one polynomial, one expression
const scaledFar = (t: number): number =>
  (-0.2820947917738773 + t * (-8.40376554045235 + t * (-86.43850477952797 + t * (-372.8421828685942
    + t * (-646.2679917774107 + t * (-340.33124136312364 + t * -9.816293316677026)))))) /
  (1 + t * (31.29057318856038 + t * (349.6023811100799 + t * (1741.8800475818969 + t * (3944.3978231842334
    + t * (3656.2629711688774 + t * 994.6511743000617))))));

/** erfinv(x)/x in t = 0.5625 − x², for |x| ≤ 0.75. */
// biome-ignore format: one polynomial, one expression
const inverseMiddle = (t: number): number =>
  (1.0845597967968248 + t * (7.160921199707379 + t * (18.039487150473597 + t * (21.727106021614006
    + t * (12.832151510619875 + t * (3.408658782601145 + t * (0.31730417194039606
    + t * 0.004629517836199464))))))) /
  (1 + t * (7.121354241112377 + t * (19.70783200731746 + t * (26.78300806716227 + t * (18.607684554381887
    + t * (6.247619308964538 + t * (0.8535064285470091 + t * 0.030108495873496597)))))));

/** erfinv(x) in t = r − 1, where r = √(−log(1 − x)) is in [1.17, 3]. */
// biome-ignore format: one polynomial, one expression
const inverseTail = (t: number): number =>
  (0.6367161372189372 + t * (2.644796162963176 + t * (4.590204527896042 + t * (4.293636939065685
    + t * (2.2989085627953183 + t * (0.6783538139672358 + t * (0.09552472785104273
    + t * 0.004620504413571399))))))) /
  (1 + t * (2.617773399935275 + t * (2.9996949284523913 + t * (1.8269122331021788
    + t * (0.5973332452537667 + t * (0.09098164915659418 + t * (0.004619073837248181
    + t * 2.2486342285492812e-8)))))));

/** erfinv(x) in t = r − 3, where r = √(−log(1 − x)) is in [3, 6.07]. */
// biome-ignore format: one polynomial, one expression
const inverseFarTail = (t: number): number =>
  (2.714760997939285 + t * (6.361328221023024 + t * (5.667258131286706 + t * (2.551601104246359
    + t * (0.6294325590175812 + t * (0.08427866246130836 + t * (0.005548174688624663
    + t * 0.00013299801987499808))))))) /
  (1 + t * (1.9595005246507773 + t * (1.3376445982806273 + t * (0.43049855750248056
    + t * (0.06915645464476239 + t * (0.0051503896224393475 + t * (0.00013298588195773662
    + t * 1.0383793587201795e-10)))))));

/** erfinv(x) in t = r − 6.05, where r = √(−log(1 − x)) is in [6.05, 27.4], as far as 1 − x goes in float64. */
// biome-ignore format: one polynomial, one expression
const inverseEnd = (t: number): number =>
  (5.852281821915316 + t * (4.432132170507198 + t * (1.38366040382964 + t * (0.22959379450297993
    + t * (0.021777136164785892 + t * (0.0011824057049354838 + t * (3.483230220204927e-5
    + t * (4.888567015364125e-7 + t * 2.367446336453529e-9)))))))) /
  (1 + t * (0.5831609734003249 + t * (0.13522003284284384 + t * (0.015850361761396432 + t * (0.0009901960093865578
    + t * (3.196921619397201e-5 + t * (4.745374840489024e-7 + t * (2.367439478519807e-9
    + t * 1.0304955831955591e-17))))))));
