/** The parts of the shape of matrices [..., rows, columns]. */
import type { Minimum } from "./arithmetic.ts";
import type { UnknownRank } from "./shape.ts";

/** All but the last two sizes. */
export type Leading<S extends number[]> =
  UnknownRank<S> extends true
    ? number[]
    : S extends [...infer L extends number[], number, number]
      ? L
      : number[];

export type Rows<S extends number[]> = S extends [...number[], infer R extends number, number] ? R : number;
export type Columns<S extends number[]> = S extends [...number[], infer C extends number] ? C : number;

/** The less of rows and columns. */
export type Smaller<S extends number[]> = Minimum<Rows<S>, Columns<S>>;
