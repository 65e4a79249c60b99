/** Products whose right operand is packed in advance, and the layout of that. */
import {
  add,
  and,
  choose,
  type Expression,
  equal,
  less,
  min,
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
import { pack, packTabled } from "./pack.ts";
import { hasSmall, isNarrow, multiplySmall } from "./small.ts";

/** Bytes of the packed B. */
export function packedBytes(kind: Kind, n: number, k: number): number {
  const columns = Math.ceil(n / kind.nr) * kind.nr;
  return columns * Math.ceil(k / kind.unitElements) * kind.unitBytes;
}

/** The most units along k for which {@link multiplyPacked} keeps A packed. */
export const keptUnits: number = 16 * KC;

/** Workspace of one call of {@link multiplyPacked}, in bytes. */
export const multiplyPackedWorkspace = (kind: Kind): number => blockBytes(kind);

/** The same for one that is to keep A packed. */
export const keptWorkspace =
  (kind: Kind) =>
  (k: number): number => {
    const units = Math.ceil(k / kind.unitElements);
    const blocks = units <= keptUnits ? Math.ceil(units / KC) : 1;
    return Math.max(1, blocks) * blockBytes(kind);
  };

/**
 * packB(b, bRowBytes, bColumnBytes, n, k, packed, begin, end): packs the columns from `begin` (a multiple of NR) to `end` of B,
 * for {@link multiplyPacked}.
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
 * packTabledB(b, ofColumn, ofDepth, n, k, packed, begin, end): {@link packB} of an operand read by tables: the element of a column at
 * place k is at `b + ofColumn[column] + ofDepth[k]`, in bytes.
 */
export function packTabledB(module: ModuleBuilder, kind: Kind): FunctionIndex {
  return module.procedure(
    `pack_tabled_b_${kind.name}`,
    "b ofColumn ofDepth n k packed begin end",
    (target, { b, ofColumn, ofDepth, n, k, packed, begin, end }) => {
      const from = target.define(add(ofColumn, mul(begin, 4)));
      forEachDepth(target, kind, k, (element, depth) => {
        target.call(packTabled(module, kind, kind.nr), [
          ...[b, from, add(ofDepth, mul(element, 4)), sub(end, begin), depth],
          packedAt(kind, packed, n, element, depth, begin),
        ]);
      });
    },
  );
}

/**
 * multiplyPacked(a, aRowBytes, aColumnBytes, packed, c, cRowBytes, sums, sumsRowBytes, rows, n, k, workspace, keep, isKept): a
 * product with a packed B. C is written once; until then the sums of earlier blocks are in `sums`, which may be C. With `keep`,
 * which requires at most MC rows, A stays packed in the workspace, if it has at most {@link keptUnits}. `isKept` says that an
 * earlier call kept the same A. Without `keep`, a narrow product reads A where it is.
 */
export function multiplyPacked(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const { unitElements } = kind;
  const names = `a aRowBytes aColumnBytes ${packedProduct} workspace keep isKept` as const;
  return module.procedure(`multiply_packed_${kind.name}`, names, (target, parameters) => {
    const { a, aRowBytes, aColumnBytes, workspace, keep, ...product } = parameters;
    const mayKeep = less(product.k, keptUnits * unitElements + 1);
    if (hasSmall(kind)) {
      const { packed, c, cRowBytes, rows, n, k } = product;
      target.when(and(equal(keep, 0), isNarrow(n, k)), () => {
        whenEmpty(target, kind, c, cRowBytes, rows, n, k);
        target.forEach(0, n, kind.nr, (column) => {
          target.call(multiplySmall(module, kind), [
            ...[a, aRowBytes, aColumnBytes],
            ...[packedAt(kind, packed, n, 0, k, column), kind.nr * kind.unitBytes],
            ...[add(c, mul(column, kind.unitBytes)), cRowBytes, rows, min(sub(n, column), kind.nr), k],
          ]);
        });
        target.return();
      });
    }
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
 * multiplyTabled(a, ofRow, ofDepth, packed, c, cRowBytes, sums, sumsRowBytes, rows, n, k): {@link multiplyPacked} with A read by
 * tables: element k of a row is at `a + ofRow[row] + ofDepth[k]`, in bytes. So are rows of windows, in the gradient of filters.
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

/** Visits the blocks of a product with a packed B: the panels, and the destination. */
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

/** The begin of a block of the packed B. Blocks along k follow each other; each has the panels of all columns. */
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
