/** Hooks of modules. Numbers are of PyTorch 1.13, from the same calls. */
import { type AnyTensor, jit, noGrad, ones, type Tensor, tensor } from "fuseau";
import { Linear, LSTM, Module, parameter, ReLU, Sequential } from "fuseau/nn";
import { describe, expect, it } from "vitest";

const layer = (): Linear<2, 2> => {
  const made = new Linear(2, 2);
  made.loadStateDict({
    weight: tensor([
      [1, 2],
      [3, -4],
    ]),
    bias: tensor([0.5, -0.5]),
  });
  return made;
};
const input = (): Tensor<[2, 2], "float32"> =>
  tensor([
    [1, -1],
    [2, 0.5],
  ]);
const lists = (gradients: readonly (AnyTensor | null)[]): unknown[] =>
  gradients.map((gradient) => gradient?.toArray() ?? null);

describe("hooks before and after forward", () => {
  it("see arguments and results in the order of registration, until they are removed", () => {
    const module = layer();
    const seen: unknown[] = [];
    const before = module.registerForwardPreHook(
      (self, [x]) => seen.push(["a", self === module, x.shape]) && null,
    );
    const after = module.registerForwardHook((_, [x], y) => {
      seen.push(["b", x.shape, y.shape]);
    });
    module.registerForwardPreHook(() => void seen.push(["c"])).remove();
    module.forward(input());
    expect(seen).toEqual([
      ["a", true, [2, 2]],
      ["b", [2, 2], [2, 2]],
    ]);
    before.remove();
    before.remove();
    module.forward(input());
    expect(seen).toHaveLength(3);
    after.remove();
    expect([module.forward(input()).shape, seen.length, Object.hasOwn(module, "forward")]).toEqual([
      [2, 2],
      3,
      false,
    ]);
  });

  it("replace them by what they give, for the hooks that follow too", () => {
    const module = layer();
    module.registerForwardPreHook((_, [x]) => x.mul(2));
    module.registerForwardPreHook((_, [x]) => [x.add(1)]);
    module.registerForwardHook((_, __, y) => y.neg());
    module.registerForwardHook((_, __, y) => y.sub(10));
    expect(module.forward(input()).toArray()).toEqual([
      [-11.5, -22.5],
      [-19.5, -16.5],
    ]);
  });

  it("may keep what a layer within a Sequential gives", () => {
    const model = new Sequential(layer(), new ReLU(), new ReLU());
    const kept: AnyTensor[] = [];
    model.layers[0].registerForwardHook((_, __, y) => void kept.push(y));
    model.layers[2].registerForwardPreHook((_, [x]) => void kept.push(x as AnyTensor));
    model.forward(input());
    expect(kept.map((x) => x.toArray())).toEqual([
      [
        [-0.5, 6.5],
        [3.5, 3.5],
      ],
      [
        [0, 6.5],
        [3.5, 3.5],
      ],
    ]);
  });

  it("are called for a forward that is a field, and for one of several results", () => {
    class Twice extends Module {
      readonly forward = (x: Tensor): Tensor => x.mul(2);
    }
    const twice = new Twice();
    const handle = twice.registerForwardHook((_, [x], y) => y.add(x));
    expect(twice.forward(tensor([1, 2])).toArray()).toEqual([3, 6]);
    handle.remove();
    expect(twice.forward(tensor([1, 2])).toArray()).toEqual([2, 4]);
    const lstm = new LSTM(2, 3);
    lstm.registerForwardHook((_, __, [output]) => output);
    expect((lstm.forward(ones([4, 2])) as unknown as Tensor).shape).toEqual([4, 3]);
  });

  it("are called when a function is recorded for jit, and what they record is part of it", () => {
    const module = layer();
    let calls = 0;
    module.registerForwardHook((_, __, y) => {
      calls++;
      return y.mul(2);
    });
    const run = jit((x: Tensor<[2, 2], "float32">) => noGrad(() => module.forward(x)));
    run(input());
    expect(run(input()).toArray()).toEqual([
      [-1, 13],
      [7, 7],
    ]);
    expect(calls).toBe(1);
  });

  it("throw what they throw, and errors begin at the user's line", () => {
    const module = layer();
    module.registerForwardHook(() => {
      throw new RangeError("mine");
    });
    expect(() => module.forward(input())).toThrow(/^mine$/);
    expect(() => module.registerForwardHook(3 as never)).toThrow(
      /^registerForwardHook: hook must be a function/,
    );
  });
});

