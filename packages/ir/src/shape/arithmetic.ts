/**
 * Exact arithmetic on literal types of nonnegative integers, digit by digit as on paper, since the type checker has none. A result is
 * unknown (`number`) if an operand is, or if it is too large to be a literal (beyond 10^21).
 */

/** A tuple of length N for digit N. */
interface Unit {
  "0": [];
  "1": [0];
  "2": [0, 0];
  "3": [0, 0, 0];
  "4": [0, 0, 0, 0];
  "5": [0, 0, 0, 0, 0];
  "6": [0, 0, 0, 0, 0, 0];
  "7": [0, 0, 0, 0, 0, 0, 0];
  "8": [0, 0, 0, 0, 0, 0, 0, 0];
  "9": [0, 0, 0, 0, 0, 0, 0, 0, 0];
}
type Digit = keyof Unit;

/** A tuple repeated N times for digit N. */
interface Times<U extends 0[]> {
  "0": [];
  "1": U;
  "2": [...U, ...U];
  "3": [...U, ...U, ...U];
  "4": [...U, ...U, ...U, ...U];
  "5": [...U, ...U, ...U, ...U, ...U];
  "6": [...U, ...U, ...U, ...U, ...U, ...U];
  "7": [...U, ...U, ...U, ...U, ...U, ...U, ...U];
  "8": [...U, ...U, ...U, ...U, ...U, ...U, ...U, ...U];
  "9": [...U, ...U, ...U, ...U, ...U, ...U, ...U, ...U, ...U];
}

type Reverse<Text extends string, Done extends string = ""> = Text extends `${infer First}${infer Rest}`
  ? Reverse<Rest, `${First}${Done}`>
  : Done;

/** The digits of a number, the least significant first. All functions below take and give numbers in this form. */
type Digits<N extends number> = Reverse<`${N}`>;

type WithoutLeadingZeros<Text extends string> = Text extends `0${infer Rest}`
  ? Rest extends ""
    ? "0"
    : WithoutLeadingZeros<Rest>
  : Text;

type Value<Reversed extends string> =
  WithoutLeadingZeros<Reverse<Reversed>> extends `${infer N extends number}` ? N : number;

/** Splits a count below 100 into its last digit and its carry. */
type Carried<Count extends 0[]> =
  `${Count["length"] & number}` extends `${infer Tens extends Digit}${infer Ones extends Digit}`
    ? [Ones, Unit[Tens]]
    : [`${Count["length"] & number}`, []];

type AddDigits<
  A extends string,
  B extends string,
  Carry extends 0[] = [],
  Sum extends string = "",
> = A extends `${infer X extends Digit}${infer RestOfA}`
  ? B extends `${infer Y extends Digit}${infer RestOfB}`
    ? Carried<[...Unit[X], ...Unit[Y], ...Carry]> extends [infer D extends string, infer C extends 0[]]
      ? AddDigits<RestOfA, RestOfB, C, `${Sum}${D}`>
      : never
    : Carry extends []
      ? `${Sum}${A}`
      : AddDigits<A, "0", Carry, Sum>
  : B extends ""
    ? Carry extends []
      ? Sum
      : `${Sum}1`
    : Carry extends []
      ? `${Sum}${B}`
      : AddDigits<"0", B, Carry, Sum>;

type TimesDigit<
  A extends string,
  Y extends Digit,
  Carry extends 0[] = [],
  Product extends string = "",
> = A extends `${infer X extends Digit}${infer RestOfA}`
  ? Carried<[...Times<Unit[X]>[Y], ...Carry]> extends [infer D extends string, infer C extends 0[]]
    ? TimesDigit<RestOfA, Y, C, `${Product}${D}`>
    : never
  : `${Product}${Carry["length"] & number}`;

type MultiplyDigits<
  A extends string,
  B extends string,
  Shift extends string = "",
  Product extends string = "0",
> = B extends `${infer Y extends Digit}${infer RestOfB}`
  ? MultiplyDigits<A, RestOfB, `0${Shift}`, AddDigits<Product, `${Shift}${TimesDigit<A, Y>}`>>
  : Product;

/** A − B for A ≥ B. If a digit is too small, ten are borrowed, and the next digit pays one back. */
type SubtractDigits<
  A extends string,
  B extends string,
  Borrow extends 0[] = [],
  Difference extends string = "",
