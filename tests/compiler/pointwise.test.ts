import { readFileSync } from "node:fs";
import {
  allocate,
  computeDType,
  type DType,
  DTypeError,
  dtypeNames,
  isFloat,
  type PointwiseOp,
  pointwiseNames,
  pointwiseOps,
  resultDType,
} from "@fuseau/ir";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { closureLoad, closureStore } from "../../packages/compiler/src/emit/closure/columns.ts";
import {
  closurePointwise,
  type Scalar,
  type ScalarFunction,
} from "../../packages/compiler/src/emit/closure/pointwise.ts";
import { roundToFloat16 } from "../../packages/compiler/src/emit/intrinsics/float16.ts";
import {
  jsConstant,
  jsLoad,
  jsNames,
  jsPointwise,
  jsRuntime,
  jsStore,
} from "../../packages/compiler/src/emit/js/pointwise.ts";

/** An op at one combination of dtypes: `inputs` of each operand, `from` computed in, `to` of the result. */
interface Instance {
  readonly op: PointwiseOp;
  readonly inputs: readonly DType[];
  readonly from: DType;
  readonly to: DType;
}

/** Every legal combination, by the rules of the op table itself. */
const instances: readonly Instance[] = pointwiseNames.flatMap((op) => {
  const { arity, rule } = pointwiseOps[op];
  if (rule === "cast") {
    return dtypeNames.flatMap((from) => dtypeNames.map((to) => ({ op, inputs: [from], from, to })));
  }
  if (rule === "select") {
    return dtypeNames.map((d) => ({ op, inputs: ["bool" as const, d, d], from: d, to: d }));
  }
  const computed = new Set(dtypeNames.flatMap((d) => (refuses(op, d) ? [] : [computeDType(op, d)])));
  return [...computed].map((from) => ({
    op,
    inputs: Array.from({ length: arity }, () => from),
    from,
    to: resultDType(op, from),
  }));
});

function refuses(op: PointwiseOp, dtype: DType): boolean {
  try {
    computeDType(op, dtype);
    return false;
  } catch (error) {
    if (error instanceof DTypeError) return true;
    throw error;
  }
}

/** Whole range, edges, signs, halves, subnormals, infinities: what goes wrong. */
const special: { readonly [D in DType]: readonly Scalar[] } = {
  bool: [0, 1],
  uint8: [0, 1, 2, 3, 7, 8, 31, 32, 127, 128, 200, 254, 255],
  int8: [-128, -127, -64, -7, -3, -2, -1, 0, 1, 2, 3, 6, 7, 8, 31, 33, 64, 126, 127],
  int16: [-32768, -32767, -256, -181, -7, -2, -1, 0, 1, 2, 3, 7, 15, 16, 31, 32, 255, 256, 2049, 32767],
  int32: [
    -2147483648, -2147483647, -65536, -46341, -32769, -7, -2, -1, 0, 1, 2, 3, 7, 16, 30, 31, 32, 33, 127, 255,
    2049, 65536, 16777217, 1073741824, 2147483646, 2147483647,
  ],
  int64: [
    -9223372036854775808n,
    -9223372036854775807n,
    -9007199254740993n,
    -4294967297n,
    -7n,
    -2n,
    -1n,
    0n,
    1n,
    2n,
    3n,
    7n,
    62n,
    63n,
    64n,
    255n,
    65519n,
    65520n,
    16777217n,
    4294967295n,
    9007199254740993n,
    1152921573326323713n,
    9223372036854775807n,
  ],
  float16: floats([6e-8, 6.1e-5, 6.104e-5, 1e-4, 0.999, 1.001, 4.5, 88.75, 255.5, 2049, 32768, 65504]).map(
    roundToFloat16,
  ),
  float32: floats([
    1e-45,
    1.1754942e-38,
    1.1754944e-38,
    0.1,
    0.99999994,
    1.0000001,
    88.72,
    104,
    16777217,
    2 ** 31,
    2 ** 63,
    3.4028235e38,
  ]).map(Math.fround),
  float64: floats([
    5e-324,
    2.225073858507201e-308,
    1e-200,
    0.1,
    0.9999999999999999,
    1.0000000000000002,
    1.7,
    709.8,
    745.2,
    65519.99999,
    65520,
    2049.0000001,
    2 ** 31,
    2 ** 52 - 0.5,
    2 ** 53,
    2 ** 63,
    1e200,
    1.7976931348623157e308,
  ]),
};

