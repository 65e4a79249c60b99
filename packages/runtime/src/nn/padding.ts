/** Borders as layers. Source: torch.nn.ZeroPad2d and its kin. */
import type { PadOrFail, UnknownRank } from "@fuseau/ir";
import { type ByKind, checkMade, type Given } from "../entry/made.ts";
import { type AnyTensor, pad, type Scalar } from "../js.ts";
import { trimmed } from "../messages/stack.ts";
import type { DTypeIn, Flow, OfShape, ShapeIn } from "./flow.ts";
import { Layer } from "./layer.ts";

/** How much comes before and after, from the last axis on: [left, right, top, bottom, front, back]; one number stands for all. */
export type Borders = number | readonly number[];

/** The widths of `Rank` axes. */
type Widths<P, Rank extends number> = P extends readonly number[]
  ? P
  : P extends number
    ? Rank extends 1
      ? [P, P]
      : Rank extends 2
        ? [P, P, P, P]
        : [P, P, P, P, P, P]
    : never;

export interface PadFlow<P extends Borders, Rank extends number> extends Flow {
  readonly output: OfShape<
    UnknownRank<ShapeIn<this>> extends true ? number[] : PadOrFail<ShapeIn<this>, Widths<P, Rank>>,
    DTypeIn<this>
  >;
}

type Mode = "constant" | "reflect" | "replicate" | "circular";

/** Places put before and after the last axes; widths below zero cut. */
abstract class Padding<P extends Borders, Rank extends number> extends Layer<PadFlow<P, Rank>> {
  readonly padding: readonly number[];
  readonly #mode: Mode;
  readonly #value: Scalar | undefined;

  /** @throws RangeError for a list that has not two widths for each axis. */
  constructor(rank: Rank, mode: Mode, given: Given, byKind: ByKind, padding: P, value?: Scalar) {
    checkMade(new.target, given, byKind);
    const widths =
      typeof padding === "number"
        ? new Array<number>(2 * rank).fill(padding)
        : [...(padding as readonly number[])];
    if (widths.length !== 2 * rank)
      throw trimmed(
        new RangeError(
          `${new.target.name}: padding must have ${2 * rank} widths, but got [${widths.join(", ")}]`,
        ),
        new.target,
      );
    super();
    this.padding = widths;
    this.#mode = mode;
    this.#value = value;
  }

  protected run(input: AnyTensor): AnyTensor {
    const mode = this.#mode;
    return pad(input, this.padding, this.#value === undefined ? { mode } : { mode, value: this.#value });
  }
}

interface PaddingOf<Rank extends number> {
  new <P extends Borders>(padding: P): Padding<P, Rank>;
}

/** A class whose mode and value, if it has one, are given. */
const paddingBy = <const Rank extends number>(rank: Rank, mode: Mode, value?: Scalar): PaddingOf<Rank> =>
  class<const P extends Borders> extends Padding<P, Rank> {
    constructor(padding: P) {
      super(rank, mode, arguments, { integers: { padding } }, padding, value);
    }
  };

interface ConstantPaddingOf<Rank extends number> {
  new <P extends Borders>(padding: P, value: Scalar): Padding<P, Rank>;
}

const constantPaddingBy = <const Rank extends number>(rank: Rank): ConstantPaddingOf<Rank> =>
  class<const P extends Borders> extends Padding<P, Rank> {
    constructor(padding: P, value: Scalar) {
      super(rank, "constant", arguments, { integers: { padding }, scalar: { value } }, padding, value);
    }
  };

/** Zeros around the last axis. */
export class ZeroPad1d<const P extends Borders> extends paddingBy(1, "constant", 0)<P> {}
/** What is near the border, mirrored at it, around the last axis. */
export class ReflectionPad1d<const P extends Borders> extends paddingBy(1, "reflect")<P> {}
/** The outermost places again around the last axis. */
export class ReplicationPad1d<const P extends Borders> extends paddingBy(1, "replicate")<P> {}
/** What is at the other end around the last axis. */
export class CircularPad1d<const P extends Borders> extends paddingBy(1, "circular")<P> {}
/** `value` around the last axis. */
export class ConstantPad1d<const P extends Borders> extends constantPaddingBy(1)<P> {}

/** Zeros around the last two axes. */
export class ZeroPad2d<const P extends Borders> extends paddingBy(2, "constant", 0)<P> {}
/** What is near the border, mirrored at it, around the last two axes. */
export class ReflectionPad2d<const P extends Borders> extends paddingBy(2, "reflect")<P> {}
/** The outermost places again around the last two axes. */
export class ReplicationPad2d<const P extends Borders> extends paddingBy(2, "replicate")<P> {}
/** What is at the other end around the last two axes. */
export class CircularPad2d<const P extends Borders> extends paddingBy(2, "circular")<P> {}
/** `value` around the last two axes. */
export class ConstantPad2d<const P extends Borders> extends constantPaddingBy(2)<P> {}

/** Zeros around the last three axes. */
export class ZeroPad3d<const P extends Borders> extends paddingBy(3, "constant", 0)<P> {}
/** What is near the border, mirrored at it, around the last three axes. */
export class ReflectionPad3d<const P extends Borders> extends paddingBy(3, "reflect")<P> {}
/** The outermost places again around the last three axes. */
export class ReplicationPad3d<const P extends Borders> extends paddingBy(3, "replicate")<P> {}
/** What is at the other end around the last three axes. */
export class CircularPad3d<const P extends Borders> extends paddingBy(3, "circular")<P> {}
/** `value` around the last three axes. */
export class ConstantPad3d<const P extends Borders> extends constantPaddingBy(3)<P> {}
