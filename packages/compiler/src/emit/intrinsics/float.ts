/**
 * Functions of floats where JS has none or differs from C and PyTorch. float64 in and out, except those named
 * Float32, which round every step as PyTorch does when it computes in float32.
 */

const TWO_52 = 2 ** 52;

/** The nearest integer, halves to the even one; keeps −0. Exact. */
export function roundHalfEven(x: number): number {
  // At 2^52 and above floats have no fraction bits, so adding 2^52 rounds, half to even.
  if (x > 0 && x < TWO_52) return x + TWO_52 - TWO_52;
  if (x < 0 && x > -TWO_52) return -(TWO_52 - x - TWO_52);
  return x;
}

/** C's pow, which is 1 for pow(1, anything) and pow(−1, ±∞), where JS says NaN. */
export function pow(x: number, y: number): number {
  return x === 1 || (x === -1 && (y === Infinity || y === -Infinity)) ? 1 : x ** y;
}

/** 2 to the power x; exact for integers. */
export function exp2(x: number): number {
  return 2 ** x;
}

/** The magnitude of x with the sign of y; a NaN in y counts as positive, since JS cannot read the sign of a NaN. */
export function copysign(x: number, y: number): number {
  const magnitude = Math.abs(x);
  return y < 0 || (y === 0 && 1 / y < 0) ? -magnitude : magnitude;
}

/**
 * √(x² + y²) without overflow or underflow, within 1.5 ulp of a normal result. ∞ wins over NaN, as in C. (Math.hypot takes any
 * number of arguments and loops over them.)
 */
export function hypot(x: number, y: number): number {
  const square = x * x + y * y;
  if (square > 1e-280 && square < 1e300) return Math.sqrt(square);
  const a = Math.abs(x);
  const b = Math.abs(y);
  if (a === Infinity || b === Infinity) return Infinity;
  const scale = a > 1 || b > 1 ? 2 ** -600 : 2 ** 600;
  return Math.sqrt((a * scale) ** 2 + (b * scale) ** 2) / scale;
}

/** PyTorch's remainder: C's fmod, plus the divisor where the signs differ. So −1 % ∞ is ∞. */
export function remainder(x: number, y: number): number {
  const modulus = x % y;
  return modulus !== 0 && y < 0 !== modulus < 0 ? modulus + y : modulus;
}

/** PyTorch's floor division (`c10::div_floor_floating`), which is Python's divmod. */
export function floorDivide(x: number, y: number): number {
  if (y === 0) return x / y;
  const modulus = x % y;
  let quotient = (x - modulus) / y;
  if (modulus !== 0 && y < 0 !== modulus < 0) quotient -= 1;
  if (quotient === 0) return copysign(0, x / y);
  const floored = Math.floor(quotient);
  return quotient - floored > 0.5 ? floored + 1 : floored;
}

/** {@link floorDivide} with every step rounded to float32. */
export function floorDivideFloat32(x: number, y: number): number {
  const { fround } = Math;
  if (y === 0) return x / y;
  const modulus = x % y; // exact
  let quotient = fround(fround(x - modulus) / y);
  if (modulus !== 0 && y < 0 !== modulus < 0) quotient = fround(quotient - 1);
  if (quotient === 0) return copysign(0, x / y);
  const floored = Math.floor(quotient);
  return fround(quotient - floored) > 0.5 ? fround(floored + 1) : floored;
}

/** log(eᵃ + eᵇ) without overflow: the larger plus log1p of the ratio. Two equal infinities give that infinity. */
export function logaddexp(a: number, b: number): number {
  return a === b ? a + Math.LN2 : Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)));
}
