/**
 * Windows that slide over the last axes, the spatial ones: the shapes of convolutions and pools of [N, C, ...space] and [C, ...space].
 * Source: the sections "Shape" of torch.nn.Conv2d, ConvTranspose2d, MaxPool2d.
 */
import type { Add, Compare, Divide, DivideUp, Multiply, Subtract } from "./arithmetic.ts";
import type { Fits, UnknownRank } from "./shape.ts";

/**
 * The number of windows along an axis padded to before + size + after, if each window spans `reach` places. With `ceil`, a last window that
 * extends beyond the end counts too if it starts within the axis or the padding before it.
 */
export function windowCount(
  size: number,
  [before, after]: readonly [before: number, after: number],
  reach: number,
  stride: number,
  ceil = false,
): number {
  const steps = (before + size + after - reach) / stride;
  if (!ceil) return Math.floor(steps) + 1;
  const count = Math.ceil(steps) + 1;
  return (count - 1) * stride >= before + size ? count - 1 : count;
}

/** The number of places that a kernel spans. */
export const windowReach = (kernel: number, dilation: number): number => dilation * (kernel - 1) + 1;

/** The smallest size of an axis that has `count` windows by {@link windowCount}, plus `extra`. */
export const windowsExtent = (
  count: number,
  [before, after]: readonly [before: number, after: number],
  reach: number,
  stride: number,
  extra: number,
): number => (count - 1) * stride - before - after + reach + extra;

/** The options of windows: each a number for all axes, or a list with one for each. */
export interface Sliding {
  readonly kernel: unknown;
  readonly stride: unknown;
  /** Zeros at either end; or "same", or "valid". */
  readonly padding: unknown;
  readonly dilation: unknown;
  readonly ceilMode: unknown;
}

/** The option if it is given, else its default. */
export type OptionOf<O, Name extends string, Default> = Name extends keyof O
  ? [O[Name]] extends [undefined]
    ? Default
    : O[Name]
  : Default;

/** The windows of a convolution with options O. */
export interface ConvolutionSliding<Kernel, O> extends Sliding {
  readonly kernel: Kernel;
  readonly stride: OptionOf<O, "stride", 1>;
  readonly padding: OptionOf<O, "padding", 0>;
  readonly dilation: OptionOf<O, "dilation", 1>;
  readonly ceilMode: false;
}

/** The windows of a pool with options O. The stride is the kernel's size by default, so that windows do not overlap. */
export interface PoolSliding<Kernel, O> extends Sliding {
  readonly kernel: Kernel;
  readonly stride: [OptionOf<O, "stride", null>] extends [null | readonly []]
    ? Kernel
    : OptionOf<O, "stride", null>;
  readonly padding: OptionOf<O, "padding", 0>;
  readonly dilation: OptionOf<O, "dilation", 1>;
  readonly ceilMode: OptionOf<O, "ceilMode", false>;
}

/** The option's value for one axis; `number` when it is unknown. */
type Along<V, Axis> = [V] extends [number]
  ? Known<V>
  : [V] extends [readonly [infer One extends number]]
    ? Known<One>
    : [V] extends [readonly number[]]
      ? Axis extends keyof V
        ? V[Axis] extends infer One extends number
          ? Known<One>
          : number
        : number
      : number;

/** N; `number` if it is negative or no integer, which is refused at run time. */
type Known<N extends number> = `${N}` extends `-${string}` | `${string}.${string}` | `${string}e${string}`
  ? number
  : N;

type Reach<Kernel extends number, Dilation extends number> = Add<Multiply<Dilation, Subtract<Kernel, 1>>, 1>;

/** {@link windowCount} as a type, or the message when no window fits. */
type WindowCount<
  Size extends number,
  Padding extends number,
  Covered extends number,
  Stride extends number,
  Ceil,
> =
  Add<Size, Multiply<2, Padding>> extends infer Room extends number
    ? Compare<Room, Covered> extends "less"
      ? `Kernel size can't be greater than actual input size (${Covered} and, with padding, ${Room})`
      : Ceil extends false
        ? Add<Divide<Subtract<Room, Covered>, Stride>[0], 1>
        : Ceil extends true
          ? CountUp<DivideUp<Subtract<Room, Covered>, Stride>, Stride, Add<Size, Padding>>
          : number
    : never;

type CountUp<Last extends number, Stride extends number, End extends number> =
  Compare<Multiply<Last, Stride>, End> extends infer Order
    ? [Order] extends ["less"]
      ? Add<Last, 1>
      : ["less"] extends [Order]
        ? number
        : Last
    : never;

/** The spatial sizes after windows slide over them. */
type Windows<Space extends number[], W extends Sliding> = W["padding"] extends "same"
  ? Space
  : {
      [Axis in keyof Space]: WindowCount<
        Space[Axis],
        W["padding"] extends "valid" ? 0 : Along<W["padding"], Axis>,
        Reach<Along<W["kernel"], Axis>, Along<W["dilation"], Axis>>,
        Along<W["stride"], Axis>,
        W["ceilMode"]
      >;
    };

