/** Tensors that record: leaves, gradients that add up, hooks, writes, and what becomes of a graph. */
import {
  type AnyTensor,
  autograd,
  clearCaches,
  enableGrad,
  full,
  func,
  isGradEnabled,
  noGrad,
  ones,
  stats,
  tensor,
  tidy,
  zeros,
} from "fuseau";
import { describe, expect, test } from "vitest";

const leaf = (...numbers: readonly number[]): AnyTensor =>
  tensor([...numbers], { dtype: "float64" }).requiresGrad_() as AnyTensor;
const list = (x: AnyTensor | null): unknown => x?.toArray() ?? null;

describe("a leaf", () => {
  test("is what no operation made, and what requires no gradient", () => {
    const x = leaf(1, 2);
    const y = x.mul(2);
    expect([x.isLeaf, y.isLeaf, y.detach().isLeaf, tensor([1]).isLeaf]).toEqual([true, false, true, true]);
    expect([x.requiresGrad, y.requiresGrad, y.detach().requiresGrad]).toEqual([true, true, false]);
  });

  test("adds gradients up in one tensor, which whoever holds it sees", () => {
    const x = leaf(1, 2);
    x.mul(3).sum().backward();
    const held = x.grad as AnyTensor;
    x.mul(x).sum().backward();
    expect(list(held)).toEqual([5, 7]);
    expect(x.grad).toBe(held);
    x.grad = null;
    expect(x.grad).toBeNull();
    x.mul(3).sum().backward();
    expect(list(x.grad)).toEqual([3, 3]);
    expect(list(held)).toEqual([5, 7]);
  });

  test("refuses a write, in itself and in its views, and takes one inside noGrad and through detach()", () => {
    const x = leaf(1, 2);
    const before = x.slice(0);
    const words = /a (view of a )?leaf Variable that requires grad is being used in an in-place operation/;
    for (const write of [() => x.add_(1), () => before.add_(1), () => x.slice(1).mul_(2), () => x.fill_(0)])
      expect(write).toThrow(words);
    expect(list(x)).toEqual([1, 2]);
    const y = x.mul(x).sum();
    noGrad(() => x.add_(10));
    x.detach().slice(1).mul_(2);
    expect([x.requiresGrad, x.isLeaf, list(x), list(before)]).toEqual([true, true, [11, 24], 11]);
    y.backward();
    // What was recorded keeps the elements of its time.
    expect(list(x.grad)).toEqual([2, 4]);
  });

  test("gives the views made of it gradients, and those that were made before it was a leaf none", () => {
    const base = tensor([1, 2, 3], { dtype: "float64" });
    const early = base.slice([0, 2]);
    base.requiresGrad_();
    const late = base.slice([1, 3]);
    expect([early.requiresGrad, late.requiresGrad]).toEqual([false, true]);
    early.mul(late).sum().backward();
    expect(list(base.grad)).toEqual([0, 1, 2]);
  });

  test("is one tensor alone, though another stands for the same value", () => {
    const x = tensor([1, 2], { dtype: "float64" });
    const y = x.add(0);
    const same = y.clone();
    y.requiresGrad_();
    expect([x.requiresGrad, y.requiresGrad, same.requiresGrad]).toEqual([false, true, false]);
    y.requiresGrad_(false);
    expect(y.requiresGrad).toBe(false);
  });

  test("keeps its gradient while it requires none, and may be given one, as in PyTorch", () => {
    const x: AnyTensor = ones([2]);
    expect(x.grad).toBeNull();
    x.grad = full([2], 3, { dtype: "float32" });
    expect([x.requiresGrad, list(x.grad)]).toEqual([false, [3, 3]]);
    x.requiresGrad_();
    x.mul(2).sum().backward();
    const sum = x.grad;
    x.requiresGrad_(false);
    expect(x.grad).toBe(sum);
    expect(x.detach().grad).toBeNull();
    x.requiresGrad_();
    x.mul(2).sum().backward();
    expect([x.grad === sum, list(sum)]).toEqual([true, [7, 7]]);
    x.requiresGrad_(false);
    x.grad = null;
    x.requiresGrad_();
    expect(x.grad).toBeNull();
  });

  test("is no other tensor of the same elements", () => {
    const x: AnyTensor = zeros([3]);
    x.select(0, 1).fill_(1);
    const start = x.clone();
    x.requiresGrad_();
    const y: AnyTensor = zeros([2, 2]).t().reshape([4]);
    const apart = y.detach();
    y.requiresGrad_();
    expect([x, start, y, apart].map(({ requiresGrad }) => requiresGrad)).toEqual([true, false, true, false]);
    x.mul(2).sum().backward();
    expect([list(x.grad), list(start.grad)]).toEqual([[2, 2, 2], null]);
  });

  test("has no gradient of what was recorded before it was one", () => {
    const x: AnyTensor = tensor([1, 2, 3]);
    const w = leaf(4, 5, 6);
    const y = w.mul(x);
    x.requiresGrad_();
    y.add(x).sum().backward();
    expect([list(x.grad), list(w.grad)]).toEqual([
      [1, 1, 1],
      [1, 2, 3],
    ]);
  });

  test.each([
    ["alone", false],
    ["written in place", true],
  ])("%s that stops being one for a while has the gradients of the rest", (_, isWritten) => {
    const w = leaf(1, 2);
    if (isWritten) noGrad(() => w.mul_(2));
    const x = leaf(3, 4);
    const first = w.mul(x).sum();
    w.requiresGrad_(false);
    const second = w.mul(10).mul(x).sum();
    second.backward({ retainGraph: true });
    expect(list(w.grad)).toBeNull();
    w.requiresGrad_();
    second.backward();
    expect(list(w.grad)).toBeNull();
    first.backward();
    expect(list(w.grad)).toEqual([3, 4]);
    noGrad(() => w.sub_(w.grad as AnyTensor));
    expect(list(w.detach())).toEqual(isWritten ? [-1, 0] : [-2, -2]);
  });
});

