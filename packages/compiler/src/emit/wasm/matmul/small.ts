/**
 * Products that are over before packing would pay: tiles are made of the operands as they stand in memory. Units are
 * single elements here, and one block is all there is along k.
 */
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
  procedure,
  push,
  roundDown,
  sub,
  type Variable,
  when,
} from "../encode/expression.ts";
import type { FunctionBuilder } from "../encode/function.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { KC, type Kind, vectorLanes } from "./kinds.ts";
import { loaded, multiplyAdd } from "./units.ts";

/** Rows of a tile. */
const rowsAtOnce = 4;

/** Products of elements in the tiles of a small product, at most; and rows, columns or elements along k, so that nothing overflows. */
const smallProducts = 4096;
const smallExtent = 1024;

/** Whether kinds of this sort have small products at all. */
export const hasSmall = ({ unitElements }: Kind): boolean => unitElements === 1;

export const isSmall = (m: Expression, n: Expression, k: Expression): Expression =>
  and(
    and(less(m, smallExtent + 1), less(n, smallExtent + 1)),
    and(
      less(k, KC + 1),
      less(mul(mul(roundDown(add(m, rowsAtOnce - 1), rowsAtOnce), n), k), smallProducts + 1),
    ),
  );

/** The same, of sizes that are known. */
export const isSmallSize = (m: number, n: number, k: number): boolean =>
  Math.max(m, n) <= smallExtent && k <= KC && Math.ceil(m / rowsAtOnce) * rowsAtOnce * n * k <= smallProducts;

/**
 * small(a, aRowBytes, aColumnBytes, b, bRowBytes, c, cRowBytes, m, n, k): neighbouring columns of B stand side by
 * side, and k is at least 1.
 */
export function multiplySmall(module: ModuleBuilder, kind: Kind): FunctionIndex {
  return procedure(
    module,
    `small_${kind.name}`,
    ["a", "aRowBytes", "aColumnBytes", "b", "bRowBytes", "c", "cRowBytes", "m", "n", "k"],
    (target, { a, aRowBytes, aColumnBytes, b, bRowBytes, c, cRowBytes, m, n, k }) => {
      const lanes = vectorLanes(kind);
      forEach(target, 0, m, rowsAtOnce, (row) => {
        // Where rows end, the last is computed again.
        const lastRow = define(target, sub(m, 1));
        const present = define(target, sub(m, row));
        const rows = Array.from({ length: rowsAtOnce }, (_, i) =>
          i === 0 ? row : define(target, min(add(row, i), lastRow)),
        );
        const lefts = rows.map((each) => define(target, add(a, mul(each, aRowBytes))));
        const places = rows.map((each) => define(target, add(c, mul(each, cRowBytes))));
        const columns = (first: Expression, end: Expression, vectors: number): void =>
          forEach(target, first, end, vectors * lanes, (column) => {
            const right = define(target, add(b, mul(column, kind.elementBytes)));
            const sums = tileOf(target, kind, lefts, aColumnBytes, right, bRowBytes, k, vectors);
            const width = define(target, sub(n, column));
            const offset = define(target, mul(column, kind.unitBytes));
            places.forEach((place, i) => {
              when(target, less(i, present), () => {
                const to = define(target, add(place, offset));
                storeRow(target, module, kind, sums[i]!, to, width);
              });
            });
          });
        when(
          target,
          less(lanes, n),
          () => columns(0, n, 2),
          () => columns(0, n, 1),
        );
      });
    },
  );
}

type Local = ReturnType<typeof loaded>;

/** The sums of some vectors of columns for each row. */
function tileOf(
  target: FunctionBuilder,
  kind: Kind,
  lefts: readonly Variable[],
  aColumnBytes: Variable,
  right: Variable,
  bRowBytes: Variable,
  k: Variable,
  vectors: number,
): readonly (readonly Local[])[] {
  const sums = lefts.map(() => Array.from({ length: vectors }, () => target.local("v128")));
  for (const sum of sums.flat()) target.v128(0n, 0n).set(sum);
  const along = define(target, 0);
  forEach(target, 0, k, 1, () => {
    const columns = Array.from({ length: vectors }, (_, j) => loaded(target, "v128.load", right, 16 * j));
    sums.forEach((row, i) => {
      push(target, add(lefts[i]!, along));
      const splat = target.local("v128");
      target.op(kind.unitBytes === 4 ? "v128.load32_splat" : "v128.load64_splat").set(splat);
      row.forEach((sum, j) => {
        multiplyAdd(target, kind, splat, columns[j]!, sum);
      });
    });
    advance(target, along, aColumnBytes);
    advance(target, right, bRowBytes);
  });
  return sums;
}

/** Stores so many of a row's sums. */
function storeRow(
  target: FunctionBuilder,
  module: ModuleBuilder,
  kind: Kind,
  sums: readonly Local[],
  to: Variable,
  width: Variable,
): void {
  when(
    target,
    less(width, sums.length * vectorLanes(kind)),
    () => {
      sums.forEach((sum, j) => {
        push(target, add(to, 16 * j));
        push(target, sub(width, j * vectorLanes(kind)));
        target.get(sum).call(storeFirst(module, kind));
      });
    },
    () => {
      sums.forEach((sum, j) => {
        target
          .get(to.local)
          .get(sum)
          .op("v128.store", 16 * j);
      });
    },
  );
}

/** store(to, count, vector): the first lanes; none where the count is not positive, all where it is greater than there are. */
function storeFirst(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const name = `store_first_${kind.unitBytes}`;
  const type = { parameters: ["i32", "i32", "v128"], results: [] } as const;
  return module.shared(name, name, type, (target) => {
    const [to, count, vector] = [{ local: 0 }, { local: 1 }, 2];
    when(target, less(vectorLanes(kind) - 1, count), () => {
      target.get(to.local).get(vector).op("v128.store").return();
    });
    when(target, less(0, count), () => {
      if (kind.unitBytes === 8) {
        target.get(to.local).get(vector).op("v128.store64_lane", [0, 0]);
        return;
      }
      when(target, less(1, count), () => {
        target.get(to.local).get(vector).op("v128.store64_lane", [0, 0]);
      });
      when(target, equal(count, 1), () => {
        target.get(to.local).get(vector).op("v128.store32_lane", [0, 0]);
      });
      when(target, equal(count, 3), () => {
        target.get(to.local).get(vector).op("v128.store32_lane", [8, 2]);
      });
    });
  });
}

/** Whether B stands as {@link multiplySmall} wants it. */
export const isSideBySide = (bColumnBytes: Expression, { elementBytes }: Kind): Expression =>
  equal(bColumnBytes, elementBytes);
