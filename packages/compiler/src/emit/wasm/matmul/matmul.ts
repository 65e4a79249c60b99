/**
 * Matrix products as functions of a module.
 *
 * An element of the result is a sum along k in order, in blocks of {@link KC} units. Each block's sum starts from 0, and the
 * blocks' sums are added in order. The order depends neither on the element's place nor on what else is computed, so any split of
 * rows or columns gives the same bits. Accesses may read, but never write, up to 64 bytes past the end of an operand.
 */
import { add, and, type Expression, equal, less, mul, or } from "../encode/expression.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { forEachBlock, heldOf, NC, whenEmpty } from "./block-loops.ts";
import { blockBytes, multiplyBlock } from "./blocks.ts";
import { gemv, gemvWorkspace } from "./gemv.ts";
import { KC, type Kind } from "./kinds.ts";
import { pack } from "./pack.ts";
import { multiplyPackedWorkspace, packedBytes } from "./packed.ts";
import { hasContiguousRows, hasSmall, isSmall, multiplySmall } from "./small.ts";

/** Up to so many rows or columns of the result, packing the other operand costs more than it saves. */
const gemvLimit = 3;

/** True where {@link matmul} is faster without packing B in a phase of its own. If the sizes are known, it is a number. */
export const isUnpacked = (kind: Kind, m: Expression, n: Expression, k: Expression): Expression => {
  const isGemv = or(less(m, gemvLimit + 1), less(n, gemvLimit + 1));
  return hasSmall(kind) ? or(isGemv, isSmall(m, n, k)) : isGemv;
};

/** Workspace of one call of {@link matmul}, in bytes. */
export const matmulWorkspace =
  (kind: Kind) =>
  (n: number, k: number): number => {
    const block = packedBytes(kind, Math.min(n, NC), Math.min(k, KC * kind.unitElements));
    return Math.max(gemvWorkspace(kind), multiplyPackedWorkspace(kind) + block);
  };

/**
 * matmul(a, aRowBytes, aColumnBytes, b, bRowBytes, bColumnBytes, c, cRowBytes, m, n, k, workspace): C = A · B; C is filled with 0
 * if k is 0.
 */
export function matmul(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const { elementBytes, unitBytes } = kind;
  const names = "a aRowBytes aColumnBytes b bRowBytes bColumnBytes c cRowBytes m n k workspace";
  return module.procedure(`matmul_${kind.name}`, names, (target, parameters) => {
    const { a, aRowBytes, aColumnBytes, b, bRowBytes, bColumnBytes, ...others } = parameters;
    const { c, cRowBytes, m, n, k, workspace } = others;
    whenEmpty(target, kind, c, cRowBytes, m, n, k);

    if (hasSmall(kind)) {
      target.when(and(isSmall(m, n, k), hasContiguousRows(bColumnBytes, kind)), () => {
        target.call(multiplySmall(module, kind), [
          ...[a, aRowBytes, aColumnBytes, b, bRowBytes],
          ...[c, cRowBytes, m, n, k],
        ]);
        target.return();
      });
    }

    const contiguous = (first: Expression, second: Expression): Expression =>
      or(equal(first, elementBytes), equal(second, elementBytes));
    target.when(and(less(m, gemvLimit + 1), contiguous(bRowBytes, bColumnBytes)), () => {
      const rowsOfA = [a, aRowBytes, aColumnBytes, m];
      target.call(gemv(module, kind), [
        ...[b, bColumnBytes, bRowBytes, n],
        ...rowsOfA,
        ...[c, unitBytes, cRowBytes, k, workspace],
      ]);
      target.return();
    });
    target.when(and(less(n, gemvLimit + 1), contiguous(aRowBytes, aColumnBytes)), () => {
      const columnsOfB = [b, bColumnBytes, bRowBytes, n];
      target.call(gemv(module, kind), [
        ...[a, aRowBytes, aColumnBytes, m],
        ...columnsOfB,
        ...[c, cRowBytes, unitBytes, k, workspace],
      ]);
      target.return();
    });

    const packed = target.define(add(workspace, blockBytes(kind)));
    const held = { c, cRowBytes, sums: c, sumsRowBytes: cRowBytes, rows: m, k };
    forEachBlock(target, kind, n, k, (block) => {
      const { column, element, columns, depth } = block;
      const from = add(b, add(mul(element, bRowBytes), mul(column, bColumnBytes)));
      target.call(pack(module, kind, kind.nr), [from, bColumnBytes, bRowBytes, columns, depth, packed]);
      target.call(multiplyBlock(module, kind), [
        ...[add(a, mul(element, aColumnBytes)), aRowBytes, aColumnBytes, packed, depth, workspace, 0],
        ...heldOf(target, kind, held, block),
      ]);
    });
  });
}