test("a place that indexFill fills twice counts once in the gradient of the element", () => {
  const [x, element] = [leaf(1, 2, 3), leaf(5).reshape([])];
  const [ofX, ofElement] = autograd.grad(
    x
      .indexFill(0, tensor([0n, 2n, -3n]), element)
      .mul(tensor([1, 10, 100]))
      .sum(),
    [x, element],
  );
  expect([list(ofX!), ofElement!.item()]).toEqual([[0, 10, 0], 101]);
});

describe("hooks", () => {
  test("see gradients in the order of registration, and what they give takes its place", () => {
    const x = leaf(1, 2);
    const y = x.mul(2);
    const seen: unknown[] = [];
    y.registerHook((g) => {
      seen.push(["first", list(g)]);
      return g.mul(10);
    });
    const second = y.registerHook((g) => void seen.push(["second", list(g)]));
    y.sum().backward();
    expect(seen).toEqual([
      ["first", [1, 1]],
      ["second", [10, 10]],
    ]);
    expect(list(x.grad)).toEqual([20, 20]);
    second.remove();
    x.mul(1).sum().backward();
    expect(seen.length).toBe(2);
  });

  test("of leaves see each pass, before gradients are added up", () => {
    const x = leaf(3);
    const seen: unknown[] = [];
    x.registerHook((g) => void seen.push(list(g)));
    x.mul(x).add(x).sum().backward();
    x.sum().backward();
    expect(seen).toEqual([[7], [1]]);
    expect(list(x.grad)).toEqual([8]);
  });
});

