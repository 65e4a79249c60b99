/** Views whose gradient is asked for are leaves of their own, and share elements with what they are views of. */
import { type AnyTensor, arange, autograd, jit, noGrad, ones, tensor, zeros } from "fuseau";
import { parameter } from "fuseau/nn";
import { SGD } from "fuseau/optim";
import { describe, expect, it } from "vitest";

const six = (): AnyTensor => arange(6).float();

describe("a view whose gradient is asked for", () => {
  const made: Readonly<Record<string, () => AnyTensor>> = {
    "a reshape": () => six().reshape([2, 3]),
    "a reshape to its own shape": () => six().reshape([6]),
    "a transpose": () => six().reshape([2, 3]).t(),
    "a row": () => zeros([2, 3]).select(0, 1),
    "what a leaf was detached to": () => zeros([2, 3]).requiresGrad_().detach(),
    "what was computed and detached": () => zeros([2, 3]).requiresGrad_().mul(2).detach(),
  };
  for (const [name, view] of Object.entries(made))
    it(`is a leaf: ${name}`, () => {
      const x = parameter(view().requiresGrad_());
      expect([x.isLeaf, x.requiresGrad]).toEqual([true, true]);
      const before = x.toArray();
      const optimizer = new SGD([x], { lr: 0.5 });
      for (let step = 0; step < 2; step++) {
        optimizer.zeroGrad();
        x.mul(2).sum().backward();
        expect(x.grad!.eq(2).all().item()).toBe(true);
        optimizer.step();
      }
      expect([x.isLeaf, x.requiresGrad]).toEqual([true, true]);
      expect(x.add(2).toArray()).toEqual(before);
    });

  it("sees what its base is given, and its base sees what it is given", () => {
    const base = zeros([2, 3]);
    const row = base.select(0, 1).requiresGrad_();
    expect([base.requiresGrad, base.isLeaf]).toEqual([false, true]);
    base.add_(1);
    expect([row.toArray(), row.isLeaf, row.requiresGrad]).toEqual([[1, 1, 1], true, true]);
    row.square().sum().backward();
    noGrad(() => row.sub_(row.grad!));
    expect(base.toArray()).toEqual([
      [1, 1, 1],
      [-1, -1, -1],
    ]);
    row.square().sum().backward();
    expect(row.grad!.toArray()).toEqual([0, 0, 0]);
  });

  it("of a flat list of parameters takes its part in a step, and keeps hooks", () => {
    const flat = tensor([1, 2, 3, 4]);
    const [w, b] = [flat.slice([0, 3]).requiresGrad_(), flat.slice([3, 4]).requiresGrad_()];
    const seen: number[] = [];
    b.registerHook((gradient) => void seen.push(gradient.sum().item() as number));
    const optimizer = new SGD([w, b], { lr: 0.25 });
    for (let step = 0; step < 2; step++) {
      optimizer.zeroGrad();
      w.mul(tensor([1, 2, 4]))
        .sum()
        .mul(b)
        .sum()
        .backward();
      optimizer.step();
    }

    expect(seen).toEqual([17, -4]);
    expect(flat.toArray()).toEqual([0.0625, 0.125, -0.75, 0.75]);
  });

  it("has views through which its gradient flows, whatever was written in the meantime", () => {
    const flat = six();
    const w = flat.reshape([2, 3]).t().requiresGrad_();
    const [first, twice, windows] = [w.select(1, 0), w.t().select(0, 1), w.unfold(0, 2, 1)];
    noGrad(() => w.mul_(2));
    for (const [view, gradient] of [
      [
        first,
        [
          [1, 0],
          [1, 0],
          [1, 0],
        ],
      ],
      [
        twice,
        [
          [0, 1],
          [0, 1],
          [0, 1],
        ],
      ],
      [
        windows,
        [
          [1, 1],
          [2, 2],
          [1, 1],
        ],
      ],
    ] as const) {
      const [got] = autograd.grad(view.sum(), [w]);
      expect(got.toArray()).toEqual(gradient);
    }
    expect([first.toArray(), twice.toArray(), flat.toArray()]).toEqual([
      [0, 2, 4],
      [6, 8, 10],
      [0, 2, 4, 6, 8, 10],
    ]);
  });

  it("refuses to be written outside noGrad, and so do its views", () => {
    const w = six().reshape([2, 3]).requiresGrad_();
    expect(() => w.add_(1)).toThrow(/^add_: a leaf Variable that requires grad/);
    expect(() => w.select(0, 0).zero_()).toThrow(/^zero_: a view of a leaf Variable that requires grad/);
    w.detach().add_(1);
    expect(w.toArray()).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
  });

  it("is a plain view again when it is no longer asked for", () => {
    const flat = six();
    const w = flat.reshape([2, 3]).requiresGrad_();
    w.requiresGrad_(false);
    expect([w.requiresGrad, w.isLeaf]).toEqual([false, true]);
    w.add_(1);
    w.requiresGrad_().detach_();
    w.add_(1);
    expect([flat.toArray(), w.requiresGrad]).toEqual([[2, 3, 4, 5, 6, 7], false]);
  });

  it("is written by a jitted step", () => {
    const run = (wrap: (fn: () => AnyTensor) => () => AnyTensor): unknown => {
      const flat = six();
      const w = flat.slice([1, 4]).requiresGrad_();
      const optimizer = new SGD([w], { lr: 0.125 });
      const step = wrap(() => {
        optimizer.zeroGrad();
        const loss = w.square().sum();
        loss.backward();
        optimizer.step();
        return loss.detach();
      });
      const losses = Array.from({ length: 4 }, () => step().item());
      return [losses, flat.toArray(), w.toArray(), w.isLeaf, w.requiresGrad, w.grad!.toArray()];
    };
    expect(run((fn) => jit(fn))).toEqual(run((fn) => fn));
  });
});

