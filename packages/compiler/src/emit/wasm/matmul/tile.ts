/** The kernel of a matrix product: a tile of sums in registers, over packed panels. */
import { add, advance, define, mul, procedure } from "../encode/expression.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { type Kind, vectorLanes } from "./kinds.ts";
import { storeSums } from "./store-sums.ts";
import { loaded, multiplyAdd, splatUnit } from "./units.ts";

/**
 * tile(a, b, c, rowBytes, before, beforeRowBytes, units, accumulate): a panel of A times a panel of B, for at least one unit. The
 * sums, which begin with 0, are stored to a tile of C. Where they accumulate, what `before` has is added to them first.
 */
export function tile(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const { mr, nr, unitBytes } = kind;
  const vectors = nr / vectorLanes(kind);
  return procedure(
    module,
    `tile_${kind.name}`,
    ["a", "b", "c", "rowBytes", "before", "beforeRowBytes", "units", "accumulate"],
    (target, { a, b, c, rowBytes, before, beforeRowBytes, units, accumulate }) => {
      const sums = Array.from({ length: mr }, () =>
        Array.from({ length: vectors }, () => target.local("v128")),
      );
      // Pointers step before they are used: V8 knows a sum to be a 64-bit address, and of a loop-carried one it makes one anew.
      const [aStep, bStep] = [mr * unitBytes, nr * unitBytes];
      advance(target, a, -aStep);
      advance(target, b, -bStep);
      const end = define(target, add(b, mul(units, bStep)));
      target.loop((again) => {
        advance(target, a, aStep);
        advance(target, b, bStep);
        const columns = Array.from({ length: vectors }, (_, i) => loaded(target, "v128.load", b, 16 * i));
        sums.forEach((rowSums, i) => {
          const row = splatUnit(target, kind, a, i);
          rowSums.forEach((sum, j) => {
            multiplyAdd(target, kind, row, columns[j]!, sum);
          });
        });
        target.get(b.local).get(end.local).op("i32.ne").brIf(again);
      });
      storeSums(target, kind, sums, { c, rowBytes, before, beforeRowBytes, accumulate });
    },
  );
}
