/** Neutral operands, absorbing operands, and idempotent functions. */
import { type DType, isFloat, isInt, isUnsigned, pointwiseNames, pointwiseOps } from "@fuseau/ir";
import { absorbing, type Element, neutral, onItself, type Rule } from "../terms/rule.ts";

const any = (): boolean => true;
const isWhole = (dtype: DType): boolean => !isFloat(dtype);
const always = (value: number): Element[] => [[any, value]];
const ofFloats = (value: number): Element[] => [[isFloat, value]];
const ofIntegers = (value: number): Element[] => [[isInt, value]];
const ofWholes = (value: number): Element[] => [[isWhole, value]];
/** Every bit set. */
const ones: readonly Element[] = [
  [(dtype) => dtype === "bool", 1],
  [(dtype) => dtype === "uint8", 255],
  [(dtype) => isInt(dtype) && !isUnsigned(dtype), -1],
];

export const identities: readonly Rule[] = [
  neutral("mul by 1", "mul", "either", always(1), "x · 1 → x (exact for every number; of bools, b ∧ true)"),
  neutral("div by 1", "div", "right", always(1), "x / 1 → x (exact for every float)"),
  neutral("sub 0", "sub", "right", always(0), "x − 0 → x (−0 − 0 is −0)"),
  neutral(
    "add -0",
    "add",
    "either",
    ofFloats(-0),
    "x + −0 → x (0 + −0 is 0, −0 + −0 is −0; x + 0 would turn −0 into 0)",
  ),
  neutral("add 0", "add", "either", ofWholes(0), "i + 0 → i for integers and bools, which have no −0"),
  neutral("pow 1", "pow", "right", always(1), "x ** 1 → x (exact)"),
  ...(["floorDivide", "truncDivide"] as const).map((fn) =>
    neutral(`${fn} by 1`, fn, "right", ofIntegers(1), `${fn}(i, 1) → i for integers`),
  ),
  neutral(
    "maximum with -inf",
    "maximum",
    "either",
    ofFloats(-Infinity),
    "maximum(x, −∞) → x (NaN wins, as it does alone)",
  ),
  neutral(
    "minimum with inf",
    "minimum",
    "either",
    ofFloats(Infinity),
    "minimum(x, ∞) → x (NaN wins, as it does alone)",
  ),
  neutral("and true", "logicalAnd", "either", always(1), "b ∧ true → b"),
  neutral("or false", "logicalOr", "either", always(0), "b ∨ false → b"),
  neutral("xor false", "logicalXor", "either", always(0), "b ⊻ false → b"),
  neutral("bitwiseAnd ones", "bitwiseAnd", "either", ones, "i & all ones → i"),
  neutral("bitwiseOr 0", "bitwiseOr", "either", always(0), "i | 0 → i"),
  neutral("bitwiseXor 0", "bitwiseXor", "either", always(0), "i ^ 0 → i"),
  ...(["bitwiseLeftShift", "bitwiseRightShift"] as const).map((fn) =>
    neutral(`${fn} by 0`, fn, "right", always(0), `${fn}(i, 0) → i`),
  ),

  absorbing(
    "mul by 0",
    "mul",
    ofWholes(0),
    "i · 0 → 0 for integers and bools (of floats NaN, ∞ and −1 · 0 are not 0)",
  ),
  absorbing("and false", "logicalAnd", always(0), "b ∧ false → false"),
  absorbing("or true", "logicalOr", always(1), "b ∨ true → true"),
  absorbing("bitwiseAnd 0", "bitwiseAnd", always(0), "i & 0 → 0"),
  absorbing("bitwiseOr ones", "bitwiseOr", ones, "i | all ones → all ones"),

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
