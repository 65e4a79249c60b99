/** Operands that change nothing, operands that decide everything, and functions of one operand twice. */
import { type DType, dtypes, isFloat, isInt, isUnsigned, pointwiseNames, pointwiseOps } from "@fuseau/ir";
import { absorbing, neutral, onItself, type Rule } from "../rule.ts";

const always = (value: number) => (): number => value;
const ofFloats = (value: number) => (dtype: DType) => (isFloat(dtype) ? value : undefined);
const ofIntegers = (value: number) => (dtype: DType) => (isInt(dtype) ? value : undefined);
const ofWholes = (value: number) => (dtype: DType) => (isFloat(dtype) ? undefined : value);
/** Every bit set. */
const ones = (dtype: DType): number =>
  dtype === "bool" ? 1 : isUnsigned(dtype) ? 2 ** (8 * dtypes[dtype].bytes) - 1 : -1;
const any = (): boolean => true;
const isWhole = (dtype: DType): boolean => !isFloat(dtype);

export const identities: readonly Rule[] = [
  neutral("mul", "either", always(1), "x · 1 → x (exact for every number; of bools, b ∧ true)"),
  neutral("div", "right", always(1), "x / 1 → x (exact for every float)"),
  neutral("sub", "right", always(0), "x − 0 → x (−0 − 0 is −0)"),
  neutral(
    "add",
    "either",
    ofFloats(-0),
    "x + −0 → x (0 + −0 is 0, −0 + −0 is −0; x + 0 would turn −0 into 0)",
  ),
  neutral("add", "either", ofWholes(0), "i + 0 → i for integers and bools, which have no −0"),
  neutral("pow", "right", always(1), "x ** 1 → x (exact)"),
  ...(["floorDivide", "truncDivide"] as const).map((fn) =>
    neutral(fn, "right", ofIntegers(1), `${fn}(i, 1) → i for integers`),
  ),
  neutral("maximum", "either", ofFloats(-Infinity), "maximum(x, −∞) → x (NaN wins, as it does alone)"),
  neutral("minimum", "either", ofFloats(Infinity), "minimum(x, ∞) → x (NaN wins, as it does alone)"),
  neutral("logicalAnd", "either", always(1), "b ∧ true → b"),
  neutral("logicalOr", "either", always(0), "b ∨ false → b"),
  neutral("logicalXor", "either", always(0), "b ⊻ false → b"),
  neutral("bitwiseAnd", "either", ones, "i & all ones → i"),
  neutral("bitwiseOr", "either", always(0), "i | 0 → i"),
  neutral("bitwiseXor", "either", always(0), "i ^ 0 → i"),
  ...(["bitwiseLeftShift", "bitwiseRightShift"] as const).map((fn) =>
    neutral(fn, "right", always(0), `${fn}(i, 0) → i`),
  ),

  absorbing("mul", ofWholes(0), "i · 0 → 0 for integers and bools (of floats NaN, ∞ and −1 · 0 are not 0)"),
  absorbing("logicalAnd", always(0), "b ∧ false → false"),
  absorbing("logicalOr", always(1), "b ∨ true → true"),
  absorbing("bitwiseAnd", always(0), "i & 0 → 0"),
  absorbing("bitwiseOr", ones, "i | all ones → all ones"),

  ...pointwiseNames
    .filter((fn) => pointwiseOps[fn].idempotent)
    .map((fn) => onItself(fn, any, "itself", `${fn}(x, x) → x (NaN stays NaN, −0 stays −0)`)),
  onItself("sub", isWhole, 0, "i − i → 0 for integers (of floats NaN and ∞ give NaN)"),
  ...(["bitwiseXor", "logicalXor"] as const).map((fn) => onItself(fn, any, 0, `${fn}(i, i) → 0`)),
  ...(["lt", "gt"] as const).map((fn) =>
    onItself(fn, any, 0, `${fn}(x, x) → false (for NaN every order is false)`),
  ),
  ...(["eq", "le", "ge"] as const).map((fn) =>
    onItself(fn, isWhole, 1, `${fn}(i, i) → true for integers and bools (NaN is not equal to itself)`),
  ),
  onItself("ne", isWhole, 0, "i ≠ i → false for integers and bools"),
];
