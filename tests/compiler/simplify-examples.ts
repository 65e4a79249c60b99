/** Where each rule of the simplifier applies: expressions of the operands x, y, z, by the rule's law. */
import { type DType, dtypeNames, isFloat, isInt } from "@fuseau/ir";
import type { Recorded, Recording } from "./recording.ts";
import { elementOf } from "./special-values.ts";

export interface Example {
  /** Every dtype of x, y and z that the law holds for. */
  readonly dtypes: readonly DType[];
  /** Of each operand; [36] holds all special values of a dtype. */
  readonly shape?: readonly number[];
  readonly operands?: 1 | 2 | 3;
  readonly term: (g: Recording, dtype: DType, x: Recorded, y: Recorded, z: Recorded) => Recorded;
}

const floats = dtypeNames.filter(isFloat);
const ints = dtypeNames.filter(isInt);
const wholes = dtypeNames.filter((dtype) => !isFloat(dtype));
const numbers = [...ints, ...floats];
const narrowInts: readonly DType[] = ["uint8", "int8", "int16", "int32"];

type Binary = Exclude<Parameters<Recording["pointwise"]>[0], "where">;

const constant = (g: Recording, dtype: DType, value: number): Recorded =>
  g.constant(dtype, elementOf(dtype, value));

/** f(x, value). */
const right = (fn: Binary, value: number, dtypes: readonly DType[]): Example => ({
  dtypes,
  term: (g, dtype, x) => g.pointwise(fn, x, constant(g, dtype, value)),
});
/** f(value, x). */
const left = (fn: Binary, value: number, dtypes: readonly DType[]): Example => ({
  dtypes,
  term: (g, dtype, x) => g.pointwise(fn, constant(g, dtype, value), x),
});
const either = (fn: Binary, value: number, dtypes: readonly DType[]): Example[] => [
  right(fn, value, dtypes),
  left(fn, value, dtypes),
];
/** f(g(x)). */
const nested = (outer: Binary, inner: Binary, dtypes: readonly DType[]): Example => ({
  dtypes,
  term: (g, _, x) => g.pointwise(outer, g.pointwise(inner, x)),
});
/** f(x, x). */
const oneself = (fn: Binary, dtypes: readonly DType[]): Example => ({
  dtypes,
  term: (g, _, x) => g.pointwise(fn, x, x),
});

const condition = (g: Recording, dtype: DType, x: Recorded): Recorded =>
  g.pointwise("lt", x, constant(g, dtype, 1));
/** A choice between the operands by a mask that does not depend on them. */
const where = (mask: (g: Recording) => Recorded): Example => ({
  dtypes: dtypeNames,
  operands: 2,
  term: (g, _, x, y) => g.pointwise("where", mask(g), x, y),
});
const int32 = (g: Recording, x: Recorded): Recorded => g.cast(x, "int32");
const window = { shape: [2, 3], strides: [6, 2], offset: 1 };

