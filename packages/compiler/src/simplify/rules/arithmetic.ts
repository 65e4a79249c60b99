/** Signs, powers and rounding: functions that undo, repeat or stand for one another. */
import { type DType, type FloatDType, isFloat, isInt, isUnsigned } from "@fuseau/ir";
import { isConstant, nested, type Rule } from "../rule.ts";
import type { Term } from "../term.ts";

const roundings = ["floor", "ceil", "trunc", "round"] as const;

export const arithmetic: readonly Rule[] = [
  nested(["neg"], ["neg"], "−(−x) → x (flips the sign twice; integers wrap both times)", (x) => x),
  nested(["abs"], ["abs"], "||x|| → |x|", (x, terms) => terms.pointwise("abs", x)),
  nested(
    ["abs"],
    ["neg"],
    "|−x| → |x| but for uint8 (the sign is dropped either way; the least integer wraps to itself)",
    (x, terms) => (isUnsigned(x.dtype) ? undefined : terms.pointwise("abs", x)),
  ),
  nested(["relu"], ["relu"], "relu(relu(x)) → relu(x)", (x, terms) => terms.pointwise("relu", x)),
  {
    at: ["add"],
    law: "a + −b → a − b (a difference is the sum with the sign of b flipped, for −0 too; integers wrap alike)",
    apply: ({ inputs }, terms) => {
      const [a, b] = inputs as [Term, Term];
      if (b.fn === "neg") return terms.pointwise("sub", a, b.inputs[0] as Term);
      return a.fn === "neg" ? terms.pointwise("sub", b, a.inputs[0] as Term) : undefined;
    },
  },
  {
    at: ["sub"],
    law: "a − −b → a + b (the sign flips twice)",
    apply: ({ inputs }, terms) => {
      const [a, b] = inputs as [Term, Term];
      return b.fn === "neg" ? terms.pointwise("add", a, b.inputs[0] as Term) : undefined;
    },
  },
  {
    at: ["mul", "div"],
    law: "−a · −b → a · b, −a / −b → a / b (rounding is symmetric, so the signs can go first)",
    apply: (term, terms) => {
      const [a, b] = term.inputs as [Term, Term];
      if (a.fn !== "neg" || b.fn !== "neg") return undefined;
      return terms.again(term, [a.inputs[0] as Term, b.inputs[0] as Term]);
    },
  },
  {
    at: ["neg"],
    law: "−(i − j) → j − i for integers (of equal floats one is −0, the other 0)",
    apply: ({ inputs: [x], dtype }, terms) =>
      x?.fn === "sub" && isInt(dtype)
        ? terms.pointwise("sub", x.inputs[1] as Term, x.inputs[0] as Term)
        : undefined,
  },
  {
    at: ["sub"],
    law: "0 − i → −i for integers, −0 − x → −x for floats (0 − 0 is 0, and −0 is asked for)",
    apply: ({ inputs, dtype }, terms) => {
      const [a, b] = inputs as [Term, Term];
      return isConstant(a, isFloat(dtype) ? -0 : 0) ? terms.pointwise("neg", b) : undefined;
    },
  },
  {
    at: ["pow"],
    law: "i ** 2 → i · i for integers, which wrap alike (of floats an emitter's pow may round otherwise)",
    apply: ({ inputs, dtype }, terms) => {
      const [x, exponent] = inputs as [Term, Term];
      return isInt(dtype) && isConstant(exponent, 2) ? terms.pointwise("mul", x, x) : undefined;
    },
  },
  {
    at: ["div"],
    law: "x / ±2ᵏ → x · ±2⁻ᵏ where the dtype holds it (both round the one real number x · 2⁻ᵏ, once)",
    apply: ({ inputs, dtype }, terms) => {
      const [x, divisor] = inputs as [Term, Term];
      const reciprocal = reciprocalOf(divisor.value, dtype);
      return reciprocal === undefined
        ? undefined
        : terms.pointwise("mul", x, terms.constant(dtype, reciprocal));
    },
  },

  {
    at: roundings,
    law: "a rounding of what is rounded → what is rounded (an integral value stays, −0 and ∞ too)",
    apply: ({ inputs: [x] }) => (x && isIntegral(x) ? x : undefined),
  },
];

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

/** 1 / value for a power of two, if the dtype has it. */
function reciprocalOf(value: number | bigint | undefined, dtype: DType): number | undefined {
  if (typeof value !== "number" || !isFloat(dtype)) return undefined;
  const exponent = Math.round(Math.log2(Math.abs(value)));
  const [least, largest] = exponents[dtype];
  if (2 ** exponent !== Math.abs(value) || -exponent < least || -exponent > largest) return undefined;
  return Math.sign(value) * 2 ** -exponent;
}
