/** The kernel of a matrix product: a tile of sums in registers, over packed panels. */
import { add, advance, define, mul, procedure, when } from "../encode/expression.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { type Kind, vectorLanes } from "./kinds.ts";
import { loaded, multiplyAdd, splatUnit } from "./units.ts";

/**
 * tile(a, b, c, rowBytes, units, accumulate): a panel of A times a panel of B, for at least one unit, stored to a tile
 * of C or added to it. Sums begin with 0.
 */
export function tile(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const { tileRows, tileColumns, unitBytes } = kind;
  const vectors = tileColumns / vectorLanes(kind);
  return procedure(
    module,
    `tile_${kind.name}`,
    ["a", "b", "c", "rowBytes", "units", "accumulate"],
    (target, { a, b, c, rowBytes, units, accumulate }) => {
      const sums = Array.from({ length: tileRows }, () =>
        Array.from({ length: vectors }, () => target.local("v128")),
      );
      const end = define(target, add(b, mul(units, tileColumns * unitBytes)));
      target.loop((again) => {
        const columns = Array.from({ length: vectors }, (_, i) => loaded(target, "v128.load", b, 16 * i));
        sums.forEach((rowSums, i) => {
          const row = splatUnit(target, kind, a, i);
          rowSums.forEach((sum, j) => {
            multiplyAdd(target, kind, row, columns[j]!, sum);
          });
        });
        advance(target, a, tileRows * unitBytes);
        advance(target, b, tileColumns * unitBytes);
        target.get(b.local).get(end.local).op("i32.ne").brIf(again);
      });
      const store = (accumulated: boolean): void => {
        for (const rowSums of sums) {
          rowSums.forEach((sum, j) => {
            target.get(c.local).get(sum);
            if (accumulated) target.get(loaded(target, "v128.load", c, 16 * j)).op(kind.add);
            target.op("v128.store", 16 * j);
          });
          advance(target, c, rowBytes);
        }
      };
      when(
        target,
        accumulate,
        () => store(true),
        () => store(false),
      );
    },
  );
}