describe("a graph", () => {
  test("keeps it also where gradients are given, but not of what is asked for", () => {
    const x = tensor([0, 1]).requiresGrad_();
    const [y, z] = [x.exp(), x.mul(3)];
    y.retainGrad();
    z.retainGrad();
    const [ofX] = autograd.grad([y.sum()], [x]);
    expect([y.grad?.toArray(), z.grad, x.grad, ofX?.toArray()]).toEqual([
      [1, 1],
      null,
      null,
      x.exp().toArray(),
    ]);
    autograd.grad([z.sum()], [z]);
    expect(z.grad).toBe(null);
  });

  test("keeps the gradient of what retainGrad was called on", () => {
    const x = leaf(2, 3);
    const y = x.mul(x);
    y.retainGrad();
    y.mul(y).sum().backward();
    expect([list(y.grad), list(x.grad)]).toEqual([
      [8, 18],
      [32, 108],
    ]);
  });

  test("keeps that of what the tensor holds after a write", () => {
    const x = leaf(1, 2);
    const y = x.mul(2);
    y.retainGrad();
    y.mul_(3);
    y.square().sum().backward();
    expect([list(y.grad), list(x.grad)]).toEqual([
      [12, 24],
      [72, 144],
    ]);
  });

  test("is run once, or again with retainGraph", () => {
    const x = leaf(2);
    const y = x.mul(x).sum();
    y.backward(null, { retainGraph: true });
    y.backward();
    expect(list(x.grad)).toEqual([8]);
    expect(() => y.backward()).toThrow(/backward through the graph a second time/);
  });

  test("of what keeps no values is run as often as one likes", () => {
    const x = leaf(2, 1);
    const y = x.add(1).sum();
    y.backward();
    y.backward();
    expect(list(x.grad)).toEqual([2, 2]);
  });

  test("gives gradients of gradients with createGraph", () => {
    const x = leaf(2);
    const [g] = autograd.grad(x.pow(3).sum(), x, { createGraph: true });
    const [h] = autograd.grad(g.sum(), x, { createGraph: true });
    const [third] = autograd.grad(h.sum(), x);
    expect([list(g), list(h), list(third)]).toEqual([[12], [12], [6]]);
  });

  test("adds to those leaves alone that `inputs` names", () => {
    const [x, y] = [leaf(1), leaf(2)];
    x.mul(y)
      .sum()
      .backward(null, { inputs: [x] });
    expect([list(x.grad), y.grad]).toEqual([[2], null]);
  });

  test("tells of an input that is not used, or gives null", () => {
    const [x, y] = [leaf(1), leaf(2)];
    const z = x.mul(2).sum();
    expect(() => autograd.grad(z, [x, y], { retainGraph: true })).toThrow(
      /appears to not have been used in the graph/,
    );
    expect(autograd.grad(z, [x, y], { allowUnused: true }).map(list)).toEqual([[2], null]);
  });

  test("is 100,000 operations deep", () => {
    const x = leaf(1);
    let y = x as AnyTensor;
    for (let k = 0; k < 100_000; k++) y = k % 2 === 0 ? y.add(1) : y.neg();
    y.sum().backward();
    expect(list(x.grad)).toEqual([1]);
  });

  test("computed in part between forward and backward is the same", () => {
    const x = leaf(0.5, 2);
    const y = x.exp();
    y.toArray();
    const z = y.mul(x);
    z.compute();
    z.sum().backward();
    expect(list(x.grad)).toEqual([1.5 * Math.exp(0.5), 3 * Math.exp(2)]);
  });

  test("lives through tidy, and dies with what was disposed of", () => {
    const x = leaf(2, 3);
    const y = tidy(() => x.mul(x).sum());
    y.backward();
    expect(list(x.grad)).toEqual([4, 6]);
    const w = tensor([5, 7], { dtype: "float64" });
    const z = x.mul(w).sum();
    z.item();
    w.dispose();
    z.backward();
    expect(() => (x.grad as AnyTensor).toArray()).toThrow(/dispose/);
  });
});

