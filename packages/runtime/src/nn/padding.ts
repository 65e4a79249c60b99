/** Padding as layers. Source: torch.nn.ZeroPad2d and its like. */
import type { PadOrFail, UnknownRank } from "@fuseau/ir";
import { type ByKind, checkMade, type Given } from "../entry/made.ts";
import { type AnyTensor, pad, type Scalar } from "../js.ts";
import { trimmed } from "../messages/stack.ts";
import type { DTypeIn, Flow, OfShape, ShapeIn } from "./flow.ts";
import { Layer } from "./layer.ts";

/** How many places are added before and after, the last axis first: [left, right, top, bottom, front, back]; or one number for all. */
export type Borders = number | readonly number[];

/** The widths for `Rank` axes. */
type Widths<P, Rank extends number> = P extends readonly number[]
  ? P
  : P extends number
    ? Rank extends 1
      ? [P, P]
      : Rank extends 2
        ? [P, P, P, P]
        : [P, P, P, P, P, P]
    : never;

export interface PadFlow<P, Rank extends number> extends Flow {
  readonly output: OfShape<Padded<ShapeIn<this>, P, Rank>, DTypeIn<this>>;
}

/** A mapped type of P makes TypeScript compare two layers by what they give, so that every one may stand where the class is named alone. */
type Padded<S extends number[], P, Rank extends number> =
  UnknownRank<S> extends true ? number[] : PadOrFail<S, Widths<Readonly<P>, Rank>>;

type Mode = "constant" | "reflect" | "replicate" | "circular";

/** Adds places before and after the last axes; negative widths remove places. */
abstract class Padding<P extends Borders, Rank extends number> extends Layer<PadFlow<P, Rank>> {
  readonly padding: readonly number[];
  readonly #mode: Mode;
  readonly #value: Scalar | undefined;

  /** @throws RangeError unless a list has two widths for each axis. */
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

/** Makes a class with a given mode, and perhaps a given value. */
const paddingBy = <const Rank extends number>(rank: Rank, mode: Mode, value?: Scalar): PaddingOf<Rank> =>
  class<const P extends Borders = Borders> extends Padding<P, Rank> {
    constructor(padding: P) {
      super(rank, mode, arguments, { integers: { padding } }, padding, value);
    }
  };

interface ConstantPaddingOf<Rank extends number> {
  new <P extends Borders>(padding: P, value: Scalar): Padding<P, Rank>;
}

const constantPaddingBy = <const Rank extends number>(rank: Rank): ConstantPaddingOf<Rank> =>
  class<const P extends Borders = Borders> extends Padding<P, Rank> {
    constructor(padding: P, value: Scalar) {
      super(rank, "constant", arguments, { integers: { padding }, scalar: { value } }, padding, value);
    }
  };

/** Pads the last axis with zeros. */
export class ZeroPad1d<const P extends Borders = Borders> extends paddingBy(1, "constant", 0)<P> {}
/** Pads the last axis with the input mirrored at its border. */
export class ReflectionPad1d<const P extends Borders = Borders> extends paddingBy(1, "reflect")<P> {}
/** Pads the last axis with its outermost places. */
export class ReplicationPad1d<const P extends Borders = Borders> extends paddingBy(1, "replicate")<P> {}
/** Pads the last axis with the places at its other end. */
export class CircularPad1d<const P extends Borders = Borders> extends paddingBy(1, "circular")<P> {}
/** Pads the last axis with `value`. */
export class ConstantPad1d<const P extends Borders = Borders> extends constantPaddingBy(1)<P> {}

/** Pads the last two axes with zeros. */
export class ZeroPad2d<const P extends Borders = Borders> extends paddingBy(2, "constant", 0)<P> {}
/** Pads the last two axes with the input mirrored at its border. */
export class ReflectionPad2d<const P extends Borders = Borders> extends paddingBy(2, "reflect")<P> {}
/** Pads the last two axes with their outermost places. */
export class ReplicationPad2d<const P extends Borders = Borders> extends paddingBy(2, "replicate")<P> {}
/** Pads the last two axes with the places at their other end. */
export class CircularPad2d<const P extends Borders = Borders> extends paddingBy(2, "circular")<P> {}
/** Pads the last two axes with `value`. */
export class ConstantPad2d<const P extends Borders = Borders> extends constantPaddingBy(2)<P> {}

/** Pads the last three axes with zeros. */
export class ZeroPad3d<const P extends Borders = Borders> extends paddingBy(3, "constant", 0)<P> {}
/** Pads the last three axes with the input mirrored at its border. */
export class ReflectionPad3d<const P extends Borders = Borders> extends paddingBy(3, "reflect")<P> {}
/** Pads the last three axes with their outermost places. */
export class ReplicationPad3d<const P extends Borders = Borders> extends paddingBy(3, "replicate")<P> {}
/** Pads the last three axes with the places at their other end. */
export class CircularPad3d<const P extends Borders = Borders> extends paddingBy(3, "circular")<P> {}
/** Pads the last three axes with `value`. */
export class ConstantPad3d<const P extends Borders = Borders> extends constantPaddingBy(3)<P> {}
