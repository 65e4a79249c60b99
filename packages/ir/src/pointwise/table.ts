/**
 * The pointwise primitives: each result element depends on the operands' elements at the same place, and on nothing else.
 * Whatever must know every op (the JS text, the closure, the Wasm lanes, the derivative) is a record keyed by
 * {@link PointwiseOp}, so that the type checker finds the missing row. Ops that are exact compositions of these
 * (gelu, lerp, addcmul …) live with the API, in terms of these.
 */
import { type Category, type DType, defaultFloat, dtypes, isFloat } from "../dtype.ts";
import { DTypeError } from "../errors.ts";

/**
 * How result and operand dtypes follow from the promoted dtype of the operands.
 * - `same`: computed and returned in it;
 * - `float`: an integer or bool becomes float32 first; returned in it;
 * - `predicate`: computed in it, returns bool;
 * - `logical`: every operand is read as bool (nonzero), returns bool;
 * - `select`: the first operand is a bool condition, the others are promoted and returned;
 * - `cast`: one operand of any dtype; the result's dtype is asked for;
 * - `double`: computed and returned in float64, which holds what it takes and gives exactly;
 * - `single`: computed in float64, as far as it takes exact numbers; returned in float32.
 */
export type TypeRule = "same" | "float" | "predicate" | "logical" | "select" | "cast" | "double" | "single";

/** What is true of an op, as it is written in its row: what a row does not say is false, none or null. */
export interface PointwiseInfo {
  readonly arity: 1 | 2 | 3;
  readonly rule: TypeRule;
  /** Categories of promoted dtype that PyTorch refuses. */
  readonly refuses: readonly Category[];
  /** Rough cost of one element in JS, in units of one addition; the scheduler weighs recomputing by it. */
  readonly cost: number;
  /** Instructions of one register in WebAssembly, where its cost says little about them. */
  readonly instructions: number | null;
  /** f(x, y) is f(y, x), NaN for NaN and −0 for −0. */
  readonly commutative: boolean;
  /** f(x, x) is x, NaN for NaN and −0 for −0. */
  readonly idempotent: boolean;
  /** On floats: emitters compute it within the same bound (docs/accuracy.md), but each with last bits of its own. */
  readonly approximated: boolean;
  /** On integers: it throws where its second operand is 0. */
  readonly mayFail: boolean;
  /** With float16 operands its result is a float16 exactly: computed in float32, it needs no rounding. */
  readonly keepsFloat16: boolean;
}

/** A row of the table. */
type Row = Pick<PointwiseInfo, "arity" | "rule" | "cost"> & Partial<PointwiseInfo>;

