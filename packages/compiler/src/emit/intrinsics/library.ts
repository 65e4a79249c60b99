/** All intrinsics by name; index.ts exports them as one record. */
export { erf, erfc, erfinv, ndtri } from "./erf.ts";
export {
  copysign,
  exp2,
  floorDivide,
  floorDivideFloat32,
  hypot,
  logaddexp,
  pow,
  remainder,
  roundHalfEven,
} from "./float.ts";
export { float16FromBits, float16ToBits, roundToFloat16 } from "./float16.ts";
export { digamma, lgamma } from "./gamma.ts";
export {
  floatToInt64,
  floorDivideInt64,
  fmodInt64,
  gcdInt64,
  int64ToFloat32,
  lcmInt64,
  powInt64,
  remainderInt64,
  truncDivideInt64,
} from "./int64.ts";
export { floorDivideInt, fmodInt, gcdInt, lcmInt, powInt, remainderInt, truncDivideInt } from "./integer.ts";
export { outOfBounds, wordsOf } from "./lookup.ts";
export { nextafterFloat16, nextafterFloat32, nextafterFloat64 } from "./nextafter.ts";
export { randomNormal, randomWord } from "./philox.ts";
export { sortKeys } from "./sort.ts";