> = A extends `${infer X extends Digit}${infer RestOfA}`
  ? B extends `${infer Y extends Digit}${infer RestOfB}`
    ? Unit[X] extends [...Unit[Y], ...Borrow, ...infer D extends 0[]]
      ? SubtractDigits<RestOfA, RestOfB, [], `${Difference}${D["length"] & number}`>
      : [...Unit["9"], 0, ...Unit[X]] extends [...Unit[Y], ...Borrow, ...infer D extends 0[]]
        ? SubtractDigits<RestOfA, RestOfB, [0], `${Difference}${D["length"] & number}`>
        : never
    : Borrow extends []
      ? `${Difference}${A}`
      : SubtractDigits<A, "0", Borrow, Difference>
  : Difference;

type CompareDigit<X extends string, Y extends string, Before extends Order> = X extends Y
  ? Before
  : "0123456789" extends `${string}${X}${string}${Y}${string}`
    ? "less"
    : "greater";

/**
 * Compares the least significant digits first, so that the most significant difference is seen last and decides. Neither number has leading
 * zeros.
 */
type CompareDigits<
  A extends string,
  B extends string,
  Before extends Order = "equal",
> = A extends `${infer X}${infer RestOfA}`
  ? B extends `${infer Y}${infer RestOfB}`
    ? CompareDigits<RestOfA, RestOfB, CompareDigit<X, Y, Before>>
    : "greater"
  : B extends ""
    ? Before
    : "less";

/** [remainder, digit of the quotient]: subtracts B from A until A is less. */
type DivideOnce<A extends string, B extends string, Count extends 0[] = []> =
  CompareDigits<A, B> extends "less"
    ? [A, Count["length"] & number]
    : DivideOnce<Reverse<WithoutLeadingZeros<Reverse<SubtractDigits<A, B>>>>, B, [...Count, 0]>;

/** Long division: `Text` has the dividend's remaining digits, the most significant first. */
type DivideDigits<
  Text extends string,
  B extends string,
  Remainder extends string = "",
  Quotient extends string = "",
> = Text extends `${infer X}${infer Rest}`
  ? DivideOnce<Remainder extends "0" ? X : `${X}${Remainder}`, B> extends [
      infer R extends string,
      infer Q extends number,
    ]
    ? DivideDigits<Rest, B, R, `${Quotient}${Q}`>
    : never
  : [Quotient, Remainder];

type Order = "less" | "equal" | "greater";

/** True when a size is not known before the program runs. */
type Unknown<A extends number, B extends number = 0> = number extends A
  ? true
  : number extends B
    ? true
    : false;

/** A + B. */
export type Add<A extends number, B extends number> =
  Unknown<A, B> extends true
    ? number
    : A extends 0
      ? B
      : B extends 0
        ? A
        : Value<AddDigits<Digits<A>, Digits<B>>>;

/** A − B, and 0 where A < B. */
export type Subtract<A extends number, B extends number> =
  Unknown<A, B> extends true
    ? number
    : B extends 0
      ? A
      : Compare<A, B> extends "greater"
        ? Value<SubtractDigits<Digits<A>, Digits<B>>>
        : 0;

/** A × B. */
export type Multiply<A extends number, B extends number> = A extends 0
  ? 0
  : B extends 0
    ? 0
    : Unknown<A, B> extends true
      ? number
      : A extends 1
        ? B
        : B extends 1
          ? A
          : Value<MultiplyDigits<Digits<A>, Digits<B>>>;

/** [A ÷ B rounded down, remainder]; unknown for B = 0. */
export type Divide<A extends number, B extends number> =
  Unknown<A, B> extends true
    ? [number, number]
    : B extends 0
      ? [number, number]
      : B extends 1
        ? [A, 0]
        : DivideDigits<`${A}`, Digits<B>> extends [infer Q extends string, infer R extends string]
          ? [Value<Reverse<Q>>, Value<R>]
          : never;

/** A ÷ B rounded up. */
export type DivideUp<A extends number, B extends number> =
  Divide<A, B> extends [infer Q extends number, infer R extends number]
    ? Unknown<R> extends true
      ? number
      : R extends 0
        ? Q
        : Add<Q, 1>
    : never;

/** How A compares with B; all orders when either is unknown. */
export type Compare<A extends number, B extends number> =
  Unknown<A, B> extends true ? Order : A extends B ? "equal" : CompareDigits<Digits<A>, Digits<B>>;

export type Minimum<A extends number, B extends number> =
  Unknown<A, B> extends true ? number : Compare<A, B> extends "greater" ? B : A;

/** The number of elements of a shape: the product of its sizes, 1 for a 0-d one. */
export type Product<S extends readonly number[], Result extends number = 1> = number extends S["length"]
  ? number
  : S extends readonly [infer Size extends number, ...infer Rest extends readonly number[]]
    ? Product<Rest, Multiply<Result, Size>>
    : Result;
