import type { Broadcast } from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import type { Beside } from "../declare/operands.ts";
import { where as choose } from "../ops/pointwise.ts";
import { checkedTerm, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { OfMask } from "../tensor/indexing-types.ts";
import type { AnyTensor, FitsShape, Operand, OperandsDType, ShapeOf, TripleShape } from "../tensor/types.ts";

/** `a` where the bool condition holds, `b` elsewhere. @throws DTypeError when the condition is not bool. */
export const where = declareFunction(
  "where(condition, a, b)",
  <const C extends AnyTensor, const A extends Operand, const B extends Operand>(
    condition: OfMask<C, C, "compare first, e.g. x.ne(0)">,
    a: Beside<C, A>,
    b: FitsShape<Broadcast<ShapeOf<C>, ShapeOf<A>>, B>,
  ): Tensor<TripleShape<C, A, B>, OperandsDType<A, B>> => {
    if (a === undefined && b === undefined)
      throw new TypeError("takes what to choose from; places are condition.nonzero({ asTuple: true })");
    return wrap(choose(unwrap(condition as C), checkedTerm(a), checkedTerm(b)));
  },
);
