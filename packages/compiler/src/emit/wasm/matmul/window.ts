/** Products whose right operand is windows that slide along memory: a block of rows times some consecutive windows. */
import {
  add,
  type Expression,
  equal,
  mul,
  quotient,
  quotientUp,
  sub,
  type Variable,
  type Words,
} from "../encode/expression.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { fillZeros, forEachDepth, heldOf } from "./block-loops.ts";
import { destination, destinationAt } from "./destination.ts";
import { type Kind, vectorLanes } from "./kinds.ts";
import { type WindowStep, windowTile } from "./window-tile.ts";

/** Rows of a packed panel of A. 4 rather than MR, since filters are often 8, 16 or 32; or 1 for a single row. */
export const panelRows = (isSingle: boolean): number => (isSingle ? 1 : ROWS);
const ROWS = 4;

/**
 * windows(a, b, bColumnBytes, bStep, offsets, c, cRowBytes, cStep, sums, sumsRowBytes, sumsStep, rows, columns, slides, k): A,
 * packed in panels along all of k, times `slides` windows. Each window begins `bStep` bytes behind the one before it, and its
 * results `cStep` bytes. Element k of B is `offsets[k]` bytes behind the window's begin. C is written once; until then the sums
 * of earlier blocks are in `sums`, which may be C.
 */
export function multiplyWindows(
  module: ModuleBuilder,
  kind: Kind,
  isSingle: boolean,
  step: WindowStep,
): FunctionIndex {
  const rowBytes = panelRows(isSingle) * kind.unitBytes;
  const names =
    "a b bColumnBytes bStep offsets c cRowBytes cStep sums sumsRowBytes sumsStep rows columns slides k";
  const name = `windows_${kind.name}_${isSingle ? "row" : "rows"}_step${step}`;
  return module.procedure(name, names, (target, { a, b, bColumnBytes, bStep, offsets, ...others }) => {
    const { cStep, sumsStep, columns, slides, ...held } = others;
    const { c, cRowBytes, sums, rows, k } = held;
    const block = (isSingle ? blockOfRow : blockOfRows)(module, kind, step);
    const panelBytes = target.define(mul(k, rowBytes));
    target.forEach(0, slides, 1, () => {
      target.when(equal(k, 0), () => fillZeros(target, kind, c, cRowBytes, rows, columns));
      forEachDepth(target, kind, k, (element, depth) => {
        target.call(block, [
          ...[add(a, mul(element, rowBytes)), panelBytes, b, bColumnBytes, add(offsets, mul(element, 4))],
          ...[depth, ...heldOf(target, kind, held, { column: 0, element, columns, depth })],
        ]);
      });
      target.advance(b, bStep);
      target.advance(c, cStep);
      target.advance(sums, sumsStep);
    });
  });
}

const blockNames = `a panelBytes b bColumnBytes offsets units ${destination}` as const;

/** Several rows, for at most KC units along k, panel by panel. */
function blockOfRows(module: ModuleBuilder, kind: Kind, step: WindowStep): FunctionIndex {
  const { nr } = kind;
  return module.procedure(`windows_block_${kind.name}_step${step}`, blockNames, (target, block) => {
    const tile = windowTile(module, kind, { height: ROWS, vectors: nr / vectorLanes(kind), step });
    const { a, panelBytes, rows, columns } = block;
    const panel = target.define(a);
    target.forEach(0, rows, ROWS, (row) => {
      target.forEach(0, columns, nr, (column) => {
        target.call(tile, partOf(kind, block, panel, row, column));
      });
      target.advance(panel, panelBytes);
    });
  });
}

/**
 * The most vectors of a tile of a single row: enough to hide the latency of an addition, and few enough that registers hold them
 * and what is loaded for them.
 */
const mostVectors: { readonly [step in WindowStep]: number } = { 1: 8, 2: 4, any: 2 };

/** A single row, for at most KC units along k: as few tiles as possible, of about equal width. */
function blockOfRow(module: ModuleBuilder, kind: Kind, step: WindowStep): FunctionIndex {
  const most = mostVectors[step];
  const lanes = vectorLanes(kind);
  return module.procedure(`windows_row_${kind.name}_step${step}`, blockNames, (target, block) => {
    const { a, columns } = block;
    const column = target.define(0);
    const left = target.define(quotientUp(columns, lanes));
    target.when(equal(columns, 0), () => {
      target.return();
    });
    target.loop((again) => {
      const tiles = target.define(quotientUp(left, most));
      const vectors = target.define(quotient(add(left, sub(tiles, 1)), tiles));
      for (let count = 1; count <= most; count++) {
        const tile = windowTile(module, kind, { height: 1, vectors: count, step });
        target.when(equal(vectors, count), () => {
          target.call(tile, partOf(kind, block, a, 0, column));
        });
      }
      target.advance(column, mul(vectors, lanes));
      target.advance(left, sub(0, vectors));
      target.get(left.local).brIf(again);
    });
  });
}

/** The arguments of a tile that begins at a row and a column of a block. */
const partOf = (
  kind: Kind,
  { b, bColumnBytes, offsets, units, ...to }: Readonly<Record<Words<typeof blockNames>, Variable>>,
  panel: Variable,
  row: Expression,
  column: Expression,
): Expression[] => [
  ...[panel, add(b, mul(column, bColumnBytes)), bColumnBytes, offsets, units],
  ...destinationAt(kind, to, row, column),
];
