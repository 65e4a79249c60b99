/** Where sums are stored: a part of a result, which may have fewer rows and columns than the tile. */
import {
  add,
  and,
  type Expression,
  equal,
  less,
  min,
  mul,
  sub,
  type Variable,
  type Words,
} from "../encode/expression.ts";
import type { FunctionBuilder, Local } from "../encode/function.ts";
import { type Kind, vectorLanes } from "./kinds.ts";
import { loaded } from "./units.ts";

/**
 * Parameters of functions that store sums. `rows` and `columns` are those of the part. With `accumulate`, the earlier sums at
 * `before` are added.
 */
export const destination = "c cRowBytes before beforeRowBytes rows columns accumulate";
export type Destination = Readonly<Record<Words<typeof destination>, Variable>>;

/** The part of a destination from a row and a column on. */
export const destinationAt = (
  { unitBytes }: Kind,
  { c, cRowBytes, before, beforeRowBytes, rows, columns, accumulate }: Destination,
  row: Expression,
  column: Expression,
): Expression[] => [
  ...[add(c, add(mul(row, cRowBytes), mul(column, unitBytes))), cRowBytes],
  ...[add(before, add(mul(row, beforeRowBytes), mul(column, unitBytes))), beforeRowBytes],
  ...[sub(rows, row), sub(columns, column), accumulate],
];

/** The sums of a tile: the vectors of each row. */
export type Sums = readonly (readonly Local[])[];

/**
 * Stores the sums of a tile, as far as the part has rows and columns, and advances the pointers. `earlier` are the sums to add;
 * null if there never are any. The code calls no function: V8 would spill sums that are live across a call.
 */
export function storeSums(
  target: FunctionBuilder,
  kind: Kind,
  sums: Sums,
  { c, cRowBytes, rows, columns }: Pick<Destination, "c" | "cRowBytes" | "rows" | "columns">,
  earlier: Pick<Destination, "before" | "beforeRowBytes" | "accumulate"> | null,
): void {
  const lanes = vectorLanes(kind);
  const vectors = sums[0]!.length;
  const whole = (added: typeof earlier): void => {
    for (const row of sums) {
      row.forEach((sum, j) => {
        target.get(c.local).get(sum);
        if (added !== null) target.get(loaded(target, "v128.load", added.before, 16 * j)).op(kind.add);
        target.op("v128.store", 16 * j);
      });
      target.advance(c, cRowBytes);
      if (added !== null) target.advance(added.before, added.beforeRowBytes);
    }
  };
  const part = () =>
    sums.forEach((row, i) => {
      target.when(less(i, rows), () => {
        row.forEach((sum, j) => {
          storeFirst(target, kind, c, sub(columns, lanes * j), sum, 16 * j);
        });
        target.advance(c, cRowBytes);
      });
    });
  /**
   * Stores one vector at a time, always the first; the others then move up by one. With sums that are added under a condition in each of
   * many branches, V8 spills in the loop before them: convolutions by steps of two took 1.6 times as long.
   */
  const partAdded = ({ before, beforeRowBytes, accumulate }: NonNullable<typeof earlier>): void => {
    target.forEach(0, min(rows, sums.length), 1, () => {
      const [to, left, from] = [target.define(c), target.define(columns), target.define(before)];
      target.forEach(0, vectors, 1, () => {
        const [first, ...others] = sums.flat() as [Local, ...Local[]];
        target.when(accumulate, () => {
          target
            .get(first)
            .get(loaded(target, "v128.load", from))
            .op(kind.add)
            .set(first);
        });
        storeFirst(target, kind, to, left, first, 0);
        target.advance(from, 16);
        target.advance(to, 16);
        target.advance(left, -lanes);
        others.forEach((sum, i) => {
          target.get(sum).set(sums.flat()[i]!);
        });
      });
      target.advance(c, cRowBytes);
      target.advance(before, beforeRowBytes);
    });
  };
  const isWhole = and(less(sums.length - 1, rows), less(vectors * lanes - 1, columns));
  const stored = (): void => {
    if (earlier === null) whole(null);
    else
      target.when(
        earlier.accumulate,
        () => whole(earlier),
        () => whole(null),
      );
  };
  target.when(isWhole, stored, () => (earlier === null ? part() : partAdded(earlier)));
}

/** Stores the first `count` lanes of a vector: none if it is not positive, all if it exceeds them. */
function storeFirst(
  target: FunctionBuilder,
  kind: Kind,
  to: Variable,
  count: Expression,
  vector: Local,
  offset: number,
): void {
  const store = (op: "v128.store32_lane" | "v128.store64_lane", lane: number): void => {
    target
      .get(to.local)
      .get(vector)
      .op(op, [offset + 4 * lane, lane]);
  };
  target.when(
    less(vectorLanes(kind) - 1, count),
    () => {
      target.get(to.local).get(vector).op("v128.store", offset);
    },
    () => {
      target.when(less(kind.unitBytes === 8 ? 0 : 1, count), () => store("v128.store64_lane", 0));
      if (kind.unitBytes === 8) return;
      target.when(equal(count, 1), () => store("v128.store32_lane", 0));
      target.when(equal(count, 3), () => store("v128.store32_lane", 2));
    },
  );
}