/** {@link windowsExtent} as a type, or the message when the result is no size. */
type WindowsExtent<
  Count extends number,
  Padding extends number,
  Covered extends number,
  Stride extends number,
  Extra extends number,
> = Count extends 0
  ? number
  : Add<Add<Multiply<Subtract<Count, 1>, Stride>, Covered>, Extra> extends infer Whole extends number
    ? Compare<Whole, Multiply<2, Padding>> extends "less" | "equal"
      ? "Output size is too small"
      : Subtract<Whole, Multiply<2, Padding>>
    : never;

type Extents<Space extends number[], W extends Sliding, Extra> = {
  [Axis in keyof Space]: WindowsExtent<
    Space[Axis],
    Along<W["padding"], Axis>,
    Reach<Along<W["kernel"], Axis>, Along<W["dilation"], Axis>>,
    Along<W["stride"], Axis>,
    Along<Extra, Axis>
  >;
};

/** The sizes that are asked for; null keeps the existing one. */
type Asked<Space extends number[], V> = {
  [Axis in keyof Space]: [V] extends [null] ? Space[Axis] : AskedAlong<Space[Axis], V, Axis>;
};

type AskedAlong<Size extends number, V, Axis> = V extends readonly unknown[]
  ? Axis extends keyof V
    ? [V[Axis]] extends [null]
      ? Size
      : Along<V[Axis], Axis>
    : number
  : Along<V, Axis>;

/** The parts of [N, C, ...space] or [C, ...space], or the message. */
type Parts<S extends number[], Rank extends number> =
  UnknownRank<S> extends true
    ? readonly [leading: number[], channels: number, space: number[]]
    : S extends [infer N extends number, infer C extends number, ...infer Space extends number[]]
      ? Space["length"] extends Rank
        ? readonly [[N], C, Space]
        : Unbatched<S, Rank>
      : Unbatched<S, Rank>;

type Unbatched<S extends number[], Rank extends number> = S extends [
  infer C extends number,
  ...infer Space extends number[],
]
  ? Space["length"] extends Rank
    ? readonly [[], C, Space]
    : RankFailure<Rank>
  : RankFailure<Rank>;

type RankFailure<Rank extends number> = `the input must have ${Add<Rank, 1>} or ${Add<Rank, 2>} axes`;

/** The whole shape, or the first message among the spatial sizes. */
type Whole<Leading extends number[], Out extends number, Space extends unknown[]> = [
  Extract<Space[number], string>,
] extends [never]
  ? Space extends number[]
    ? [...Leading, Out, ...Space]
    : never
  : Extract<Space[number], string>;

type ChannelFailure<
  C extends number,
  In extends number,
  Leading extends number[],
> = `the input must have ${In} channels (axis ${Leading["length"]}), but has ${C}`;

/** The shape of a convolution with `In` input channels of S, or the message. */
export type ConvolvedOrFail<
  S extends number[],
  In extends number,
  Out extends number,
  Rank extends number,
  W extends Sliding,
> =
  Parts<S, Rank> extends infer P
    ? P extends readonly [
        infer Leading extends number[],
        infer C extends number,
        infer Space extends number[],
      ]
      ? UnknownRank<Leading> extends true
        ? number[]
        : Fits<C, In> extends true
          ? Whole<Leading, Out, Windows<Space, W>>
          : ChannelFailure<C, In, Leading>
      : P
    : never;

/** The shape of a transposed convolution of S, or the message. */
export type TransposeConvolvedOrFail<
  S extends number[],
  In extends number,
  Out extends number,
  Rank extends number,
  W extends Sliding,
  Extra,
> =
  Parts<S, Rank> extends infer P
    ? P extends readonly [
        infer Leading extends number[],
        infer C extends number,
        infer Space extends number[],
      ]
      ? UnknownRank<Leading> extends true
        ? number[]
        : Fits<C, In> extends true
          ? Whole<Leading, Out, Extents<Space, W, Extra>>
          : ChannelFailure<C, In, Leading>
      : P
    : never;

/** The shape of a pool of S, or the message. */
export type PooledOrFail<S extends number[], Rank extends number, W extends Sliding> =
  Parts<S, Rank> extends infer P
    ? P extends readonly [
        infer Leading extends number[],
        infer C extends number,
        infer Space extends number[],
      ]
      ? UnknownRank<Leading> extends true
        ? number[]
        : Whole<Leading, C, Windows<Space, W>>
      : P
    : never;

/** The shape of a pool of S that gives the asked number of windows, or the message. */
export type AdaptedOrFail<S extends number[], Rank extends number, V> =
  Parts<S, Rank> extends infer P
    ? P extends readonly [
        infer Leading extends number[],
        infer C extends number,
        infer Space extends number[],
      ]
      ? UnknownRank<Leading> extends true
        ? number[]
        : Whole<Leading, C, Asked<Space, V>>
      : P
    : never;
