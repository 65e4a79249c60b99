/**
 * The pointwise primitives: each element of the result depends on nothing but the operands' elements at the same place. A table that has a
 * row for each op (JavaScript text, closures, WebAssembly lanes, derivatives) is a record keyed by {@link PointwiseOp}, so that the type
 * checker finds a missing row. Ops that are exact compositions of these (gelu, lerp, addcmul …) are declared in the runtime.
 */
import { type Category, type DType, defaultFloat, dtypes, isFloat } from "../dtype.ts";
import { DTypeError } from "../errors.ts";

/**
 * How the dtypes follow from the promoted dtype of the operands.
 * - `same`: computed in the promoted dtype, which is the result's.
 * - `float`: the same, but integers and bools become float32 first.
 * - `predicate`: computed in the promoted dtype; returns bool.
 * - `logical`: every operand is read as bool (nonzero); returns bool.
 * - `select`: the first operand is a bool condition; the others are promoted, and the result has their dtype.
 * - `cast`: takes one operand of any dtype; the caller says the result's dtype.
 * - `double`: computed in float64 and returned in it, since the operands and the result are exact there.
 * - `single`: computed in float64, since the operands are exact there; returned in float32.
 */
export type TypeRule = "same" | "float" | "predicate" | "logical" | "select" | "cast" | "double" | "single";

/** The facts about an op. A row of the table leaves out those that are false, empty or null. */
export interface PointwiseInfo {
  readonly arity: 1 | 2 | 3;
  readonly rule: TypeRule;
  /** Categories of promoted dtype that PyTorch refuses. */
  readonly refuses: readonly Category[];
  /** Rough cost of one element in JavaScript, in units of one addition. The scheduler compares recomputing with storing by it. */
  readonly cost: number;
  /** WebAssembly instructions for one register, where the cost does not say it well enough. */
  readonly instructions: number | null;
  /** f(x, y) = f(y, x) bit for bit, for NaN and −0 too. */
  readonly commutative: boolean;
  /** f(x, x) = x bit for bit, for NaN and −0 too. */
  readonly idempotent: boolean;
  /** On floats: every emitter keeps the same error bound (docs/accuracy.md), but their last bits may differ. */
  readonly approximated: boolean;
  /** On integers: it throws if the second operand is 0. */
  readonly mayFail: boolean;
  /** The result of float16 operands is exactly a float16: it is computed in float32 and needs no rounding. */
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
  }, // a NaN operand gives NaN
  minimum: {
    arity: 2,
    rule: "same",
    cost: 6,
    instructions: 1,
    commutative: true,
    idempotent: true,
    keepsFloat16: true,
  }, // a NaN operand gives NaN
  fmax: { arity: 2, rule: "same", cost: 2, idempotent: true, keepsFloat16: true }, // the operand that is not NaN
  fmin: { arity: 2, rule: "same", cost: 2, idempotent: true, keepsFloat16: true }, // the operand that is not NaN
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
  ndtri: { arity: 1, rule: "float", cost: 40, approximated: true },
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
  randomWord: { arity: 3, rule: "double", cost: 30, instructions: 160 }, // Its operands are a counter and the low and the high half of a key.
  // The Box-Muller transform, of the words u and v of a counter and of the next one, each (word + ½) / 2^32: √(−2 ln u) · cos 2πv.
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

/** The type rule of one op as a type: `RuleOf<"exp">` is `"float"`. */
export type RuleOf<Op extends PointwiseOp> = (typeof table)[Op]["rule"];

/** The category that ops of each rule compute in. `select` and `cast` stand for themselves. */
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
 * The ops that compute in a category of dtypes, unless PyTorch refuses it. An emitter has a table for each category, and the type checker
 * asks that it has a row for each of these.
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