describe("recording", () => {
  test("is off in noGrad and on again in enableGrad, also after an error", () => {
    const x = leaf(1);
    const seen = noGrad(() => [isGradEnabled(), enableGrad(() => isGradEnabled()), x.mul(2).requiresGrad]);
    expect(seen).toEqual([false, true, false]);
    expect(() =>
      noGrad(() => {
        throw new Error("mine");
      }),
    ).toThrow(/^mine$/);
    expect([isGradEnabled(), x.mul(2).requiresGrad]).toEqual([true, true]);
  });

  // Values and gradients of PyTorch 1.13.
  test("of what was written through detach() is that of what wrote it, and others keep theirs", () => {
    const [x, y] = [leaf(0.5, 1), leaf(2, 3)];
    const values = x.mul(3);
    const alias = values.detach();
    alias.copy_(y.mul(2));
    expect([alias.requiresGrad, list(values), list(alias)]).toEqual([true, [4, 6], [4, 6]]);
    const grads = autograd.grad([values.square().sum().add(alias.pow(3).sum())], [x, y]);
    expect(grads.map(list)).toEqual([
      [24, 36],
      [96, 216],
    ]);
  });

  test("of a part of a leaf that was written through detach(): the leaf stays one", () => {
    const [w, y] = [leaf(1, 2, 3), leaf(5, 7)];
    const part = w.detach().narrow(0, 1, 2);
    part.copy_(y.mul(2));
    expect([w.isLeaf, list(w), part.requiresGrad]).toEqual([true, [1, 10, 14], true]);
    const grads = autograd.grad([w.square().sum().add(part.square().sum())], [w, y]);
    expect(grads.map(list)).toEqual([
      [2, 20, 28],
      [40, 56],
    ]);
  });

  test("stops at detach() after a write through it, and in strided views of it", () => {
    const x = leaf(1, 2, 3);
    const values = x.mul(2);
    const alias = values.detach();
    alias.add_(1);
    expect([alias.requiresGrad, values.requiresGrad]).toEqual([false, true]);
    expect(x.detach().unfold(0, 2, 1).requiresGrad).toBe(false);
    values.mul_(3);
    expect([list(values), list(alias), alias.requiresGrad]).toEqual([[9, 15, 21], [9, 15, 21], false]);
    expect(list(autograd.grad([values.sum()], [x])[0])).toEqual([6, 6, 6]);
  });

  test("is not carried over by a write inside noGrad", () => {
    const [w, y] = [leaf(1, 2), leaf(5, 7)];
    const made = y.mul(2);
    noGrad(() => w.copy_(made));
    expect([w.isLeaf, list(w)]).toEqual([true, [10, 14]]);
    const grads = autograd.grad([w.square().sum()], [w, y], { allowUnused: true });
    expect(grads.map(list)).toEqual([[20, 28], null]);
    const plain = tensor([1, 2], { dtype: "float64" });
    noGrad(() => plain.copy_(made));
    expect([plain.requiresGrad, list(plain)]).toEqual([false, [10, 14]]);
  });

  test("ends at detach and detach_", () => {
    const x = leaf(2, 3);
    const y = x.mul(x);
    x.mul(y.detach()).sum().backward();
    expect(list(x.grad)).toEqual([4, 9]);
    y.detach_();
    expect([y.requiresGrad, y.isLeaf]).toEqual([false, true]);
  });

  test("follows writes in place, through views and into parts", () => {
    const x = leaf(1, 2, 3);
    const y = x.mul(2);
    const part = y.slice([0, 2]);
    part.mul_(x.slice([1, 3]));
    y.slice(2).fill_(9);
    y.sum().backward();
    // y is [2·x0·x1, 4·x1·x2 / 2, 9].
    expect(list(x.grad)).toEqual([4, 8, 4]);
  });

  test("of a write of a constant stops what was there, and a write of a leaf goes on", () => {
    const x = leaf(1, 2);
    const buffer = tensor([0, 0, 0], { dtype: "float64" });
    buffer.slice([0, 2]).copy_(x);
    buffer.slice(0).zero_();
    expect(buffer.requiresGrad).toBe(true);
    buffer
      .mul(tensor([5, 6, 7], { dtype: "float64" }))
      .sum()
      .backward();
    expect(list(x.grad)).toEqual([0, 6]);
  });
});