export const examples: Readonly<Record<string, readonly Example[]>> = {
  "x · 1 → x (exact for every number; of bools, b ∧ true)": either("mul", 1, dtypeNames),
  "x / 1 → x (exact for every float)": [right("div", 1, floats)],
  "x − 0 → x (−0 − 0 is −0)": [right("sub", 0, numbers)],
  "x + −0 → x (0 + −0 is 0, −0 + −0 is −0; x + 0 would turn −0 into 0)": either("add", -0, floats),
  "i + 0 → i for integers and bools, which have no −0": either("add", 0, wholes),
  "x ** 1 → x (exact)": [right("pow", 1, numbers)],
  "floorDivide(i, 1) → i for integers": [right("floorDivide", 1, ints)],
  "truncDivide(i, 1) → i for integers": [right("truncDivide", 1, ints)],
  "maximum(x, −∞) → x (NaN wins, as it does alone)": either("maximum", -Infinity, floats),
  "minimum(x, ∞) → x (NaN wins, as it does alone)": either("minimum", Infinity, floats),
  "b ∧ true → b": either("logicalAnd", 1, ["bool"]),
  "b ∨ false → b": either("logicalOr", 0, ["bool"]),
  "b ⊻ false → b": either("logicalXor", 0, ["bool"]),
  "i & all ones → i": [
    ...either("bitwiseAnd", 1, ["bool"]),
    ...either("bitwiseAnd", 255, ["uint8"]),
    ...either("bitwiseAnd", -1, ["int8", "int16", "int32", "int64"]),
  ],
  "i | 0 → i": either("bitwiseOr", 0, wholes),
  "i ^ 0 → i": either("bitwiseXor", 0, wholes),
  "bitwiseLeftShift(i, 0) → i": [right("bitwiseLeftShift", 0, ints)],
  "bitwiseRightShift(i, 0) → i": [right("bitwiseRightShift", 0, ints)],
  "i · 0 → 0 for integers and bools (of floats NaN, ∞ and −1 · 0 are not 0)": either("mul", 0, wholes),
  "b ∧ false → false": either("logicalAnd", 0, ["bool"]),
  "b ∨ true → true": either("logicalOr", 1, ["bool"]),
  "i & 0 → 0": either("bitwiseAnd", 0, wholes),
  "i | all ones → all ones": [
    ...either("bitwiseOr", 1, ["bool"]),
    ...either("bitwiseOr", 255, ["uint8"]),
    ...either("bitwiseOr", -1, ["int8", "int16", "int32", "int64"]),
  ],
  "maximum(x, x) → x (NaN stays NaN, −0 stays −0)": [oneself("maximum", dtypeNames)],
  "minimum(x, x) → x (NaN stays NaN, −0 stays −0)": [oneself("minimum", dtypeNames)],
  "fmax(x, x) → x (NaN stays NaN, −0 stays −0)": [oneself("fmax", dtypeNames)],
  "fmin(x, x) → x (NaN stays NaN, −0 stays −0)": [oneself("fmin", dtypeNames)],
  "bitwiseAnd(x, x) → x (NaN stays NaN, −0 stays −0)": [oneself("bitwiseAnd", wholes)],
  "bitwiseOr(x, x) → x (NaN stays NaN, −0 stays −0)": [oneself("bitwiseOr", wholes)],
  "logicalAnd(x, x) → x (NaN stays NaN, −0 stays −0)": [oneself("logicalAnd", ["bool"])],
  "logicalOr(x, x) → x (NaN stays NaN, −0 stays −0)": [oneself("logicalOr", ["bool"])],
  "i − i → 0 for integers (of floats NaN and ∞ give NaN)": [oneself("sub", ints)],
  "bitwiseXor(i, i) → 0": [oneself("bitwiseXor", wholes)],
  "logicalXor(i, i) → 0": [oneself("logicalXor", ["bool"])],
  "lt(x, x) → false (for NaN every order is false)": [oneself("lt", dtypeNames)],
  "gt(x, x) → false (for NaN every order is false)": [oneself("gt", dtypeNames)],
  "eq(i, i) → true for integers and bools (NaN is not equal to itself)": [oneself("eq", wholes)],
  "le(i, i) → true for integers and bools (NaN is not equal to itself)": [oneself("le", wholes)],
  "ge(i, i) → true for integers and bools (NaN is not equal to itself)": [oneself("ge", wholes)],
  "i ≠ i → false for integers and bools": [oneself("ne", wholes)],

  "−(−x) → x (flips the sign twice; integers wrap both times)": [nested("neg", "neg", numbers)],
  "||x|| → |x|": [nested("abs", "abs", dtypeNames)],
  "|−x| → |x| but for uint8 (the sign is dropped either way; the least integer wraps to itself)": [
    nested(
      "abs",
      "neg",
      numbers.filter((dtype) => dtype !== "uint8"),
    ),
  ],
  "relu(relu(x)) → relu(x)": [nested("relu", "relu", numbers)],
  "a + −b → a − b (a difference is the sum with the sign of b flipped, for −0 too; integers wrap alike)": [
    { dtypes: numbers, operands: 2, term: (g, _, x, y) => g.pointwise("add", x, g.pointwise("neg", y)) },
    { dtypes: numbers, operands: 2, term: (g, _, x, y) => g.pointwise("add", g.pointwise("neg", x), y) },
  ],
  "a − −b → a + b (the sign flips twice)": [
    { dtypes: numbers, operands: 2, term: (g, _, x, y) => g.pointwise("sub", x, g.pointwise("neg", y)) },
  ],
  "−a · −b → a · b, −a / −b → a / b (rounding is symmetric, so the signs can go first)": [
    {
      dtypes: numbers,
      operands: 2,
      term: (g, _, x, y) => g.pointwise("mul", g.pointwise("neg", x), g.pointwise("neg", y)),
    },
    {
      dtypes: floats,
      operands: 2,
      term: (g, _, x, y) => g.pointwise("div", g.pointwise("neg", x), g.pointwise("neg", y)),
    },
  ],
  "−(i − j) → j − i for integers (of equal floats one is −0, the other 0)": [
    { dtypes: ints, operands: 2, term: (g, _, x, y) => g.pointwise("neg", g.pointwise("sub", x, y)) },
  ],
  "0 − i → −i for integers, −0 − x → −x for floats (0 − 0 is 0, and −0 is asked for)": [
    left("sub", 0, ints),
    left("sub", -0, floats),
  ],
  "i ** 2 → i · i for integers, which wrap alike (of floats an emitter's pow may round otherwise)": [
    right("pow", 2, ints),
  ],
  "x / ±2ᵏ → x · ±2⁻ᵏ where the dtype holds it (both round the one real number x · 2⁻ᵏ, once)": [
    ...[2, -2, 0.5, 1024, 2 ** -14].map((divisor) => right("div", divisor, floats)),
    ...[2 ** 100, 2 ** -100, -(2 ** 126)].map((divisor) => right("div", divisor, ["float32", "float64"])),
    ...[2 ** 1000, 2 ** -1000].map((divisor) => right("div", divisor, ["float64"])),
  ],
  "a rounding of what is rounded → what is rounded (an integral value stays, −0 and ∞ too)": [
    ...(["floor", "ceil", "trunc", "round"] as const).flatMap((fn) => [
      nested(fn, "round", numbers),
      nested(fn, "ceil", numbers),
    ]),
    { dtypes: wholes, term: (g, _, x) => g.pointwise("floor", g.cast(x, "float32")) },
    { dtypes: ints, term: (g, _, x) => g.pointwise("round", x) },
  ],

  "a comparison of integers whose ranges decide it → true or false": [
    ...(["eq", "ne", "lt", "le", "gt", "ge"] as const).map(
      (fn): Example => ({
        dtypes: ["bool", "uint8", "int8", "int16"],
        term: (g, _, x) => g.pointwise(fn, int32(g, x), g.constant("int32", 40_000)),
      }),
    ),
    ...(
      [
        ["lt", 0],
        ["le", 255],
        ["ge", 0],
        ["gt", 255],
      ] as const
    ).map(
      ([fn, bound]): Example => ({
        dtypes: ["uint8"],
        term: (g, dtype, x) => g.pointwise(fn, x, constant(g, dtype, bound)),
      }),
    ),
    where((g) => g.pointwise("lt", g.iota("int64", 36), g.constant("int64", 36n))),
    where((g) => g.pointwise("eq", g.reduce("argmax", g.iota("int32", 1), [0]), g.constant("int64", 0n))),
  ],
  "a comparison of casts that hold every value → of what was cast (order and equality stay)": [
    ...(["eq", "ne", "lt", "le", "gt", "ge"] as const).map(
      (fn): Example => ({
        dtypes: dtypeNames.filter((dtype) => dtype !== "int64"),
        operands: 2,
        term: (g, _, x, y) => g.pointwise(fn, g.cast(x, "float64"), g.cast(y, "float64")),
      }),
    ),
    {
      dtypes: dtypeNames.filter((dtype) => dtype !== "int64"),
      term: (g, _, x) => g.pointwise("lt", g.constant("float64", 1), g.cast(x, "float64")),
    },
    {
      dtypes: wholes.slice(0, 4),
      term: (g, _, x) => g.pointwise("ge", g.cast(x, "float32"), g.constant("float32", -0)),
    },
    {
      dtypes: wholes,
      term: (g, _, x) => g.pointwise("ne", g.cast(x, "int64"), g.constant("int64", 1n)),
    },
  ],
  "b = true → b, b ≠ false → b, b = false → ¬b, b ≠ true → ¬b for bools": [
    ...(["eq", "ne"] as const).flatMap((fn) => [right(fn, 1, ["bool"]), left(fn, 0, ["bool"])]),
  ],
  "¬(a = b) → a ≠ b and back; ¬(i < j) → i ≥ j and so on for integers (an order with NaN and its opposite are both false)":
    [
      ...(["eq", "ne", "lt", "le", "gt", "ge"] as const).map(
        (fn): Example => ({
          dtypes: fn === "eq" || fn === "ne" ? dtypeNames : wholes,
          operands: 2,
          term: (g, _, x, y) => g.pointwise("logicalNot", g.pointwise(fn, x, y)),
        }),
      ),
      {
        dtypes: dtypeNames,
        operands: 2,
        term: (g, _, x, y) => g.pointwise("bitwiseNot", g.pointwise("eq", x, y)),
      },
    ],
  "¬¬b → b for bool": [
    nested("logicalNot", "logicalNot", ["bool"]),
    nested("logicalNot", "bitwiseNot", ["bool"]),
  ],
  "~~x → x (every bit flipped twice)": [nested("bitwiseNot", "bitwiseNot", wholes)],
  "isnan(i) → false, isinf(i) → false, isfinite(i) → true for integers and bools": (
    ["isnan", "isinf", "isfinite"] as const
  ).map((fn) => ({ dtypes: wholes, term: (g, _, x) => g.pointwise(fn, x) })),

  "where(true, a, b) → a": [
    {
      dtypes: dtypeNames,
      operands: 2,
      term: (g, _, x, y) => g.pointwise("where", g.constant("bool", 1), x, y),
    },
  ],
  "where(false, a, b) → b": [
    {
      dtypes: dtypeNames,
      operands: 2,
      term: (g, _, x, y) => g.pointwise("where", g.constant("bool", 0), x, y),
    },
  ],
  "where(c, a, a) → a": [
    { dtypes: dtypeNames, term: (g, d, x) => g.pointwise("where", condition(g, d, x), x, x) },
  ],
  "where(¬c, a, b) → where(c, b, a)": (["logicalNot", "bitwiseNot"] as const).map((not) => ({
    dtypes: dtypeNames,
    operands: 2,
    term: (g, d, x, y) => g.pointwise("where", g.pointwise(not, condition(g, d, x)), x, y),
  })),
  "where(c, true, false) → c, where(c, false, true) → ¬c": ([1, 0] as const).map((value) => ({
    dtypes: dtypeNames,
    term: (g, d, x) =>
      g.pointwise("where", condition(g, d, x), g.constant("bool", value), g.constant("bool", 1 - value)),
  })),
  "where(c, where(c, a, b), d) → where(c, a, d), where(c, a, where(c, b, d)) → where(c, a, d)": [
    {
      dtypes: dtypeNames,
      operands: 3,
      term: (g, d, x, y, z) => {
        const c = condition(g, d, y);
        return g.pointwise("where", c, g.pointwise("where", c, x, y), z);
      },
    },
    {
      dtypes: dtypeNames,
      operands: 3,
      term: (g, d, x, y, z) => {
        const c = condition(g, d, y);
        return g.pointwise("where", c, x, g.pointwise("where", c, y, z));
      },
    },
  ],

  "cast(x, dtype of x) → x": [{ dtypes: dtypeNames, term: (g, d, x) => g.cast(x, d) }],
  "cast(cast(x, m), d) → cast(x, d) where m holds every value of x's dtype exactly": [
    {
      dtypes: dtypeNames.filter((dtype) => dtype !== "int64"),
      term: (g, d, x) => g.cast(g.cast(x, "float64"), d === "int32" ? "uint8" : "int32"),
    },
    { dtypes: wholes, term: (g, _, x) => g.cast(g.cast(x, "int64"), "float32") },
    {
      dtypes: ["float16", "float32", "bool", "uint8", "int8", "int16"],
      term: (g, d, x) => g.cast(g.cast(x, "float32"), d),
    },
  ],
  "cast(cast(i, m), d) → cast(i, d) for integers where m is at least as wide as d (both keep the lowest bits)":
    [
      { dtypes: ints, term: (g, _, x) => g.cast(g.cast(x, "int16"), "int8") },
      { dtypes: ints, term: (g, _, x) => g.cast(g.cast(x, "int8"), "uint8") },
    ],
  "cast(iota, d) → an iota of d where d counts so far exactly": numbers.map((to) =>
    where((g) => g.pointwise("gt", g.cast(g.iota("int32", 36), to), constant(g, to, 9))),
  ),

  "maximum(i, j) → i where no j is greater, minimum(i, j) → i where no j is less": (
    ["maximum", "minimum"] as const
  ).flatMap((fn) => [
    {
      dtypes: ["bool", "uint8", "int8", "int16"],
      term: (g, _, x) => g.pointwise(fn, int32(g, x), g.constant("int32", 40_000)),
    },
    {
      dtypes: ["bool", "uint8", "int8", "int16"],
      term: (g, _, x) => g.pointwise(fn, g.constant("int32", -40_000), int32(g, x)),
    },
    where((g) =>
      g.pointwise(
        "lt",
        g.pointwise(fn, g.iota("int64", 36), g.constant("int64", 35n)),
        g.constant("int64", 9n),
      ),
    ),
  ]),
  "|i| → i and relu(i) → i where no i is negative": [
    ...(["abs", "relu"] as const).map(
      (fn): Example => ({ dtypes: ["bool", "uint8"], term: (g, _, x) => g.pointwise(fn, int32(g, x)) }),
    ),
    { dtypes: ["bool", "uint8"], term: (g, _, x) => g.pointwise("abs", x) },
  ],
  "i mod n → i where every i is within [0, n)": (["remainder", "fmod"] as const).flatMap((fn) => [
    { dtypes: ["bool", "uint8"], term: (g, _, x) => g.pointwise(fn, int32(g, x), g.constant("int32", 256)) },
    where((g) =>
      g.pointwise(
        "lt",
        g.pointwise(fn, g.iota("int64", 36), g.constant("int64", 36n)),
        g.constant("int64", 9n),
      ),
    ),
  ]),
  "i ÷ n → 0 where every i is within [0, n)": (["floorDivide", "truncDivide"] as const).map((fn) => ({
    dtypes: ["bool", "uint8"],
    term: (g, _, x) => g.pointwise(fn, int32(g, x), g.constant("int32", 256)),
  })),
  "int64 work on values that int32 holds gives the same as int32: each intermediate value stays in range": [
    {
      dtypes: ["bool", ...narrowInts],
      term: (g, _, x) => {
        const places = g.pointwise("mul", g.iota("int64", 36), g.constant("int64", 3n));
        return g.pointwise("lt", g.cast(x, "int64"), g.pointwise("sub", places, g.constant("int64", 5n)));
      },
    },
    {
      dtypes: ["bool", "uint8", "int8", "int16"],
      operands: 2,
      term: (g, _, x, y) => {
        const [a, b] = [g.cast(x, "int64"), g.cast(y, "int64")];
        return g.cast(g.pointwise("maximum", g.pointwise("mul", a, b), g.pointwise("sub", a, b)), "float32");
      },
    },
  ],
  "Σ, any, all and first positions of int64 values that int32 holds → of int32: the fold is exact, its result as wide":
    (["sum", "any", "all", "argmax", "argmin"] as const).map((fn) => ({
      dtypes: ["bool", ...narrowInts],
      term: (g, _, x) => g.reduce(fn, g.cast(x, "int64"), [0]),
    })),
  "an index of int64 values that int32 holds → of int32: the same places": [
    { dtypes: dtypeNames, shape: [6], term: (g, _, x) => g.gather(x, 0, g.iota("int64", 6)) },
    {
      dtypes: dtypeNames,
      shape: [6],
      operands: 2,
      term: (g, _, x, y) => g.scatter(x, 0, g.iota("int64", 4), y, "set"),
    },
  ],

  "f(expand(x), y) → expand(f(x, y)): equal operands give equal results, and f broadcasts by itself": [
    { dtypes: numbers, shape: [3], term: (g, _, x) => g.pointwise("neg", g.expand(x, [2, 3])) },
    {
      dtypes: dtypeNames,
      shape: [1, 3],
      operands: 2,
      term: (g, _, x, y) =>
        g.pointwise("mul", g.expand(x, [2, 3]), g.expand(g.reshape(y, [3, 1, 1]), [3, 2, 3])),
    },
    { dtypes: dtypeNames, shape: [3], term: (g, _, x) => g.cast(g.expand(x, [4, 3]), "float64") },
  ],
  "f(x with axes of size 1 in front, y) → f(x, y) where y has those axes": [
    {
      dtypes: numbers,
      operands: 2,
      shape: [6],
      term: (g, _, x, y) => g.pointwise("sub", g.reshape(x, [1, 6]), g.reshape(y, [6, 1])),
    },
  ],
  "expand(expand(x)) → expand(x); expand(x, shape of x) → x": [
    { dtypes: dtypeNames, shape: [6], term: (g, _, x) => g.expand(g.expand(x, [2, 6]), [3, 2, 6]) },
    { dtypes: dtypeNames, shape: [6], term: (g, _, x) => g.expand(x, [6]) },
  ],
  "expand that repeats nothing → reshape; expand(x with axes of size 1 in front) → expand(x)": [
    { dtypes: dtypeNames, shape: [6], term: (g, _, x) => g.expand(x, [1, 1, 6]) },
    { dtypes: dtypeNames, shape: [6], term: (g, _, x) => g.expand(g.reshape(x, [1, 6]), [3, 6]) },
  ],
  "permute(expand(x)) → expand(permute(x)): axes are repeated wherever they stand": [
    {
      dtypes: dtypeNames,
      shape: [3, 1, 2],
      term: (g, _, x) => g.permute(g.expand(x, [4, 3, 2, 2]), [2, 0, 3, 1]),
    },
  ],
  "slice(expand(x)) → expand(slice(x)): a repeated axis has the same at every place": [
    {
      dtypes: dtypeNames,
      shape: [4, 1],
      term: (g, _, x) => g.slice(g.expand(x, [2, 4, 3]), [1, 3, 2], [1, -2, -1], [1, 2, 2]),
    },
  ],
  "reshape(expand(x)) → expand(reshape(x)) where no run of axes is repeated in part": [
    {
      dtypes: dtypeNames,
      shape: [3, 1, 4],
      term: (g, _, x) => g.reshape(g.expand(x, [2, 3, 6, 4]), [2, 1, 3, 2, 3, 2, 2]),
    },
  ],

  "f(reshape(x), reshape(y), c) → reshape(f(x, y, c)) where axes of size 1 come or go, and c is 0-d: the same elements; so that sum(0) / n and sum(0, keepdim) / n are one":
    [
      {
        dtypes: numbers,
        shape: [3, 1, 2],
        operands: 2,
        term: (g, _, x, y) => g.pointwise("sub", g.reshape(x, [3, 2]), g.reshape(y, [3, 2])),
      },
      {
        dtypes: numbers,
        shape: [6],
        term: (g, dtype, x) => g.pointwise("sub", constant(g, dtype, 3), g.reshape(x, [6, 1])),
      },
    ],
  "reshape(reshape(x)) → reshape(x); reshape(x, shape of x) → x (row-major order either way)": [
    { dtypes: dtypeNames, shape: [6], term: (g, _, x) => g.reshape(g.reshape(x, [3, 2]), [1, 6]) },
    { dtypes: dtypeNames, shape: [6], term: (g, _, x) => g.reshape(x, [6]) },
  ],
  "permute(permute(x, p), q) → permute(x, p∘q)": [
    {
      dtypes: dtypeNames,
      shape: [4, 3, 2],
      term: (g, _, x) => g.permute(g.permute(x, [1, 2, 0]), [2, 1, 0]),
    },
  ],
  "permute that keeps the order of all axes but those of size 1 → reshape": [
    { dtypes: dtypeNames, shape: [3, 1, 2, 1], term: (g, _, x) => g.permute(x, [1, 0, 3, 2]) },
    { dtypes: dtypeNames, shape: [3, 2], term: (g, _, x) => g.permute(x, [0, 1]) },
  ],
  "slice(slice(x)) → slice(x), place start + step·i twice; a slice of everything → x": [
    {
      dtypes: dtypeNames,
      shape: [6],
      term: (g, _, x) => g.slice(g.slice(x, [5], [-2], [3]), [2], [-1], [2]),
    },
    { dtypes: dtypeNames, shape: [6], term: (g, _, x) => g.slice(x, [0], [1], [6]) },
  ],
  "asStrided(reshape(x)) → asStrided(x): a window is onto row-major elements, whatever their shape": [
    { dtypes: dtypeNames, shape: [12], term: (g, _, x) => g.asStrided(g.reshape(x, [3, 4]), window) },
  ],
  "a window onto every element in row-major order → reshape": [
    {
      dtypes: dtypeNames,
      shape: [12],
      term: (g, _, x) => g.asStrided(x, { shape: [3, 1, 4], strides: [4, 9, 1], offset: 0 }),
    },
  ],
  "permute, slice forwards and diagonal of a window → a window: places stay a linear function of the index": [
    { dtypes: dtypeNames, shape: [12], term: (g, _, x) => g.permute(g.asStrided(x, window), [1, 0]) },
    {
      dtypes: dtypeNames,
      shape: [12],
      term: (g, _, x) => g.slice(g.asStrided(x, window), [1, 0], [1, 2], [1, 2]),
    },
    { dtypes: dtypeNames, shape: [12], term: (g, _, x) => g.diagonal(g.asStrided(x, window), 1, 0, 1) },
    { dtypes: dtypeNames, shape: [12], term: (g, _, x) => g.diagonal(g.asStrided(x, window), -1, 0, 1) },
  ],
  "reading the very window that was just written → what was written": [
    {
      dtypes: dtypeNames,
      shape: [12],
      operands: 2,
      term: (g, _, x, y) =>
        g.asStrided(g.update(x, window, g.asStrided(y, { ...window, offset: 0 })), window),
    },
  ],
  "update(update(x, window, a), window, b) → update(x, window, b): every place of the first is written again":
    [
      {
        dtypes: dtypeNames,
        shape: [12],
        operands: 3,
        term: (g, _, x, y, z) =>
          g.update(
            g.update(x, window, g.asStrided(y, { ...window, offset: 0 })),
            window,
            g.asStrided(z, { ...window, offset: 1 }),
          ),
      },
    ],

  "pad by nothing → x; pad(expand(c), c) → expand(c)": [
    { dtypes: dtypeNames, shape: [6], term: (g, d, x) => g.pad(x, [0], [0], constant(g, d, 1)) },
    { dtypes: dtypeNames, shape: [], term: (g, _, x) => g.pad(g.expand(x, [3]), [1], [2], x) },
  ],
  "pad(pad(x, c), c) → pad(x, c): the same value further out": [
    {
      dtypes: dtypeNames,
      shape: [2, 3],
      term: (g, d, x) => {
        const fill = constant(g, d, 1);
        return g.pad(g.pad(x, [1, 0], [0, 2], fill), [2, 1], [1, 0], fill);
      },
    },
  ],
  "slice(pad(x)) → slice(x) within x, and the padding alone beside it": [
    {
      dtypes: dtypeNames,
      shape: [6],
      term: (g, d, x) => g.slice(g.pad(x, [2], [3], constant(g, d, 1)), [7], [-1], [6]),
    },
    {
      dtypes: dtypeNames,
      shape: [6],
      term: (g, d, x) => g.slice(g.pad(x, [2], [3], constant(g, d, 1)), [8], [1], [2]),
    },
  ],
  "slice(concat(…, x, …)) → slice(x) where all places are of one part": [
    {
      dtypes: dtypeNames,
      shape: [6],
      operands: 2,
      term: (g, _, x, y) => g.slice(g.concat([x, y], 0), [11], [-2], [3]),
    },
    {
      dtypes: dtypeNames,
      shape: [2, 3],
      operands: 2,
      term: (g, _, x, y) => g.slice(g.concat([x, y], 1), [1, 0], [1, 1], [1, 3]),
    },
  ],
  "concat without its empty parts; of one part → it; of expand(c) alone → expand(c); neighbouring slices of one x → a slice of x":
    [
      { dtypes: dtypeNames, shape: [6], term: (g, _, x) => g.concat([x], 0) },
      { dtypes: dtypeNames, shape: [6], term: (g, _, x) => g.concat([x, g.slice(x, [0], [1], [0]), x], 0) },
      {
        dtypes: dtypeNames,
        shape: [],
        term: (g, _, x) => g.concat([g.expand(x, [2, 3]), g.expand(x, [2, 1])], 1),
      },
      {
        dtypes: dtypeNames,
        shape: [2, 6],
        term: (g, _, x) => {
          const part = (start: number, size: number): Recorded => g.slice(x, [1, start], [-1, 2], [2, size]);
          return g.concat([part(0, 1), part(2, 2), part(1, 2)], 1);
        },
      },
    ],
  "gather by an index that counts along its axis, within x → slice(x); by one that stays → expand(slice(x))":
    [
      {
        dtypes: dtypeNames,
        shape: [2, 6],
        term: (g, _, x) => {
          const places = g.pointwise(
            "sub",
            g.constant("int64", 5n),
            g.pointwise("mul", g.iota("int64", 3), g.constant("int64", 2n)),
          );
          return g.gather(x, 1, g.expand(g.reshape(places, [1, 3]), [2, 3]));
        },
      },
      {
        dtypes: dtypeNames,
        shape: [2, 6],
        term: (g, _, x) => g.gather(x, 1, g.expand(g.constant("int32", 4), [2, 3])),
      },
      {
        dtypes: dtypeNames,
        shape: [6],
        term: (g, _, x) =>
          g.gather(
            x,
            0,
            g.slice(
              g.pointwise("neg", g.pointwise("add", g.iota("int64", 6), g.constant("int64", -5n))),
              [1],
              [1],
              [4],
            ),
          ),
      },
    ],

  "a fold of one element → the element: max, min and a product are it, Σ is 0 + x (−0 becomes 0), any and all ask whether it is 0, its place is 0":
    (["sum", "prod", "max", "min", "any", "all", "argmax", "argmin"] as const).map((fn) => ({
      dtypes: dtypeNames,
      shape: [36, 1],
      term: (g, _, x) => g.reduce(fn, x, [1]),
    })),
  "any(cast(x, bool)) → any(x), all alike: both ask for elements that are not 0, and NaN is none": (
    ["any", "all"] as const
  ).map((fn) => ({
    dtypes: dtypeNames,
    shape: [18, 2],
    term: (g, _, x) => g.reduce(fn, g.cast(x, "bool"), [1]),
  })),
  "fold(expand(x)) → expand(fold(x)) along axes that are kept: the elements of each result are the same, in the same order":
    (["sum", "prod", "max", "min", "any", "all", "argmax", "argmin"] as const).flatMap((fn) => [
      { dtypes: dtypeNames, shape: [1, 12], term: (g, _, x) => g.reduce(fn, g.expand(x, [2, 3, 12]), [2]) },
      { dtypes: dtypeNames, shape: [4, 1, 3], term: (g, _, x) => g.reduce(fn, g.expand(x, [4, 3, 3]), [0]) },
    ]),
  "max, min, any, all of expand(x) → of x: an element counts once however often it is there": (
    ["max", "min", "any", "all"] as const
  ).map((fn) => ({
    dtypes: dtypeNames,
    shape: [6, 1, 6],
    term: (g, _, x) => g.reduce(fn, g.expand(x, [2, 6, 3, 6]), [0, 2, 3]),
  })),
  "argmax, argmin of one element repeated → 0, the first place": (["argmax", "argmin"] as const).map(
    (fn) => ({
      dtypes: dtypeNames,
      shape: [36, 1],
      term: (g, _, x) => g.reduce(fn, g.expand(x, [36, 4]), [1]),
    }),
  ),
  "Σ of n times each integer → n · Σ (exact in wrapping integers)": [
    { dtypes: wholes, shape: [36, 1], term: (g, _, x) => g.reduce("sum", g.expand(x, [36, 5]), [1]) },
    { dtypes: wholes, shape: [6, 1, 6], term: (g, _, x) => g.reduce("sum", g.expand(x, [6, 3, 6]), [0, 1]) },
  ],
  "Σ of one float16 or float32 n times → n · x + 0, where the sum has no lanes: float64 adds up n < 2²⁹ equal ones exactly, so both round n · x once; + 0 makes −0 the 0 that a sum of −0 is":
    [3, 7, 1000, 2047].map((times) => ({
      dtypes: ["float16", "float32"],
      shape: [1, 36],
      term: (g, _, x) => g.reduce("sum", g.expand(x, [times, 36]), [0]),
    })),
  "Σ of a constant c n times → n · c, where every multiple of c up to it is exact in the narrowest accumulator":
    [
      ...[1, -3, 0, -0, 0.5, 2 ** -14].flatMap((value) =>
        [3, 31].map(
          (times): Example => ({
            dtypes: floats,
            shape: [1],
            term: (g, d, x) => {
              const all = g.expand(g.constant(d, value), [2, times]);
              return g.pointwise("mul", g.reduce("sum", all, [0, 1]), x);
            },
          }),
        ),
      ),
    ],
  "fold(permute(x)) → permute(fold(x)) for folds that give the same in any order": [
    ...(["max", "min", "any", "all"] as const).map(
      (fn): Example => ({
        dtypes: dtypeNames,
        shape: [3, 2, 6],
        term: (g, _, x) => g.reduce(fn, g.permute(x, [2, 0, 1]), [1]),
      }),
    ),
    ...(["sum", "prod"] as const).map(
      (fn): Example => ({
        dtypes: wholes,
        shape: [3, 2, 6],
        term: (g, _, x) => g.reduce(fn, g.permute(x, [2, 1, 0]), [0, 2]),
      }),
    ),
  ],
  "fold(reshape(x)) → reshape(fold(x)) where whole runs of axes are folded and the others stay: the elements have the same numbers":
    (["sum", "prod", "max", "min", "any", "all", "argmax", "argmin"] as const).flatMap((fn) => [
      {
        dtypes: dtypeNames,
        shape: [3, 4, 3],
        term: (g, _, x) => g.reduce(fn, g.reshape(x, [1, 12, 3]), [1]),
      },
      {
        dtypes: dtypeNames,
        shape: [3, 12],
        term: (g, _, x) => g.reduce(fn, g.reshape(x, [3, 1, 3, 4]), [2, 3]),
      },
      { dtypes: dtypeNames, shape: [6, 6], term: (g, _, x) => g.reduce(fn, g.reshape(x, [36]), [0]) },
    ]),
};
