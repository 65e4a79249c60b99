/**
 * Products that take each other's rows, as a small perceptron does: `x.matmul(w).relu().matmul(v)`. Fused, the first is summed in blocks of
 * few rows; stored, more rows are in one block. Rows of scores, which are folded between two products, stay in the cache (attention).
 */
import { type Accumulate, type Let, type Loop, letsOf, readsOf, type Store } from "../schedule/tree.ts";
import type { ProductLoops } from "../tactics/products/loops.ts";

/** Units of each row of a product that another one takes, and of an element in it. */
const [ROW, ELEMENT] = [40, 6];

/** Units that a product in a loop loses, with other products in the loops beside it; 0 if none takes another's rows. */
export function chainedUnits(loop: Loop, beside: readonly Loop[], loops: ProductLoops): number {
  const [own, others] = [dotsIn(loop), beside.flatMap(dotsIn)];
  if (beside.some((each) => folds(each) && dotsIn(each).length === 0)) return 0;
  const stores = [loop, ...beside].flatMap(storesIn);
  const rows = loops.count * loops.rows;
  if (takes(others, own, stores)) return rows * (ROW + loops.columns * ELEMENT);
  // A first product that has a row of accumulators is not seen to be beside the second.
  const isLast = others.every(({ reduction }) => reduction.cells > 1) && takes(own, others, stores);
  return isLast ? rows * (ROW + loops.depth * ELEMENT) : 0;
}

/** True of products that take what others give, or a row in memory that is made of it. */
function takes(
  dots: readonly Accumulate[],
  others: readonly Accumulate[],
  stores: readonly Store[],
): boolean {
  const reached = new Set<Let>(dots.flatMap(readsOf));
  for (const item of reached) {
    const { definition } = item;
    if (definition.kind === "result" && others.some(({ reduction }) => reduction === definition.reduction))
      return true;
    const made =
      definition.kind === "load"
        ? stores.filter(({ buffer }) => buffer === definition.buffer).flatMap(readsOf)
        : letsOf(item);
    for (const each of made) reached.add(each);
  }
  return false;
}

const dotsIn = ({ body }: Loop): readonly Accumulate[] =>
  body.items.flatMap((item) => {
    if (item.kind === "loop") return dotsIn(item);
    return item.kind === "accumulate" && item.reduction.fn === "dot" ? [item] : [];
  });

const storesIn = ({ body }: Loop): readonly Store[] =>
  body.items.flatMap((item) => (item.kind === "loop" ? storesIn(item) : item.kind === "store" ? [item] : []));

const folds = ({ role, body }: Loop): boolean =>
  role === "reduce" || body.items.some((item) => item.kind === "loop" && folds(item));
