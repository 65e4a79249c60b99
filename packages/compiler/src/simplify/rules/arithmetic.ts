/** Signs, powers and rounding: functions that cancel, are idempotent, or equal another function. */
import { type DType, type FloatDType, isFloat, isInt, isUnsigned } from "@fuseau/ir";
import { constant, isNumber, of, op, select, when } from "../terms/pattern.ts";
import { type Rule, rule } from "../terms/rule.ts";
import type { Term, Terms } from "../terms/term.ts";

const roundings = ["floor", "ceil", "trunc", "round"] as const;

const [a, b, x] = [select("a"), select("b"), select("x")];
const int = when(isInt);

export const arithmetic: readonly Rule[] = [
  rule({
    name: "neg of neg",
    at: ["neg"],
    pattern: of(op("neg", x)),
    law: "−(−x) → x (flips the sign twice; integers wrap both times)",
    gives: ({ x }) => x,
  }),
  rule({
    name: "abs of abs",
    at: ["abs"],
    pattern: of(op("abs", x)),
    law: "||x|| → |x|",
    gives: ({ x }, terms) => terms.pointwise("abs", x),
  }),
  rule({
    name: "abs of neg",
    at: ["abs"],
    pattern: of(op("neg", x)),
    when: ({ x }) => !isUnsigned(x.dtype),
    law: "|−x| → |x| but for uint8 (the sign is dropped either way; the least integer wraps to itself)",
    gives: ({ x }, terms) => terms.pointwise("abs", x),
  }),
  rule({
    name: "relu of relu",
    at: ["relu"],
    pattern: of(op("relu", x)),
    law: "relu(relu(x)) → relu(x)",
    gives: ({ x }, terms) => terms.pointwise("relu", x),
  }),
  rule({
    name: "add neg",
    at: ["add"],
    pattern: [of(a, op("neg", b)), of(op("neg", b), a)],
    law: "a + −b → a − b (a difference is the sum with the sign of b flipped, for −0 too; integers wrap alike)",
    gives: ({ a, b }, terms) => terms.pointwise("sub", a, b),
  }),
  rule({
    name: "sub neg",
    at: ["sub"],
    pattern: of(a, op("neg", b)),
    law: "a − −b → a + b (the sign flips twice)",
    gives: ({ a, b }, terms) => terms.pointwise("add", a, b),
  }),
  rule({
    name: "neg by neg",
    at: ["mul", "div"],
    pattern: of(op("neg", a), op("neg", b)),
    law: "−a · −b → a · b, −a / −b → a / b (rounding is symmetric, so the signs can go first)",
    gives: ({ a, b }, terms, term) => terms.again(term, [a, b]),
  }),
  rule({
    name: "neg of sub",
    at: ["neg"],
    pattern: { dtype: int, ...of(op("sub", a, b)) },
    law: "−(i − j) → j − i for integers (of equal floats one is −0, the other 0)",
    gives: ({ a, b }, terms) => terms.pointwise("sub", b, a),
  }),
  rule({
    name: "sub from 0",
    at: ["sub"],
    pattern: of(constant("value"), x),
    when: ({ value }, { dtype }) => isNumber(value, isFloat(dtype) ? -0 : 0),
    law: "0 − i → −i for integers, −0 − x → −x for floats (0 − 0 is 0, and −0 is asked for)",
    gives: ({ x }, terms) => terms.pointwise("neg", x),
  }),
  rule({
    name: "small pow",
    at: ["pow"],
    pattern: { dtype: int, ...of(x, constant("power")) },
    law: "i ** 2 → i · i, i ** 3 → i · i · i … for integers, which wrap alike (of floats an emitter's pow may round otherwise)",
    gives: ({ x, power }, terms) => {
      const factors = Number(power);
      return factors >= 2 && factors <= MOST_FACTORS ? product(x, factors, terms) : undefined;
    },
  }),
  rule({
    name: "div by a power of 2",
    at: ["div"],
    pattern: of(x, constant("value")),
    law: "x / ±2ᵏ → x · ±2⁻ᵏ where the dtype holds it (both round the one real number x · 2⁻ᵏ, once)",
    gives: ({ x, value }, terms, { dtype }) => {
      const reciprocal = reciprocalOf(value, dtype);
      return reciprocal === undefined
        ? undefined
        : terms.pointwise("mul", x, terms.constant(dtype, reciprocal));
    },
  }),
  rule({
    name: "rounding of a rounding",
    at: roundings,
    pattern: of(x),
    when: ({ x }) => isIntegral(x),
    law: "a rounding of what is rounded → what is rounded (an integral value stays, −0 and ∞ too)",
    gives: ({ x }) => x,
  }),
];

/** i ** 15 takes 6 products. */
const MOST_FACTORS = 15;

/** The product of so many x, by squares. */
function product(x: Term, factors: number, terms: Terms): Term {
  if (factors === 1) return x;
  const half = product(x, factors >> 1, terms);
  const square = terms.pointwise("mul", half, half);
  return factors % 2 === 0 ? square : terms.pointwise("mul", square, x);
}

/** True for integers, and for floats that are rounded or come from an integer. */
const isIntegral = ({ fn, dtype, inputs: [from] }: Term): boolean =>
  !isFloat(dtype) ||
  (roundings as readonly string[]).includes(fn) ||
  (fn === "cast" && !isFloat((from as Term).dtype));

/** The exponents of the least and the largest power of two, subnormal ones too. */
const exponents: { readonly [D in FloatDType]: readonly [number, number] } = {
  float16: [-24, 15],
  float32: [-149, 127],
  float64: [-1074, 1023],
};

/** 1 / value for a power of two, if the dtype represents it. */
function reciprocalOf(value: number | bigint | undefined, dtype: DType): number | undefined {
  if (typeof value !== "number" || !isFloat(dtype)) return undefined;
  const exponent = Math.round(Math.log2(Math.abs(value)));
  const [least, largest] = exponents[dtype];
  if (2 ** exponent !== Math.abs(value) || -exponent < least || -exponent > largest) return undefined;
  return Math.sign(value) * 2 ** -exponent;
}
