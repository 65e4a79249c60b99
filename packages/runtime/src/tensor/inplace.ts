/**
 * The pointwise ops in place. Each writes what the op of its name without the underscore gives, by one function for all of them;
 * the tables say what each result is.
 */
import type { FloatResult } from "@fuseau/ir";
import { refuseOverlaps, takeValue, writeInto } from "../alias/alias.ts";
import type { RoundingMode } from "../ops/arithmetic.ts";
import { type ActivationMethods, activationMethods } from "./activation.ts";
import { type AlphaOptions, arithmeticMethods, type ValueOptions } from "./arithmetic.ts";
import { comparisonMethods } from "./comparison.ts";
import { type ElementaryMethods, elementaryMethods } from "./elementary.ts";
import { unwrap } from "./handle.ts";
import * as tables from "./inplace-names.ts";
import type { CanHold, FitsInto } from "./inplace-types.ts";
import { type LinearMethods, linearMethods } from "./linear.ts";
import { type SpecialMethods, specialMethods } from "./special.ts";
import type { AnyTensor, Erased, Operand, PairDType, TripleDType } from "./types.ts";

const outOfPlace = {
  ...activationMethods,
  ...arithmeticMethods,
  ...comparisonMethods,
  ...elementaryMethods,
  ...linearMethods,
  ...specialMethods,
};
type OutOfPlace = ActivationMethods & ElementaryMethods & LinearMethods & SpecialMethods;

/** What an op takes beside its receiver. */
type Arguments<Name extends keyof OutOfPlace> = Parameters<OutOfPlace[Name]>;

type OfItself = {
  readonly [Name in (typeof tables.ofItself)[number] as `${Name}_`]: <T extends AnyTensor>(
    this: T,
    ...rest: Arguments<Name>
  ) => T;
};
type OfItselfAsFloat = {
  readonly [Name in (typeof tables.ofItselfAsFloat)[number] as `${Name}_`]: <T extends AnyTensor>(
    this: CanHold<T, FloatResult<T["dtype"]>>,
    ...rest: Arguments<Name>
  ) => T;
};
type OfPair = {
  readonly [Name in (typeof tables.ofPair)[number] as `${Name}_`]: <
    T extends AnyTensor,
    const B extends Operand,
  >(
    this: T,
    other: FitsInto<T, B, PairDType<T, B>>,
  ) => T;
};
type OfPairAsFloat = {
  readonly [Name in (typeof tables.ofPairAsFloat)[number] as `${Name}_`]: <
    T extends AnyTensor,
    const B extends Operand,
  >(
    this: T,
    other: FitsInto<T, B, FloatResult<PairDType<T, B>>>,
  ) => T;
};
type OfTruth = {
  readonly [Name in (typeof tables.ofTruth)[number] as `${Name}_`]: <
    T extends AnyTensor,
    const B extends Operand,
  >(
    this: T,
    other: FitsInto<T, B, "bool">,
  ) => T;
};

type OfWhole = {
  readonly [Name in (typeof tables.ofWhole)[number] as `${Name}_`]: <T extends AnyTensor>(
    this: T,
    ...rest: Arguments<Name>
  ) => T;
};

/** The dtype of a quotient: a float unless it is rounded. */
type QuotientDType<T extends AnyTensor, B, Mode> = Mode extends null
  ? FloatResult<PairDType<T, B>>
  : PairDType<T, B>;

/**
 * The pointwise ops in place (`add_`, `exp_`, `lt_` …): the elements are replaced by what the op of the name without the
 * underscore gives, for the tensor and everything that shares them, and the tensor itself is returned. It keeps its
 * shape and dtype. What was recorded before keeps the elements it saw. docs/in-place.md has the whole story.
 * @throws ShapeError when the result is larger than the tensor, DTypeError when its category does not fit (a float into an
 * integer tensor, an integer into a bool one), ViewError when several places of the tensor are one element.
 */
export interface InPlaceMethods extends OfItself, OfItselfAsFloat, OfPair, OfPairAsFloat, OfTruth, OfWhole {
  /** Adds alpha·other. */
  add_<T extends AnyTensor, const B extends Operand>(
    this: T,
    other: FitsInto<T, B, PairDType<T, B>>,
    options?: AlphaOptions,
  ): T;
  /** Takes alpha·other away. */
  sub_<T extends AnyTensor, const B extends Operand>(
    this: T,
    other: FitsInto<T, B, PairDType<T, B>>,
    options?: AlphaOptions,
  ): T;
  /** Divides by other; an integer tensor needs a `roundingMode`. */
  div_<T extends AnyTensor, const B extends Operand, const Mode extends RoundingMode = null>(
    this: T,
    other: FitsInto<T, B, QuotientDType<T, B, Mode>>,
    options?: { readonly roundingMode?: Mode },
  ): T;
  /** Adds weight·(end − x). */
  lerp_<T extends AnyTensor, const B extends AnyTensor, const W extends Operand>(
    this: T,
    end: FitsInto<T, B, T["dtype"]>,
    weight: FitsInto<T, W, T["dtype"]>,
  ): T;
  /** Adds value·tensor1·tensor2. */
  addcmul_<T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
    this: T,
    tensor1: FitsInto<T, A, PairDType<T, A>>,
    tensor2: FitsInto<T, B, TripleDType<T, A, B>>,
    options?: ValueOptions,
  ): T;
  /** Adds value·tensor1 / tensor2. */
  addcdiv_<T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
    this: T,
    tensor1: FitsInto<T, A, PairDType<T, A>>,
    tensor2: FitsInto<T, B, TripleDType<T, A, B>>,
    options?: ValueOptions,
  ): T;
  /** Keeps the elements between `min` and `max`. */
  clamp_<T extends AnyTensor, const A extends Operand | null = null, const B extends Operand | null = null>(
    this: T,
    min?: FitsInto<T, A, TripleDType<T, A, null>>,
    max?: FitsInto<T, B, TripleDType<T, A, B>>,
  ): T;
  /** {@link clamp_}. */
  clip_<T extends AnyTensor, const A extends Operand | null = null, const B extends Operand | null = null>(
    this: T,
    min?: FitsInto<T, A, TripleDType<T, A, null>>,
    max?: FitsInto<T, B, TripleDType<T, A, B>>,
  ): T;
}

const names: readonly (keyof typeof outOfPlace)[] = Object.values(tables).flat();

/** Overlaps are refused first and the op checks its operands next, so that nothing has changed when one of them throws. */
function inPlace(name: keyof typeof outOfPlace): (this: AnyTensor, ...operands: unknown[]) => AnyTensor {
  const op = `${name}_`;
  const compute = outOfPlace[name] as (this: AnyTensor, ...operands: unknown[]) => AnyTensor;
  return function (this: AnyTensor, ...operands: unknown[]): AnyTensor {
    refuseOverlaps(op, this, operands);
    const made = compute.apply(this, operands);
    const isOwn = made !== this && !operands.includes(made);
    return writeInto(op, this, isOwn ? takeValue(made) : unwrap(made));
  };
}

export const inPlaceMethods: Erased<InPlaceMethods> = Object.fromEntries(
  names.map((name) => [`${name}_`, inPlace(name)]),
) as Erased<InPlaceMethods>;
