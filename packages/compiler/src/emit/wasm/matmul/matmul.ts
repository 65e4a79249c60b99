/**
 * Matrix products as functions of a module.
 *
 * An element of the result is a sum along k in order, in blocks of {@link blockUnits} units; the blocks' sums, each
 * from 0 on, are added in order. That does not depend on where the element stands nor on what else is computed, so any
 * split of rows or columns gives the same bits. Accesses may read, never write, up to 64 bytes past the end of an
 * operand.
 */
import {
  add,
  and,
  callWith,
  define,
  type Expression,
  equal,
  forEach,
  less,
  min,
  mul,
  or,
  procedure,
  push,
  quotient,
  quotientUp,
  sub,
  type Variable,
  when,
} from "../encode/expression.ts";
import type { FunctionBuilder } from "../encode/function.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { blockWorkspace, multiplyBlock } from "./blocks.ts";
import { blockUnits, type Kind } from "./kinds.ts";
import { pack } from "./pack.ts";
import { multiplyThin, thinWorkspace } from "./thin.ts";

/** Columns of B that pass over a block of A at a time. Packed, they stay in the third cache. */
const blockColumns = 1024;

/** Up to so many rows or columns of the result, packing the other operand costs more than it saves. */
export const thinLimit = 3;

/** Bytes of B when it is packed. */
export function packedBytes(kind: Kind, n: number, k: number): number {
  const columns = Math.ceil(n / kind.tileColumns) * kind.tileColumns;
  return columns * Math.ceil(k / kind.unitElements) * kind.unitBytes;
}

/** Bytes that one call of {@link multiplyPacked} works in. */
export const multiplyPackedWorkspace: (kind: Kind) => number = blockWorkspace;

/** Bytes that one call of {@link matmul} works in. */
export function matmulWorkspace(kind: Kind, n: number, k: number): number {
  const block = packedBytes(kind, Math.min(n, blockColumns), Math.min(k, blockUnits * kind.unitElements));
  return Math.max(thinWorkspace(kind), blockWorkspace(kind) + block);
}

/**
 * matmul(a, aRowStride, aColumnStride, b, bRowStride, bColumnStride, c, cRowStride, m, n, k, workspace): pointers in
 * bytes, strides in elements. C is overwritten, with 0 where k is 0.
 */
export function matmul(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const { elementBytes, unitBytes } = kind;
  return procedure(
    module,
    `matmul_${kind.name}`,
    [
      "a",
      "aRowStride",
      "aColumnStride",
      "b",
      "bRowStride",
      "bColumnStride",
      "c",
      "cRowStride",
      "m",
      "n",
      "k",
      "workspace",
    ],
    (target, parameters) => {
      const { a, b, c, m, n, k, workspace } = parameters;
      const aRowBytes = define(target, mul(parameters.aRowStride, elementBytes));
      const aColumnBytes = define(target, mul(parameters.aColumnStride, elementBytes));
      const bRowBytes = define(target, mul(parameters.bRowStride, elementBytes));
      const bColumnBytes = define(target, mul(parameters.bColumnStride, elementBytes));
      const cRowBytes = define(target, mul(parameters.cRowStride, unitBytes));
      whenEmpty(target, kind, c, cRowBytes, 0, m, n, k);

      const contiguous = (first: Expression, second: Expression): Expression =>
        or(equal(first, elementBytes), equal(second, elementBytes));
      when(target, and(less(m, thinLimit + 1), contiguous(bRowBytes, bColumnBytes)), () => {
        const rowsOfA = [a, aRowBytes, aColumnBytes, m];
        callWith(target, multiplyThin(module, kind), [
          ...[b, bColumnBytes, bRowBytes, n],
          ...rowsOfA,
          ...[c, unitBytes, cRowBytes, k, workspace],
        ]);
        target.return();
      });
      when(target, and(less(n, thinLimit + 1), contiguous(aRowBytes, aColumnBytes)), () => {
        const columnsOfB = [b, bColumnBytes, bRowBytes, n];
        callWith(target, multiplyThin(module, kind), [
          ...[a, aRowBytes, aColumnBytes, m],
          ...columnsOfB,
          ...[c, cRowBytes, unitBytes, k, workspace],
        ]);
        target.return();
      });

      const packed = define(target, add(workspace, blockWorkspace(kind)));
      forEachBlock(target, kind, n, k, ({ column, element, columns, depth }) => {
        callWith(target, pack(module, kind, kind.tileColumns), [
          add(b, add(mul(element, bRowBytes), mul(column, bColumnBytes))),
          bColumnBytes,
          bRowBytes,
          columns,
          depth,
          packed,
        ]);
        callWith(target, multiplyBlock(module, kind), [
          ...[add(a, mul(element, aColumnBytes)), aRowBytes, aColumnBytes, packed],
          ...[add(c, mul(column, unitBytes)), cRowBytes],
          ...[m, columns, depth, less(0, element), workspace],
        ]);
      });
    },
  );
}

