/** Blocks of a result, tile by tile. */
import {
  add,
  type Expression,
  equal,
  min,
  mul,
  quotientUp,
  sub,
  type Variable,
} from "../encode/expression.ts";
import type { FunctionBuilder } from "../encode/function.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { type Destination, destination, destinationAt } from "./destination.ts";
import { KC, type Kind } from "./kinds.ts";
import { pack } from "./pack.ts";
import { tabledTile, tile } from "./tile.ts";

/** MC: rows of A that are packed at a time. They stay in the second-level cache while all columns are multiplied. */
const mcOf = ({ mr }: Kind): number => Math.floor(128 / mr) * mr;

/** Bytes of a packed block of A. */
export const blockBytes = (kind: Kind): number => mcOf(kind) * KC * kind.unitBytes;

/**
 * block(a, aRowBytes, aColumnBytes, b, depth, packed, isPacked, …destination): A times packed panels of B, for at most `KC` units
 * along k. A is packed to `packed` first. With `isPacked` it is there already, which requires that it has at most MC rows.
 */
export function multiplyBlock(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const step = mcOf(kind);
  const names = `a aRowBytes aColumnBytes b depth packed isPacked ${destination}` as const;
  return module.procedure(`block_${kind.name}`, names, (target, parameters) => {
    const { a, aRowBytes, aColumnBytes, b, depth, packed, isPacked, ...to } = parameters;
    const units = target.define(quotientUp(depth, kind.unitElements));
    const unitsBytes = target.define(mul(units, kind.unitBytes));
    target.forEach(0, to.rows, step, (first) => {
      const here = target.define(min(sub(to.rows, first), step));
      target.when(equal(isPacked, 0), () => {
        const from = add(a, mul(first, aRowBytes));
        target.call(pack(module, kind, kind.mr), [from, aRowBytes, aColumnBytes, here, depth, packed]);
      });
      forEachTile(target, kind, units, { ...to, b, first, here }, (row, panel, part) => {
        target.call(tile(module, kind), [add(packed, mul(row, unitsBytes)), panel, units, ...part]);
      });
    });
  });
}

/** block(a, ofRow, ofDepth, b, units, …destination): {@link multiplyBlock} with A read by tables. */
export function tabledBlock(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const names = `a ofRow ofDepth b units ${destination}` as const;
  return module.procedure(`tabled_block_${kind.name}`, names, (target, parameters) => {
    const { a, ofRow, ofDepth, b, units, ...to } = parameters;
    forEachTile(target, kind, units, { ...to, b, first: 0, here: to.rows }, (row, panel, part) => {
      target.call(tabledTile(module, kind), [a, add(ofRow, mul(row, 4)), ofDepth, panel, units, ...part]);
    });
  });
}

interface Tiles extends Destination {
  /** Packed panels. */
  readonly b: Variable;
  /** The current rows: the first of them, counted in the destination, and their number. */
  readonly first: Expression;
  readonly here: Expression;
}

/** Visits the tiles: the row, the panel of B and the part of the destination. */
function forEachTile(
  target: FunctionBuilder,
  kind: Kind,
  units: Expression,
  { b, first, here, ...to }: Tiles,
  write: (row: Variable, panel: Variable, part: readonly Expression[]) => void,
): void {
  target.forEach(0, to.columns, kind.nr, (column) => {
    const panel = target.define(add(b, mul(column, mul(units, kind.unitBytes))));
    target.forEach(0, here, kind.mr, (row) => {
      write(row, panel, destinationAt(kind, to, add(first, row), column));
    });
  });
}
