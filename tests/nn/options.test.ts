/** What options of modules make: masks that fit, weights that are saved, positions of pools. */
import { type AnyTensor, arange, ones, tensor, zeros } from "fuseau";
import * as nn from "fuseau/nn";
import { describe, expect, it } from "vitest";

describe("masks and shapes of MultiheadAttention", () => {
  const attention = new nn.MultiheadAttention(4, 2, { batchFirst: true });
  const [query, key] = [ones([3, 5, 4]), ones([3, 6, 4])];
  const [one, keys] = [ones([5, 4]), ones([6, 4])];

  it.each([
    ["a mask of some samples", { attnMask: zeros([3, 5, 6]) }, "should be [5, 6] or [6, 5, 6]"],
    [
      "a mask of one query",
      { attnMask: zeros([1, 6]) },
      "attnMask has shape [1, 6], but should be [5, 6] or",
    ],
    ["an integer mask", { attnMask: zeros([5, 6], { dtype: "int64" }) }, "only bool and floating attnMask"],
    [
      "padding of one sample",
      { keyPaddingMask: ones([1, 6]) },
      "keyPaddingMask has shape [1, 6], but should be [3, 6]",
    ],
    [
      "padding without samples",
      { keyPaddingMask: ones([6]) },
      "keyPaddingMask has shape [6], but should be [3, 6]",
    ],
    [
      "integer padding",
      { keyPaddingMask: ones([3, 6], { dtype: "uint8" }) },
      "only bool and floating keyPaddingMask",
    ],
  ] as const)("%s is refused", (_, options, message) => {
    expect(() => attention.forward(query, key, key, options)).toThrow(message);
  });

  it.each([
    ["keys of one sample for a batch", query, ones([1, 6, 4]), ones([1, 6, 4])],
    ["values of another length", query, key, ones([3, 7, 4])],
    ["keys of a batch for one sample", one, key, key],
  ] as const)("%s are refused", (_, q, k, v) => {
    expect(() => attention.forward(q as AnyTensor, k, v)).toThrow(/key and value must have as many axes/);
  });

  it("one sample has masks for its heads", () => {
    const shapes = (options: nn.AttentionCallOptions) =>
      attention.forward(one, keys, keys, options).map((each) => each?.shape);
    expect(shapes({ attnMask: zeros([2, 5, 6]) })).toEqual([
      [5, 4],
      [5, 6],
    ]);
    expect(shapes({ keyPaddingMask: zeros([6], { dtype: "bool" }) })).toEqual([
      [5, 4],
      [5, 6],
    ]);
    expect(() => shapes({ attnMask: zeros([1, 5, 6]) })).toThrow("should be [5, 6] or [2, 5, 6]");
  });
});

describe("weights of losses", () => {
  it("are buffers, in the state dict and in other dtypes", () => {
    const model = new nn.Sequential(
      new nn.Linear(3, 3),
      new nn.CrossEntropyLoss({ weight: ones([3]) }) as never,
    );
    expect(Object.keys(model.stateDict())).toEqual(["0.weight", "0.bias", "1.weight"]);
    const loss = new nn.BCEWithLogitsLoss({ posWeight: tensor([2]) });
    expect(Object.keys(loss.stateDict())).toEqual(["pos_weight"]);
    expect([loss.weight, loss.to("float64").posWeight?.dtype]).toEqual([null, "float64"]);
    expect(Object.keys(new nn.NLLLoss().stateDict())).toEqual([]);
  });

  it("leave what they were given as it was: no buffer, no parameter of the loss, and a gradient if it wants one", () => {
    class Model extends nn.Module {
      own = tensor([1, 2, 3]);
      learnt = nn.parameter(tensor([1, 2, 3]));
      losses = [this.own, this.learnt].map((weight) => new nn.CrossEntropyLoss({ weight }));
      forward(): void {}
    }
    const model = new Model();
    expect(Object.keys(model.stateDict())).toEqual(["learnt", "losses.0.weight", "losses.1.weight"]);
    expect(model.parameters()).toEqual([model.learnt]);
    const posWeight = tensor([2]).requiresGrad_();
    new nn.BCEWithLogitsLoss({ posWeight }).forward(tensor([0]), tensor([1])).backward();
    expect(posWeight.grad?.item()).toBeCloseTo(Math.LN2);
  });

  it("are those that were loaded", () => {
    const loss = new nn.MultiMarginLoss({ weight: ones([2]) });
    const [input, target] = [tensor([[0, 1]]), tensor([0], { dtype: "int64" })];
    expect(loss.forward(input, target).item()).toBe(1);
    loss.loadStateDict({ weight: tensor([3, 1]) });
    expect(loss.forward(input, target).item()).toBe(3);
  });
});

describe("positions of max pools", () => {
  it("are given where they are asked for, and put back by an unpool", () => {
    const x = arange(16).float().reshape([1, 1, 4, 4]);
    const { values, indices } = new nn.MaxPool2d(2, { returnIndices: true }).forward(x);
    expect([values.toArray(), indices.toArray()]).toEqual([
      [
        [
          [
            [5, 7],
            [13, 15],
          ],
        ],
      ],
      [
        [
          [
            [5, 7],
            [13, 15],
          ],
        ],
      ],
    ]);
    const back = new nn.MaxUnpool2d(2).forward(values, indices);
    expect(back.sum().item()).toBe(40);
    const adaptive = new nn.AdaptiveMaxPool1d(2, { returnIndices: true }).forward(
      arange(6).float().reshape([1, 6]),
    );
    expect(adaptive.indices.toArray()).toEqual([[2, 5]]);
  });
});
