/**
 * Small products, for which packing costs more than it saves: tiles read the operands from where they are. A unit is a single
 * element, and a single block covers all of k.
 */
import { add, and, type Expression, equal, less, min, mul, roundDown, sub } from "../encode/expression.ts";
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

/** small(a, aRowBytes, aColumnBytes, b, bRowBytes, c, cRowBytes, m, n, k): rows of B are contiguous, and k is at least 1. */
export function multiplySmall(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const names = "a aRowBytes aColumnBytes b bRowBytes c cRowBytes m n k";
  return module.procedure(`small_${kind.name}`, names, (target, parameters) => {
    const { a, aRowBytes, aColumnBytes, b, bRowBytes, c, cRowBytes, m, n, k } = parameters;
    target.forEach(0, m, rowsAtOnce, (row) => {
      const rows = target.define(sub(m, row));
      // Beyond the last row, that row is computed again.
      const lefts = Array.from({ length: rowsAtOnce }, (_, i) =>
        target.define(add(a, mul(add(row, min(sub(rows, 1), i)), aRowBytes))),
      );
      const tiles = (vectors: number) =>
        target.forEach(0, n, vectors * vectorLanes(kind), (column) => {
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
        });
      target.when(
        less(vectorLanes(kind), n),
        () => tiles(2),
        () => tiles(1),
      );
    });
  });
}

/** True if rows of B are contiguous, as {@link multiplySmall} requires. */
export const hasContiguousRows = (bColumnBytes: Expression, { elementBytes }: Kind): Expression =>
  equal(bColumnBytes, elementBytes);