function floats(magnitudes: readonly number[]): number[] {
  const all = [0, 0.25, 0.5, 1, 1.5, 2, 2.5, 3, 3.7, 7, 100, 1000.5, Infinity, ...magnitudes];
  return [NaN, ...all, ...all.map((x) => -x)];
}

/** All combinations of special values for the operands. */
function* combinations(inputs: readonly DType[]): Generator<Scalar[]> {
  const [first, ...rest] = inputs;
  if (first === undefined) {
    yield [];
    return;
  }
  for (const value of special[first]) for (const others of combinations(rest)) yield [value, ...others];
}

const parameters = ["a", "b", "c"];

/** Compiles an expression over a, b and c with nothing bound but what the text is said to mention. */
function compile(text: string): ScalarFunction {
  const names = jsNames(text);
  const factory = new Function(...names, `"use strict"; return (a, b, c) => ${text};`);
  return factory(...names.map((name) => jsRuntime[name])) as ScalarFunction;
}

function outcome(f: ScalarFunction, args: readonly Scalar[]): Scalar | string {
  try {
    return f(args[0]!, args[1], args[2]);
  } catch (error) {
    return String(error);
  }
}

const name = ({ op, from, to }: Instance): string => `${op} ${from} -> ${to}`;

describe("the text and the closure of every op", () => {
  test.each(instances.map((instance) => [name(instance), instance] as const))(
    "%s agree bit for bit",
    (_, instance) => {
      const { op, inputs, from, to } = instance;
      const text = jsPointwise[op](parameters.slice(0, inputs.length), from, to);
      const compiled = compile(text);
      const closure = closurePointwise[op](from, to);
      for (const args of combinations(inputs)) {
        const expected = outcome(closure, args);
        const actual = outcome(compiled, args);
        if (!Object.is(actual, expected)) {
          expect.fail(
            `${name(instance)} of (${args.map(show).join(", ")}): text ${text} gives ${show(actual)}, closure ${show(expected)}`,
          );
        }
        // The value is one of the dtype's own: else jsConstant refuses it.
        if (typeof expected !== "string") jsConstant(expected, to);
        else expect(expected).toContain(`RangeError: ${op}: ZeroDivisionError (`);
      }
    },
  );

  test("agree on random values", () => {
    const value: { readonly [D in DType]: fc.Arbitrary<Scalar> } = {
      bool: fc.integer({ min: 0, max: 1 }),
      uint8: fc.integer({ min: 0, max: 255 }),
      int8: fc.integer({ min: -128, max: 127 }),
      int16: fc.integer({ min: -32768, max: 32767 }),
      int32: fc.integer(),
      int64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      float16: fc.double().map(roundToFloat16),
      float32: fc.float(),
      float64: fc.double(),
    };
    for (const { op, inputs, from, to } of instances) {
      const compiled = compile(jsPointwise[op](parameters.slice(0, inputs.length), from, to));
      const closure = closurePointwise[op](from, to);
      const operands = fc.tuple(...inputs.map((dtype) => value[dtype]));
      const agree = fc.property(operands, (args) => {
        expect(outcome(compiled, args), name({ op, inputs, from, to })).toBe(outcome(closure, args));
      });
      holds(agree, 50);
    }
  });

  test("mention no name but their arguments and what jsNames reports", () => {
    for (const { op, inputs, from, to } of instances) {
      const text = jsPointwise[op](parameters.slice(0, inputs.length), from, to);
      const free = new Set(
        text.match(/(?<![\w$])[A-Za-z_$][\w$]*/g)?.filter((word) => !parameters.includes(word)),
      );
      free.delete("NaN");
      free.delete("Infinity");
      expect([...free].sort(), text).toEqual(jsNames(text).sort());
    }
  });

  test("stay whole inside a larger expression", () => {
    for (const { op, inputs, from, to } of instances) {
      if (to === "int64") continue;
      const text = jsPointwise[op](parameters.slice(0, inputs.length), from, to);
      const negated = compile(`2 - ${text} * 3`);
      const closure = closurePointwise[op](from, to);
      const args = inputs.map((dtype) => special[dtype][1]!);
      expect(negated(args[0]!, args[1], args[2]), text).toBe(
        2 - Number(closure(args[0]!, args[1], args[2])) * 3,
      );
    }
  });

  test("take constants in place of names", () => {
    expect(compile(jsPointwise.sub(["a", jsConstant(-5, "float32")], "float32", "float32"))(1)).toBe(6);
    expect(compile(jsPointwise.neg([jsConstant(-0, "float64")], "float64", "float64"))(1)).toBe(0);
    expect(compile(jsPointwise.neg([jsConstant(-7n, "int64")], "int64", "int64"))(1)).toBe(7n);
  });
});