const table = {
  // arithmetic
  add: { arity: 2, rule: "same", cost: 1, commutative: true }, // on bool: or
  sub: { arity: 2, rule: "same", cost: 1, refuses: ["bool"] },
  mul: { arity: 2, rule: "same", cost: 1, commutative: true }, // on bool: and
  div: { arity: 2, rule: "float", cost: 4 },
  floorDivide: { arity: 2, rule: "same", cost: 6, refuses: ["bool"], mayFail: true }, // toward −∞
  truncDivide: { arity: 2, rule: "same", cost: 6, refuses: ["bool"], mayFail: true }, // toward 0
  remainder: { arity: 2, rule: "same", cost: 8, refuses: ["bool"], mayFail: true }, // takes the divisor's sign
  fmod: { arity: 2, rule: "same", cost: 8, refuses: ["bool"], mayFail: true, keepsFloat16: true }, // takes the dividend's sign
  pow: { arity: 2, rule: "same", cost: 40, refuses: ["bool"], instructions: 140, approximated: true },
  maximum: {
    arity: 2,
    rule: "same",
    cost: 6,
    instructions: 1,
    commutative: true,
    idempotent: true,
    keepsFloat16: true,
  }, // NaN wins
  minimum: {
    arity: 2,
    rule: "same",
    cost: 6,
    instructions: 1,
    commutative: true,
    idempotent: true,
    keepsFloat16: true,
  }, // NaN wins
  fmax: { arity: 2, rule: "same", cost: 2, idempotent: true, keepsFloat16: true }, // NaN loses
  fmin: { arity: 2, rule: "same", cost: 2, idempotent: true, keepsFloat16: true }, // NaN loses
  atan2: { arity: 2, rule: "float", cost: 40, approximated: true },
  hypot: { arity: 2, rule: "float", cost: 20, approximated: true },
  copysign: { arity: 2, rule: "float", cost: 2, keepsFloat16: true },
  nextafter: { arity: 2, rule: "float", cost: 10, refuses: ["bool", "int"], keepsFloat16: true },
  gcd: { arity: 2, rule: "same", cost: 40, refuses: ["bool", "float"] },
  lcm: { arity: 2, rule: "same", cost: 40, refuses: ["bool", "float"] },
  neg: { arity: 1, rule: "same", cost: 1, refuses: ["bool"], keepsFloat16: true },
  abs: { arity: 1, rule: "same", cost: 1, keepsFloat16: true },
  sign: { arity: 1, rule: "same", cost: 2, keepsFloat16: true }, // sign(NaN) is 0
  relu: { arity: 1, rule: "same", cost: 1, refuses: ["bool"], keepsFloat16: true }, // relu(NaN) is NaN

  // rounding; integers stay as they are
  floor: { arity: 1, rule: "same", cost: 1, refuses: ["bool"], keepsFloat16: true },
  ceil: { arity: 1, rule: "same", cost: 1, refuses: ["bool"], keepsFloat16: true },
  trunc: { arity: 1, rule: "same", cost: 1, refuses: ["bool"], keepsFloat16: true },
  round: { arity: 1, rule: "same", cost: 3, refuses: ["bool"], keepsFloat16: true }, // half to even

  // exponential, logarithmic, powers
  sqrt: { arity: 1, rule: "float", cost: 4 },
  rsqrt: { arity: 1, rule: "float", cost: 6, approximated: true },
  reciprocal: { arity: 1, rule: "float", cost: 4 },
  exp: { arity: 1, rule: "float", cost: 20, approximated: true },
  exp2: { arity: 1, rule: "float", cost: 30, approximated: true },
  expm1: { arity: 1, rule: "float", cost: 25, approximated: true },
  log: { arity: 1, rule: "float", cost: 20, approximated: true },
  log2: { arity: 1, rule: "float", cost: 20, approximated: true },
  log10: { arity: 1, rule: "float", cost: 20, approximated: true },
  log1p: { arity: 1, rule: "float", cost: 25, approximated: true },
  sigmoid: { arity: 1, rule: "float", cost: 25, approximated: true },

  // trigonometric and hyperbolic
  sin: { arity: 1, rule: "float", cost: 20, approximated: true },
  cos: { arity: 1, rule: "float", cost: 20, approximated: true },
  tan: { arity: 1, rule: "float", cost: 25, approximated: true },
  asin: { arity: 1, rule: "float", cost: 25, approximated: true },
  acos: { arity: 1, rule: "float", cost: 25, approximated: true },
  atan: { arity: 1, rule: "float", cost: 20, approximated: true },
  sinh: { arity: 1, rule: "float", cost: 25, approximated: true },
  cosh: { arity: 1, rule: "float", cost: 25, approximated: true },
  tanh: { arity: 1, rule: "float", cost: 25, approximated: true },
  asinh: { arity: 1, rule: "float", cost: 30, approximated: true },
  acosh: { arity: 1, rule: "float", cost: 30, approximated: true },
  atanh: { arity: 1, rule: "float", cost: 30, approximated: true },

  // special functions
  erf: { arity: 1, rule: "float", cost: 30, approximated: true },
  erfc: { arity: 1, rule: "float", cost: 70, approximated: true },
  erfinv: { arity: 1, rule: "float", cost: 40, approximated: true },
  lgamma: { arity: 1, rule: "float", cost: 60, approximated: true },
  digamma: { arity: 1, rule: "float", cost: 60, approximated: true },

  // comparison
  eq: { arity: 2, rule: "predicate", cost: 1, commutative: true },
  ne: { arity: 2, rule: "predicate", cost: 1, commutative: true },
  lt: { arity: 2, rule: "predicate", cost: 1 },
  le: { arity: 2, rule: "predicate", cost: 1 },
  gt: { arity: 2, rule: "predicate", cost: 1 },
  ge: { arity: 2, rule: "predicate", cost: 1 },
  isnan: { arity: 1, rule: "predicate", cost: 1 },
  isinf: { arity: 1, rule: "predicate", cost: 1 },
  isfinite: { arity: 1, rule: "predicate", cost: 1 },
  signbit: { arity: 1, rule: "predicate", cost: 2 },

  // logic and bits
  logicalAnd: { arity: 2, rule: "logical", cost: 1, commutative: true, idempotent: true },
  logicalOr: { arity: 2, rule: "logical", cost: 1, commutative: true, idempotent: true },
  logicalXor: { arity: 2, rule: "logical", cost: 1, commutative: true },
  logicalNot: { arity: 1, rule: "logical", cost: 1 },
  bitwiseAnd: { arity: 2, rule: "same", cost: 1, refuses: ["float"], commutative: true, idempotent: true },
  bitwiseOr: { arity: 2, rule: "same", cost: 1, refuses: ["float"], commutative: true, idempotent: true },
  bitwiseXor: { arity: 2, rule: "same", cost: 1, refuses: ["float"], commutative: true },
  bitwiseNot: { arity: 1, rule: "same", cost: 1, refuses: ["float"] }, // on bool: not
  bitwiseLeftShift: { arity: 2, rule: "same", cost: 1, refuses: ["bool", "float"] },
  bitwiseRightShift: { arity: 2, rule: "same", cost: 1, refuses: ["bool", "float"] }, // keeps the sign

  // choice and conversion
  where: { arity: 3, rule: "select", cost: 1 },
  cast: { arity: 1, rule: "cast", cost: 1 },

  // random numbers
  randomWord: { arity: 3, rule: "double", cost: 30, instructions: 160 }, // of a counter and the low and high half of a key
  // Box and Muller's, of the word of a counter and the next one: √(−2 ln u) · cos 2πv of (word + ½) / 2^32
  randomNormal: { arity: 3, rule: "single", cost: 80, instructions: 260, approximated: true },
} as const;
table satisfies Record<string, Row>;