describe("requiresGrad", () => {
  it("may be set as a property", () => {
    const x = six();
    x.requiresGrad = true;
    x.sum().backward();
    expect(x.grad!.toArray()).toEqual([1, 1, 1, 1, 1, 1]);
    x.requiresGrad = false;
    expect(x.requiresGrad).toBe(false);
    expect(() => (x.requiresGrad = 1 as never)).toThrow("requiresGrad must be true or false, but got 1");
    const made = six().requiresGrad_().mul(2);
    expect(() => (made.requiresGrad = false)).toThrow(/you can only change requires_grad flags of leaf/);
  });

  it("of a leaf that is detached in place leaves its views as they are", () => {
    const w = six().requiresGrad_();
    const view = noGrad(() => w.reshape([2, 3]));
    w.detach_();
    w.add_(1);
    expect(view.toArray()).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
  });
});

/** Views of all of a vector of three or four elements. */
const wholes: readonly (readonly [string, (x: AnyTensor) => AnyTensor])[] = [
  ["reshape", (x) => x.reshape([-1])],
  ["view", (x) => x.view(x.shape)],
  ["flatten", (x) => x.flatten()],
  ["expand", (x) => x.expand(x.shape)],
  ["slice", (x) => x.slice([0, null])],
  ["narrow", (x) => x.narrow(0, 0, x.shape[0] as number)],
  ["permute", (x) => x.permute([0])],
  ["asStrided", (x) => x.asStrided(x.shape, [1])],
];

describe.each(wholes)("a view of all of a leaf, by %s", (_, view) => {
  it.each([
    ["a tensor", () => tensor([1, 2, 3]).requiresGrad_()],
    ["a view", () => tensor([1, 2, 3, 4]).slice([0, 3]).requiresGrad_()],
  ] as const)("is no leaf, and has hooks and a gradient of its own: of %s", (_, make) => {
    const x = make() as AnyTensor;
    const whole = view(x);
    whole.registerHook((g) => g.mul(10));
    expect([x.isLeaf, whole.isLeaf]).toEqual([true, false]);
    whole.sum().add(x.sum()).backward();
    expect([x.grad?.toArray(), whole.grad]).toEqual([[11, 11, 11], null]);
    noGrad(() => whole.mul_(2));
    expect([x.isLeaf, whole.isLeaf, x.toArray()]).toEqual([true, false, [2, 4, 6]]);
    expect(noGrad(() => view(x)).requiresGrad).toBe(false);
  });
});