describe("what functions of users throw", () => {
  class Mine extends Error {}
  const fail = (): never => {
    throw new Mine("of my own");
  };
  const x = tensor([1, 2]) as AnyTensor;
  const ways: readonly (readonly [string, () => unknown])[] = [
    ["func.grad", () => func.grad(fail as (x: AnyTensor) => AnyTensor)(x)],
    ["func.vjp", () => func.vjp(fail as () => AnyTensor)],
    ["func.jvp", () => func.jvp(fail as (x: AnyTensor) => AnyTensor, [x], [x])],
    ["func.hvp", () => func.hvp(fail as (x: AnyTensor) => AnyTensor, [x], [x])],
    ["func.jacrev", () => func.jacrev(fail as (x: AnyTensor) => AnyTensor)(x)],
    ["func.jacfwd", () => func.jacfwd(fail as (x: AnyTensor) => AnyTensor)(x)],
    ["func.hessian", () => func.hessian(fail as (x: AnyTensor) => AnyTensor)(x)],
    ["func.vmap", () => func.vmap(fail as (x: AnyTensor) => AnyTensor)(x)],
    ["noGrad", () => noGrad(fail)],
    [
      "a hook",
      () => {
        const y = leaf(1);
        y.registerHook(fail);
        y.sum().backward();
      },
    ],
  ];
  test.each(ways)("comes out of %s as it is", (_, run) => {
    let caught: unknown;
    try {
      run();
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(Mine);
    expect((caught as Mine).message).toBe("of my own");
    expect((caught as Mine).stack).toMatch(/\n {4}at fail /);
  });
});

describe("what is refused", () => {
  const square = (): AnyTensor => leaf(1, 2).mul(2);
  const other = (): AnyTensor => leaf(3);
  const cases: readonly (readonly [string, () => unknown, string, RegExp])[] = [
    ["backward of what is no scalar", () => square().backward(), "GradientError", /only for scalar outputs/],
    [
      "backward of what requires none",
      () => tensor([1]).sum().backward(),
      "GradientError",
      /does not require grad and does not have a grad_fn/,
    ],
    [
      "a gradient of integers",
      () => tensor([1], { dtype: "int32" }).requiresGrad_(),
      "GradientError",
      /only Tensors of floating point dtype can require gradients/,
    ],
    [
      "a gradient of another shape",
      () => square().backward(tensor([1, 2, 3], { dtype: "float64" })),
      "ShapeError",
      /Mismatch in shape: grad_output\[0\] has a shape of \[3\] and output\[0\] has a shape of \[2\]/,
    ],
    ["a gradient of another dtype", () => square().backward(tensor([1, 2])), "GradientError", /dtype/],
    [
      "func.grad of what is no scalar",
      () => func.grad((x: AnyTensor) => x)(other()),
      "GradientError",
      /scalar tensor/,
    ],
    [
      "reading elements inside vmap",
      () => func.vmap((x: AnyTensor) => x.mul(x.item() as number) as AnyTensor)(other()),
      "GradientError",
      /We don't support vmap over calling \.item\(\)/,
    ],
    [
      "a size that depends on elements inside vmap",
      () => func.vmap((x: AnyTensor) => x.maskedSelect(x.gt(0) as never) as AnyTensor)(tensor([[1, 2]])),
      "GradientError",
      /vmap/,
    ],
    [
      "requiresGrad_(false) of what was computed",
      () => square().requiresGrad_(false),
      "GradientError",
      /leaf variables/,
    ],
    ["retainGrad without a graph", () => tensor([1]).retainGrad(), "GradientError", /can't retain_grad/],
    [
      "a hook without a graph",
      () => tensor([1]).registerHook(() => null),
      "GradientError",
      /doesn't require gradient/,
    ],
  ];

  test.each(cases)("%s", (_, run, kind, words) => {
    let caught: unknown;
    try {
      run();
    } catch (error) {
      caught = error;
    }
    const { name, message, stack } = caught as Error;
    expect([name, message]).toEqual([kind, expect.stringMatching(words)]);
    expect((stack as string).split("\n").find((line) => /^\s+at /.test(line))).toMatch(/tape\.test/);
  });

  test("and a step that failed leaves parameters as they were", () => {
    const x = leaf(1, 2);
    expect(() => noGrad(() => x.sub_(x.mul(tensor([1, 2, 3], { dtype: "float64" }) as never)))).toThrow();
    expect([list(x), x.requiresGrad, x.grad]).toEqual([[1, 2], true, null]);
  });
});

describe("10,000 steps", () => {
  test("keep the memory that ten take", () => {
    clearCaches();
    const x = leaf(1, 2, 3);
    const step = (): void => {
      x.mul(x).sum().backward();
      noGrad(() => {
        x.sub_((x.grad as AnyTensor).mul(1e-3) as never);
        x.grad = null;
      });
      x.toArray();
    };
    for (let k = 0; k < 10; k++) step();
    const { programs, kernels } = stats();
    const before = { programs: programs.size, kernels: kernels.size, misses: programs.misses };
    for (let k = 0; k < 10_000; k++) step();
    const after = stats();
    expect({
      programs: after.programs.size,
      kernels: after.kernels.size,
      misses: after.programs.misses,
    }).toEqual(before);
    expect((x.toArray() as number[])[0]).toBeCloseTo(0.998 ** 10_010, 12);
  });
});

describe("a write through a detached view", () => {
  test.each<[string, (x: AnyTensor, p: AnyTensor) => void]>([
    ["copy_", (x, p) => x.detach().copy_(p as never)],
    ["add_", (x, p) => x.detach().add_(p as never)],
    [
      "of a part of it",
      (x, p) =>
        x
          .detach()
          .slice([0, 2])
          .copy_(p as never),
    ],
  ])("by %s gives the tensor no gradient that had none, and the view one", (_, write) => {
    const p = tensor([1, 2]).requiresGrad_();
    const x = zeros([2]) as AnyTensor;
    write(x, p);
    expect([x.requiresGrad, x.toArray()]).toEqual([false, [1, 2]]);
    const view = x.detach();
    view.copy_(p as never);
    expect([x.requiresGrad, view.requiresGrad]).toEqual([false, true]);
  });

  test("leaves what was written into the tensor itself its derivative", () => {
    const p = tensor([1, 2]).requiresGrad_();
    const x = zeros([2]);
    const view = x.detach();
    x.copy_(p);
    expect([x.requiresGrad, view.requiresGrad, view.toArray()]).toEqual([true, false, [1, 2]]);
  });
});

describe("what is copied into a tensor that requires a gradient", () => {
  test("stays as it was: by copy_ under noGrad, through detach, and over a computed tensor", () => {
    const weights = tensor([1, 2]).requiresGrad_();
    const online = tensor([3, 4]).compute();
    noGrad(() => weights.copy_(online));
    expect([weights.requiresGrad, online.requiresGrad, online.isLeaf]).toEqual([true, false, true]);
    online.add_(1);
    expect([weights.toArray(), online.toArray()]).toEqual([
      [3, 4],
      [4, 5],
    ]);
    const through = tensor([5, 6]);
    weights.detach().copy_(through);
    const over = tensor([7, 8]);
    const computed = weights.mul(2);
    computed.copy_(over);
    expect([through.requiresGrad, over.requiresGrad, computed.requiresGrad]).toEqual([false, false, true]);
  });

  test("is an operand of each step alone, also where all of a row is written", () => {
    const row = tensor([3, 4]).compute();
    const gradient = (): unknown => {
      const x = tensor([[1, 2]]).requiresGrad_();
      const y = x.mul(0.9).clone();
      y.select(0, 0).copy_(row);
      return autograd.grad([y.square().sum()], [x] as const)[0]?.toArray();
    };
    expect([gradient(), gradient()]).toEqual([[[0, 0]], [[0, 0]]]);
  });

  test("is a clone that requires none, under noGrad", () => {
    const y = tensor([1, 2]).requiresGrad_().mul(2);
    expect([noGrad(() => y.clone()).requiresGrad, y.clone().requiresGrad]).toEqual([false, true]);
  });

  test("keeps its own gradient beside that of the copy", () => {
    const source = tensor([1, 2]).requiresGrad_().mul(3);
    const copy = tensor([0, 0]).requiresGrad_().mul(1);
    copy.copy_(source);
    copy.retainGrad();
    copy
      .mul(tensor([2, 5]))
      .sum()
      .backward();
    expect([copy.grad?.toArray(), source.grad]).toEqual([[2, 5], null]);
  });
});

describe("a leaf that is turned in place", () => {
  const turns: Readonly<Record<string, (x: AnyTensor) => AnyTensor>> = {
    transpose_: (x) => x.transpose_(0, 1),
    t_: (x) => x.t_(),
    unsqueeze_: (x) => x.unsqueeze_(0),
  };
  test.each(Object.entries(turns))("stays one under noGrad: %s", (_, turn) => {
    const x = ones([2, 3]).requiresGrad_() as AnyTensor;
    noGrad(() => turn(x));
    expect([x.requiresGrad, x.isLeaf]).toEqual([true, true]);
    const weights = zeros(x.shape).add(2);
    x.mul(weights).sum().backward();
    expect(x.grad?.toArray()).toEqual(weights.toArray());
  });
  test.each(Object.entries(turns))("is refused while gradients are recorded: %s", (_, turn) => {
    const x = ones([2, 3]).requiresGrad_() as AnyTensor;
    expect(() => turn(x)).toThrow(
      "a leaf Variable that requires grad is being used in an in-place operation",
    );
    expect(x.shape).toEqual([2, 3]);
  });
});

test.each(["floor", "ceil", "round", "trunc", "sign"] as const)(
  "%s keeps nothing for the backward pass, so it may come twice",
  (name) => {
    const x = leaf(1.5, -2.25);
    const y = x[name]().add(x).sum();
    y.backward();
    y.backward();
    expect(list(x.grad)).toEqual([2, 2]);
  },
);
