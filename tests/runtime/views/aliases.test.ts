/** Which ops give views and which copies: a write through a view is seen by its base, a write to a copy is not. */
import { type AnyTensor, arange, chunk, flip, tensor, zeros } from "fuseau";
import { describe, expect, it } from "vitest";

const base = (): AnyTensor => arange(24, { dtype: "float32" }).reshape([2, 3, 4]).clone();

const views: Readonly<Record<string, (x: AnyTensor) => AnyTensor>> = {
  reshape: (x) => x.reshape([6, 4]),
  view: (x) => x.view([4, 6]),
  flatten: (x) => x.flatten(),
  unflatten: (x) => x.unflatten(2, [2, 2]),
  permute: (x) => x.permute([2, 0, 1]),
  transpose: (x) => x.transpose(0, 2),
  t: (x) => x.select(0, 1).t(),
  T: (x) => x.T,
  mT: (x) => x.mT,
  movedim: (x) => x.movedim(0, 2),
  swapaxes: (x) => x.swapaxes(0, 1),
  squeeze: (x) => x.unsqueeze(1).squeeze(1),
  unsqueeze: (x) => x.unsqueeze(0),
  slice: (x) => x.slice(1, [null, null, 2], [1, 3]),
  select: (x) => x.select(2, 3),
  narrow: (x) => x.narrow(1, 1, 2),
  diagonal: (x) => x.diagonal(1, 1, 2),
  split: (x) => x.split(2, 2)[1] as AnyTensor,
  chunk: (x) => x.chunk(2, 1)[1] as AnyTensor,
  unbind: (x) => x.unbind(1)[2] as AnyTensor,
  tensorSplit: (x) => x.tensorSplit(3, 2)[1] as AnyTensor,
  unfold: (x) => x.unfold(2, 2, 2),
  asStrided: (x) => x.asStrided([2, 2], [12, 5], 3),
  detach: (x) => x.detach(),
  "expand of what has that shape": (x) => x.expand([2, 3, 4]),
  "a view of a view": (x) => x.permute([2, 0, 1]).select(1, 0).slice([1, null]).t(),
  "the functions of the same names": (x) => chunk(x, 2, 2)[0] as AnyTensor,
};

describe("a view", () => {
  for (const [name, view] of Object.entries(views)) {
    it(`is what ${name} gives`, () => {
      const x = base();
      const v = view(x);
      expect(v.sharesStorage(x)).toBe(true);
      v.fill_(-1);
      expect(x.eq(-1).sum().item()).toBe(v.numel());
      x.fill_(5);
      expect(v.eq(5).all().item()).toBe(true);
    });
    it(`reads by its strides: ${name}`, () => {
      const x = base();
      const v = view(x);
      expect(x.asStrided(v.shape, v.stride(), v.storageOffset()).toArray()).toEqual(v.toArray());
      x.mul_(3);
      expect(v.toArray()).toEqual(view(base().mul(3)).toArray());
    });
  }
});

const copies: Readonly<Record<string, (x: AnyTensor) => AnyTensor>> = {
  clone: (x) => x.clone(),
  flip: (x) => flip(x, [0]),
  "flip of an axis of size 1": (x) => x.select(0, 0).unsqueeze(0).flip([0]),
  roll: (x) => x.roll(1, 0),
  repeat: (x) => x.repeat([1, 1, 1]),
  tril: (x) => x.tril(9),
  "to another dtype": (x) => x.to("float64"),
  "reshape of what does not lie in order": (x) => x.transpose(0, 2).reshape([24]),
  "contiguous of what is not": (x) => x.transpose(0, 1).contiguous(),
  "an op that changes nothing": (x) => x.mul(1),
};

describe("a copy", () => {
  for (const [name, copy] of Object.entries(copies)) {
    it(`is what ${name} gives`, () => {
      const x = base();
      const y = copy(x);
      expect(y.sharesStorage(x)).toBe(false);
      y.zero_();
      expect(x.toArray()).toEqual(base().toArray());
      const z = copy(x).compute();
      const before = z.toArray();
      x.zero_();
      expect(z.toArray()).toEqual(before);
    });
  }
});

describe("the tensor itself", () => {
  it("is what contiguous gives when it is, and to its own dtype", () => {
    const x = base();
    expect(x.contiguous()).toBe(x);
    expect(x.to("float32")).toBe(x);
    expect(x.float()).toBe(x);
    expect(x.typeAs(zeros([1]))).toBe(x);
    const t = x.transpose(0, 1);
    expect(t.contiguous()).not.toBe(t);
    expect(t.contiguous().isContiguous()).toBe(true);
  });
});

describe("isSetTo", () => {
  it("asks for the same elements in the same order", () => {
    const x = zeros([3, 3]);
    expect(x.isSetTo(x)).toBe(true);
    expect(x.isSetTo(x.detach())).toBe(true);
    expect(x.isSetTo(x.t())).toBe(false);
    expect(x.t().isSetTo(x.transpose(0, 1))).toBe(true);
    expect(x.slice([0, 2]).isSetTo(x.slice([1, 3]))).toBe(false);
    expect(x.isSetTo(zeros([3, 3]))).toBe(false);
  });
});

it("a lent array is read through views and never written", () => {
  const array = Float32Array.of(1, 2, 3, 4);
  const x = tensor(array, { shape: [2, 2] });
  x.t().mul_(2);
  expect(x.toArray()).toEqual([
    [2, 4],
    [6, 8],
  ]);
  expect(array).toEqual(Float32Array.of(1, 2, 3, 4));
});

describe("windows of a view that is computed, of what is not", () => {
  const given = tensor(Array.from({ length: 24 }, (_, k) => k / 4)).compute();
  it("are read from the view", () => {
    for (const view of [
      given.sin().reshape([6, 4]),
      given.reshape([4, 6]).sin().t(),
      given.reshape([8, 3]).sin().narrow(0, 1, 6),
    ]) {
      view.compute();
      const { kernels } = view.unfold(0, 3, 1).sum(-1).explain();
      expect(kernels.map(({ ops }) => ops)).toEqual([["sum"]]);
    }
  });
  it("see what is written through other views, and write through", () => {
    const base = given.mul(2);
    const view = base.reshape([6, 4]).narrow(0, 1, 5).compute();
    const windows = view.unfold(0, 2, 2);
    base.narrow(0, 4, 4).fill_(-1);
    expect((windows.toArray() as number[][][])[0]![0]).toEqual([-1, 4]);
    windows.select(0, 1).mul_(0);
    expect(base.reshape([6, 4]).toArray().slice(3, 5)).toEqual([
      [0, 0, 0, 0],
      [0, 0, 0, 0],
    ]);
  });
});
