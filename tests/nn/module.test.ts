/** Modules: what they find of their fields, state dicts, and modes. */
import { type AnyTensor, arange, noGrad, ones, randn, type Tensor, zeros } from "fuseau";
import {
  BatchNorm1d,
  buffer,
  Dropout,
  Linear,
  Module,
  ModuleDict,
  ModuleList,
  ParameterDict,
  ParameterList,
  parameter,
  ReLU,
  Sequential,
} from "fuseau/nn";
import { describe, expect, it } from "vitest";

class Block extends Module {
  readonly inProj = new Linear(3, 4);
  readonly layers = [new Linear(4, 4), new Linear(4, 4, { bias: false })];
  readonly scale = parameter(ones([4]));
  readonly mask = buffer(zeros([4]));
  readonly cache = buffer(zeros([4]), { persistent: false });
  readonly plain = zeros([5]);

  forward(x: Tensor<[number, 3]>) {
    const [first, last] = [this.layers[0]!, this.layers[1]!];
    return last
      .forward(first.forward(this.inProj.forward(x).relu()))
      .mul(this.scale)
      .add(this.mask);
  }
}

describe("fields", () => {
  it("are parameters, buffers and modules, named as in PyTorch", () => {
    const block = new Block();
    const names = ["in_proj.weight", "in_proj.bias", "layers.0.weight", "layers.0.bias", "layers.1.weight"];
    expect(block.namedParameters().map(([name]) => name)).toEqual(["scale", ...names]);
    expect(block.namedBuffers().map(([name]) => name)).toEqual(["mask", "cache"]);
    expect(Object.keys(block.stateDict())).toEqual(["scale", "mask", ...names]);
    expect([...block.namedModules()].map(([name]) => name)).toEqual(["", "in_proj", "layers.0", "layers.1"]);
  });

  it("are found by their names, and may be set by them", () => {
    const block = new Block();
    expect(block.getSubmodule("")).toBe(block);
    expect(block.getSubmodule("layers.0")).toBe(block.layers[0]);
    expect(block.getParameter("layers.0.weight")).toBe(block.layers[0]!.weight);
    expect(block.getBuffer("mask")).toBe(block.mask);
    expect(() => block.getParameter("layers.0.weigth")).toThrow(
      'getParameter: Block has no parameter "layers.0.weigth" (did you mean "layers.0.weight"?)',
    );
    expect(() => block.getSubmodule("layers.2")).toThrow(RangeError);
    block.registerParameter("shift", ones([2]));
    block.registerModule("last", new Linear(2, 2));
    block.registerParameter("none", null);
    expect(block.getParameter("shift").requiresGrad).toBe(true);
    expect(Object.keys(block.stateDict())).toContain("last.weight");
    expect(() => block.registerModule("last", ones([2]) as never)).toThrow(
      "registerModule: module must be a Module, but got",
    );
  });

  it("count once where they are shared", () => {
    const shared = new Linear(2, 2);
    const model = new Sequential(shared, new ReLU(), shared);
    expect(model.parameters()).toHaveLength(2);
    expect(model.modules()).toHaveLength(3);
    expect(Object.keys(model.stateDict())).toEqual(["0.weight", "0.bias", "2.weight", "2.bias"]);
  });

  it("of lists grow, and all are converted", () => {
    const [a, b, c, d] = [1, 2, 3, 4].map((size) => new Linear(size, 1)) as [Linear<1, 1>, ...Linear<1, 1>[]];
    const list = new ModuleList([a]).extend([c!, d!]).insert(-2, b!);
    expect([...list].map(({ inFeatures }) => inFeatures)).toEqual([1, 2, 3, 4]);
    expect(() => list.extend([a, 3 as never])).toThrow("extend: items[1] must be a Module, but got 3");
    expect(list.length).toBe(4);
    expect([list.double(), list.half(), list.float()].map((all) => all.at(0).weight.dtype)).toEqual(
      Array(3).fill("float32"),
    );
    expect(list.double().at(3).bias!.dtype).toBe("float64");
  });

  it("of lists and dictionaries are named by place and by name", () => {
    const model = new ModuleDict({ encoder: new ModuleList([new Linear(1, 1)]), outHead: new Linear(1, 1) });
    expect(Object.keys(model.stateDict())).toEqual([
      "encoder.0.weight",
      "encoder.0.bias",
      "outHead.weight",
      "outHead.bias",
    ]);
  });

  it("of dictionaries are read and changed as those of a Map", () => {
    const heads = new ModuleDict({ first: new Linear(2, 3), second: new Linear(2, 1) });
    heads.set("third", new Linear(2, 1));
    const shapes = [...heads].map(([name, head]) => [name, head.forward(zeros([4, 2])).shape]);
    expect(shapes).toEqual([
      ["first", [4, 3]],
      ["second", [4, 1]],
      ["third", [4, 1]],
    ]);
    expect([heads.size, heads.has("third"), heads.delete("third"), heads.delete("third")]).toEqual([
      3,
      true,
      true,
      false,
    ]);
    expect([...heads.keys()]).toEqual(["first", "second"]);
    expect([...heads.values()].map(({ outFeatures }) => outFeatures)).toEqual([3, 1]);
    expect(Object.keys(heads.stateDict()).length).toBe(4);
    for (const name of ["__proto__", "constructor"])
      expect(() => heads.get(name as never)).toThrow(`there is no "${name}"; there are first, second`);
    expect(() => heads.set("no", 3 as never)).toThrow("item must be a Module, but got 3");
    const scales = new ParameterDict<Record<string, AnyTensor>>().set("a", ones([1])).set("b", zeros([2]));
    expect([...scales.entries()].map(([name, { requiresGrad }]) => [name, requiresGrad])).toEqual([
      ["a", true],
      ["b", true],
    ]);
    expect(scales.parameters().length).toBe(2);
  });

  it("of lists and dictionaries of parameters too, and go to another dtype", () => {
    const list = new ParameterList<AnyTensor>([ones([2])]).append(zeros([3]));
    const named = new ParameterDict({ scaleBy: ones([1]) });
    const model = new ModuleDict({ list, named });
    expect(Object.keys(model.stateDict())).toEqual(["list.0", "list.1", "named.scaleBy"]);
    expect(
      model
        .to("float64")
        .parameters()
        .map(({ dtype }) => dtype),
    ).toEqual(Array(3).fill("float64"));
    expect([...list].map(({ dtype, requiresGrad }) => [dtype, requiresGrad])).toEqual([
      ["float64", true],
      ["float64", true],
    ]);
    expect(named.get("scaleBy").dtype).toBe("float64");
    expect(() => list.at(2)).toThrow(/^at: index 2 is out of range \(it has 2 parameters\)/);
    expect(() => new ParameterList([3 as never])).toThrow(/must be a tensor/);
  });

  it("of one name are an error", () => {
    const model = new (class extends Module {
      innerWeight = parameter(ones([1]));
      inner_weight = parameter(ones([1]));
      forward(): void {}
    })();
    expect(() => model.parameters()).toThrow(/^parameters: two fields of .* are named inner_weight/);
  });
});