describe.each([
  ...wholes,
  ["clone", (x) => x.clone()],
  ["a write to the view", (x) => x.view([3]).mul_(1)],
  [
    "a write to its base",
    (x) => {
      const whole = x.view([3]);
      x.mul_(1);
      return whole;
    },
  ],
] as typeof wholes)("a tensor with all elements of a computed one, by %s", (_, view) => {
  it("has hooks and a gradient of its own", () => {
    const w = tensor([1, 2, 3]).requiresGrad_();
    const x = w.mul(2);
    const whole = view(x);
    const seen: unknown[] = [];
    whole.registerHook((g) => {
      seen.push(g.toArray());
      return g.mul(10);
    });
    whole.retainGrad();
    x.retainGrad();
    whole.sum().add(x.sum()).backward();
    expect(seen).toEqual([[1, 1, 1]]);
    expect([w.grad, x.grad, whole.grad].map((g) => g?.toArray())).toEqual([
      [22, 22, 22],
      [11, 11, 11],
      [10, 10, 10],
    ]);
    const other = w.mul(2);
    const own = view(other);
    expect(autograd.grad(own.sum().add(other.sum()), [own])[0].toArray()).toEqual([1, 1, 1]);
    expect(noGrad(() => view(w.mul(2))).requiresGrad).toBe(false);
  });
});

/** Other shapes of all of a tensor, through which a write reaches each of its elements. */
const shapes: readonly (readonly [string, (x: AnyTensor) => AnyTensor])[] = [
  ["unsqueeze", (x) => x.unsqueeze(1)],
  ["view", (x) => x.view([2, 2])],
  ["detach and view", (x) => x.detach().view([2, 2])],
];

describe.each(shapes)("a write through all of a tensor in another shape, by %s", (name, view) => {
  it.each([
    ["relu", (x: AnyTensor) => x.relu(), [1, 10, 100, 1000]],
    ["cumsum", (x: AnyTensor) => x.cumsum(0), [1111, 1110, 1100, 1000]],
    ["flip", (x: AnyTensor) => x.flip(0), [1000, 100, 10, 1]],
    ["mean", (x: AnyTensor) => x.mul(ones([3, 4])).mean(0), [1, 10, 100, 1000]],
  ] as const)("that is not recorded leaves derivatives as they are: of %s", (_, make, slopes) => {
    const x = tensor([1, 2, 3, 4]).requiresGrad_();
    const made = make(x);
    const doubled = made.detach().mul(2).toArray();
    noGrad(() => view(made).mul_(2));
    made
      .mul(tensor([1, 10, 100, 1000]))
      .sum()
      .backward();
    expect(x.grad?.toArray()).toEqual(slopes);
    expect(made.toArray()).toEqual(doubled);
  });

  it("leaves a leaf a leaf", () => {
    const x = zeros([4]).requiresGrad_();
    noGrad(() => view(x).copy_(arange(4).reshape(view(x).shape)));
    expect([x.isLeaf, x.toArray()]).toEqual([true, [0, 1, 2, 3]]);
    x.mul(2).sum().backward();
    expect(x.grad?.toArray()).toEqual([2, 2, 2, 2]);
  });

  it("is derived as any other where it is recorded", () => {
    const x = tensor([1, 2, 3, 4]).requiresGrad_();
    const made = x.mul(2);
    const seen = view(made);
    seen.mul_(3);
    made.square().sum().backward();
    // Of 6x the square has the slope 12x; made is 6x, but through what is detached only its elements are.
    const slope = name === "detach and view" ? 2 : 6;
    expect(x.grad?.toArray()).toEqual([1, 2, 3, 4].map((each) => 12 * slope * each));
  });
});

