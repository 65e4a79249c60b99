import { isclose, isneginf, isposinf, isreal } from "../ops/arithmetic.ts";
import { logic, where, zip } from "../ops/pointwise.ts";
import { checkedTerm, type Tensor, tensorArgument, term, unwrap, wrap } from "./handle.ts";
import type {
  AnyTensor,
  Erased,
  Fits,
  FitsShape,
  Operand,
  OperandsDType,
  Paired,
  PairedTruth,
  PairShape,
  TripleShape,
  Truth,
} from "./types.ts";

/** How close two numbers must be: |x − other| ≤ atol + rtol·|other|. */
export interface CloseOptions {
  readonly rtol?: number;
  readonly atol?: number;
  readonly equalNan?: boolean;
}

/**
 * Comparison, logic and bits of a tensor and an operand. Shapes are broadcast and dtypes promoted. Each is PyTorch's op of
 * the same name.
 * @throws ShapeError when the shapes do not broadcast, DTypeError for dtypes that PyTorch refuses.
 */
export interface ComparisonMethods {
  /** True where x = other; never for NaN. */
  eq<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): PairedTruth<T, B>;
  /** True where x ≠ other; always for NaN. */
  ne<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): PairedTruth<T, B>;
  /** True where x < other. */
  lt<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): PairedTruth<T, B>;
  /** True where x ≤ other. */
  le<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): PairedTruth<T, B>;
  /** True where x > other. */
  gt<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): PairedTruth<T, B>;
  /** True where x ≥ other. */
  ge<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): PairedTruth<T, B>;
  /** True where |x − other| ≤ atol + rtol·|other| (1e-8, 1e-5), or both are equal; a number adopts x's dtype. @throws DTypeError for different dtypes. */
  isclose<T extends AnyTensor, const B extends Operand>(
    this: T,
    other: Fits<T, B>,
    options?: CloseOptions,
  ): PairedTruth<T, B>;
  /** True where x is +∞. */
  isposinf<T extends AnyTensor>(this: T): Truth<T>;
  /** True where x is −∞. */
  isneginf<T extends AnyTensor>(this: T): Truth<T>;
  /** True everywhere: there are no complex numbers. */
  isreal<T extends AnyTensor>(this: T): Truth<T>;

  /** True where both are nonzero. */
  logicalAnd<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): PairedTruth<T, B>;
  /** True where either is nonzero. */
  logicalOr<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): PairedTruth<T, B>;
  /** True where one is nonzero and the other is not. */
  logicalXor<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): PairedTruth<T, B>;
  /** Bits set in both. @throws DTypeError for floats. */
  bitwiseAnd<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): Paired<T, B>;
  /** Bits set in either. @throws DTypeError for floats. */
  bitwiseOr<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): Paired<T, B>;
  /** Bits set in one of them. @throws DTypeError for floats. */
  bitwiseXor<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): Paired<T, B>;
  /** Bits moved up by `other` places. @throws DTypeError for floats and bools. */
  bitwiseLeftShift<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): Paired<T, B>;
  /** Bits moved down by `other` places; the sign is kept. @throws DTypeError for floats and bools. */
  bitwiseRightShift<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): Paired<T, B>;

  /** x where the bool `condition` holds, `other` elsewhere. @throws DTypeError when the condition is not bool. */
  where<T extends AnyTensor, const C extends AnyTensor, const B extends Operand>(
    this: T,
    condition: Fits<T, C>,
    other: FitsShape<PairShape<T, C>, B>,
  ): Tensor<TripleShape<T, C, B>, OperandsDType<T, B>>;
}

export const comparisonMethods: Erased<ComparisonMethods> = {
  eq(other) {
    return wrap(zip("eq", unwrap(this), term(other)));
  },
  ne(other) {
    return wrap(zip("ne", unwrap(this), term(other)));
  },
  lt(other) {
    return wrap(zip("lt", unwrap(this), term(other)));
  },
  le(other) {
    return wrap(zip("le", unwrap(this), term(other)));
  },
  gt(other) {
    return wrap(zip("gt", unwrap(this), term(other)));
  },
  ge(other) {
    return wrap(zip("ge", unwrap(this), term(other)));
  },
  logicalAnd(other) {
    return wrap(logic("logicalAnd", unwrap(this), term(other)));
  },
  logicalOr(other) {
    return wrap(logic("logicalOr", unwrap(this), term(other)));
  },
  logicalXor(other) {
    return wrap(logic("logicalXor", unwrap(this), term(other)));
  },
  bitwiseAnd(other) {
    return wrap(zip("bitwiseAnd", unwrap(this), term(other)));
  },
  bitwiseOr(other) {
    return wrap(zip("bitwiseOr", unwrap(this), term(other)));
  },
  bitwiseXor(other) {
    return wrap(zip("bitwiseXor", unwrap(this), term(other)));
  },
  bitwiseLeftShift(other) {
    return wrap(zip("bitwiseLeftShift", unwrap(this), term(other)));
  },
  bitwiseRightShift(other) {
    return wrap(zip("bitwiseRightShift", unwrap(this), term(other)));
  },
  isposinf() {
    return wrap(isposinf(unwrap(this)));
  },
  isneginf() {
    return wrap(isneginf(unwrap(this)));
  },
  isreal() {
    return wrap(isreal(unwrap(this)));
  },
  isclose(other, options = {}) {
    const { rtol = 1e-5, atol = 1e-8, equalNan = false } = options;
    return wrap(isclose("isclose", unwrap(this), term(other), rtol, atol, equalNan));
  },
  where(condition, other) {
    return wrap(
      where(tensorArgument("where", "condition", condition), unwrap(this), checkedTerm("where", other)),
    );
  },
};