describe("the texts are what one would write", () => {
  const write = (op: PointwiseOp, from: DType, to: DType = from): string =>
    jsPointwise[op](parameters.slice(0, pointwiseOps[op].arity), from, to);

  test.each([
    [write("add", "float32"), "fround(a + b)"],
    [write("add", "float64"), "(a + b)"],
    [write("add", "int32"), "((a + b) | 0)"],
    [write("add", "uint8"), "((a + b) & 255)"],
    [write("add", "int64"), "asIntN(64, a + b)"],
    [write("add", "bool"), "(a | b)"],
    [write("add", "float16"), "roundToFloat16(fround(a + b))"],
    [write("mul", "int32"), "imul(a, b)"],
    [write("mul", "int8"), "((imul(a, b)) << 24 >> 24)"],
    [write("neg", "float32"), "(-a)"],
    [write("relu", "float32"), "(a < 0 ? 0 : a)"],
    [write("maximum", "float32"), "max(a, b)"],
    [write("lt", "float32", "bool"), "(a < b | 0)"],
    [write("where", "float32"), "(a ? b : c)"],
    [write("sigmoid", "float32"), "fround(1 / (1 + exp(-a)))"],
    [write("cast", "uint8", "float32"), "a"],
    [write("cast", "float64", "int32"), "((a) | 0)"],
  ])("%s", (text, expected) => {
    expect(text).toBe(expected);
  });
});

describe("PyTorch 1.13's own results", () => {
  interface Case {
    readonly op: PointwiseOp;
    readonly from: DType;
    readonly to: DType;
    /** The operands are a column and a row; the result is their table. */
    readonly outer?: boolean;
    readonly rtol?: number;
    readonly atol?: number;
    readonly signedZero?: boolean;
    readonly args: readonly string[];
    readonly result: string;
  }
  const file = new URL("fixtures/pointwise-torch.json", import.meta.url);
  const cases: readonly Case[] = JSON.parse(readFileSync(file, "utf8"));

  test.each(cases.map((c) => [`${c.op} ${c.from} -> ${c.to}${c.outer ? ", outer" : ""}`, c] as const))(
    "%s",
    (_, c) => {
      const closure = closurePointwise[c.op](c.from, c.to);
      const operands = c.args.map((text, i) => parse(text, c.op === "where" && i === 0 ? "bool" : c.from));
      const expected = parse(c.result, c.to);
      const columns = c.outer ? operands[1]!.length : 1;
      expected.forEach((want, i) => {
        const args = c.outer
          ? [operands[0]![Math.floor(i / columns)]!, operands[1]![i % columns]!]
          : operands.map((o) => o[i]!);
        const got = closure(args[0]!, args[1], args[2]);
        if (!matches(got, want, c)) {
          expect.fail(
            `${c.op} of (${args.map(show).join(", ")}): got ${show(got)}, PyTorch has ${show(want)}`,
          );
        }
      });
    },
  );

  function matches(got: Scalar, want: Scalar, { rtol = 0, atol = 0, signedZero = false }: Case): boolean {
    if (signedZero ? Object.is(got, want) : got === want) return true;
    if (typeof got === "bigint" || typeof want === "bigint") return false;
    if (Number.isNaN(want)) return Number.isNaN(got);
    return Math.abs(got - want) <= atol + rtol * Math.abs(want) && rtol > 0;
  }

  function parse(text: string, dtype: DType): Scalar[] {
    const cast = isFloat(dtype) ? closurePointwise.cast("float64", dtype) : (x: Scalar) => x;
    return text.split(" ").map((word) => {
      if (dtype === "int64") return BigInt(word);
      return cast(Number(word.replace("inf", "Infinity").replace("nan", "NaN")));
    });
  }
});

