/** How a result's dtype follows from the dtype of its operands, as types and as a table. The type checker checks that both agree. */
import {
  type DType,
  type FloatResult,
  InternalError,
  type MeanDType,
  type SumDType,
  type TruthDType,
} from "@fuseau/ir";
import type { Value } from "../value.ts";

/** The result's dtype by rule. D is the dtype that the operands are promoted to. */
export interface DTypeBy<D extends DType> {
  readonly same: D;
  /** Integers and bools become float32. */
  readonly float: FloatResult<D>;
  readonly bool: "bool";
  readonly int64: "int64";
  readonly float64: "float64";
  /** Bools become int64. */
  readonly counted: D extends "bool" ? "int64" : D;
  /** Integers and bools become int64. */
  readonly sum: SumDType<D>;
  /** Integers and bools are refused. */
  readonly mean: MeanDType<D>;
  /** bool, but uint8 for uint8. */
  readonly truth: TruthDType<D>;
}
export type DTypeRule = keyof DTypeBy<DType>;

type Column<R extends DTypeRule> = {
  readonly [D in DType]: DTypeBy<D>[R] extends never ? null : DTypeBy<D>[R];
};

const floats = { float16: "float16", float32: "float32", float64: "float64" } as const;
const integers = { uint8: "uint8", int8: "int8", int16: "int16", int32: "int32", int64: "int64" } as const;
const same = { bool: "bool", ...integers, ...floats } as const;

function all<const To>(to: To): { readonly [D in DType]: To } {
  return {
    bool: to,
    uint8: to,
    int8: to,
    int16: to,
    int32: to,
    int64: to,
    float16: to,
    float32: to,
    float64: to,
  };
}

/** `dtypeBy.float.int32` is `"float32"`; null where PyTorch refuses. */
const dtypeBy: { readonly [R in DTypeRule]: Column<R> } = {
  same,
  float: { ...all("float32"), ...floats },
  bool: all("bool"),
  int64: all("int64"),
  float64: all("float64"),
  counted: { ...same, bool: "int64" },
  sum: { ...all("int64"), ...floats },
  mean: { ...all(null), ...floats },
  truth: { ...all("bool"), uint8: "uint8" },
};

/**
 * The result of `op` for x.
 * @throws InternalError if its dtype is not that of the rule.
 */
export function checkRule(rule: DTypeRule, x: Value, made: Value): Value {
  if (made.node.dtype === dtypeBy[rule][x.node.dtype]) return made;
  throw new InternalError(`declared as "${rule}", but gave ${made.node.dtype} of ${x.node.dtype}`);
}
