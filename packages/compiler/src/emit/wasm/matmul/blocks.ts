/** A block of a result, tile by tile. */
import {
  add,
  callWith,
  define,
  equal,
  forEach,
  less,
  min,
  mul,
  or,
  procedure,
  quotientUp,
  sub,
  type Variable,
  when,
} from "../encode/expression.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { deliver } from "./deliver.ts";
import { KC, type Kind } from "./kinds.ts";
import { pack } from "./pack.ts";
import { tile } from "./tile.ts";

/** MC: rows of A that are packed at a time: they stay in the second cache while every column passes. */
const mcOf = ({ mr }: Kind): number => Math.floor(128 / mr) * mr;

/** A tile that hangs over an edge of the result is made here. */
export const cornerBytes = 256;

/** Bytes of a packed block of A. */
export const blockBytes = (kind: Kind): number => mcOf(kind) * KC * kind.unitBytes;

/**
 * block(a, aRowBytes, aColumnBytes, b, c, cRowBytes, before, beforeRowBytes, rows, columns, depth, accumulate, corner, packed,
 * isPacked): A as it stands times packed panels of B, for at most `KC` units along k. The products are stored to C. Where they
 * accumulate, what `before` has is added first. A is packed to `packed`, unless it is there already, as it may be if it has no more
 * rows than a block.
 */
export function multiplyBlock(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const step = mcOf(kind);
  return procedure(
    module,
    `block_${kind.name}`,
    [
      "a",
      "aRowBytes",
      "aColumnBytes",
      "b",
      "c",
      "cRowBytes",
      "before",
      "beforeRowBytes",
      "rows",
      "columns",
      "depth",
      "accumulate",
      "corner",
      "packed",
      "isPacked",
    ],
    (target, parameters) => {
      const { a, aRowBytes, aColumnBytes, b, c, cRowBytes, before, beforeRowBytes } = parameters;
      const { rows, columns, depth, accumulate, corner, packed, isPacked } = parameters;
      const units = define(target, quotientUp(depth, kind.unitElements));
      forEach(target, 0, rows, step, (row) => {
        const here = define(target, min(sub(rows, row), step));
        when(target, equal(isPacked, 0), () => {
          const from = add(a, mul(row, aRowBytes));
          callWith(target, pack(module, kind, kind.mr), [
            ...[from, aRowBytes, aColumnBytes, here, depth, packed],
          ]);
        });
        callWith(target, multiplyPanels(module, kind), [
          ...[packed, b, add(c, mul(row, cRowBytes)), cRowBytes],
          ...[add(before, mul(row, beforeRowBytes)), beforeRowBytes],
          ...[here, columns, units, accumulate, corner],
        ]);
      });
    },
  );
}

/**
 * panels(a, b, c, cRowBytes, before, beforeRowBytes, rows, columns, units, accumulate, corner): multiplies packed panels of A and
 * of B, tile by tile.
 */
function multiplyPanels(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const { mr, nr, unitBytes } = kind;
  return procedure(
    module,
    `panels_${kind.name}`,
    [
      "a",
      "b",
      "c",
      "cRowBytes",
      "before",
      "beforeRowBytes",
      "rows",
      "columns",
      "units",
      "accumulate",
      "corner",
    ],
    (target, parameters) => {
      const { a, b, c, cRowBytes, before, beforeRowBytes } = parameters;
      const { rows, columns, units, accumulate, corner } = parameters;
      const unitsBytes = define(target, mul(units, unitBytes));
      forEach(target, 0, columns, nr, (column) => {
        const bPanel = define(target, add(b, mul(column, unitsBytes)));
        const width = define(target, min(sub(columns, column), nr));
        forEach(target, 0, rows, mr, (row) => {
          const aPanel = define(target, add(a, mul(row, unitsBytes)));
          const at = (matrix: Variable, rowBytes: Variable): Variable =>
            define(target, add(matrix, add(mul(row, rowBytes), mul(column, unitBytes))));
          const place = at(c, cRowBytes);
          const old = at(before, beforeRowBytes);
          const height = define(target, min(sub(rows, row), mr));
          when(
            target,
            or(less(width, nr), less(height, mr)),
            () => {
              const cornerRow = nr * unitBytes;
              callWith(target, tile(module, kind), [
                ...[aPanel, bPanel, corner, cornerRow, corner, cornerRow, units, 0],
              ]);
              forEach(target, 0, height, 1, (i) => {
                callWith(target, deliver(module, kind), [
                  add(corner, mul(i, cornerRow)),
                  add(old, mul(i, beforeRowBytes)),
                  add(place, mul(i, cRowBytes)),
                  ...[unitBytes, width, accumulate],
                ]);
              });
            },
            () => {
              callWith(target, tile(module, kind), [
                ...[aPanel, bPanel, place, cRowBytes, old, beforeRowBytes, units, accumulate],
              ]);
            },
          );
        });
      });
    },
  );
}
