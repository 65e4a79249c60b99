/** Methods whose arguments are in another order than the function's. */
import { declare } from "../declare/declaration.ts";
import { where as choose } from "../ops/pointwise.ts";
import { checkedTerm, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type {
  AnyTensor,
  Fits,
  FitsShape,
  Operand,
  OperandsDType,
  PairShape,
  TripleShape,
} from "../tensor/types.ts";

/** x where the bool `condition` holds, `other` elsewhere. @throws DTypeError when the condition is not bool. */
export const where = declare(
  "where(condition, other)",
  <T extends AnyTensor, const C extends AnyTensor, const B extends Operand>(
    input: T,
    condition: Fits<T, C>,
    other: FitsShape<PairShape<T, C>, B>,
  ): Tensor<TripleShape<T, C, B>, OperandsDType<T, B>> =>
    wrap(choose(unwrap(condition), unwrap(input), checkedTerm(other))),
);
