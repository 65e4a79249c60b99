/** Arithmetic of int64 values, held as BigInts; results wrap to 64 bits as two's complement does. */
import { refuseZero } from "./integer.ts";

/** ⌊a / b⌋. Throws RangeError on b = 0. */
export function floorDivideInt64(a: bigint, b: bigint): bigint {
  if (b === 0n) refuseZero("floorDivide");
  const quotient = a / b;
  return BigInt.asIntN(64, a < 0n !== b < 0n && quotient * b !== a ? quotient - 1n : quotient);
}

/** a / b toward 0. Throws RangeError on b = 0. */
export function truncDivideInt64(a: bigint, b: bigint): bigint {
  if (b === 0n) refuseZero("truncDivide");
  return BigInt.asIntN(64, a / b);
}

/** a − b ⌊a / b⌋: takes the sign of b. Throws RangeError on b = 0. */
export function remainderInt64(a: bigint, b: bigint): bigint {
  if (b === 0n) refuseZero("remainder");
  const modulus = a % b;
  return modulus !== 0n && modulus < 0n !== b < 0n ? modulus + b : modulus;
}

/** C's a % b: takes the sign of a. Throws RangeError on b = 0. */
export function fmodInt64(a: bigint, b: bigint): bigint {
  if (b === 0n) refuseZero("fmod");
  return a % b;
}

/** a to the power b; for negative powers see {@link powInt} in integer.ts. */
export function powInt64(a: bigint, b: bigint): bigint {
  if (b < 0n) return a === 1n ? 1n : a === -1n ? ((b & 1n) === 0n ? 1n : -1n) : 0n;
  let result = 1n;
  let square = a;
  for (let exponent = b; exponent !== 0n; exponent >>= 1n) {
    if ((exponent & 1n) === 1n) result = BigInt.asIntN(64, result * square);
    square = BigInt.asIntN(64, square * square);
  }
  return result;
}

/** The greatest common divisor, wrapped to 64 bits; gcd(0, 0) is 0. */
export function gcdInt64(a: bigint, b: bigint): bigint {
  return BigInt.asIntN(64, exactGcd(a, b));
}

/** The least common multiple, the magnitude of a product wrapped to 64 bits; 0 when either is 0. */
export function lcmInt64(a: bigint, b: bigint): bigint {
  const divisor = exactGcd(a, b);
  if (divisor === 0n) return 0n;
  const product = BigInt.asIntN(64, (a / divisor) * b);
  return BigInt.asIntN(64, product < 0n ? -product : product);
}

function exactGcd(a: bigint, b: bigint): bigint {
  let x = a < 0n ? -a : a;
  let y = b < 0n ? -b : b;
  while (y !== 0n) {
    const rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}

/** The float32 nearest to an int64, rounded once (Number() and then fround would round twice). */
export function int64ToFloat32(a: bigint): number {
  const near = Number(a);
  if (near > -(2 ** 53) && near < 2 ** 53) return Math.fround(near);
  // Keep 53 bits, and set the last of them if a bit below is set: float32 then rounds ties correctly.
  const kept = a >> 11n;
  return Math.fround(Number((a & 2047n) === 0n ? kept : kept | 1n) * 2048);
}

/** A float truncated and wrapped to 64 bits; NaN and ±∞ give 0 (C leaves out-of-range values undefined). */
export function floatToInt64(x: number): bigint {
  return x - x === 0 ? BigInt.asIntN(64, BigInt(Math.trunc(x))) : 0n;
}
