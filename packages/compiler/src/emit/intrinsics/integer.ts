/**
 * Arithmetic of bool, uint8, int8, int16 and int32 values, held as JS numbers. Results are exact or, where stated, wrapped to 32
 * bits. The emitter then wraps them to the dtype's own width; wrapping twice gives the same as wrapping once.
 */

/**
 * The error of an integer division by 0; the sentence is PyTorch's.
 * @throws RangeError always.
 */
export function refuseZero(op: string): never {
  throw new RangeError(
    `${op}: ZeroDivisionError (an integer was divided by 0; replace the zeros of the divisor, or make one operand floating)`,
  );
}

/** ⌊a / b⌋. Throws RangeError on b = 0. A float64 quotient of 32-bit integers never rounds onto an integer. */
export function floorDivideInt(a: number, b: number): number {
  if (b === 0) refuseZero("floorDivide");
  return Math.floor(a / b);
}

/** a / b toward 0. Throws RangeError on b = 0. */
export function truncDivideInt(a: number, b: number): number {
  if (b === 0) refuseZero("truncDivide");
  return Math.trunc(a / b);
}

/** a − b ⌊a / b⌋: takes the sign of b. Throws RangeError on b = 0. */
export function remainderInt(a: number, b: number): number {
  if (b === 0) refuseZero("remainder");
  const modulus = (a % b) | 0;
  return modulus !== 0 && (modulus ^ b) < 0 ? modulus + b : modulus;
}

/** C's a % b: takes the sign of a. Throws RangeError on b = 0. */
export function fmodInt(a: number, b: number): number {
  if (b === 0) refuseZero("fmod");
  return (a % b) | 0; // | 0 turns −0 into 0
}

/**
 * a to the power b, wrapped to 32 bits. A negative power is what PyTorch gives for two tensors: the integer part of the power,
 * which is 1 or ±1 for the bases ±1, else 0. (For a plain number as exponent PyTorch raises. The API sees to that.)
 */
export function powInt(a: number, b: number): number {
  if (b < 0) return a === 1 ? 1 : a === -1 ? ((b & 1) === 0 ? 1 : -1) : 0;
  let result = 1;
  let square = a;
  for (let exponent = b; exponent !== 0; exponent >>= 1) {
    if ((exponent & 1) === 1) result = Math.imul(result, square);
    square = Math.imul(square, square);
  }
  return result;
}

/** The greatest common divisor, nonnegative (up to 2^31); gcd(0, 0) is 0. */
export function gcdInt(a: number, b: number): number {
  let x = Math.abs(a);
  let y = Math.abs(b);
  while (y !== 0) {
    const rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}

/** The least common multiple, the magnitude of a product wrapped to 32 bits; 0 when either is 0. */
export function lcmInt(a: number, b: number): number {
  const divisor = gcdInt(a, b);
  return divisor === 0 ? 0 : Math.abs(Math.imul(a / divisor, b));
}
