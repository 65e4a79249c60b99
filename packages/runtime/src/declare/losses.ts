/**
 * Families of losses. `reduction` says how the losses of all elements are combined.
 * @throws TypeError for a word that is none of the three.
 */
import {
  type DType,
  type FloatDType,
  type FloatResult,
  type RemoveAt,
  sameNumbers,
  showShape,
} from "@fuseau/ir";
import { callSite } from "../compat/call-site.ts";
import { warnOnce } from "../messages/warning.ts";
import { type LossReduction, reduceLoss } from "../ops/loss/reduction.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor, Fits, PairDType, PairShape } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import { declareFunction, nameOf } from "./declaration.ts";

/** How the losses are combined: not at all, their mean (the default), or their sum. */
export interface LossOptions<R extends string = LossReduction> {
  readonly reduction?: R;
}

/** A loss for each element, or one loss. */
export type Reduced<S extends number[], R extends string> = R extends "none" ? S : [];

/** The shape of the losses before they are reduced. The static type does not follow it for `any`. */
interface LossShapes<T extends AnyTensor, B extends AnyTensor> {
  readonly input: T[ShapeKey];
  readonly target: B[ShapeKey];
  readonly classes: ClassShape<T[ShapeKey], B>;
  readonly any: number[];
}

/** The shape of the target if it names classes; if it is a probability for each, the input's without the axis of classes. */
type ClassShape<S extends number[], B extends AnyTensor> = [B["dtype"]] extends [FloatDType]
  ? S extends [number]
    ? []
    : RemoveAt<S, 1>
  : FloatDType & B["dtype"] extends never
    ? B[ShapeKey]
    : number[];

/** The dtype of losses: as promoted, or a float also of integers. */
interface LossDTypes<D extends DType> {
  readonly promoted: D;
  readonly float: FloatResult<D>;
}

/**
 * A loss of two tensors that are broadcast and promoted. `run` returns a loss for each element; `Options` are the options beside
 * `reduction`. With `isOfOneSize`, another size of the target is broadcast as well, but PyTorch's warning says so.
 */
/* @__NO_SIDE_EFFECTS__ */
export function pairLoss<Rule extends keyof LossDTypes<DType>, Options>(
  _dtype: Rule,
  call: string,
  run: (x: Value, target: Value, options?: Options) => Value,
  isOfOneSize = false,
) {
  const name = nameOf(call);
  return declareFunction(
    call,
    <T extends AnyTensor, const B extends AnyTensor, const R extends LossReduction = "mean">(
      input: T,
      target: Fits<T, B>,
      options?: LossOptions<R> & Options,
    ): Tensor<Reduced<PairShape<T, B>, R>, LossDTypes<PairDType<T, B>>[Rule]> => {
      const [x, goal] = [unwrap(input), unwrap(target)];
      if (isOfOneSize && !sameNumbers(x.node.shape, goal.node.shape)) warnOfSizes(name, x, goal);
      return wrap(reduceLoss(name, run(x, goal, options), options?.reduction ?? "mean"));
    },
  );
}

/** Of [N, 1] and [N] the differences are [N, N], of which few people think. */
function warnOfSizes(name: string, x: Value, target: Value): void {
  const site = callSite();
  warnOnce(
    `${name} ${site}`,
    `${name}: Using a target size (${showShape(target.node.shape)}) that is different to the input size (${showShape(x.node.shape)}). This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size. (at ${site})`,
  );
}

/** A loss of an input and a target that does not broadcast. `run` reduces the losses itself. */
/* @__NO_SIDE_EFFECTS__ */
export function scoreLoss<S extends "input" | "target" | "classes" | "any", Options>(
  _shape: S,
  call: string,
  run: (x: Value, target: Value, reduction: LossReduction, options?: Options) => Value,
) {
  return declareFunction(
    call,
    <T extends AnyTensor, const B extends AnyTensor, const R extends LossReduction = "mean">(
      input: T,
      target: B,
      options?: LossOptions<R> & Options,
    ): Tensor<Reduced<LossShapes<T, B>[S], R>, FloatResult<PairDType<T, B>>> => {
      const [x, goal] = [unwrap(input), unwrap(target)];
      return wrap(run(x, goal, options?.reduction ?? "mean", options));
    },
  );
}
