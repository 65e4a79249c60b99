/**
 * Rewrite rules as data. Each holds bit for bit, for NaN, infinities and −0 too: its law says why. `x * 0` is not 0 and
 * `x - x` is not 0, so they are not here. A property test takes every rule through the special values.
 */
import { type DType, isInt, pointwiseNames, type Reducer, sameNumbers } from "@fuseau/ir";
import { isMatching, P } from "ts-pattern";
import { foldConstant } from "./fold-constant.ts";
import { narrow } from "./narrow.ts";
import type { Term, Terms } from "./term.ts";

export interface Rule {
  /** The ops at whose terms the rule is tried. */
  readonly at: readonly Term["fn"][];
  readonly law: string;
  /** The term to put in place, or undefined where the rule does not apply. */
  readonly apply: (term: Term, terms: Terms) => Term | undefined;
}

/** Whether a term looks as a rule wants it to. */
type Matches = (term: unknown) => boolean;

/** A constant of this value, in floats and integers alike. */
const constant = (value: number) =>
  ({ value: P.when((x: unknown) => Object.is(x, value) || x === BigInt(value)) }) as const;
const one = constant(1);
/** 0 but not −0. */
const zero = constant(0);
const minusZero = { value: P.when((x: unknown) => Object.is(x, -0)) } as const;
const integer = P.when((dtype: DType) => isInt(dtype));
const any = P.any;

/** A rule that gives one of the operands. It must be of the whole term's shape: a rule does not undo a broadcast. */
const keep = (at: Term["fn"], matches: Matches, operand: number, law: string): Rule => ({
  at: [at],
  law,
  apply: (term) => {
    const kept = term.inputs[operand] as Term;
    const whole = sameNumbers(kept.node.shape, term.node.shape) && kept.dtype === term.dtype;
    return whole && matches(term) ? kept : undefined;
  },
});

/** A function that undoes itself, or that a second time changes nothing. */
const twice = (
  fn: Term["fn"],
  dtypes: (dtype: DType) => boolean,
  gives: "argument" | "once",
  law: string,
): Rule => ({
  at: [fn],
  law,
  apply: ({ inputs: [inner], dtype }) => {
    if (inner?.fn !== fn || !dtypes(dtype)) return undefined;
    const [argument] = inner.inputs as [Term];
    return gives === "once" ? inner : argument.dtype === dtype ? argument : undefined;
  },
});

/** Folds whose result does not depend on how wide their integers are. */
const widens: ReadonlySet<Reducer> = new Set(["sum", "any", "all", "argmax", "argmin"]);