describe("a detached tensor that is written with what requires a gradient", () => {
  const three = () => tensor([5, 6, 7]).requiresGrad_();
  const writes: readonly (readonly [string, (d: AnyTensor, w: AnyTensor) => unknown, readonly number[]])[] = [
    ["itself", (d, w) => d.add_(w), [10, 12, 14]],
    ["a part", (d, w) => d.narrow(0, 0, 2).add_(w.narrow(0, 0, 2)), [10, 12, 0]],
    ["another shape", (d, w) => d.view([1, 3]).add_(w), [10, 12, 14]],
    ["a part of a part", (d, w) => d.narrow(0, 1, 2).select(0, 1).add_(w.select(0, 0)), [10, 0, 0]],
    ["strides", (d, w) => d.asStrided([2], [2]).add_(w.slice([0, 2])), [10, 12, 0]],
    [
      "places of an index",
      (d, w) => d.indexPut_([tensor([2], { dtype: "int64" })], w.select(0, 1)),
      [0, 12, 0],
    ],
    ["one place again and again", (d, w) => d.narrow(0, 0, 1).expand([4]).fill_(w.sum()), [36, 36, 36]],
  ];
  it.each(writes)("has its derivatives, and so have its views: by %s", (_, write, slopes) => {
    const w = three();
    const base = zeros([3]);
    const d = base.detach();
    const before = d.reshape([3, 1]);
    write(d, w);
    expect([base, d, before, d.unsqueeze(0)].map((x) => x.requiresGrad)).toEqual([false, true, true, true]);
    const grads = [d, before].map((x) =>
      autograd.grad(x.square().sum(), [w], { retainGraph: true })[0].toArray(),
    );
    expect(grads).toEqual([slopes, slopes]);
  });

  it("keeps them apart from those of what it was detached from", () => {
    const [w, x] = [three(), three()];
    const made = x.mul(1);
    const d = made.detach();
    d.unsqueeze(0).mul_(w);
    made.mul_(2);
    expect([made.toArray(), d.toArray()]).toEqual([
      [50, 72, 98],
      [50, 72, 98],
    ]);
    made.sum().add(d.sum()).backward();
    expect([x.grad?.toArray(), w.grad?.toArray()]).toEqual([
      [2, 2, 2],
      [5, 6, 7],
    ]);
    const again = d.detach();
    again.narrow(0, 0, 1).mul_(2);
    expect([again.requiresGrad, d.requiresGrad]).toEqual([false, true]);
  });

  it("has none where constants were written", () => {
    const w = three();
    const d = zeros([3]).detach();
    d.add_(w).narrow(0, 0, 1).zero_();
    d.sum().backward();
    expect(w.grad?.toArray()).toEqual([0, 1, 1]);
    d.zero_();
    expect(d.requiresGrad).toBe(true);
    expect(autograd.grad(d.sum(), [w])[0].toArray()).toEqual([0, 0, 0]);
  });
});

it("a view that was made without recording is not written while recording", () => {
  const made = six().requiresGrad_().mul(2);
  const view = noGrad(() => made.narrow(0, 0, 2));
  expect(() => view.mul_(2)).toThrow(
    /^mul_: A view was created in no_grad mode and is being modified inplace/,
  );
  noGrad(() => view.mul_(2));
  expect(made.toArray()).toEqual([0, 4, 4, 6, 8, 10]);
});

