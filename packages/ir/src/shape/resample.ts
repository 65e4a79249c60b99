/** The shapes of images that are resampled, or whose places become channels. */
import type { Divide, Multiply } from "./arithmetic.ts";
import type { Sizes, UnknownRank } from "./shape.ts";
import type { OptionOf } from "./windows.ts";

/** A size times a factor; unknown for a factor that is no integer. */
type Scaled<Size extends number, Factor> = Factor extends number
  ? `${Factor}` extends `${string}.${string}`
    ? number
    : Multiply<Size, Factor>
  : number;

type ScaledSpace<Space extends number[], Factor> = {
  [Axis in keyof Space]: Scaled<
    Space[Axis],
    Factor extends readonly unknown[] ? Factor[Axis & keyof Factor] : Factor
  >;
};

type SizedSpace<Space extends number[], Size> = {
  [Axis in keyof Space]: Size extends readonly unknown[] ? Size[Axis & keyof Size] : Size;
};

/** [N, C, ...sizes] with the sizes, or the multiples of them, that O asks for. */
export type Resampled<S extends number[], O> =
  UnknownRank<S> extends true
    ? number[]
    : S extends [infer N extends number, infer C extends number, ...infer Space extends number[]]
      ? (
          [OptionOf<O, "size", null>] extends [null]
            ? ScaledSpace<Space, OptionOf<O, "scaleFactor", null>>
            : SizedSpace<Space, OptionOf<O, "size", null>>
        ) extends infer Resized extends number[]
        ? [N, C, ...Resized]
        : Sizes<S>
      : Sizes<S>;

/** A place of each spatial axis for each image and place. */
export type GridShape<S extends readonly number[]> = S extends readonly [
  infer Images extends number,
  number,
  ...infer Space extends number[],
]
  ? [Images, ...Space, Space["length"]]
  : number[];

/** Channels of [..., C, H, W] as R·R places each. */
export type PixelShuffled<S extends number[], R extends number> =
  UnknownRank<S> extends true
    ? number[]
    : S extends [
          ...infer Leading extends number[],
          infer C extends number,
          infer H extends number,
          infer W extends number,
        ]
      ? [...Leading, Divide<C, Multiply<R, R>>[0], Multiply<H, R>, Multiply<W, R>]
      : Sizes<S>;

/** R·R places of [..., C, H, W] as channels. */
export type PixelUnshuffled<S extends number[], R extends number> =
  UnknownRank<S> extends true
    ? number[]
    : S extends [
          ...infer Leading extends number[],
          infer C extends number,
          infer H extends number,
          infer W extends number,
        ]
      ? [...Leading, Multiply<C, Multiply<R, R>>, Divide<H, R>[0], Divide<W, R>[0]]
      : Sizes<S>;
