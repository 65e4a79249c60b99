/** Families of operations: the types of their three forms (function, method, in place), and the code that they share. */
import type { Broadcast, PointwiseOp, RuleOf } from "@fuseau/ir";
import { roundedOnce, type Term } from "../ops/operand.ts";
import { map, zip } from "../ops/pointwise.ts";
import { type ShapeKey, type Tensor, term, unwrap, wrap } from "../tensor/handle.ts";
import type { CanHold, FitsInto } from "../tensor/inplace-types.ts";
import type {
  AnyTensor,
  Fits,
  Operand,
  OperandsDType,
  PairDType,
  PairShape,
  ShapeOf,
} from "../tensor/types.ts";
import type { Value } from "../value.ts";
import { declareAs, type inPlace, type method } from "./declaration.ts";
import { checkRule, type DTypeBy, type DTypeRule } from "./dtype-rules.ts";
import { type Beside, checkOperands } from "./operands.ts";

type Arguments = readonly unknown[];

/** One result for each element, of x's shape. A is the tuple of the arguments beside x. */
export interface Unary<R extends DTypeRule, A extends Arguments = []> {
  <T extends AnyTensor>(input: T, ...rest: A): Tensor<T[ShapeKey], DTypeBy<T["dtype"]>[R]>;
  readonly [method]: <T extends AnyTensor>(
    this: T,
    ...rest: A
  ) => Tensor<T[ShapeKey], DTypeBy<T["dtype"]>[R]>;
  readonly [inPlace]: <T extends AnyTensor>(this: CanHold<T, DTypeBy<T["dtype"]>[R]>, ...rest: A) => T;
}

/** A bool for each element. It has no form in place. */
export interface Test {
  <T extends AnyTensor>(input: T): Tensor<T[ShapeKey], "bool">;
  readonly [method]: <T extends AnyTensor>(this: T) => Tensor<T[ShapeKey], "bool">;
}

/** The result has x's shape and dtype. There is no form in place. */
export interface Alike<A extends Arguments = []> {
  <T extends AnyTensor>(input: T, ...rest: A): Tensor<T[ShapeKey], T["dtype"]>;
  readonly [method]: <T extends AnyTensor>(this: T, ...rest: A) => Tensor<T[ShapeKey], T["dtype"]>;
}

/** An operation on a tensor and an operand: shapes are broadcast and dtypes promoted. In the function, either may be a scalar. */
export interface Binary<R extends DTypeRule, A extends Arguments = []> {
  <const L extends Operand, const B extends Operand>(
    input: L,
    other: Beside<L, B>,
    ...rest: A
  ): Tensor<Broadcast<ShapeOf<L>, ShapeOf<B>>, DTypeBy<OperandsDType<L, B>>[R]>;
  readonly [method]: <T extends AnyTensor, const B extends Operand>(
    this: T,
    other: Fits<T, B>,
    ...rest: A
  ) => Tensor<PairShape<T, B>, DTypeBy<PairDType<T, B>>[R]>;
  readonly [inPlace]: <T extends AnyTensor, const B extends Operand>(
    this: T,
    other: FitsInto<T, B, DTypeBy<PairDType<T, B>>[R]>,
    ...rest: A
  ) => T;
}

/** The primitives whose result has that dtype. */
type PrimitiveOf<R extends DTypeRule> = {
  [Op in PointwiseOp]: RuleOf<Op> extends (R extends "bool" ? "predicate" : R) ? Op : never;
}[PointwiseOp];
type Mappable = Exclude<PrimitiveOf<"same" | "float" | "bool">, "where" | "cast" | "logicalNot">;

function unaryOf<R extends DTypeRule>(rule: R, hasInPlace: boolean, isRoundedOnce = false) {
  return <A extends Arguments = []>(
    call: string,
    run: (PrimitiveOf<R> & Mappable) | ((x: Value, ...rest: A) => Value),
  ): Unary<R, A> => {
    const record = typeof run === "string" ? (x: Value, ..._rest: A) => map(run, x) : run;
    const unary = (input: AnyTensor, ...rest: A): Tensor => {
      const x = unwrap(input);
      const made = isRoundedOnce ? roundedOnce(x, (own) => record(own, ...rest)) : record(x, ...rest);
      return wrap(checkRule(rule, x, made));
    };
    return declareAs(call, unary, hasInPlace ? unary : null);
  };
}

/** In x's own dtype. */
export const sameUnary = unaryOf("same", true);
/** As float. */
export const floatUnary = unaryOf("float", true);
/** The same of several steps: float16 is rounded once, after the last. */
export const composedUnary = unaryOf("same", true, true);
export const composedFloat = unaryOf("float", true, true);
/** In x's own dtype, or int64 for bool. */
export const countedUnary = unaryOf("counted", true);
/** A bool for each element. The form in place writes it back. */
export const logicalUnary = unaryOf("bool", true);

const asTest = unaryOf("bool", false);
/** A predicate of each element: {@link logicalUnary} with no form in place. */
export const test: (...given: Parameters<typeof asTest>) => Test = asTest;

/** In x's shape and dtype, though an element may depend on any element of x. */
export function alike<A extends Arguments = []>(
  call: string,
  run: (x: Value, ...rest: A) => Value,
): Alike<A> {
  return declareAs(call, (input: AnyTensor, ...rest: A) => {
    const x = unwrap(input);
    return wrap(checkRule("same", x, run(x, ...rest)));
  });
}

function binaryOf<R extends DTypeRule>() {
  return <A extends Arguments = []>(
    call: string,
    run: (PrimitiveOf<R> & Mappable) | ((a: Term, b: Term, ...rest: A) => Value),
  ): Binary<R, A> => {
    const record = typeof run === "string" ? (a: Term, b: Term) => zip(run, a, b) : run;
    const binary = (input: Operand, other: Operand, ...rest: A): Tensor => {
      checkOperands(input, other);
      return wrap(record(term(input), term(other), ...rest));
    };
    return declareAs(call, binary, binary);
  };
}

/** In the dtype that both are promoted to. */
export const sameBinary = binaryOf<"same">();
/** As float. */
export const floatBinary = binaryOf<"float">();
/** A bool for every pair. */
export const comparison = binaryOf<"bool">();
/** As float64. */
export const doubleBinary = binaryOf<"float64">();