describe("a view of a view", () => {
  const views: Readonly<Record<string, (h: AnyTensor) => AnyTensor>> = {
    unfold: (h) => h.unfold(0, 2, 1),
    asStrided: (h) => h.asStrided([3, 2], [1, 1], h.storageOffset()),
  };
  for (const [name, view] of Object.entries(views))
    it(`hands its gradient to the view that it was made of: ${name}`, () => {
      const x = tensor([0, 1, 2, 3, 4, 5]).requiresGrad_();
      const h = x.slice([1, 5]);
      h.retainGrad();
      h.registerHook((gradient) => gradient.mul(10));
      view(h).square().sum().backward();
      expect(h.grad?.toArray()).toEqual([20, 80, 120, 80]);
      expect(x.grad?.toArray()).toEqual([0, 20, 80, 120, 80, 0]);
      expect(autograd.grad(view(h).sum(), [h])[0].toArray()).toEqual([10, 20, 20, 10]);
    });

  it("is written with derivatives, also beyond the view that it was made of", () => {
    for (const [size, expected] of [
      [4, [10, 10, 10, 10]],
      [2, [10, 10, 1, 1]],
    ] as const) {
      const x = tensor([1, 2, 3, 4]).requiresGrad_();
      const made = x.mul(1);
      made.slice([0, 3]).asStrided([size], [1], 0).mul_(10);
      made.sum().backward();
      expect(x.grad?.toArray()).toEqual(expected);
    }
  });
});

it("a view keeps the gradient that it retained when its base is written", () => {
  const leaf = tensor([3, 4]).requiresGrad_();
  const made = leaf.mul(1);
  for (const base of [leaf, made]) {
    const view = base.view([2]);
    view.retainGrad();
    view.square().sum().backward();
    noGrad(() => base.sub_(1));
    expect(view.grad?.toArray()).toEqual([6, 8]);
    noGrad(() => base.add_(1));
  }
});

it("a view retains its gradient of what was recorded before a write, whether it is read after that or not", () => {
  for (const isRead of [false, true]) {
    const made = tensor([1, 2, 3]).requiresGrad_().mul(1);
    const view = made.slice([0, 2]);
    view.retainGrad();
    const loss = view.square().sum();
    noGrad(() => made.mul_(2));
    if (isRead) expect(view.toArray()).toEqual([2, 4]);
    loss.backward();
    expect(view.grad?.toArray()).toEqual([2, 4]);
  }
});

it("what was detached and written, and is detached again, has views with the derivatives of later writes", () => {
  const [x, y] = [tensor([1, 2, 3]).requiresGrad_(), tensor([5, 5, 5]).requiresGrad_()];
  const made = x.mul(2).detach();
  const view = made.slice([0, 2]);
  made.mul_(x);
  made.detach_();
  made.mul_(y);
  view.sum().backward();
  expect([view.toArray(), x.grad, y.grad?.toArray()]).toEqual([[10, 40], null, [2, 8, 0]]);
  expect(() => made.detach().slice([0, 2]).detach_()).toThrow(/Can't detach views in-place/);
});

it("what detach_ detaches goes on sharing its elements with its views", () => {
  const x = tensor([1, 2, 3]).requiresGrad_();
  const made = x.neg();
  const whole = made.view([3]);
  const [first, turned] = [made.select(0, 0), made.unsqueeze(0).t()];
  made.detach_();
  expect([made.requiresGrad, whole.requiresGrad]).toEqual([false, true]);
  expect(autograd.grad(whole.sum(), [x], { retainGraph: true })[0].toArray()).toEqual([-1, -1, -1]);
  made.add_(10);
  expect([made.toArray(), whole.toArray(), first.item(), turned.toArray()]).toEqual([
    [9, 8, 7],
    [9, 8, 7],
    9,
    [[9], [8], [7]],
  ]);
  noGrad(() => whole.mul_(2));
  expect(made.toArray()).toEqual([18, 16, 14]);
});

it("a gradient that another is still to be added to is not taken from it", () => {
  for (const shape of [[2], [1, 2]]) {
    const a = tensor([1, 2]).requiresGrad_();
    const b = tensor([1, 2]).reshape(shape).requiresGrad_();
    const optimizer = new SGD([b], { lr: 0 });
    for (let k = 0; k < 4; k++) {
      optimizer.zeroGrad();
      a.mul(b).sum().backward();
      optimizer.step();
    }
    expect(a.grad?.toArray()).toEqual([4, 8]);
  }
});
