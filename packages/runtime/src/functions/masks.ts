/** Elements read and written where a mask is true, which broadcasts with x. PyTorch's functions of the same name. */
import { declare } from "../declare/declaration.ts";
import * as ops from "../ops/indexing-masks.ts";
import { type Tensor, term, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor, Fits, Operand, PairShape } from "../tensor/types.ts";

/** `value`, a number or a 0-d tensor, where the mask is true. Both broadcast; x keeps its dtype. */
export const maskedFill = declare(
  "maskedFill(mask, value)",
  <T extends AnyTensor, M extends AnyTensor>(
    input: T,
    mask: Fits<T, M>,
    value: Operand,
  ): Tensor<PairShape<T, M>, T["dtype"]> => {
    const x = unwrap(input);
    return wrap(ops.maskedFill(x, unwrap(mask), term(value)));
  },
  true,
);

/** The elements where the mask is true, row-major, x and the mask broadcast. How many is found out at the call. */
export const maskedSelect = declare(
  "maskedSelect(mask)",
  <T extends AnyTensor, M extends AnyTensor>(input: T, mask: Fits<T, M>): Tensor<[number], T["dtype"]> => {
    const x = unwrap(input);
    return wrap(ops.maskedSelect(x, unwrap(mask)));
  },
);

/** The elements of `source` one after another where the mask is true. Too few are found out when it is computed. */
export const maskedScatter = declare(
  "maskedScatter(mask, source)",
  <T extends AnyTensor, M extends AnyTensor>(
    input: T,
    mask: Fits<T, M>,
    source: AnyTensor,
  ): Tensor<PairShape<T, M>, T["dtype"]> => {
    const op = "maskedScatter";
    const x = unwrap(input);
    const from = unwrap(source);
    return wrap(ops.maskedScatter(op, x, unwrap(mask), from));
  },
  true,
);
