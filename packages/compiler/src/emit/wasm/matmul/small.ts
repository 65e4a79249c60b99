/**
 * Small products, for which packing costs more than it saves: tiles read the operands from where they are. A unit is a single
 * element, and a single block covers all of k.
 */
import {
  add,
  and,
  choose,
  type Expression,
  equal,
  less,
  min,
  mul,
  roundDown,
  sub,
  type Variable,
} from "../encode/expression.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { storeSums } from "./destination.ts";
import { KC, type Kind, vectorLanes } from "./kinds.ts";
import { columnsAt, type Operands, sumsOf } from "./tile.ts";
import { splatAt } from "./units.ts";

/** Rows of a tile. */
const rowsAtOnce = 4;

/**
 * The most multiplications of a small product, tiles included; and the most rows, columns or elements along k, so that their
 * product does not overflow.
 */
const smallProducts = 4096;
const smallExtent = 1024;

/** True of kinds that have small products. */
export const hasSmall = ({ unitElements }: Kind): boolean => unitElements === 1;

export const isSmall = (m: Expression, n: Expression, k: Expression): Expression =>
  and(
    and(less(m, smallExtent + 1), less(n, smallExtent + 1)),
    and(
      less(k, KC + 1),
      less(mul(mul(roundDown(add(m, rowsAtOnce - 1), rowsAtOnce), n), k), smallProducts + 1),
    ),
  );

/** The most columns for which rows of A are read where they are: packed, each of their elements would be read few times. */
const narrowColumns = 20;

/** True of a product with packed panels of B that {@link multiplySmall} computes faster, panel by panel. */
export const isNarrow = (n: Expression, k: Expression): Expression =>
  and(less(n, narrowColumns + 1), less(k, KC + 1));

/**
 * small(a, aRowBytes, aColumnBytes, b, bRowBytes, c, cRowBytes, m, n, k): rows of B are contiguous, and k is at least 1. The last tile of
 * a row or column lies over the one before and computes its sums again, to the same bits: parts of tiles take longer to store.
 */
export function multiplySmall(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const names = "a aRowBytes aColumnBytes b bRowBytes c cRowBytes m n k";
  return module.procedure(`small_${kind.name}`, names, (target, parameters) => {
    const { a, aRowBytes, aColumnBytes, b, bRowBytes, c, cRowBytes, m, n, k } = parameters;
    target.forEach(0, m, rowsAtOnce, (begin) => {
      const row = target.define(within(begin, m, rowsAtOnce));
      const rows = target.define(sub(m, row));
      // Of fewer rows than a tile has, the last is computed again.
      const lefts = Array.from({ length: rowsAtOnce }, (_, i) =>
        target.define(add(a, mul(add(row, min(sub(rows, 1), i)), aRowBytes))),
      );
      const tileAt = (vectors: number, from: Variable): void => {
        const column = target.define(within(from, n, vectors * vectorLanes(kind)));
        const [counter, along] = [target.define(0), target.define(0)];
        const right = target.define(add(b, mul(column, kind.elementBytes)));
        const read: Operands["read"] = () => ({
          columns: columnsAt(target, right, vectors),
          splat: (i) => splatAt(target, kind, add(lefts[i]!, along)),
        });
        const steps = [
          [counter, 1],
          [along, aColumnBytes],
          [right, bRowBytes],
        ] as const;
        const sums = sumsOf(target, kind, { rows: rowsAtOnce, vectors }, k, { steps, read });
        const to = target.define(add(c, add(mul(row, cRowBytes), mul(column, kind.unitBytes))));
        const columns = target.define(sub(n, column));
        storeSums(target, kind, sums, { c: to, cRowBytes, rows, columns }, null);
      };
      const [column, lanes] = [target.define(0), vectorLanes(kind)];
      const end = target.define(sub(n, lanes));
      target.forRange(column.local, end.local, 2 * lanes, () => tileAt(2, column));
      target.forRange(column.local, n.local, lanes, () => tileAt(1, column));
    });
  });
}

/** The begin of a tile: `from`, or where the last of `count` places has a whole one. */
const within = (from: Expression, count: Expression, tile: number): Expression => {
  const last = sub(count, tile);
  return choose(less(count, tile), 0, choose(less(last, from), last, from));
};

/** True if rows of B are contiguous, as {@link multiplySmall} requires. */
export const hasContiguousRows = (bColumnBytes: Expression, { elementBytes }: Kind): Expression =>
  equal(bColumnBytes, elementBytes);
