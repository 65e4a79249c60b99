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
 * - `double`: computed and returned in float64, which holds what it takes and gives exactly.
 */
export type TypeRule = "same" | "float" | "predicate" | "logical" | "select" | "cast" | "double";

export interface PointwiseInfo {
  readonly arity: 1 | 2 | 3;
  readonly rule: TypeRule;
  /** Categories of promoted dtype that PyTorch refuses. */
  readonly refuses?: readonly Category[];
  /** Rough cost of one element in JS, in units of one addition; the scheduler weighs recomputing by it. */
  readonly cost: number;
}

const table = {
  // arithmetic
  add: { arity: 2, rule: "same", cost: 1 }, // on bool: or
  sub: { arity: 2, rule: "same", cost: 1, refuses: ["bool"] },
  mul: { arity: 2, rule: "same", cost: 1 }, // on bool: and
  div: { arity: 2, rule: "float", cost: 4 },
  floorDivide: { arity: 2, rule: "same", cost: 6, refuses: ["bool"] }, // toward −∞
  truncDivide: { arity: 2, rule: "same", cost: 6, refuses: ["bool"] }, // toward 0
  remainder: { arity: 2, rule: "same", cost: 8, refuses: ["bool"] }, // takes the divisor's sign
  fmod: { arity: 2, rule: "same", cost: 8, refuses: ["bool"] }, // takes the dividend's sign
  pow: { arity: 2, rule: "same", cost: 40, refuses: ["bool"] },
  maximum: { arity: 2, rule: "same", cost: 6 }, // NaN wins
  minimum: { arity: 2, rule: "same", cost: 6 }, // NaN wins
  fmax: { arity: 2, rule: "same", cost: 2 }, // NaN loses
  fmin: { arity: 2, rule: "same", cost: 2 }, // NaN loses
  atan2: { arity: 2, rule: "float", cost: 40 },
  hypot: { arity: 2, rule: "float", cost: 20 },
  copysign: { arity: 2, rule: "float", cost: 2 },
  nextafter: { arity: 2, rule: "float", cost: 10, refuses: ["bool", "int"] },
  gcd: { arity: 2, rule: "same", cost: 40, refuses: ["bool", "float"] },
  lcm: { arity: 2, rule: "same", cost: 40, refuses: ["bool", "float"] },
  neg: { arity: 1, rule: "same", cost: 1, refuses: ["bool"] },
  abs: { arity: 1, rule: "same", cost: 1 },
  sign: { arity: 1, rule: "same", cost: 2 }, // sign(NaN) is 0
  relu: { arity: 1, rule: "same", cost: 1, refuses: ["bool"] }, // relu(NaN) is NaN

  // rounding; integers stay as they are
  floor: { arity: 1, rule: "same", cost: 1, refuses: ["bool"] },
  ceil: { arity: 1, rule: "same", cost: 1, refuses: ["bool"] },
  trunc: { arity: 1, rule: "same", cost: 1, refuses: ["bool"] },
  round: { arity: 1, rule: "same", cost: 3, refuses: ["bool"] }, // half to even

  // exponential, logarithmic, powers
  sqrt: { arity: 1, rule: "float", cost: 4 },
  rsqrt: { arity: 1, rule: "float", cost: 6 },
  reciprocal: { arity: 1, rule: "float", cost: 4 },
  exp: { arity: 1, rule: "float", cost: 20 },
  exp2: { arity: 1, rule: "float", cost: 30 },
  expm1: { arity: 1, rule: "float", cost: 20 },
  log: { arity: 1, rule: "float", cost: 20 },
  log2: { arity: 1, rule: "float", cost: 20 },
  log10: { arity: 1, rule: "float", cost: 20 },
  log1p: { arity: 1, rule: "float", cost: 20 },
  sigmoid: { arity: 1, rule: "float", cost: 25 },

  // trigonometric and hyperbolic
  sin: { arity: 1, rule: "float", cost: 20 },
  cos: { arity: 1, rule: "float", cost: 20 },
  tan: { arity: 1, rule: "float", cost: 25 },
  asin: { arity: 1, rule: "float", cost: 20 },
  acos: { arity: 1, rule: "float", cost: 20 },
  atan: { arity: 1, rule: "float", cost: 20 },
  sinh: { arity: 1, rule: "float", cost: 25 },
  cosh: { arity: 1, rule: "float", cost: 25 },
  tanh: { arity: 1, rule: "float", cost: 25 },
  asinh: { arity: 1, rule: "float", cost: 30 },
  acosh: { arity: 1, rule: "float", cost: 30 },
  atanh: { arity: 1, rule: "float", cost: 30 },

  // special functions
  erf: { arity: 1, rule: "float", cost: 30 },
  erfc: { arity: 1, rule: "float", cost: 40 },
  erfinv: { arity: 1, rule: "float", cost: 40 },
  lgamma: { arity: 1, rule: "float", cost: 60 },
  digamma: { arity: 1, rule: "float", cost: 60 },

  // comparison
  eq: { arity: 2, rule: "predicate", cost: 1 },
  ne: { arity: 2, rule: "predicate", cost: 1 },
  lt: { arity: 2, rule: "predicate", cost: 1 },
  le: { arity: 2, rule: "predicate", cost: 1 },
  gt: { arity: 2, rule: "predicate", cost: 1 },
  ge: { arity: 2, rule: "predicate", cost: 1 },
  isnan: { arity: 1, rule: "predicate", cost: 1 },
  isinf: { arity: 1, rule: "predicate", cost: 1 },
  isfinite: { arity: 1, rule: "predicate", cost: 1 },
  signbit: { arity: 1, rule: "predicate", cost: 2 },

  // logic and bits
  logicalAnd: { arity: 2, rule: "logical", cost: 1 },
  logicalOr: { arity: 2, rule: "logical", cost: 1 },
  logicalXor: { arity: 2, rule: "logical", cost: 1 },
  logicalNot: { arity: 1, rule: "logical", cost: 1 },
  bitwiseAnd: { arity: 2, rule: "same", cost: 1, refuses: ["float"] },
  bitwiseOr: { arity: 2, rule: "same", cost: 1, refuses: ["float"] },
  bitwiseXor: { arity: 2, rule: "same", cost: 1, refuses: ["float"] },
  bitwiseNot: { arity: 1, rule: "same", cost: 1, refuses: ["float"] }, // on bool: not
  bitwiseLeftShift: { arity: 2, rule: "same", cost: 1, refuses: ["bool", "float"] },
  bitwiseRightShift: { arity: 2, rule: "same", cost: 1, refuses: ["bool", "float"] }, // keeps the sign

  // choice and conversion
  where: { arity: 3, rule: "select", cost: 1 },
  cast: { arity: 1, rule: "cast", cost: 1 },

  // random numbers
  randomWord: { arity: 3, rule: "double", cost: 30 }, // of a counter and the low and high half of a key
} as const;
table satisfies Record<string, PointwiseInfo>;

