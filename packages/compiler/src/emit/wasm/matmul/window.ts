/** Products whose right operand is windows that slide along memory: a block of rows, for some windows that follow each other. */
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
  quotient,
  quotientUp,
  roundDown,
  sub,
  type Variable,
  when,
} from "../encode/expression.ts";
import type { FunctionBuilder } from "../encode/function.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { fillZeros, forEachDepth } from "./block-loops.ts";
import { deliver } from "./deliver.ts";
import { type Kind, vectorLanes } from "./kinds.ts";
import { type WindowStep, type WindowTile, widthOf, windowTile } from "./window-tile.ts";

/** Whether windows can be read as they stand: a unit is then an element as it is in memory. */
export const hasWindows = ({ unitElements, elementBytes, unitBytes }: Kind): boolean =>
  unitElements === 1 && elementBytes === unitBytes;

/** Rows of a packed panel of A: those of a tile, or the only one. Filters are often 8, 16 or 32, so that more would be left over. */
export const panelRows = (isSingle: boolean): number => (isSingle ? 1 : ROWS);
const ROWS = 4;

/**
 * windows(a, b, bColumnBytes, bStep, offsets, c, cRowBytes, cStep, sums, sumsRowBytes, sumsStep, rows, columns, slides, k, corner): A, in panels of
 * all of k, times `slides` windows: each begins `bStep` bytes behind the one before it, its sums `cStep` bytes behind. C is written
 * once; until then sums are held in `sums`, which may be C. B's element k stands `offsets[k]` bytes behind the window's begin.
 */
export function multiplyWindows(
  module: ModuleBuilder,
  kind: Kind,
  isSingle: boolean,
  step: WindowStep,
): FunctionIndex {
  const rowBytes = panelRows(isSingle) * kind.unitBytes;
  const block = isSingle ? blockOfRow : blockOfRows;
  return procedure(
    module,
    `windows_${kind.name}_${isSingle ? "row" : "rows"}_step${step}`,
    [
      "a",
      "b",
      "bColumnBytes",
      "bStep",
      "offsets",
      "c",
      "cRowBytes",
      "cStep",
      "sums",
      "sumsRowBytes",
      "sumsStep",
      "rows",
      "columns",
      "slides",
      "k",
      "corner",
    ],
    (target, { a, b, bStep, offsets, c, cRowBytes, cStep, sums, ...others }) => {
      const { bColumnBytes, sumsRowBytes, sumsStep, rows, columns, slides, k, corner } = others;
      const panelBytes = define(target, mul(k, rowBytes));
      forEach(target, 0, slides, 1, () => {
        when(target, equal(k, 0), () => {
          forEach(target, 0, rows, 1, (row) => fillZeros(target, kind, add(c, mul(row, cRowBytes)), columns));
        });
        forEachDepth(target, kind, k, (element, depth) => {
          const isLast = define(target, equal(add(element, depth), k));
          callWith(target, block(module, kind, step), [
            ...[add(a, mul(element, rowBytes)), panelBytes, b, bColumnBytes, add(offsets, mul(element, 4))],
            ...[choose(isLast, c, sums), choose(isLast, cRowBytes, sumsRowBytes), sums, sumsRowBytes],
            ...[rows, columns, depth, less(0, element), corner],
          ]);
        });
        advance(target, b, bStep);
        advance(target, c, cStep);
        advance(target, sums, sumsStep);
      });
    },
  );
}

const blockParameters = [
  "a",
  "panelBytes",
  "b",
  "bColumnBytes",
  "offsets",
  "c",
  "cRowBytes",
  "before",
  "beforeRowBytes",
  "rows",
  "columns",
  "units",
  "accumulate",
  "corner",
] as const;

type Block = Readonly<Record<(typeof blockParameters)[number], Variable>>;

/** Part of a block's rows and columns that one tile covers: it hangs over where there are fewer than it has. */
interface Part {
  readonly shape: WindowTile;
  readonly panel: Expression;
  readonly panelBytes: Expression;
  readonly row: Expression;
  readonly column: Expression;
  readonly height: Expression;
  readonly width: Expression;
}