describe("jsConstant", () => {
  const evaluate = (text: string): unknown => new Function(`"use strict"; return ${text};`)();

  test("prints every float64 so that it evaluates to the same bits", () => {
    holds(
      fc.property(fc.double(), (x) => Object.is(evaluate(jsConstant(x, "float64")), x)),
      5000,
    );
  });

  test("prints every float32 so that it evaluates to the same bits", () => {
    holds(
      fc.property(fc.float(), (x) => Object.is(evaluate(jsConstant(x, "float32")), x)),
      2000,
    );
  });

  test("prints every int64", () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    holds(fc.property(int64, (x) => evaluate(jsConstant(x, "int64")) === x));
  });

  test("prints the special values of every dtype", () => {
    for (const dtype of dtypeNames) {
      for (const value of special[dtype]) expect(evaluate(jsConstant(value, dtype))).toBe(value);
    }
  });

  test("prints only digits, signs, dots, exponents, NaN and Infinity", () => {
    holds(
      fc.property(fc.double(), (x) =>
        /^\(?-?(\d[\d.]*(e[+-]\d+)?|NaN|Infinity)\)?$/.test(jsConstant(x, "float64")),
      ),
    );
  });

  test("throws on whatever is not a number or a BigInt, whatever it looks like", () => {
    holds(
      fc.property(fc.anything(), fc.constantFrom(...dtypeNames), (value, dtype) => {
        fc.pre(typeof value !== "number" && typeof value !== "bigint");
        expect(() => jsConstant(value as number, dtype)).toThrow();
      }),
    );
    const disguised = {
      valueOf: () => 1,
      toString: () => "process.exit()",
      [Symbol.toPrimitive]: () => "process.exit()",
    };
    expect(() => jsConstant(disguised as unknown as number, "float32")).toThrow(
      "a constant of dtype float32",
    );
    expect(() => jsConstant(new Number(1) as number, "float64")).toThrow("a constant of dtype float64");
  });

  test.each<[number | bigint, DType]>([
    [1, "int64"],
    [1n, "int32"],
    [1n, "float64"],
    [2n ** 63n, "int64"],
    [0.1, "float32"],
    [0.1, "float16"],
    [65536, "float16"],
    [1e39, "float32"],
    [2, "bool"],
    [256, "uint8"],
    [-1, "uint8"],
    [128, "int8"],
    [0.5, "int32"],
    [-0, "int32"],
    [NaN, "int16"],
  ])("refuses %s as %s", (value, dtype) => {
    expect(() => jsConstant(value, dtype)).toThrow(`a constant of dtype ${dtype}`);
  });
});

describe("loads and stores", () => {
  test.each(dtypeNames)("bring back every special %s, by text and by closure", (dtype) => {
    const array = allocate(dtype, 2);
    const text = `${jsStore(dtype, "array[0]", "value")}; return ${jsLoad(dtype, "array[0]")};`;
    const names = jsNames(text);
    const roundTrip = new Function("array", "value", ...names, text);
    const load = closureLoad(dtype);
    const store = closureStore(dtype);
    for (const value of special[dtype]) {
      expect(roundTrip(array, value, ...names.map((n) => jsRuntime[n]))).toBe(value);
      store(array, 1, value);
      expect(load(array, 1)).toBe(value);
      expect(array[1]).toBe(array[0]);
    }
  });
});

function show(value: Scalar | string): string {
  return typeof value === "bigint" ? `${value}n` : Object.is(value, -0) ? "-0" : String(value);
}

/** fc.assert of a synchronous property: it throws by itself, the Promise that Biome sees is that of asynchronous ones. */
function holds<T>(property: fc.IProperty<T>, numRuns = 500): void {
  void fc.assert(property, { numRuns });
}