describe("state dicts", () => {
  it("go from one module to another", () => {
    const [a, b] = [new Block(), new Block()];
    const x = randn([5, 3]);
    expect(b.loadStateDict(a.stateDict())).toEqual({ missingKeys: [], unexpectedKeys: [] });
    expect(b.forward(x).toArray()).toEqual(a.forward(x).toArray());
  });

  it("share their elements with the module, and require no gradient", () => {
    const model = new Linear(2, 1);
    const { weight } = model.stateDict();
    noGrad(() => model.weight.fill_(3));
    expect(weight!.toArray()).toEqual([[3, 3]]);
    expect(weight!.requiresGrad).toBe(false);
  });

  it("with other names or shapes are refused, and nothing is written", () => {
    const model = new Linear(2, 1);
    const before = model.weight.toArray();
    expect(() => model.loadStateDict({ weight: ones([1, 2]), extra: ones([1]) })).toThrow(
      'loadStateDict: Error(s) in loading state_dict for Linear: Unexpected key(s) in state_dict: "extra"; Missing key(s) in state_dict: "bias"',
    );
    expect(() => model.loadStateDict({ weight: ones([1, 2]), bias: ones([2]) })).toThrow(
      /size mismatch for bias: copying a param with shape \[2\] from checkpoint, the shape in current model is \[1\]/,
    );
    expect(model.weight.toArray()).toEqual(before);
    expect(model.loadStateDict({ weight: ones([1, 2]), extra: ones([1]) }, { strict: false })).toEqual({
      missingKeys: ["bias"],
      unexpectedKeys: ["extra"],
    });
    expect(model.weight.toArray()).toEqual([[1, 1]]);
  });
});

it("a Sequential keeps what a layer hands on as it is", () => {
  const x = randn([3, 2]);
  for (const last of [[], [new ReLU()], [new Dropout(0), new ReLU()]])
    for (const first of [new Linear(2, 2), new Sequential(new Linear(2, 2))]) {
      const made = new Sequential(first, new Dropout(0), ...last).forward(x);
      expect((made as AnyTensor).sum().item()).toEqual(expect.any(Number));
    }
});

