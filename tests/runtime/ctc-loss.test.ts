/** CTC's losses and gradients against PyTorch's (fixtures/ctc-loss.py made the values), and what is refused. */
import { readFileSync } from "node:fs";
import { arange, autograd, type CtcLossOptions, ctcLoss, float, tensor, zeros } from "fuseau";
import { CTCLoss } from "fuseau/nn";
import { describe, expect, it } from "vitest";

interface Case {
  readonly name: string;
  readonly shape: number[];
  readonly targets: number[] | number[][];
  readonly inputs: number | number[];
  readonly lengths: number | number[];
  readonly steep: number;
  readonly softmax: boolean;
  readonly options: { reduction?: "none"; blank?: number; zero_infinity?: boolean };
  readonly loss: string[];
  readonly gradient: string[];
}

const cases: readonly Case[] = JSON.parse(
  readFileSync(new URL("./fixtures/ctc-loss.json", import.meta.url), "utf8"),
);
const numberOf = (text: string): number => Number(text.replace("inf", "Infinity"));

describe("ctcLoss", () => {
  it.each(cases)("$name", ({ shape, targets, inputs, lengths, steep, softmax, options, loss, gradient }) => {
    const count = shape.reduce((product, size) => product * size);
    const logits = arange(count, { dtype: "float64" }).mul(1.7).sin().mul(steep).reshape(shape);
    logits.compute().requiresGrad_();
    const given: CtcLossOptions = {
      ...(options.reduction && { reduction: options.reduction }),
      ...(options.blank && { blank: options.blank }),
      ...(options.zero_infinity && { zeroInfinity: true }),
    };
    const labels = tensor(targets, { dtype: "int64" });
    const x = softmax ? logits.logSoftmax(-1) : logits;
    const losses = ctcLoss(x, labels, inputs, lengths, given);
    const weights = arange(1, losses.numel() + 1, { dtype: "float64" }).reshape(losses.shape);
    losses.mul(weights).sum().backward();
    for (const [found, expected] of [
      [losses, loss],
      [logits.grad!, gradient],
    ] as const) {
      const elements = found.flatten().toArray() as number[];
      for (const [k, text] of expected.entries()) {
        const value = numberOf(text);
        if (Number.isFinite(value))
          expect(Math.abs(elements[k]! - value)).toBeLessThan(1e-11 * Math.max(1, Math.abs(value)));
        else expect(elements[k]).toBe(value);
      }
    }
    // The module, and lengths as tensors.
    const ints = (list: number | number[]) => tensor(list, { dtype: "int64" });
    const again = new CTCLoss(given).forward(x, labels, ints(inputs as number[]), ints(lengths as number[]));
    expect(again.toArray()).toEqual(losses.toArray());
  });

  it("has its gradient when the loss was read before, and a second time", () => {
    const x = zeros([3, 1, 3]).logSoftmax(-1).compute().requiresGrad_();
    const gradients = (isRead: boolean): unknown[] => {
      const loss = ctcLoss(x, tensor([[1]], { dtype: "int64" }), [3], [1]);
      if (isRead) loss.item();
      return [1, 2].map(() => autograd.grad(loss, [x], { retainGraph: true })[0]!.toArray());
    };
    expect(gradients(true)).toEqual(gradients(false));
  });

  it("of no steps is 0 without labels, and infinite with some", () => {
    // PyTorch 2: 1.13 reads what is not there.
    const losses = ctcLoss(zeros([2, 2, 3]), tensor([[1], [1]], { dtype: "int64" }), [0, 0], [0, 1], {
      reduction: "none",
    });
    expect(losses.toArray()).toEqual([0, Infinity]);
  });

  it("has a slope along a direction, and no second derivative, as in PyTorch", () => {
    const x = zeros([3, 1, 3]).logSoftmax(-1).compute().requiresGrad_();
    const loss = ctcLoss(x, tensor([[1]], { dtype: "int64" }), [3], [1]);
    const [slope] = autograd.grad(loss, [x], { createGraph: true });
    expect(() => autograd.grad(slope!.sum(), [x])).toThrow(
      "derivative for '_ctc_loss_backward' is not implemented",
    );
  });

  const logProbs = zeros([5, 2, 4]);
  const targets = tensor(
    [
      [1, 2, 2],
      [3, 1, 0],
    ],
    { dtype: "int64" },
  );
  const call =
    (inputs: number[], lengths: number[], options = {}) =>
    () =>
      ctcLoss(logProbs, targets, inputs, lengths, options);
  it.each([
    [call([5, 6], [3, 2]), "ctcLoss: Expected input_lengths to have value at most 5, but got value 6"],
    [call([5, 5], [4, 2]), "Expected tensor to have size at least 4 at dimension 1, but got size 3"],
    [call([5], [3, 2]), "input_lengths must be of size batch_size"],
    [call([5, 4], [3]), "target_lengths must be of size batch_size"],
    [call([5, 4], [3, -1]), "target_lengths must be whole numbers from 0 on, but one is -1"],
    [call([5, 4], [3, 2], { blank: 4 }), "blank must be in label range"],
    [call([5, 4], [3, 2], { reduction: "foo" }), "foo is not a valid value for reduction"],
    [
      () => ctcLoss(logProbs, targets.flatten(), [5, 4], [3, 2]),
      "Expected tensor to have size 5 at dimension 0, but got size 6",
    ],
    [() => ctcLoss(logProbs, targets.float(), [5, 4], [3, 2]), "targets must be Long or Int"],
    [() => ctcLoss(logProbs.half(), targets, [5, 4], [3, 2]), "\"ctc_loss_cpu\" not implemented for 'Half'"],
    [
      () => ctcLoss(logProbs, targets, tensor([5, float(4)] as never), [3, 2]),
      "input_lengths must be integral",
    ],
    [() => ctcLoss(zeros([4]), targets, [5, 4], [3, 2]), "Expected 2 or 3 dimensions, but got 1-dimensional"],
  ])("refuses what does not fit: %#", (refused, message) => {
    expect(refused).toThrow(message);
  });
});
