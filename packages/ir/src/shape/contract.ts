/** The shapes of sums of products over axes other than those of a matrix product. */
import type { Multiply } from "./arithmetic.ts";
import type { RemoveAt, SizeAt, WrapAxes } from "./axes.ts";
import type { Broadcast } from "./broadcast.ts";
import type { Matmul } from "./matmul.ts";
import type { Transpose } from "./permute.ts";
import type { UnknownRank } from "./shape.ts";

/**
 * The shape of attention: scores, a product of queries [..., L, E] and keys [..., S, E], that broadcast with a mask, times values [..., S, Ev].
 */
export type Attention<
  Q extends number[],
  K extends number[],
  V extends number[],
  Mask extends number[],
> = Matmul<Broadcast<UnknownRank<K> extends true ? number[] : Matmul<Q, Transpose<K, -2, -1>>, Mask>, V>;

/** [..., I] by a weight [O, I, J] that also takes a [..., J]. */
export type BilinearShape<S extends number[], W extends number[]> = S extends [
  ...infer Leading extends number[],
  number,
]
  ? [...Leading, SizeAt<W, 0>]
  : number[];

/** S without its first `Count` axes. */
type WithoutFirst<
  S extends number[],
  Count extends number,
  Dropped extends unknown[] = [],
> = Dropped["length"] extends Count
  ? S
  : S extends [number, ...infer Rest extends number[]]
    ? WithoutFirst<Rest, Count, [...Dropped, 0]>
    : number[];

/** S without its last `Count` axes. */
type WithoutLast<
  S extends number[],
  Count extends number,
  Dropped extends unknown[] = [],
> = Dropped["length"] extends Count
  ? S
  : S extends [...infer Rest extends number[], number]
    ? WithoutLast<Rest, Count, [...Dropped, 0]>
    : number[];

type WithoutAxes<S extends number[], List extends readonly number[]> = List extends readonly []
  ? S
  : WrapAxes<S, List> extends infer Axes
    ? [Axes] extends [string]
      ? number[]
      : number extends Axes
        ? number[]
        : RemoveAt<S, Axes>
    : never;

/** The axes of A that are not summed, then those of B: `Dims` are a number of axes, the last of A and the first of B, or two lists. */
export type Tensordot<A extends number[], B extends number[], Dims> = [
  UnknownRank<A>,
  UnknownRank<B>,
] extends [false, false]
  ? Dims extends number
    ? number extends Dims
      ? number[]
      : [...WithoutLast<A, Dims>, ...WithoutFirst<B, Dims>]
    : Dims extends readonly [infer Left extends readonly number[], infer Right extends readonly number[]]
      ? [...WithoutAxes<A, Left>, ...WithoutAxes<B, Right>]
      : number[]
  : number[];

/** The sizes of blocks: products of the sizes of A and B, aligned at the last axis. */
export type Kronecker<A extends number[], B extends number[], Sizes extends number[] = []> = [
  UnknownRank<A>,
  UnknownRank<B>,
] extends [false, false]
  ? A extends [...infer RestOfA extends number[], infer X extends number]
    ? B extends [...infer RestOfB extends number[], infer Y extends number]
      ? Kronecker<RestOfA, RestOfB, [Multiply<X, Y>, ...Sizes]>
      : [...A, ...Sizes]
    : [...B, ...Sizes]
  : number[];
