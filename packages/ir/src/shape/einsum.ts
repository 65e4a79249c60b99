/** The shape of a sum of products in Einstein's notation, read from the equation's text. */
import type { UnknownRank } from "./shape.ts";

/** The letters of one operand or of the result, without spaces. */
type Letters<Text extends string, Read extends string[] = []> = Text extends `${infer First}${infer Rest}`
  ? Letters<Rest, First extends " " ? Read : [...Read, First]>
  : Read;

/** The size of two that broadcast: a known one is better than an unknown one, but for 1. */
type Met<A, B> = number extends A ? (B extends 1 ? number : B) : A extends 1 ? B : A;

/** The sizes of letters, with those of one operand. */
type WithSizes<Known, List extends readonly string[], S extends readonly number[]> = List extends readonly [
  infer Letter extends string,
  ...infer Others extends readonly string[],
]
  ? S extends readonly [infer Size extends number, ...infer Rest extends readonly number[]]
    ? WithSizes<
        Omit<Known, Letter> & { [L in Letter]: L extends keyof Known ? Met<Known[L], Size> : Size },
        Others,
        Rest
      >
    : Known
  : Known;

type SizesOf<
  Left extends string,
  Shapes extends readonly number[][],
  Known = unknown,
> = Shapes extends readonly [infer S extends number[], ...infer Others extends readonly number[][]]
  ? Left extends `${infer First},${infer Rest}`
    ? SizesOf<Rest, Others, WithOperand<Known, First, S>>
    : WithOperand<Known, Left, S>
  : Known;

type WithOperand<Known, Text extends string, S extends number[]> =
  UnknownRank<S> extends true ? Known : WithSizes<Known, Letters<Text>, S>;

type Placed<List extends readonly string[], Known> = {
  -readonly [Axis in keyof List]: List[Axis] extends keyof Known ? Known[List[Axis]] : number;
};

/** The letters that occur once, in the order of the alphabet: those of the result where there is no arrow. */
type Once<
  Left extends string,
  Alphabet extends string = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
  Found extends string[] = [],
> = Alphabet extends `${infer Letter}${infer Later}`
  ? Once<
      Left,
      Later,
      Left extends `${string}${Letter}${infer After}`
        ? After extends `${string}${Letter}${string}`
          ? Found
          : [...Found, Letter]
        : Found
    >
  : Found;

/** The shape of `einsum(Equation, ...)` for operands of these shapes. It is unknown for an equation that is no literal, or that has `...`. */
export type Einsum<Equation extends string, Shapes extends readonly number[][]> = string extends Equation
  ? number[]
  : Equation extends `${string}.${string}`
    ? number[]
    : Equation extends `${infer Left}->${infer Right}`
      ? Shaped<Letters<Right>, Left, Shapes>
      : Shaped<Once<Equation>, Equation, Shapes>;

type Shaped<Result extends readonly string[], Left extends string, Shapes extends readonly number[][]> =
  Placed<Result, SizesOf<Left, Shapes>> extends infer S extends number[] ? S : number[];
