/** Products whose right operand was packed before, and how it is. */
import {
  add,
  and,
  callWith,
  choose,
  define,
  type Expression,
  equal,
  less,
  mul,
  procedure,
  quotient,
  quotientUp,
  sub,
  type Variable,
} from "../encode/expression.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { forEachBlock, forEachDepth, whenEmpty } from "./block-loops.ts";
import { blockBytes, cornerBytes, multiplyBlock } from "./blocks.ts";
import { KC, type Kind } from "./kinds.ts";
import { pack } from "./pack.ts";

/** Bytes of B when it is packed. */
export function packedBytes(kind: Kind, n: number, k: number): number {
  const columns = Math.ceil(n / kind.nr) * kind.nr;
  return columns * Math.ceil(k / kind.unitElements) * kind.unitBytes;
}

/** Units along k up to which {@link multiplyPacked} may keep A packed. */
export const keptUnits: number = 16 * KC;

/** Bytes that one call of {@link multiplyPacked} works in; with `k`, if it is to keep A packed. */
export function multiplyPackedWorkspace(kind: Kind, k = 0): number {
  const units = Math.ceil(k / kind.unitElements);
  const blocks = units <= keptUnits ? Math.ceil(units / KC) : 1;
  return cornerBytes + Math.max(1, blocks) * blockBytes(kind);
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
        callWith(target, pack(module, kind, kind.nr), [
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
 * multiplyPacked(a, aRowStride, aColumnStride, packed, c, cRowStride, sums, sumsRowStride, begin, end, n, k, workspace, keep,
 * isKept): the rows from `begin` to `end` of a product whose B is packed. C is written once; until then sums are held in `sums`,
 * which may be C. With `keep`, and no more rows than a block has, A stays packed in the workspace, up to {@link keptUnits}.
 * `isKept` says that a call before has had the same A and kept it.
 */
export function multiplyPacked(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const { elementBytes, unitElements, unitBytes } = kind;
  return procedure(
    module,
    `multiply_packed_${kind.name}`,
    [
      "a",
      "aRowStride",
      "aColumnStride",
      "packed",
      "c",
      "cRowStride",
      "sums",
      "sumsRowStride",
      "begin",
      "end",
      "n",
      "k",
      "workspace",
      "keep",
      "isKept",
    ],
    (target, parameters) => {
      const { a, packed, c, sums, begin, end, n, k, workspace, keep } = parameters;
      const mayKeep = less(k, keptUnits * unitElements + 1);
      const keptBytes = define(target, choose(and(keep, mayKeep), blockBytes(kind), 0));
      const isKept = define(target, and(parameters.isKept, mayKeep));
      const aRowBytes = define(target, mul(parameters.aRowStride, elementBytes));
      const aColumnBytes = define(target, mul(parameters.aColumnStride, elementBytes));
      const cRowBytes = define(target, mul(parameters.cRowStride, unitBytes));
      const sumsRowBytes = define(target, mul(parameters.sumsRowStride, unitBytes));
      whenEmpty(target, kind, c, cRowBytes, begin, end, n, k);
      const aFrom = define(target, add(a, mul(begin, aRowBytes)));
      const cFrom = define(target, add(c, mul(begin, cRowBytes)));
      const sumsFrom = define(target, add(sums, mul(begin, sumsRowBytes)));
      forEachBlock(target, kind, n, k, ({ column, element, columns, depth }) => {
        const place = (from: Variable): Variable => define(target, add(from, mul(column, unitBytes)));
        const held = place(sumsFrom);
        const isLast = define(target, equal(add(element, depth), k));
        const block = quotient(element, KC * unitElements);
        callWith(target, multiplyBlock(module, kind), [
          ...[add(aFrom, mul(element, aColumnBytes)), aRowBytes, aColumnBytes],
          packedAt(kind, packed, n, element, depth, column),
          choose(isLast, place(cFrom), held),
          choose(isLast, cRowBytes, sumsRowBytes),
          ...[held, sumsRowBytes, sub(end, begin), columns, depth, less(0, element), workspace],
          add(add(workspace, cornerBytes), mul(block, keptBytes)),
          isKept,
        ]);
      });
    },
  );
}

/** Where a block of packed B begins: blocks along k follow each other, each with the panels of all columns. */
export function packedAt(
  { nr, unitElements, unitBytes }: Kind,
  packed: Expression,
  n: Expression,
  element: Expression,
  depth: Expression,
  column: Expression,
): Expression {
  const unitsBefore = quotient(element, unitElements);
  const columns = mul(quotientUp(n, nr), nr);
  const sums = add(mul(unitsBefore, columns), mul(column, quotientUp(depth, unitElements)));
  return add(packed, mul(sums, unitBytes));
}
