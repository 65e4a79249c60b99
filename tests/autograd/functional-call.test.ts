import { func, manualSeed, randn, tensor } from "fuseau";
import { BatchNorm1d, Linear, Sequential, Tanh } from "fuseau/nn";
import { expect, it } from "vitest";

const model = () => {
  manualSeed(3);
  return new Sequential(new Linear(3, 4), new Tanh(), new Linear(4, 2));
};

it("calls a module with other parameters, and leaves its own", () => {
  const own = model();
  const x = randn([5, 3]).compute();
  const before = own.forward(x).toArray();
  const twice = Object.fromEntries(own.namedParameters().map(([name, p]) => [name, p.detach().mul(2)]));
  const other = func.functionalCall(own, twice, [x]).toArray();
  expect(other).not.toEqual(before);
  expect(own.forward(x).toArray()).toEqual(before);
  own.loadStateDict(twice);
  expect(own.forward(x).toArray()).toEqual(other);
});

it("has the gradients that backward gives", () => {
  const own = model();
  const x = randn([5, 3]).compute();
  own.forward(x).square().sum().backward();
  const state = Object.fromEntries(own.namedParameters().map(([name, p]) => [name, p.detach()]));
  const gradients = func.grad((parameters: typeof state) =>
    func.functionalCall(own, parameters, [x]).square().sum(),
  )(state);
  for (const [name, p] of own.namedParameters())
    expect(gradients[name]!.toArray()).toEqual(p.grad!.toArray());
});

it("writes what a module writes into the buffers that were given", () => {
  const norm = new BatchNorm1d(2);
  const mean = tensor([0, 0]);
  func.functionalCall(norm, { running_mean: mean }, [
    tensor([
      [1, 2],
      [3, 6],
    ]),
  ]);
  expect(mean.toArray()[0]).toBeCloseTo(0.2);
  expect(norm.runningMean!.toArray()).toEqual([0, 0]);
});

it("refuses a name that the module does not have", () => {
  expect(() => func.functionalCall(model(), { "3.weight": tensor([1]) }, [randn([1, 3])])).toThrow(
    /func\.functionalCall: the module has no parameter or buffer 3\.weight \(it has 0\.weight, 0\.bias/,
  );
});
