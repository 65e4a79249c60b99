/** Shape types of `tensorSplit`: one axis cut into sections. */
import type { Add, Divide, Subtract } from "./arithmetic.ts";
import type { ReplaceAt, SizeAt, WrapAxis } from "./axes.ts";
import type { UnknownRank } from "./shape.ts";

type Repeat<Item, Count extends number, List extends Item[] = []> = List["length"] extends Count
  ? List
  : Repeat<Item, Count, [...List, Item]>;

/** Up to 99 sections have a type each; more are a list of unknown length. */
type Few<Count extends number> = `${Count}` extends "0" | `-${string}` | `${number}.${string}`
  ? false
  : `${Count}` extends `${infer _}${infer _}${infer Rest}`
    ? Rest extends ""
      ? true
      : false
    : true;

/** The larger sections first. */
type Equal<S extends number[], Axis, Count extends number> =
  Divide<SizeAt<S, Axis>, Count> extends [infer Size extends number, infer Larger extends number]
    ? number extends Larger
      ? Repeat<ReplaceAt<S, Axis, number>, Count>
      : [
          ...Repeat<ReplaceAt<S, Axis, Add<Size, 1>>, Larger>,
          ...Repeat<ReplaceAt<S, Axis, Size>, Subtract<Count, Larger>>,
        ]
    : never;

type Sections<S extends number[], Axis, Cuts> = Cuts extends number
  ? number extends Cuts
    ? ReplaceAt<S, Axis, number>[]
    : Few<Cuts> extends true
      ? Equal<S, Axis, Cuts>
      : ReplaceAt<S, Axis, number>[]
  : Cuts extends readonly number[]
    ? number extends Cuts["length"]
      ? ReplaceAt<S, Axis, number>[]
      : [...{ -readonly [Index in keyof Cuts]: ReplaceAt<S, Axis, number> }, ReplaceAt<S, Axis, number>]
    : ReplaceAt<S, Axis, number>[];

/** The shapes of the sections of axis A: a number of them, or those cut in front of the places listed. */
export type SectionsOrFail<S extends number[], Cuts, A extends number> =
  UnknownRank<S> extends true
    ? number[][]
    : WrapAxis<S, A> extends infer Axis
      ? Axis extends string
        ? Axis
        : number extends Axis
          ? number[][]
          : Sections<S, Axis, Cuts>
      : never;

/** Sections along axis A; without one, along the only axis of S. */
export type SectionsAlong<S extends number[], Cuts, A extends 0 | 1 | 2> =
  UnknownRank<S> extends true
    ? number[][]
    : S extends [number]
      ? SectionsOrFail<S, Cuts, 0>
      : SectionsOrFail<S, Cuts, A>;
