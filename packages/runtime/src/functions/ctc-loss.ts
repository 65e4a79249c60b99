/** The loss of connectionist temporal classification. PyTorch: `torch.nn.functional.ctc_loss`. */
import { DTypeError, isInt, ShapeError, showShape } from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import type { LossOptions, Reduced } from "../declare/losses.ts";
import { numbersNow } from "../ops/host.ts";
import { ctc, integers } from "../ops/loss/ctc.ts";
import { checkReduction, type LossReduction } from "../ops/loss/reduction.ts";
import { div } from "../ops/pointwise.ts";
import { mean, sum } from "../ops/reduction.ts";
import * as record from "../record.ts";
import { type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";

export interface CtcLossOptions<R extends LossReduction = LossReduction> extends LossOptions<R> {
  /** The class of blanks, which stand between labels. Default 0. */
  readonly blank?: number;
  /** A loss is infinite if there are too few steps for the labels. If true, it is 0 instead, and so is its gradient. Default false. */
  readonly zeroInfinity?: boolean;
}

/** One number for each sample of a batch, or one number if there is no batch. */
export type Lengths = number | readonly number[] | AnyTensor;

/**
 * −log of the probability that `logProbs` [steps, n, classes] spell `targets` [n, labels], with any number of steps for each label and of
 * blanks between labels. `logProbs` are logarithms, as `logSoftmax` gives them. Without n there is one sample. Targets may also be a list
 * of all labels, one sample after another. For "mean", each loss is divided by its number of labels first. Lengths that are tensors are
 * computed at the call. The gradient is PyTorch's: it is correct for what went through `logSoftmax`, and cannot be differentiated.
 * @throws ShapeError for sizes that do not fit; RangeError for lengths that are too large, or a blank that is no class; DTypeError unless
 * `logProbs` are float32 or float64, and targets int64 or int32.
 */
export const ctcLoss = declareFunction(
  "ctcLoss(logProbs, targets, inputLengths, targetLengths, { blank, zeroInfinity, reduction })",
  <T extends AnyTensor, const R extends LossReduction = "mean">(
    logProbs: T,
    targets: AnyTensor,
    inputLengths: Lengths,
    targetLengths: Lengths,
    options?: CtcLossOptions<R>,
  ): Tensor<Reduced<number[], R>, T["dtype"]> => {
    const [x, labels] = [unwrap(logProbs), unwrap(targets)];
    const { shape } = x.node;
    const { blank = 0, zeroInfinity = false, reduction = "mean" }: CtcLossOptions = options ?? {};
    checkReduction("ctcLoss", reduction);
    if (shape.length !== 2 && shape.length !== 3)
      throw new ShapeError(
        `Expected 2 or 3 dimensions, but got ${shape.length}-dimensional tensor for argument #1 'log_probs' (shape ${showShape(shape)})`,
      );
    const isBatch = shape.length === 3;
    const batch = isBatch ? x : record.reshape(x, [shape[0]!, 1, shape[1]!]);
    const rows =
      isBatch || labels.node.shape.length !== 1 ? labels : record.reshape(labels, [1, ...labels.node.shape]);
    const lengths = { input: lengthsOf(inputLengths), target: lengthsOf(targetLengths) };
    const losses = ctc(batch, rows, lengths, blank, zeroInfinity);
    if (reduction === "none") return wrap(isBatch ? losses : record.reshape(losses, []));
    if (reduction === "sum") return wrap(sum(losses, null, false, null));
    const counts = lengths.target.map((length) => Math.max(1, length));
    return wrap(
      mean(div(losses, record.cast(integers([counts.length], counts), x.node.dtype)), null, false, null),
    );
  },
);

/** @throws DTypeError for a tensor that is no integer. */
function lengthsOf(given: Lengths): readonly number[] {
  if (typeof given === "number") return [given];
  if (Array.isArray(given)) return given;
  const lengths = unwrap(given as AnyTensor);
  if (!isInt(lengths.node.dtype)) throw new DTypeError("input_lengths must be integral");
  return numbersNow("ctcLoss", lengths);
}