describe("hooks of the backward pass", () => {
  it("see gradients of arguments and of results, and may replace the former", () => {
    const module = layer();
    const seen: unknown[] = [];
    module.registerFullBackwardHook((self, gradInput, gradOutput) => {
      seen.push([self === module, lists(gradInput), lists(gradOutput)]);
      return [gradInput[0]!.mul(10)];
    });
    module.registerFullBackwardHook((_, gradInput) => void seen.push(lists(gradInput)));
    const x = input().requiresGrad_();
    module.forward(x).square().sum().backward();
    const gradInput = [
      [38, -54],
      [28, -14],
    ];
    const ten = gradInput.map((row) => row.map((value) => value * 10));
    expect(seen).toEqual([
      [
        true,
        [gradInput],
        [
          [
            [-1, 13],
            [7, 7],
          ],
        ],
      ],
      [ten],
    ]);
    expect(x.grad!.toArray()).toEqual(ten);
    expect(module.weight.grad!.toArray()).toEqual([
      [13, 4.5],
      [27, -9.5],
    ]);
  });

  it("have null for what no gradient flows to", () => {
    class Scaled extends Module {
      readonly scale = parameter(tensor([2, 3]));
      forward(x: Tensor, options: { readonly by: number }): [Tensor, number] {
        return [x.mul(this.scale).mul(options.by), options.by];
      }
    }
    const module = new Scaled();
    const seen: unknown[] = [];
    module.registerFullBackwardHook((_, gradInput, gradOutput) => {
      seen.push([lists(gradInput), lists(gradOutput)]);
    });
    module
      .forward(tensor([1, 1]), { by: 5 })[0]
      .sum()
      .backward();
    expect(seen).toEqual([
      [
        [null, null],
        [[1, 1], null],
      ],
    ]);
    expect(module.scale.grad!.toArray()).toEqual([5, 5]);
  });

  it("refuse another number of gradients, what is none, and gradients where none flows", () => {
    const run = (gives: unknown, requiresGrad = true): void => {
      const module = layer();
      module.registerFullBackwardHook(() => gives);
      const x = input();
      module
        .forward(requiresGrad ? x.requiresGrad_() : x)
        .sum()
        .backward();
    };
    expect(() => run([null, null])).toThrow(
      "Backward hook returned an invalid number of grad_input, got 2, but expected 1",
    );
    expect(() => run([3])).toThrow("expected a list of tensors and null, but the hook gave 3");
    expect(() => run([input()], false)).toThrow("Backward hook for Modules where no input requires gradient");
    expect(() => run([null], false)).not.toThrow();
  });

  it("tell results that no gradient arrived at, whose arguments get zeros", () => {
    class Both extends Module {
      forward(a: Tensor, b: Tensor): [Tensor, Tensor] {
        return [a.mul(2), b.mul(3)];
      }
    }
    const module = new Both();
    const seen: unknown[] = [];
    module.registerFullBackwardHook((_, gradInput, gradOutput) => {
      seen.push(lists(gradInput), lists(gradOutput));
    });
    const [a, b] = [ones([2]).requiresGrad_(), ones([2]).requiresGrad_()];
    module.forward(a, b)[0].sum().backward();
    expect(seen).toEqual([
      [
        [2, 2],
        [0, 0],
      ],
      [[1, 1], null],
    ]);
  });

  it("know what required gradients when the module was called, also inside jit", () => {
    const module = layer();
    module.registerFullBackwardHook((_, gradInput) => [gradInput[0]!.mul(10)]);
    const run = jit((x: Tensor<[2, 2], "float32">) => module.forward(x).sum());
    const x = input().requiresGrad_();
    run(x).backward();
    expect(x.grad!.toArray()).toEqual([
      [40, -20],
      [40, -20],
    ]);
  });

  it("are no async functions", () => {
    const module = layer();
    module.registerForwardHook(async () => {});
    expect(() => module.forward(input())).toThrow("a hook gave a Promise");
  });
});