it("a module that has what it is a part of has parameters, and no state dict", () => {
  class Part extends Module {
    readonly weight = parameter(ones([2]));
    whole: Module | null = null;
    forward(): void {}
  }
  class Whole extends Module {
    readonly part = new Part();
    forward(): void {}
  }
  const whole = new Whole();
  whole.part.whole = whole;
  expect(whole.namedParameters().map(([name]) => name)).toEqual(["part.weight"]);
  expect(whole.train().parameters().length).toBe(1);
  expect(() => whole.stateDict()).toThrow('the Whole at "part.whole" is within itself');
  expect(String(whole)).toContain("(whole): Whole(…)");
});

it("train and eval reach every module", () => {
  const model = new Sequential(new Linear(2, 2), new Sequential(new Dropout(0.9), new BatchNorm1d(2)));
  expect(
    model
      .eval()
      .modules()
      .map(({ training }) => training),
  ).toEqual([false, false, false, false, false]);
  const x = ones([4, 2]);
  expect(model.layers[1].layers[0].forward(x)).toBe(x);
  expect(model.train().training).toBe(true);
});

it("requiresGrad_ freezes, and zeroGrad lets go of gradients", () => {
  const model = new Sequential(new Linear(2, 2), new Linear(2, 1));
  model.layers[0].requiresGrad_(false);
  model
    .forward(ones([1, 2]))
    .sum()
    .backward();
  expect(model.parameters().map(({ grad }) => grad === null)).toEqual([true, true, false, false]);
  model.zeroGrad({ setToNone: false });
  expect(model.layers[1].weight.grad?.toArray()).toEqual([[0, 0]]);
  model.zeroGrad();
  expect(model.layers[1].weight.grad).toBe(null);
});

it("to changes the dtype of floats, and keeps them parameters", () => {
  const model = new BatchNorm1d(3).to("float64");
  expect(Object.values(model.stateDict()).map(({ dtype }) => dtype)).toEqual([
    "float64",
    "float64",
    "float64",
    "float64",
    "int64",
  ]);
  expect(model.parameters().every(({ requiresGrad, isLeaf }) => requiresGrad && isLeaf)).toBe(true);
});

it("to leaves what has the dtype already, with its gradient", () => {
  const model = new Linear(2, 2);
  model
    .forward(ones([1, 2]))
    .sum()
    .backward();
  const before = model.parameters();
  expect(model.float().parameters()).toEqual(before);
  expect(model.weight).toBe(before[0]);
  expect(model.weight.grad).not.toBe(null);
});

it("parameter refuses what is no leaf", () => {
  const x = arange(3, { dtype: "float32" }).requiresGrad_();
  expect(() => parameter(x.mul(2))).toThrow(/^parameter: a parameter is a leaf/);
  expect(() => parameter(zeros([2], { dtype: "int64" }))).toThrow(/only Tensors of floating point dtype/);
});

it("a module in two places has a name for each, and is called once", () => {
  class Twice extends Module {
    readonly first = new Linear(2, 2);
    readonly second = this.first;
    forward(): void {}
  }
  const model = new Twice();
  expect(model.getSubmodule("second")).toBe(model.first);
  expect(model.getParameter("second.weight")).toBe(model.first.weight);
  expect(model.children()).toEqual([model.first]);
  const seen: Module[] = [];
  model.apply((module) => void seen.push(module));
  expect(seen).toEqual([model.first, model]);
  expect(Object.keys(model.stateDict())).toContain("second.bias");
  expect(() => model.getSubmodule("third")).toThrow(/has no module "third"$/);
});

it("what is registered has a name of its own", () => {
  const model = new Linear(2, 2);
  for (const name of ["forward", "training", "weight"])
    expect(() => model.registerBuffer(name, ones([2]))).toThrow(
      `registerBuffer: attribute '${name}' already exists`,
    );
  expect(() => model.registerModule("weight", new Linear(1, 1))).toThrow("'weight' already exists");
  expect(() => model.registerParameter("train", ones([2]))).toThrow("'train' already exists");
  for (const name of ["", "a.b"])
    expect(() => model.registerParameter(name, ones([2]))).toThrow(/the name of a parameter is not empty/);
  model.registerParameter("bias", null);
  model.registerParameter("bias", ones([2]));
  model.registerBuffer("mask", null);
  model.registerBuffer("mask", ones([2]));
  expect(Object.keys(model.stateDict())).toEqual(["weight", "bias", "mask"]);
});
