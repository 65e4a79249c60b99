/**
 * Ops in place whose types belong to no family. Each writes the result of the op of its name without the underscore; one function makes all
 * of them.
 */
import type { FloatResult } from "@fuseau/ir";
import { refuseOverlaps, takeValue, writeInto } from "../alias/alias.ts";
import { isOptions } from "../entry/inspect.ts";
import type { PowerOfTwo, RoundingMode, ValueOptions } from "../functions/arithmetic.ts";
import type * as linear from "../functions/linear.ts";
import type * as normalization from "../functions/normalization.ts";
import { unwrap } from "../tensor/handle.ts";
import type { FitsMask } from "../tensor/indexing-types.ts";
import type { FitsInto, LimitInto } from "../tensor/inplace-types.ts";
import type { AnyTensor, Least, Operand, PairDType, TripleDType } from "../tensor/types.ts";

/** An op that is not pointwise takes what its function takes. Whether the result fits is checked at the call. */
type WholeInPlace<File, Name extends keyof File & string> = {
  readonly [Own in Name as `${Own}_`]: File[Own] extends (
    input: never,
    ...rest: infer Rest extends readonly unknown[]
  ) => unknown
    ? <T extends AnyTensor>(this: T, ...rest: Rest) => T
    : never;
};

/** The dtype of a quotient: a float unless it is rounded. */
type QuotientDType<T extends AnyTensor, B, Mode> = Mode extends null
  ? FloatResult<PairDType<T, B>>
  : PairDType<T, B>;

/**
 * The pointwise ops in place (`add_`, `exp_`, `lt_` …). The op of the name without the underscore computes the elements, for the tensor and
 * everything that shares them. The tensor keeps its shape and dtype, and is returned. What was recorded before still reads the old
 * elements. docs/in-place.md has the whole story.
 * @throws ShapeError when the result is larger than the tensor, DTypeError when its category does not fit (a float into an integer tensor,
 * an integer into a bool one), ViewError when several places of the tensor are one element.
 */
export interface InPlaceMethods
  extends WholeInPlace<typeof linear, "addmm" | "addmv" | "addbmm" | "baddbmm" | "addr">,
    WholeInPlace<typeof normalization, "renorm"> {
  /** Divides by other; an integer tensor needs a `roundingMode`. */
  div_<T extends AnyTensor, const B extends Operand, const Mode extends RoundingMode = null>(
    this: T,
    other: FitsInto<T, B, QuotientDType<T, B, Mode>>,
    options?: { readonly roundingMode?: Mode },
  ): T;
  /** {@link div_}. */
  divide_<T extends AnyTensor, const B extends Operand, const Mode extends RoundingMode = null>(
    this: T,
    other: FitsInto<T, B, QuotientDType<T, B, Mode>>,
    options?: { readonly roundingMode?: Mode },
  ): T;
  /** Times 2^other. */
  ldexp_<T extends AnyTensor, const B extends Operand>(
    this: T,
    other: FitsInto<T, B, FloatResult<PairDType<T, PowerOfTwo<B>>>>,
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
  clamp_<T extends AnyTensor, const A = null, const B extends Operand | null = null>(
    this: T,
    min?: LimitInto<T, A>,
    max?: FitsInto<T, B, TripleDType<T, Least<A>, B>>,
  ): T;
  /** {@link clamp_}. */
  clip_<T extends AnyTensor, const A = null, const B extends Operand | null = null>(
    this: T,
    min?: LimitInto<T, A>,
    max?: FitsInto<T, B, TripleDType<T, Least<A>, B>>,
  ): T;
  /** `value`, a number or a 0-d tensor, where the mask is true. */
  maskedFill_<T extends AnyTensor, M extends AnyTensor>(this: T, mask: FitsMask<T, M>, value: Operand): T;
  /** The elements of `source` one after another where the mask is true. */
  maskedScatter_<T extends AnyTensor, M extends AnyTensor>(
    this: T,
    mask: FitsMask<T, M>,
    source: AnyTensor,
  ): T;
}

/**
 * A form in place: it writes the result of `run`. It refuses overlaps first, then the op checks its operands. So nothing has changed if one
 * of them throws.
 */
export function inPlaceForm(name: string, run: (...given: never[]) => unknown) {
  const op = `${name}_`;
  const compute = run as (...given: unknown[]) => AnyTensor;
  return function (this: AnyTensor, ...operands: unknown[]): AnyTensor {
    const [first] = operands;
    refuseOverlaps(this, isOptions(first) ? Object.values(first) : operands);
    const made = compute(this, ...operands);
    const isOwn = made !== this && !operands.includes(made);
    return writeInto(op, this, isOwn ? takeValue(made) : unwrap(made));
  };
}
