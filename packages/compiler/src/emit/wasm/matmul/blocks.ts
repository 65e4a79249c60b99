/** A block of a result, tile by tile. */
import {
  add,
  callWith,
  define,
  type Expression,
  forEach,
  less,
  min,
  mul,
  or,
  procedure,
  quotientUp,
  sub,
  when,
} from "../encode/expression.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { deliver } from "./deliver.ts";
import { blockUnits, type Kind } from "./kinds.ts";
import { pack } from "./pack.ts";
import { tile } from "./tile.ts";

/** Rows of A that are packed at a time: they stay in the second cache while every column passes. */
const blockRows = ({ tileRows }: Kind): number => Math.floor(128 / tileRows) * tileRows;

/** A tile that hangs over an edge of the result is made here. */
const cornerBytes = 256;

/** Bytes that {@link multiplyBlock} works in. */
export const blockWorkspace = (kind: Kind): number =>
  cornerBytes + blockRows(kind) * blockUnits * kind.unitBytes;

/**
 * block(a, aRowBytes, aColumnBytes, b, c, cRowBytes, rows, columns, depth, accumulate, workspace): A as it stands
 * times packed panels of B, for at most `blockUnits` units along k, stored to C or added to it.
 */
export function multiplyBlock(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const step = blockRows(kind);
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
      "rows",
      "columns",
      "depth",
      "accumulate",
      "workspace",
    ],
    (
      target,
      { a, aRowBytes, aColumnBytes, b, c, cRowBytes, rows, columns, depth, accumulate, workspace },
    ) => {
      const packed = define(target, add(workspace, cornerBytes));
      const units = define(target, quotientUp(depth, kind.unitElements));
      forEach(target, 0, rows, step, (row) => {
        const here = define(target, min(sub(rows, row), step));
        callWith(target, pack(module, kind, kind.tileRows), [
          add(a, mul(row, aRowBytes)),
          aRowBytes,
          aColumnBytes,
          here,
          depth,
          packed,
        ]);
        callWith(target, multiplyPanels(module, kind), [
          packed,
          b,
          add(c, mul(row, cRowBytes)),
          cRowBytes,
          here,
          columns,
          units,
          accumulate,
          workspace,
        ]);
      });
    },
  );
}

/** panels(a, b, c, cRowBytes, rows, columns, units, accumulate, corner): panels of A times panels of B. */
function multiplyPanels(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const { tileRows, tileColumns, unitBytes } = kind;
  return procedure(
    module,
    `panels_${kind.name}`,
    ["a", "b", "c", "cRowBytes", "rows", "columns", "units", "accumulate", "corner"],
    (target, { a, b, c, cRowBytes, rows, columns, units, accumulate, corner }) => {
      const unitsBytes = define(target, mul(units, unitBytes));
      forEach(target, 0, columns, tileColumns, (column) => {
        const bPanel = define(target, add(b, mul(column, unitsBytes)));
        const width = define(target, min(sub(columns, column), tileColumns));
        forEach(target, 0, rows, tileRows, (row) => {
          const aPanel = define(target, add(a, mul(row, unitsBytes)));
          const place = define(target, add(c, add(mul(row, cRowBytes), mul(column, unitBytes))));
          const height = define(target, min(sub(rows, row), tileRows));
          const multiply = (to: Expression, rowBytes: Expression, accumulated: Expression): void =>
            callWith(target, tile(module, kind), [aPanel, bPanel, to, rowBytes, units, accumulated]);
          when(
            target,
            or(less(width, tileColumns), less(height, tileRows)),
            () => {
              multiply(corner, tileColumns * unitBytes, 0);
              forEach(target, 0, height, 1, (i) => {
                callWith(target, deliver(module, kind), [
                  add(corner, mul(i, tileColumns * unitBytes)),
                  add(place, mul(i, cRowBytes)),
                  unitBytes,
                  width,
                  accumulate,
                ]);
              });
            },
            () => multiply(place, cRowBytes, accumulate),
          );
        });
      });
    },
  );
}
