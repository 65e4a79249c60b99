/** Where products are stored: a part of a result, which may have fewer rows and columns than are made. */
import {
  add,
  advance,
  and,
  define,
  type Expression,
  equal,
  forEach,
  less,
  min,
  mul,
  sub,
  type Variable,
  type Words,
  when,
} from "../encode/expression.ts";
import type { FunctionBuilder, Local } from "../encode/function.ts";
import { type Kind, vectorLanes } from "./kinds.ts";
import { loaded } from "./units.ts";

/** Parameters: so many rows and columns are there. Where products accumulate, what `before` has is added to them first. */
export const destination = "c cRowBytes before beforeRowBytes rows columns accumulate";
export type Destination = Readonly<Record<Words<typeof destination>, Variable>>;

/** The part from a row and a column on. */
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

/** The vectors of sums of each row of a tile. */
export type Sums = readonly (readonly Local[])[];

/**
 * Stores the sums of a tile, as far as they are there, with those before them added; null where there are none. Moves pointers on. Nothing
 * is called: sums that live on behind a call are in memory all along.
 */
export function storeSums(
  target: FunctionBuilder,
  kind: Kind,
  sums: Sums,
  { c, cRowBytes, rows, columns }: Pick<Destination, "c" | "cRowBytes" | "rows" | "columns">,
  earlier: Pick<Destination, "before" | "beforeRowBytes" | "accumulate"> | null,
): void {
  const lanes = vectorLanes(kind);
  const [first, ...others] = sums as readonly [readonly Local[], ...Sums];
  const old = ({ before }: { readonly before: Variable }, j: number): Local =>
    loaded(target, "v128.load", before, 16 * j);
  const whole = (added: typeof earlier): void => {
    for (const row of sums) {
      row.forEach((sum, j) => {
        target.get(c.local).get(sum);
        if (added !== null) target.get(old(added, j)).op(kind.add);
        target.op("v128.store", 16 * j);
      });
      advance(target, c, cRowBytes);
      if (added !== null) advance(target, added.before, added.beforeRowBytes);
    }
  };
  when(
    target,
    and(less(others.length, rows), less(first.length * lanes - 1, columns)),
    () => {
      if (earlier === null) whole(null);
      else
        when(
          target,
          earlier.accumulate,
          () => whole(earlier),
          () => whole(null),
        );
    },
    () =>
      forEach(target, 0, min(rows, sums.length), 1, () => {
        if (earlier !== null) {
          when(target, earlier.accumulate, () => {
            first.forEach((sum, j) => {
              target.get(sum).get(old(earlier, j)).op(kind.add).set(sum);
            });
            advance(target, earlier.before, earlier.beforeRowBytes);
          });
        }
        first.forEach((sum, j) => {
          storeFirst(target, kind, c, 16 * j, sub(columns, j * lanes), sum);
        });
        advance(target, c, cRowBytes);
        // The next row is the first one then.
        others.forEach((row, i) => {
          row.forEach((sum, j) => {
            target.get(sum).set(sums[i]![j]!);
          });
        });
      }),
  );
}

/** Stores the first lanes of a vector: none where the count is not positive, all where it is greater than there are. */
function storeFirst(
  target: FunctionBuilder,
  kind: Kind,
  to: Variable,
  offset: number,
  count: Expression,
  vector: Local,
): void {
  const store = (op: "v128.store32_lane" | "v128.store64_lane", lane: number): void => {
    target
      .get(to.local)
      .get(vector)
      .op(op, [offset + 4 * lane, lane]);
  };
  const here = define(target, count);
  when(
    target,
    less(vectorLanes(kind) - 1, here),
    () => {
      target.get(to.local).get(vector).op("v128.store", offset);
    },
    () => {
      when(target, less(kind.unitBytes === 8 ? 0 : 1, here), () => store("v128.store64_lane", 0));
      if (kind.unitBytes === 8) return;
      when(target, equal(here, 1), () => store("v128.store32_lane", 0));
      when(target, equal(here, 3), () => store("v128.store32_lane", 2));
    },
  );
}