export const rules: readonly Rule[] = [
  keep("mul", isMatching({ inputs: [any, one] }), 0, "x * 1 → x (exact for every number)"),
  keep("mul", isMatching({ inputs: [one, any] }), 1, "1 * x → x (exact for every number)"),
  keep("div", isMatching({ inputs: [any, one] }), 0, "x / 1 → x (exact for every float)"),
  keep("sub", isMatching({ inputs: [any, zero] }), 0, "x - 0 → x (−0 - 0 is −0)"),
  keep("add", isMatching({ inputs: [any, minusZero] }), 0, "x + −0 → x (0 + −0 is 0, −0 + −0 is −0)"),
  keep("add", isMatching({ inputs: [minusZero, any] }), 1, "−0 + x → x (0 + −0 is 0, −0 + −0 is −0)"),
  keep(
    "add",
    isMatching({ dtype: integer, inputs: [any, zero] }),
    0,
    "i + 0 → i for integers, which have no −0",
  ),
  keep(
    "add",
    isMatching({ dtype: integer, inputs: [zero, any] }),
    1,
    "0 + i → i for integers, which have no −0",
  ),
  keep("pow", isMatching({ inputs: [any, one] }), 0, "x ** 1 → x (exact)"),

  twice("neg", () => true, "argument", "−(−x) → x (flips the sign twice; integers wrap both times)"),
  twice("logicalNot", (dtype) => dtype === "bool", "argument", "¬¬b → b for bool"),
  twice("bitwiseNot", () => true, "argument", "~~x → x (every bit flipped twice)"),
  twice("abs", () => true, "once", "||x|| → |x|"),
  twice("relu", () => true, "once", "relu(relu(x)) → relu(x)"),
  ...(["floor", "ceil", "trunc", "round"] as const).map((fn) =>
    twice(fn, () => true, "once", `${fn}(${fn}(x)) → ${fn}(x): an integral value stays`),
  ),
  ...(["maximum", "minimum", "bitwiseAnd", "bitwiseOr"] as const).map(
    (fn): Rule => ({
      at: [fn],
      law: `${fn}(x, x) → x (NaN stays NaN)`,
      apply: ({ inputs: [a, b] }) => (a === b ? a : undefined),
    }),
  ),
  keep("where", isMatching({ inputs: [one, any, any] }), 1, "where(true, a, b) → a"),
  keep("where", isMatching({ inputs: [zero, any, any] }), 2, "where(false, a, b) → b"),
  {
    at: ["where"],
    law: "where(c, a, a) → a",
    apply: ({ inputs: [, a, b], node }) =>
      a === b && a && sameNumbers(a.node.shape, node.shape) ? a : undefined,
  },
  {
    at: ["cast"],
    law: "cast(cast(x, m), d) → cast(x, d) where m holds every value of x's dtype exactly",
    apply: ({ inputs: [inner], dtype }, terms) => {
      if (inner?.fn !== "cast") return undefined;
      const [source] = inner.inputs as [Term];
      return holds(inner.dtype, source.dtype) ? terms.cast(source, dtype) : undefined;
    },
  },
  {
    at: ["cast", "eq", "ne", "lt", "le", "gt", "ge"],
    law: "int64 work on values that int32 holds gives the same as int32: each intermediate value stays in range",
    apply: (term, terms) => {
      if (term.inputs.length === 0 || term.inputs.some(({ dtype }) => dtype !== "int64")) return undefined;
      const inputs = term.inputs.map((input) => narrow(input, terms));
      if (inputs.some((input) => input === undefined)) return undefined;
      return term.fn === "cast"
        ? terms.cast(inputs[0] as Term, term.dtype)
        : terms.pointwise(term.fn as "eq", ...(inputs as Term[]));
    },
  },

  {
    at: ["reduce"],
    law: "Σ, any, all and first positions of int64 values that int32 holds → of int32: the fold is exact, its result as wide",
    apply: ({ inputs: [x], node }, terms) => {
      if (x?.dtype !== "int64" || node.op !== "reduce" || !widens.has(node.attributes.fn)) return undefined;
      const narrowed = narrow(x, terms);
      return narrowed === undefined ? undefined : terms.make(node, [narrowed]);
    },
  },
  {
    at: ["gather", "scatter"],
    law: "an index of int64 values that int32 holds → of int32: the same places",
    apply: ({ inputs, node }, terms) => {
      const [base, index, ...others] = inputs as [Term, Term, ...Term[]];
      const narrowed = index.dtype === "int64" ? narrow(index, terms) : undefined;
      return narrowed === undefined ? undefined : terms.make(node, [base, narrowed, ...others]);
    },
  },
  {
    at: pointwiseNames,
    law: "f(reshape(x), c) → reshape(f(x, c)) for 0-d c: the same elements; so that sum(0) / n and sum(0, keepdim) / n are one",
    apply: ({ inputs, node }, terms) => {
      const [first, ...others] = inputs.filter((input) => input.node.shape.length > 0);
      if (first?.fn !== "reshape" || others.length > 0) return undefined;
      const [source] = first.inputs as [Term];
      if (source.node.shape.length === 0) return undefined;
      const moved = inputs.map((input) => (input === first ? source : input));
      return terms.reshape(terms.make({ ...node, shape: source.node.shape }, moved), node.shape);
    },
  },
  {
    at: ["reshape"],
    law: "reshape(reshape(x)) → reshape(x); reshape(x, shape of x) → x (row-major order either way)",
    apply: ({ inputs: [x], node }, terms) => {
      if (x === undefined) return undefined;
      if (sameNumbers(x.node.shape, node.shape)) return x;
      return x.fn === "reshape" ? terms.reshape(x.inputs[0] as Term, node.shape) : undefined;
    },
  },
  {
    at: ["expand"],
    law: "expand(expand(x)) → expand(x); expand(x, shape of x) → x",
    apply: ({ inputs: [x], node }, terms) => {
      if (x === undefined) return undefined;
      if (sameNumbers(x.node.shape, node.shape)) return x;
      return x.fn === "expand" ? terms.expand(x.inputs[0] as Term, node.shape) : undefined;
    },
  },
  {
    at: ["permute"],
    law: "permute(permute(x, p), q) → permute(x, p∘q); the identity → x",
    apply: ({ inputs: [x], node }, terms) => {
      if (x === undefined || node.op !== "permute") return undefined;
      const { axes } = node.attributes;
      if (axes.every((axis, k) => axis === k)) return x;
      if (x.node.op !== "permute") return undefined;
      const inner = x.node.attributes.axes;
      return terms.permute(
        x.inputs[0] as Term,
        axes.map((axis) => inner[axis] as number),
      );
    },
  },
  {
    at: ["slice"],
    law: "slice(slice(x)) → slice(x), place start + step·i twice; a slice of everything → x",
    apply: ({ inputs: [x], node }, terms) => {
      if (x === undefined || node.op !== "slice") return undefined;
      const { starts, steps } = node.attributes;
      if (
        sameNumbers(x.node.shape, node.shape) &&
        starts.every((s) => s === 0) &&
        steps.every((s) => s === 1)
      )
        return x;
      if (x.node.op !== "slice") return undefined;
      const inner = x.node.attributes;
      return terms.slice(
        x.inputs[0] as Term,
        starts.map((start, axis) => (inner.starts[axis] as number) + (inner.steps[axis] as number) * start),
        steps.map((step, axis) => (inner.steps[axis] as number) * step),
        node.shape,
      );
    },
  },
  {
    at: ["reduce"],
    law: "max, min over axes of size 1 → reshape (there is nothing to compare; a sum would turn −0 into 0)",
    apply: ({ inputs: [x], node }, terms) => {
      if (x === undefined || node.op !== "reduce") return undefined;
      const { fn, axes } = node.attributes;
      const alone = axes.every((axis) => x.node.shape[axis] === 1);
      return alone && (fn === "max" || fn === "min") ? terms.reshape(x, node.shape) : undefined;
    },
  },
];

/** True when `wide` holds every value of `dtype` exactly. */
function holds(wide: DType, dtype: DType): boolean {
  const order: Record<DType, readonly DType[]> = {
    bool: ["bool"],
    uint8: ["bool", "uint8"],
    int8: ["bool", "int8"],
    int16: ["bool", "uint8", "int8", "int16"],
    int32: ["bool", "uint8", "int8", "int16", "int32"],
    int64: ["bool", "uint8", "int8", "int16", "int32", "int64"],
    float16: ["bool", "uint8", "int8", "float16"],
    float32: ["bool", "uint8", "int8", "int16", "float16", "float32"],
    float64: ["bool", "uint8", "int8", "int16", "int32", "float16", "float32", "float64"],
  };
  return order[wide].includes(dtype);
}

/** Tried at every pointwise term whose operands are all constants. */
export const foldConstants: Rule = {
  at: [],
  law: "an op on constants → the constant it gives, by the same functions that kernels call",
  apply: foldConstant,
};
