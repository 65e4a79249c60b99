/** Tiles of sums in registers: rows are jammed, columns are vectors. The operands may be packed or not. */
import { add, type Expression, min, mul, sub, type Variable, wordAt } from "../encode/expression.ts";
import type { FunctionBuilder, Local } from "../encode/function.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { destination, type Sums, storeSums } from "./destination.ts";
import { type Kind, vectorLanes } from "./kinds.ts";
import { loaded, multiplyAdd, splatAt, splatUnit } from "./units.ts";

interface TileShape {
  readonly rows: number;
  /** Vectors in a row of the tile. */
  readonly vectors: number;
}

/** How a tile reads its operands, unit by unit along k. */
export interface Operands {
  /** The variables that advance with each unit, and by how much. The first one's step is a constant. */
  readonly steps: readonly (readonly [Variable, Expression])[];
  /** For the current unit: the vectors of columns, and a function that splats the element of a row. */
  read(): { readonly columns: readonly Local[]; readonly splat: (row: number) => Local };
}

/** Sums a tile over at least one unit, from 0 on. Advances the pointers. */
export function sumsOf(
  target: FunctionBuilder,
  kind: Kind,
  { rows, vectors }: TileShape,
  units: Expression,
  { steps, read }: Operands,
): Sums {
  const sums = Array.from({ length: rows }, () =>
    Array.from({ length: vectors }, () => target.local("v128")),
  );
  for (const sum of sums.flat()) target.v128(0n, 0n).set(sum);
  // Pointers advance before they are used: V8 then knows the sum to be a 64-bit address, but extends a loop-carried pointer
  // again.
  for (const [pointer, step] of steps) target.assign(pointer, sub(pointer, step));
  const [first, step] = steps[0]!;
  const end = target.define(add(first, mul(units, step)));
  target.loop((again) => {
    for (const [pointer, step] of steps) target.advance(pointer, step);
    const { columns, splat } = read();
    sums.forEach((rowSums, i) => {
      const left = splat(i);
      rowSums.forEach((sum, j) => {
        multiplyAdd(target, kind, left, columns[j]!, sum);
      });
    });
    target.get(first.local).get(end.local).op("i32.ne").brIf(again);
  });
  return sums;
}

/** Loads contiguous vectors of columns. */
export const columnsAt = (target: FunctionBuilder, at: Variable, vectors: number): Local[] =>
  Array.from({ length: vectors }, (_, i) => loaded(target, "v128.load", at, 16 * i));

const panelShape = (kind: Kind): TileShape => ({ rows: kind.mr, vectors: kind.nr / vectorLanes(kind) });

/** tile(a, b, units, …destination): a packed panel of A times one of B. */
export function tile(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const { mr, nr, unitBytes } = kind;
  const shape = panelShape(kind);
  return module.procedure(
    `tile_${kind.name}`,
    `a b units ${destination}`,
    (target, { a, b, units, ...to }) => {
      const steps = [
        [b, nr * unitBytes],
        [a, mr * unitBytes],
      ] as const;
      const read: Operands["read"] = () => ({
        columns: columnsAt(target, b, shape.vectors),
        splat: (row) => splatUnit(target, kind, a, row),
      });
      storeSums(target, kind, sumsOf(target, kind, shape, units, { steps, read }), to, to);
    },
  );
}

/**
 * tile(a, ofRow, ofDepth, b, units, …destination): {@link tile} with A read by tables: element k of a row is at `a + ofRow[row] +
 * ofDepth[k]`, in bytes.
 */
export function tabledTile(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const { nr, unitBytes } = kind;
  const shape = panelShape(kind);
  const names = `a ofRow ofDepth b units ${destination}` as const;
  return module.procedure(
    `tabled_tile_${kind.name}`,
    names,
    (target, { a, ofRow, ofDepth, b, units, ...to }) => {
      // Beyond the last row, that row is computed again.
      const lefts = Array.from({ length: shape.rows }, (_, i) => {
        const entry = add(ofRow, mul(min(sub(to.rows, 1), i), 4));
        return target.define(add(a, wordAt(entry)));
      });
      const steps = [
        [b, nr * unitBytes],
        [ofDepth, 4],
      ] as const;
      const read: Operands["read"] = () => {
        const place = target.define(wordAt(ofDepth));
        return {
          columns: columnsAt(target, b, shape.vectors),
          splat: (row) => splatAt(target, kind, add(lefts[row]!, place)),
        };
      };
      storeSums(target, kind, sumsOf(target, kind, shape, units, { steps, read }), to, to);
    },
  );
}
