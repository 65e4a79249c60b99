/** What the losses share: their results' types, and how they take a pair of tensors. */
import { type Tensor, tensorArgument } from "../tensor/tensor.ts";
import type { AnyTensor, PairDType, PairShape } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/** A loss for each element, or one. */
export type Reduced<S extends number[], R extends string> = R extends "none" ? S : [];

export type PairLoss<T extends AnyTensor, B, R extends string> = Tensor<
  Reduced<PairShape<T, B>, R>,
  PairDType<T, B>
>;

/** Both tensors of a loss. */
export const pair = (op: string, input: AnyTensor, target: AnyTensor): [Value, Value] => [
  tensorArgument(op, "input", input),
  tensorArgument(op, "target", target),
];
