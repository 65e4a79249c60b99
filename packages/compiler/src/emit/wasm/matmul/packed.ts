/** Products whose right operand was packed before, and how it is. */
import {
  add,
  and,
  choose,
  type Expression,
  less,
  mul,
  quotient,
  quotientUp,
  sub,
  type Variable,
  type Words,
} from "../encode/expression.ts";
import type { FunctionBuilder } from "../encode/function.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { type Block, forEachBlock, forEachDepth, heldOf, whenEmpty } from "./block-loops.ts";
import { blockBytes, multiplyBlock, tabledBlock } from "./blocks.ts";
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
  return Math.max(1, blocks) * blockBytes(kind);
}

/**
 * packB(b, bRowBytes, bColumnBytes, n, k, packed, begin, end): the columns from `begin` (a multiple of the tile's
 * columns) to `end` of B, for {@link multiplyPacked}.
 */
export function packB(module: ModuleBuilder, kind: Kind): FunctionIndex {
  return module.procedure(
    `pack_b_${kind.name}`,
    "b bRowBytes bColumnBytes n k packed begin end",
    (target, { b, bRowBytes, bColumnBytes, n, k, packed, begin, end }) => {
      const from = target.define(add(b, mul(begin, bColumnBytes)));
      forEachDepth(target, kind, k, (element, depth) => {
        target.call(pack(module, kind, kind.nr), [
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
 * multiplyPacked(a, aRowBytes, aColumnBytes, packed, c, cRowBytes, sums, sumsRowBytes, rows, n, k, workspace, keep, isKept): a product
 * whose B is packed. C is written once; until then sums are held in `sums`, which may be C. With `keep`, and no more rows than a block
 * has, A stays packed in the workspace, up to {@link keptUnits}. `isKept` says that a call before has had the same A and kept it.
 */
export function multiplyPacked(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const { unitElements } = kind;
  const names = `a aRowBytes aColumnBytes ${packedProduct} workspace keep isKept` as const;
  return module.procedure(`multiply_packed_${kind.name}`, names, (target, parameters) => {
    const { a, aRowBytes, aColumnBytes, workspace, keep, ...product } = parameters;
    const mayKeep = less(product.k, keptUnits * unitElements + 1);
    const keptBytes = target.define(choose(and(keep, mayKeep), blockBytes(kind), 0));
    const isKept = target.define(and(parameters.isKept, mayKeep));
    forEachPacked(target, kind, product, (panels, { element, depth }, to) => {
      const block = quotient(element, KC * unitElements);
      target.call(multiplyBlock(module, kind), [
        ...[add(a, mul(element, aColumnBytes)), aRowBytes, aColumnBytes, panels, depth],
        ...[add(workspace, mul(block, keptBytes)), isKept, ...to],
      ]);
    });
  });
}

/**
 * multiplyTabled(a, ofRow, ofDepth, packed, c, cRowBytes, sums, sumsRowBytes, rows, n, k): the same where the element of a row at place k
 * along it stands `ofRow[row] + ofDepth[k]` bytes behind `a`. Rows of windows are such, as the gradient of filters has them.
 */
export function multiplyTabled(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const names = `a ofRow ofDepth ${packedProduct}` as const;
  return module.procedure(`tabled_${kind.name}`, names, (target, { a, ofRow, ofDepth, ...product }) => {
    forEachPacked(target, kind, product, (panels, { element, depth }, to) => {
      const along = add(ofDepth, mul(element, 4));
      target.call(tabledBlock(module, kind), [a, ofRow, along, panels, depth, ...to]);
    });
  });
}

const packedProduct = "packed c cRowBytes sums sumsRowBytes rows n k";

/** The blocks of a product whose B is packed: the panels, and where the products go. */
function forEachPacked(
  target: FunctionBuilder,
  kind: Kind,
  { packed, n, ...held }: Readonly<Record<Words<typeof packedProduct>, Variable>>,
  multiply: (panels: Expression, block: Block, to: readonly Expression[]) => void,
): void {
  whenEmpty(target, kind, held.c, held.cRowBytes, held.rows, n, held.k);
  forEachBlock(target, kind, n, held.k, (block) => {
    const { column, element, depth } = block;
    multiply(packedAt(kind, packed, n, element, depth, column), block, heldOf(target, kind, held, block));
  });
}

/** Where a block of packed B begins: blocks along k follow each other, each with the panels of all columns. */
function packedAt(
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