/** The name of a pointwise primitive. */
export type PointwiseOp = keyof typeof table;

export const pointwiseOps: { readonly [Op in PointwiseOp]: PointwiseInfo } = table;
export const pointwiseNames: readonly PointwiseOp[] = Object.keys(table) as PointwiseOp[];

/** The type rule of one op, for the type checker: `RuleOf<"exp">` is `"float"`. */
export type RuleOf<Op extends PointwiseOp> = (typeof table)[Op]["rule"];

/**
 * The dtype that `op` computes in, given the promoted dtype of its operands.
 * @throws DTypeError when PyTorch refuses that category.
 */
export function computeDType(op: PointwiseOp, promoted: DType): DType {
  const { rule, refuses } = pointwiseOps[op];
  if (refuses?.includes(dtypes[promoted].category)) {
    throw new DTypeError(
      `${op}: "${op}" is not implemented for ${promoted}; cast an operand first, e.g. x.to("float32")`,
    );
  }
  if (rule === "logical") return "bool";
  if (rule === "double") return "float64";
  return rule === "float" && !isFloat(promoted) ? defaultFloat : promoted;
}

/** The dtype of `op`'s result, given the dtype it computes in. */
export function resultDType(op: PointwiseOp, computed: DType): DType {
  const { rule } = pointwiseOps[op];
  return rule === "predicate" || rule === "logical" ? "bool" : computed;
}