/**
 * packB(b, bRowStride, bColumnStride, n, k, packed, begin, end): the columns from `begin` (a multiple of the tile's
 * columns) to `end` of B, for {@link multiplyPacked}.
 */
export function packB(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const { elementBytes } = kind;
  return procedure(
    module,
    `pack_b_${kind.name}`,
    ["b", "bRowStride", "bColumnStride", "n", "k", "packed", "begin", "end"],
    (target, { b, bRowStride, bColumnStride, n, k, packed, begin, end }) => {
      const bRowBytes = define(target, mul(bRowStride, elementBytes));
      const bColumnBytes = define(target, mul(bColumnStride, elementBytes));
      const from = define(target, add(b, mul(begin, bColumnBytes)));
      forEachDepth(target, kind, k, (element, depth) => {
        callWith(target, pack(module, kind, kind.tileColumns), [
          add(from, mul(element, bRowBytes)),
          bColumnBytes,
          bRowBytes,
          sub(end, begin),
          depth,
          packedAt(kind, packed, n, element, depth, begin),
        ]);
      });
    },
  );
}

/**
 * multiplyPacked(a, aRowStride, aColumnStride, packed, c, cRowStride, begin, end, n, k, workspace): the rows from
 * `begin` to `end` of a product whose B is packed.
 */
export function multiplyPacked(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const { elementBytes, unitBytes } = kind;
  return procedure(
    module,
    `multiply_packed_${kind.name}`,
    ["a", "aRowStride", "aColumnStride", "packed", "c", "cRowStride", "begin", "end", "n", "k", "workspace"],
    (target, { a, aRowStride, aColumnStride, packed, c, cRowStride, begin, end, n, k, workspace }) => {
      const aRowBytes = define(target, mul(aRowStride, elementBytes));
      const aColumnBytes = define(target, mul(aColumnStride, elementBytes));
      const cRowBytes = define(target, mul(cRowStride, unitBytes));
      whenEmpty(target, kind, c, cRowBytes, begin, end, n, k);
      const aFrom = define(target, add(a, mul(begin, aRowBytes)));
      const cFrom = define(target, add(c, mul(begin, cRowBytes)));
      forEachBlock(target, kind, n, k, ({ column, element, columns, depth }) => {
        callWith(target, multiplyBlock(module, kind), [
          ...[add(aFrom, mul(element, aColumnBytes)), aRowBytes, aColumnBytes],
          packedAt(kind, packed, n, element, depth, column),
          ...[add(cFrom, mul(column, unitBytes)), cRowBytes],
          ...[sub(end, begin), columns, depth, less(0, element), workspace],
        ]);
      });
    },
  );
}

/** Where a block of packed B begins: blocks along k follow each other, each with the panels of all columns. */
function packedAt(
  { tileColumns, unitElements, unitBytes }: Kind,
  packed: Expression,
  n: Expression,
  element: Expression,
  depth: Expression,
  column: Expression,
): Expression {
  const unitsBefore = quotient(element, unitElements);
  const columns = mul(quotientUp(n, tileColumns), tileColumns);
  const sums = add(mul(unitsBefore, columns), mul(column, quotientUp(depth, unitElements)));
  return add(packed, mul(sums, unitBytes));
}

interface Block {
  /** The first column, and the first element along k. */
  readonly column: Variable;
  readonly element: Variable;
  readonly columns: Variable;
  readonly depth: Variable;
}

/** The blocks of B, those of the same columns in their order along k. */
function forEachBlock(
  target: FunctionBuilder,
  kind: Kind,
  n: Expression,
  k: Expression,
  body: (block: Block) => void,
): void {
  forEach(target, 0, n, blockColumns, (column) => {
    const columns = define(target, min(sub(n, column), blockColumns));
    forEachDepth(target, kind, k, (element, depth) => body({ column, element, columns, depth }));
  });
}

function forEachDepth(
  target: FunctionBuilder,
  { unitElements }: Kind,
  k: Expression,
  body: (element: Variable, depth: Variable) => void,
): void {
  const step = blockUnits * unitElements;
  forEach(target, 0, k, step, (element) => {
    body(element, define(target, min(sub(k, element), step)));
  });
}

/** Where k is 0, fills the rows with 0 and returns. */
function whenEmpty(
  target: FunctionBuilder,
  { unitBytes }: Kind,
  c: Expression,
  cRowBytes: Expression,
  begin: Expression,
  end: Expression,
  n: Expression,
  k: Expression,
): void {
  when(target, equal(k, 0), () => {
    forEach(target, begin, end, 1, (row) => {
      push(target, add(c, mul(row, cRowBytes)));
      push(target, 0);
      push(target, mul(n, unitBytes));
      target.op("memory.fill");
    });
    target.return();
  });
}
