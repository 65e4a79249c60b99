/** The loops over blocks of a product. */
import {
  add,
  define,
  type Expression,
  equal,
  forEach,
  min,
  mul,
  push,
  sub,
  type Variable,
  when,
} from "../encode/expression.ts";
import type { FunctionBuilder } from "../encode/function.ts";
import { KC, type Kind } from "./kinds.ts";

/** NC: columns of B that pass over a block of A at a time. Packed, they stay in the third cache. */
export const NC = 1024;

interface Block {
  /** The first column, and the first element along k. */
  readonly column: Variable;
  readonly element: Variable;
  readonly columns: Variable;
  readonly depth: Variable;
}

/** The blocks of B, those of the same columns in their order along k. */
export function forEachBlock(
  target: FunctionBuilder,
  kind: Kind,
  n: Expression,
  k: Expression,
  body: (block: Block) => void,
): void {
  forEach(target, 0, n, NC, (column) => {
    const columns = define(target, min(sub(n, column), NC));
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
  forEach(target, 0, k, step, (element) => {
    body(element, define(target, min(sub(k, element), step)));
  });
}

/** Where k is 0, fills the rows with 0 and returns. */
export function whenEmpty(
  target: FunctionBuilder,
  kind: Kind,
  c: Expression,
  cRowBytes: Expression,
  begin: Expression,
  end: Expression,
  n: Expression,
  k: Expression,
): void {
  when(target, equal(k, 0), () => {
    forEach(target, begin, end, 1, (row) => fillZeros(target, kind, add(c, mul(row, cRowBytes)), n));
    target.return();
  });
}

/** So many units that are 0. */
export function fillZeros(
  target: FunctionBuilder,
  { unitBytes }: Kind,
  to: Expression,
  units: Expression,
): void {
  push(target, to);
  push(target, 0);
  push(target, mul(units, unitBytes));
  target.op("memory.fill");
}
