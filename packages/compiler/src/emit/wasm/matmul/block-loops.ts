/** The loops over blocks of a product. */
import {
  add,
  choose,
  type Expression,
  equal,
  less,
  min,
  mul,
  sub,
  type Variable,
} from "../encode/expression.ts";
import type { FunctionBuilder } from "../encode/function.ts";
import { KC, type Kind } from "./kinds.ts";

/** NC: columns of B that are multiplied with a block of A at a time. Packed, they fit the third-level cache. */
export const NC = 1024;

export interface Block {
  /** The first column, and the first element along k. */
  readonly column: Expression;
  readonly element: Variable;
  readonly columns: Expression;
  readonly depth: Variable;
}

/** Visits the blocks of B. Those of the same columns come in order along k. */
export function forEachBlock(
  target: FunctionBuilder,
  kind: Kind,
  n: Expression,
  k: Expression,
  body: (block: Block) => void,
): void {
  target.forEach(0, n, NC, (column) => {
    const columns = target.define(min(sub(n, column), NC));
    forEachDepth(target, kind, k, (element, depth) => body({ column, element, columns, depth }));
  });
}

export function forEachDepth(
  target: FunctionBuilder,
  { unitElements }: Kind,
  k: Expression,
  body: (element: Variable, depth: Variable) => void,
): void {
  const step = KC * unitElements;
  target.forEach(0, k, step, (element) => {
    body(element, target.define(min(sub(k, element), step)));
  });
}

/** A result that is written once. The sums of earlier blocks along k are held in `sums`, which may be the result. */
interface Held {
  readonly c: Expression;
  readonly cRowBytes: Expression;
  readonly sums: Expression;
  readonly sumsRowBytes: Expression;
  readonly rows: Expression;
  readonly k: Expression;
}

/** The destination of a block's sums. */
export function heldOf(
  target: FunctionBuilder,
  { unitBytes }: Kind,
  { c, cRowBytes, sums, sumsRowBytes, rows, k }: Held,
  { column, element, columns, depth }: Block,
): Expression[] {
  const isLast = target.define(equal(add(element, depth), k));
  const place = (from: Expression): Expression => add(from, mul(column, unitBytes));
  return [
    ...[choose(isLast, place(c), place(sums)), choose(isLast, cRowBytes, sumsRowBytes)],
    ...[place(sums), sumsRowBytes, rows, columns, less(0, element)],
  ];
}

/** If k is 0, fills the rows with 0 and returns. */
export function whenEmpty(
  target: FunctionBuilder,
  kind: Kind,
  c: Expression,
  cRowBytes: Expression,
  rows: Expression,
  n: Expression,
  k: Expression,
): void {
  target.when(equal(k, 0), () => {
    fillZeros(target, kind, c, cRowBytes, rows, n);
    target.return();
  });
}

/** Fills rows with 0. */
export function fillZeros(
  target: FunctionBuilder,
  { unitBytes }: Kind,
  c: Expression,
  cRowBytes: Expression,
  rows: Expression,
  n: Expression,
): void {
  target.forEach(0, rows, 1, (row) => {
    target.clear(add(c, mul(row, cRowBytes)), mul(n, unitBytes));
  });
}