/** Several rows, for at most KC units along k: tiles of whole panels, and for up to one vector of columns at the end two panels. */
function blockOfRows(module: ModuleBuilder, kind: Kind, step: WindowStep): FunctionIndex {
  const { nr } = kind;
  const lanes = vectorLanes(kind);
  const wide: WindowTile = { height: ROWS, panels: 1, vectors: nr / lanes, step };
  const narrow: WindowTile = { height: ROWS, panels: 2, vectors: 1, step };
  return procedure(module, `windows_block_${kind.name}_step${step}`, blockParameters, (target, block) => {
    const { a, panelBytes, rows, columns } = block;
    const whole = define(target, roundDown(columns, nr));
    const rest = define(target, sub(columns, whole));
    const wideEnd = define(target, choose(less(lanes, rest), columns, whole));
    const panel = define(target, a);
    forEach(target, 0, rows, ROWS, (row) => {
      const height = define(target, min(sub(rows, row), ROWS));
      forEach(target, 0, wideEnd, nr, (column) => {
        const width = define(target, min(sub(columns, column), nr));
        writePart(target, module, kind, block, {
          shape: wide,
          panel,
          panelBytes,
          row,
          column,
          height,
          width,
        });
      });
      advance(target, panel, panelBytes);
    });
    when(target, less(wideEnd, columns), () => {
      const panels = define(target, a);
      forEach(target, 0, rows, 2 * ROWS, (row) => {
        const height = define(target, min(sub(rows, row), 2 * ROWS));
        // Where there is no second panel, the first one stands for it: what that gives is not part of the result.
        const next = define(target, choose(less(ROWS, height), panelBytes, 0));
        writePart(target, module, kind, block, {
          ...{ shape: narrow, panel: panels, panelBytes: next },
          ...{ row, column: whole, height, width: rest },
        });
        advance(target, panels, mul(panelBytes, 2));
      });
    });
  });
}

/** The most vectors that the tiles of a single row have: so many that no sum waits for itself, if there are as many columns. */
const mostVectors = (step: WindowStep): number => (step === "any" ? 2 : 8);

/** A single row, for at most KC units along k: as few tiles as may be, and about as wide as each other. */
function blockOfRow(module: ModuleBuilder, kind: Kind, step: WindowStep): FunctionIndex {
  const most = mostVectors(step);
  const lanes = vectorLanes(kind);
  return procedure(module, `windows_row_${kind.name}_step${step}`, blockParameters, (target, block) => {
    const { a, panelBytes, columns } = block;
    const column = define(target, 0);
    const left = define(target, quotientUp(columns, lanes));
    when(target, equal(columns, 0), () => {
      target.return();
    });
    target.loop((again) => {
      const tiles = define(target, quotientUp(left, most));
      const vectors = define(target, quotient(add(left, sub(tiles, 1)), tiles));
      for (let count = 1; count <= most; count++) {
        const shape: WindowTile = { height: 1, panels: 1, vectors: count, step };
        when(target, equal(vectors, count), () => {
          const width = define(target, min(sub(columns, column), widthOf(kind, shape)));
          writePart(target, module, kind, block, {
            ...{ shape, panel: a, panelBytes, row: 0, column },
            ...{ height: 1, width },
          });
        });
      }
      advance(target, column, mul(vectors, lanes));
      advance(target, left, sub(0, vectors));
      target.get(left.local).brIf(again);
    });
  });
}

/** The tile where it is to stand; where it hangs over, in the corner, and what is wanted of it is brought there. */
function writePart(
  target: FunctionBuilder,
  module: ModuleBuilder,
  kind: Kind,
  { b, bColumnBytes, offsets, c, cRowBytes, before, beforeRowBytes, units, accumulate, corner }: Block,
  { shape, panel, panelBytes, row, column, height, width }: Part,
): void {
  const { unitBytes } = kind;
  const at = (matrix: Variable, rowBytes: Variable): Variable =>
    define(target, add(matrix, add(mul(row, rowBytes), mul(column, unitBytes))));
  const place = at(c, cRowBytes);
  const old = at(before, beforeRowBytes);
  const left = [panel, panelBytes, add(b, mul(column, bColumnBytes)), bColumnBytes, width, offsets];
  const rowsOfTile = shape.height * shape.panels;
  const tile = windowTile(module, kind, shape);
  when(
    target,
    or(less(width, widthOf(kind, shape)), less(height, rowsOfTile)),
    () => {
      const cornerRow = widthOf(kind, shape) * unitBytes;
      callWith(target, tile, [...left, corner, cornerRow, corner, cornerRow, units, 0]);
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
      callWith(target, tile, [...left, place, cRowBytes, old, beforeRowBytes, units, accumulate]);
    },
  );
}
