/**
 * Products whose left operand is read where it stands: each row begins where one table says, and along k all go on as another says. Rows
 * of windows are such, as the gradient of filters has them. The right operand is packed.
 */
import {
  add,
  advance,
  callWith,
  choose,
  define,
  type Expression,
  equal,
  forEach,
  less,
  min,
  mul,
  or,
  procedure,
  sub,
  type Variable,
  when,
} from "../encode/expression.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { forEachBlock, whenEmpty } from "./block-loops.ts";
import { deliver } from "./deliver.ts";
import { type Kind, vectorLanes } from "./kinds.ts";
import { packedAt } from "./packed.ts";
import { storeSums } from "./store-sums.ts";
import { loaded, multiplyAdd } from "./units.ts";

/**
 * tabled(a, ofRow, ofDepth, packed, c, cRowBytes, sums, sumsRowBytes, rows, n, k, corner): the element of a row at place k along it
 * stands `ofRow[row] + ofDepth[k]` bytes behind `a`. C is written once; until then sums are held in `sums`, which may be C.
 */
export function multiplyTabled(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const { unitBytes } = kind;
  return procedure(
    module,
    `tabled_${kind.name}`,
    ["a", "ofRow", "ofDepth", "packed", "c", "cRowBytes", "sums", "sumsRowBytes", "rows", "n", "k", "corner"],
    (target, { a, ofRow, ofDepth, packed, c, cRowBytes, sums, sumsRowBytes, rows, n, k, corner }) => {
      whenEmpty(target, kind, c, cRowBytes, 0, rows, n, k);
      forEachBlock(target, kind, n, k, ({ column, element, columns, depth }) => {
        const place = (from: Variable): Expression => add(from, mul(column, unitBytes));
        const isLast = define(target, equal(add(element, depth), k));
        callWith(target, tabledBlock(module, kind), [
          ...[a, ofRow, add(ofDepth, mul(element, 4))],
          packedAt(kind, packed, n, element, depth, column),
          ...[choose(isLast, place(c), place(sums)), choose(isLast, cRowBytes, sumsRowBytes)],
          ...[place(sums), sumsRowBytes, rows, columns, depth, less(0, element), corner],
        ]);
      });
    },
  );
}

/** A block of rows and columns, for at most KC units along k. */
function tabledBlock(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const { mr, nr, unitBytes } = kind;
  return procedure(
    module,
    `tabled_block_${kind.name}`,
    [
      "a",
      "ofRow",
      "ofDepth",
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
    (target, { a, ofRow, ofDepth, b, c, cRowBytes, before, beforeRowBytes, ...others }) => {
      const { rows, columns, units, accumulate, corner } = others;
      const lastRow = define(target, sub(rows, 1));
      const tile = tabledTile(module, kind);
      forEach(target, 0, columns, nr, (column) => {
        const panel = define(target, add(b, mul(column, mul(units, unitBytes))));
        const width = define(target, min(sub(columns, column), nr));
        forEach(target, 0, rows, mr, (row) => {
          const at = (matrix: Variable, rowBytes: Variable): Variable =>
            define(target, add(matrix, add(mul(row, rowBytes), mul(column, unitBytes))));
          const place = at(c, cRowBytes);
          const old = at(before, beforeRowBytes);
          const height = define(target, min(sub(rows, row), mr));
          // Where rows end, the last is computed again.
          const begins = Array.from({ length: mr }, (_, i): Expression => {
            const entry = add(ofRow, mul(min(add(row, i), lastRow), 4));
            return add(a, { op: "i32.load", args: [entry] });
          });
          const operands = [...begins, ofDepth, panel];
          when(
            target,
            or(less(width, nr), less(height, mr)),
            () => {
              const cornerRow = nr * unitBytes;
              callWith(target, tile, [...operands, corner, cornerRow, corner, cornerRow, units, 0]);
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
              callWith(target, tile, [
                ...[...operands, place, cRowBytes, old, beforeRowBytes, units, accumulate],
              ]);
            },
          );
        });
      });
    },
  );
}

/** tile(row0, row1 …, ofDepth, b, c, rowBytes, before, beforeRowBytes, units, accumulate): as `tile`, with rows where they stand. */
function tabledTile(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const { mr, nr, unitBytes } = kind;
  const vectors = nr / vectorLanes(kind);
  const rowNames = Array.from({ length: mr }, (_, i) => `row${i}`);
  return procedure(
    module,
    `tabled_tile_${kind.name}`,
    [...rowNames, "ofDepth", "b", "c", "rowBytes", "before", "beforeRowBytes", "units", "accumulate"],
    (target, parameters) => {
      const variable = (name: string): Variable => parameters[name] as Variable;
      const [ofDepth, b, c, before] = ["ofDepth", "b", "c", "before"].map(variable) as [
        Variable,
        Variable,
        Variable,
        Variable,
      ];
      const sums = rowNames.map(() => Array.from({ length: vectors }, () => target.local("v128")));
      const [place, splat] = [target.local("i32"), target.local("v128")];
      const bStep = nr * unitBytes;
      // Pointers step before they are used: V8 knows a sum to be a 64-bit address, and of a loop-carried one it makes one anew.
      advance(target, b, -bStep);
      advance(target, ofDepth, -4);
      const end = define(target, add(ofDepth, mul(variable("units"), 4)));
      target.loop((again) => {
        advance(target, b, bStep);
        advance(target, ofDepth, 4);
        target.get(ofDepth.local).op("i32.load").set(place);
        const columns = Array.from({ length: vectors }, (_, i) => loaded(target, "v128.load", b, 16 * i));
        sums.forEach((rowSums, i) => {
          target
            .get(variable(`row${i}`).local)
            .get(place)
            .op("i32.add");
          target.op(unitBytes === 4 ? "v128.load32_splat" : "v128.load64_splat").set(splat);
          rowSums.forEach((sum, j) => {
            multiplyAdd(target, kind, splat, columns[j]!, sum);
          });
        });
        target.get(ofDepth.local).get(end.local).op("i32.ne").brIf(again);
      });
      storeSums(target, kind, sums, {
        ...{ c, before, rowBytes: variable("rowBytes"), beforeRowBytes: variable("beforeRowBytes") },
        accumulate: variable("accumulate"),
      });
    },
  );
}