/** The name of a pointwise primitive. */
export type PointwiseOp = keyof typeof table;

export const pointwiseNames: readonly PointwiseOp[] = Object.keys(table) as PointwiseOp[];
export const pointwiseOps: { readonly [Op in PointwiseOp]: PointwiseInfo } = Object.fromEntries(
  pointwiseNames.map((op) => [op, withDefaults(table[op])]),
) as { [Op in PointwiseOp]: PointwiseInfo };

function withDefaults(row: Row): PointwiseInfo {
  return {
    refuses: [],
    instructions: null,
    commutative: false,
    idempotent: false,
    approximated: false,
    mayFail: false,
    keepsFloat16: false,
    ...row,
  };
}

/** The type rule of one op, for the type checker: `RuleOf<"exp">` is `"float"`. */
export type RuleOf<Op extends PointwiseOp> = (typeof table)[Op]["rule"];

/** The categories that ops of a rule compute in; those that choose or convert are told by their rule. */
interface Computed {
  readonly same: Category;
  readonly float: "float";
  readonly predicate: Category;
  readonly logical: "bool";
  readonly select: "select";
  readonly cast: "cast";
  readonly double: "float";
  readonly single: "float";
}
type Refused<R> = R extends { readonly refuses: readonly (infer C)[] } ? C : never;

/**
 * The ops that compute in dtypes of a category: an emitter that has a table for each is asked by the type checker for every op,
 * wherever PyTorch has it.
 */
export type PointwiseOpOn<C extends Category | "select" | "cast"> = {
  [Op in PointwiseOp]: C extends Exclude<Computed[RuleOf<Op>], Refused<(typeof table)[Op]>> ? Op : never;
}[PointwiseOp];

/** The ops that compare two operands. */
export type Comparison = {
  [Op in PointwiseOp]: (typeof table)[Op] extends { readonly arity: 2; readonly rule: "predicate" }
    ? Op
    : never;
}[PointwiseOp];

export const isComparison = (op: PointwiseOp): op is Comparison =>
  pointwiseOps[op].rule === "predicate" && pointwiseOps[op].arity === 2;

/**
 * The dtype that `op` computes in, given the promoted dtype of its operands.
 * @throws DTypeError when PyTorch refuses that category.
 */
export function computeDType(op: PointwiseOp, promoted: DType): DType {
  const { rule, refuses } = pointwiseOps[op];
  if (refuses.includes(dtypes[promoted].category)) {
    const taken = refuses.includes("float") ? "int64" : "float32";
    throw new DTypeError(
      `${op}: "${op}" is not implemented for ${promoted}; cast an operand first, e.g. x.to("${taken}")`,
    );
  }
  if (rule === "logical") return "bool";
  if (rule === "double" || rule === "single") return "float64";
  return rule === "float" && !isFloat(promoted) ? defaultFloat : promoted;
}

/** The dtype of `op`'s result, given the dtype it computes in. */
export function resultDType(op: PointwiseOp, computed: DType): DType {
  const { rule } = pointwiseOps[op];
  if (rule === "single") return "float32";
  return rule === "predicate" || rule === "logical" ? "bool" : computed;
}
