/** Where each rule of the simplifier applies: expressions of the operands x, y, z, by the rule's name. */
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
  constant: [
    {
      dtypes: numbers,
      term: (g, d, x) => g.pointwise("add", x, g.pointwise("neg", constant(g, d, 1))),
    },
    {
      dtypes: dtypeNames,
      term: (g, d, x) =>
        g.pointwise("maximum", x, g.pointwise("minimum", constant(g, d, 1), constant(g, d, 0))),
    },
    {
      dtypes: dtypeNames,
      term: (g, d, x) =>
        g.pointwise(
          "maximum",
          x,
          g.pointwise("where", g.constant("bool", 1), constant(g, d, 1), constant(g, d, 0)),
        ),
    },
  ],
  "mul by 1": either("mul", 1, dtypeNames),
  "div by 1": [right("div", 1, floats)],
  "sub 0": [right("sub", 0, numbers)],
  "add -0": either("add", -0, floats),
  "add 0": either("add", 0, wholes),
  "pow 1": [right("pow", 1, numbers)],
  "floorDivide by 1": [right("floorDivide", 1, ints)],
  "truncDivide by 1": [right("truncDivide", 1, ints)],
  "maximum with -inf": either("maximum", -Infinity, floats),
  "minimum with inf": either("minimum", Infinity, floats),
  "and true": either("logicalAnd", 1, ["bool"]),
  "or false": either("logicalOr", 0, ["bool"]),
  "xor false": either("logicalXor", 0, ["bool"]),
  "bitwiseAnd ones": [
    ...either("bitwiseAnd", 1, ["bool"]),
    ...either("bitwiseAnd", 255, ["uint8"]),
    ...either("bitwiseAnd", -1, ["int8", "int16", "int32", "int64"]),
  ],
  "bitwiseOr 0": either("bitwiseOr", 0, wholes),
  "bitwiseXor 0": either("bitwiseXor", 0, wholes),
  "bitwiseLeftShift by 0": [right("bitwiseLeftShift", 0, ints)],
  "bitwiseRightShift by 0": [right("bitwiseRightShift", 0, ints)],
  "mul by 0": either("mul", 0, wholes),
  "and false": either("logicalAnd", 0, ["bool"]),
  "or true": either("logicalOr", 1, ["bool"]),
  "bitwiseAnd 0": either("bitwiseAnd", 0, wholes),
  "bitwiseOr ones": [
    ...either("bitwiseOr", 1, ["bool"]),
    ...either("bitwiseOr", 255, ["uint8"]),
    ...either("bitwiseOr", -1, ["int8", "int16", "int32", "int64"]),
  ],
  "maximum of itself": [oneself("maximum", dtypeNames)],
  "minimum of itself": [oneself("minimum", dtypeNames)],
  "fmax of itself": [oneself("fmax", dtypeNames)],
  "fmin of itself": [oneself("fmin", dtypeNames)],
  "bitwiseAnd of itself": [oneself("bitwiseAnd", wholes)],
  "bitwiseOr of itself": [oneself("bitwiseOr", wholes)],
  "logicalAnd of itself": [oneself("logicalAnd", ["bool"])],
  "logicalOr of itself": [oneself("logicalOr", ["bool"])],
  "sub of itself": [oneself("sub", ints)],
  "bitwiseXor of itself": [oneself("bitwiseXor", wholes)],
  "logicalXor of itself": [oneself("logicalXor", ["bool"])],
  "lt of itself": [oneself("lt", dtypeNames)],
  "gt of itself": [oneself("gt", dtypeNames)],
  "eq of itself": [oneself("eq", wholes)],
  "le of itself": [oneself("le", wholes)],
  "ge of itself": [oneself("ge", wholes)],
  "ne of itself": [oneself("ne", wholes)],

  "neg of neg": [nested("neg", "neg", numbers)],
  "abs of abs": [nested("abs", "abs", dtypeNames)],
  "abs of neg": [
    nested(
      "abs",
      "neg",
      numbers.filter((dtype) => dtype !== "uint8"),
    ),
  ],
  "relu of relu": [nested("relu", "relu", numbers)],
  "add neg": [
    { dtypes: numbers, operands: 2, term: (g, _, x, y) => g.pointwise("add", x, g.pointwise("neg", y)) },
    { dtypes: numbers, operands: 2, term: (g, _, x, y) => g.pointwise("add", g.pointwise("neg", x), y) },
  ],
  "sub neg": [
    { dtypes: numbers, operands: 2, term: (g, _, x, y) => g.pointwise("sub", x, g.pointwise("neg", y)) },
  ],
  "neg by neg": [
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
  "neg of sub": [
    { dtypes: ints, operands: 2, term: (g, _, x, y) => g.pointwise("neg", g.pointwise("sub", x, y)) },
  ],
  "sub from 0": [left("sub", 0, ints), left("sub", -0, floats)],
  "small pow": [right("pow", 2, ints), right("pow", 3, ints), right("pow", 14, ints)],
  "div by a power of 2": [
    ...[2, -2, 0.5, 1024, 2 ** -14].map((divisor) => right("div", divisor, floats)),
    ...[2 ** 100, 2 ** -100, -(2 ** 126)].map((divisor) => right("div", divisor, ["float32", "float64"])),
    ...[2 ** 1000, 2 ** -1000].map((divisor) => right("div", divisor, ["float64"])),
  ],
  "rounding of a rounding": [
    ...(["floor", "ceil", "trunc", "round"] as const).flatMap((fn) => [
      nested(fn, "round", numbers),
      nested(fn, "ceil", numbers),
    ]),
    { dtypes: wholes, term: (g, _, x) => g.pointwise("floor", g.cast(x, "float32")) },
    { dtypes: ints, term: (g, _, x) => g.pointwise("round", x) },
  ],

  "comparison that ranges decide": [
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
  "comparison of casts": [
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
  "comparison with a bool": [
    ...(["eq", "ne"] as const).flatMap((fn) => [right(fn, 1, ["bool"]), left(fn, 0, ["bool"])]),
  ],
  "not of a comparison": [
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
  "not of not": [nested("logicalNot", "logicalNot", ["bool"]), nested("logicalNot", "bitwiseNot", ["bool"])],
  "bitwiseNot of bitwiseNot": [nested("bitwiseNot", "bitwiseNot", wholes)],
  "isnan of an integer": (["isnan", "isinf", "isfinite"] as const).map((fn) => ({
    dtypes: wholes,
    term: (g, _, x) => g.pointwise(fn, x),
  })),

  "where true": [
    {
      dtypes: dtypeNames,
      operands: 2,
      term: (g, _, x, y) => g.pointwise("where", g.constant("bool", 1), x, y),
    },
  ],
  "where false": [
    {
      dtypes: dtypeNames,
      operands: 2,
      term: (g, _, x, y) => g.pointwise("where", g.constant("bool", 0), x, y),
    },
  ],
  "where of one operand": [
    { dtypes: dtypeNames, term: (g, d, x) => g.pointwise("where", condition(g, d, x), x, x) },
  ],
  "where not": (["logicalNot", "bitwiseNot"] as const).map((not) => ({
    dtypes: dtypeNames,
    operands: 2,
    term: (g, d, x, y) => g.pointwise("where", g.pointwise(not, condition(g, d, x)), x, y),
  })),
  "where true else false": [
    {
      dtypes: dtypeNames,
      term: (g, d, x) =>
        g.pointwise("where", condition(g, d, x), g.constant("bool", 1), g.constant("bool", 0)),
    },
  ],
  "where false else true": [
    {
      dtypes: dtypeNames,
      term: (g, d, x) =>
        g.pointwise("where", condition(g, d, x), g.constant("bool", 0), g.constant("bool", 1)),
    },
  ],
  "where of the same where": [
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

  "cast to its own": [{ dtypes: dtypeNames, term: (g, d, x) => g.cast(x, d) }],
  "cast of a cast that holds all": [
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
  "cast of a cast of integers": [
    { dtypes: ints, term: (g, _, x) => g.cast(g.cast(x, "int16"), "int8") },
    { dtypes: ints, term: (g, _, x) => g.cast(g.cast(x, "int8"), "uint8") },
  ],
  "cast of an iota": numbers.map((to) =>
    where((g) => g.pointwise("gt", g.cast(g.iota("int32", 36), to), constant(g, to, 9))),
  ),

  "maximum that ranges decide": (["maximum", "minimum"] as const).flatMap((fn) => [
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
  "abs of what is not negative": [
    ...(["abs", "relu"] as const).map(
      (fn): Example => ({ dtypes: ["bool", "uint8"], term: (g, _, x) => g.pointwise(fn, int32(g, x)) }),
    ),
    { dtypes: ["bool", "uint8"], term: (g, _, x) => g.pointwise("abs", x) },
  ],
  "remainder of what is less": (["remainder", "fmod"] as const).flatMap((fn) => [
    { dtypes: ["bool", "uint8"], term: (g, _, x) => g.pointwise(fn, int32(g, x), g.constant("int32", 256)) },
    where((g) =>
      g.pointwise(
        "lt",
        g.pointwise(fn, g.iota("int64", 36), g.constant("int64", 36n)),
        g.constant("int64", 9n),
      ),
    ),
  ]),
  "quotient of what is less": (["floorDivide", "truncDivide"] as const).map((fn) => ({
    dtypes: ["bool", "uint8"],
    term: (g, _, x) => g.pointwise(fn, int32(g, x), g.constant("int32", 256)),
  })),
  "narrow a comparison or cast": [
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
  "narrow a fold": (["sum", "any", "all", "argmax", "argmin"] as const).map((fn) => ({
    dtypes: ["bool", ...narrowInts],
    term: (g, _, x) => g.reduce(fn, g.cast(x, "int64"), [0]),
  })),
  "narrow an index": [
    { dtypes: dtypeNames, shape: [6], term: (g, _, x) => g.gather(x, 0, g.iota("int64", 6)) },
    {
      dtypes: dtypeNames,
      shape: [6],
      operands: 2,
      term: (g, _, x, y) => g.scatter(x, 0, g.iota("int64", 4), y, "set"),
    },
  ],

  "pointwise of expand": [
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
  "pointwise of leading ones": [
    {
      dtypes: numbers,
      operands: 2,
      shape: [6],
      term: (g, _, x, y) => g.pointwise("sub", g.reshape(x, [1, 6]), g.reshape(y, [6, 1])),
    },
  ],
  "expand of expand": [
    { dtypes: dtypeNames, shape: [6], term: (g, _, x) => g.expand(g.expand(x, [2, 6]), [3, 2, 6]) },
  ],
  "expand to its own shape": [{ dtypes: dtypeNames, shape: [6], term: (g, _, x) => g.expand(x, [6]) }],
  "expand that repeats nothing": [
    { dtypes: dtypeNames, shape: [6], term: (g, _, x) => g.expand(x, [1, 1, 6]) },
  ],
  "expand of leading ones": [
    { dtypes: dtypeNames, shape: [6], term: (g, _, x) => g.expand(g.reshape(x, [1, 6]), [3, 6]) },
  ],
  "permute of expand": [
    {
      dtypes: dtypeNames,
      shape: [3, 1, 2],
      term: (g, _, x) => g.permute(g.expand(x, [4, 3, 2, 2]), [2, 0, 3, 1]),
    },
  ],
  "slice of expand": [
    {
      dtypes: dtypeNames,
      shape: [4, 1],
      term: (g, _, x) => g.slice(g.expand(x, [2, 4, 3]), [1, 3, 2], [1, -2, -1], [1, 2, 2]),
    },
  ],
  "reshape of expand": [
    {
      dtypes: dtypeNames,
      shape: [3, 1, 4],
      term: (g, _, x) => g.reshape(g.expand(x, [2, 3, 6, 4]), [2, 1, 3, 2, 3, 2, 2]),
    },
  ],

  "pointwise of reshapes": [
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
  "reshape of reshape": [
    { dtypes: dtypeNames, shape: [6], term: (g, _, x) => g.reshape(g.reshape(x, [3, 2]), [1, 6]) },
  ],
  "reshape to its own shape": [{ dtypes: dtypeNames, shape: [6], term: (g, _, x) => g.reshape(x, [6]) }],
  "permute of permute": [
    {
      dtypes: dtypeNames,
      shape: [4, 3, 2],
      term: (g, _, x) => g.permute(g.permute(x, [1, 2, 0]), [2, 1, 0]),
    },
  ],
  "permute that keeps the order": [
    { dtypes: dtypeNames, shape: [3, 1, 2, 1], term: (g, _, x) => g.permute(x, [1, 0, 3, 2]) },
    { dtypes: dtypeNames, shape: [3, 2], term: (g, _, x) => g.permute(x, [0, 1]) },
  ],
  "slice of slice": [
    {
      dtypes: dtypeNames,
      shape: [6],
      term: (g, _, x) => g.slice(g.slice(x, [5], [-2], [3]), [2], [-1], [2]),
    },
  ],
  "slice of everything": [{ dtypes: dtypeNames, shape: [6], term: (g, _, x) => g.slice(x, [0], [1], [6]) }],
  "window onto a reshape": [
    { dtypes: dtypeNames, shape: [12], term: (g, _, x) => g.asStrided(g.reshape(x, [3, 4]), window) },
  ],
  "window onto everything": [
    {
      dtypes: dtypeNames,
      shape: [12],
      term: (g, _, x) => g.asStrided(x, { shape: [3, 1, 4], strides: [4, 9, 1], offset: 0 }),
    },
  ],
  "movement of a window": [
    { dtypes: dtypeNames, shape: [12], term: (g, _, x) => g.permute(g.asStrided(x, window), [1, 0]) },
    {
      dtypes: dtypeNames,
      shape: [12],
      term: (g, _, x) => g.slice(g.asStrided(x, window), [1, 0], [1, 2], [1, 2]),
    },
    { dtypes: dtypeNames, shape: [12], term: (g, _, x) => g.diagonal(g.asStrided(x, window), 1, 0, 1) },
    { dtypes: dtypeNames, shape: [12], term: (g, _, x) => g.diagonal(g.asStrided(x, window), -1, 0, 1) },
  ],
  "window that was just written": [
    {
      dtypes: dtypeNames,
      shape: [12],
      operands: 2,
      term: (g, _, x, y) =>
        g.asStrided(g.update(x, window, g.asStrided(y, { ...window, offset: 0 })), window),
    },
  ],
  "update of the same window": [
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

  "pad by nothing": [
    { dtypes: dtypeNames, shape: [6], term: (g, d, x) => g.pad(x, [0], [0], constant(g, d, 1)) },
  ],
  "pad with what is repeated": [
    { dtypes: dtypeNames, shape: [], term: (g, _, x) => g.pad(g.expand(x, [3]), [1], [2], x) },
  ],
  "pad of pad": [
    {
      dtypes: dtypeNames,
      shape: [2, 3],
      term: (g, d, x) => {
        const fill = constant(g, d, 1);
        return g.pad(g.pad(x, [1, 0], [0, 2], fill), [2, 1], [1, 0], fill);
      },
    },
  ],
  "slice of pad": [
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
  "slice of one part": [
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
  "concat of one part": [{ dtypes: dtypeNames, shape: [6], term: (g, _, x) => g.concat([x], 0) }],
  "concat of empty parts": [
    { dtypes: dtypeNames, shape: [6], term: (g, _, x) => g.concat([x, g.slice(x, [0], [1], [0]), x], 0) },
    { dtypes: dtypeNames, shape: [6, 0], term: (g, _, x) => g.concat([x, x], 1) },
  ],
  "concat of one value": [
    {
      dtypes: dtypeNames,
      shape: [],
      term: (g, _, x) => g.concat([g.expand(x, [2, 3]), g.expand(x, [2, 1])], 1),
    },
  ],
  "concat of neighbours": [
    {
      dtypes: dtypeNames,
      shape: [2, 6],
      term: (g, _, x) => {
        const part = (start: number, size: number): Recorded => g.slice(x, [1, start], [-1, 2], [2, size]);
        return g.concat([part(0, 1), part(2, 2), part(1, 2)], 1);
      },
    },
  ],
  "gather by an index that counts": [
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

  "fold of one element": (["sum", "prod", "max", "min", "any", "all", "argmax", "argmin"] as const).map(
    (fn) => ({
      dtypes: dtypeNames,
      shape: [36, 1],
      term: (g, _, x) => g.reduce(fn, x, [1]),
    }),
  ),
  "scan of one element": (
    ["sum", "prod", "max", "min", "lastArgmax", "lastArgmin", "lastMax", "lastMin", "logaddexp"] as const
  ).map((fn) => ({
    dtypes: fn === "logaddexp" ? floats : fn === "sum" || fn === "prod" ? ["int64", ...floats] : dtypeNames,
    shape: [36, 1],
    term: (g, _, x) => g.scan(fn, x, 1),
  })),
  "log-sum-exp along the last axis": [
    [12, 3],
    [3, 4, 3],
  ].map((shape) => ({
    dtypes: floats,
    shape,
    term: (g, _, x) => g.scan("logaddexp", x, shape.length - 1),
  })),
  "order of one element": [false, true].map((descending) => ({
    dtypes: dtypeNames,
    shape: [36, 1],
    term: (g, _, x) => g.argsort(x, 1, descending),
  })),
  "any of a cast": (["any", "all"] as const).map((fn) => ({
    dtypes: dtypeNames,
    shape: [18, 2],
    term: (g, _, x) => g.reduce(fn, g.cast(x, "bool"), [1]),
  })),
  "fold of expand along axes that stay": (
    ["sum", "prod", "max", "min", "any", "all", "argmax", "argmin"] as const
  ).flatMap((fn) => [
    { dtypes: dtypeNames, shape: [1, 12], term: (g, _, x) => g.reduce(fn, g.expand(x, [2, 3, 12]), [2]) },
    { dtypes: dtypeNames, shape: [4, 1, 3], term: (g, _, x) => g.reduce(fn, g.expand(x, [4, 3, 3]), [0]) },
  ]),
  "pick of expand": (["max", "min", "any", "all"] as const).map((fn) => ({
    dtypes: dtypeNames,
    shape: [6, 1, 6],
    term: (g, _, x) => g.reduce(fn, g.expand(x, [2, 6, 3, 6]), [0, 2, 3]),
  })),
  "position in expand": (["argmax", "argmin"] as const).map((fn) => ({
    dtypes: dtypeNames,
    shape: [36, 1],
    term: (g, _, x) => g.reduce(fn, g.expand(x, [36, 4]), [1]),
  })),
  "sum of integers repeated": [
    { dtypes: wholes, shape: [36, 1], term: (g, _, x) => g.reduce("sum", g.expand(x, [36, 5]), [1]) },
    { dtypes: wholes, shape: [6, 1, 6], term: (g, _, x) => g.reduce("sum", g.expand(x, [6, 3, 6]), [0, 1]) },
  ],
  "sum of a float repeated": [3, 7, 1000, 2047].map((times) => ({
    dtypes: ["float16", "float32"],
    shape: [1, 36],
    term: (g, _, x) => g.reduce("sum", g.expand(x, [times, 36]), [0]),
  })),
  "sum of a constant repeated": [
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
  "fold of permute": [
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
  "fold of reshape": (["sum", "prod", "max", "min", "any", "all", "argmax", "argmin"] as const).flatMap(
    (fn) => [
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
    ],
  ),
};
