/** Fields of modules keep being what they are, and are what a module prints. */
import { noGrad, ones, zeros } from "fuseau";
import {
  BatchNorm1d,
  GRUCell,
  Linear,
  Module,
  MultiheadAttention,
  parameter,
  ReLU,
  Sequential,
} from "fuseau/nn";
import { describe, expect, it } from "vitest";

class Net extends Module {
  inner = new Linear(1, 1);
  scale = parameter(ones([2]));
  forward(): void {}
}

describe("a field that has a parameter", () => {
  it("refuses a plain tensor, at the line that assigns it", () => {
    const layer = new Linear(2, 3);
    const assign = (): void => {
      layer.weight = ones([3, 2]);
    };
    expect(assign).toThrow(
      'Linear: cannot assign a Tensor as parameter "weight" (parameter(x) or null expected; noGrad(() => module.weight.copy_(x)) writes its elements)',
    );
    try {
      assign();
    } catch (error) {
      expect((error as Error).stack!.split("\n").find((line) => /^\s+at /.test(line))).toContain("assign");
    }
    expect(layer.parameters()).toHaveLength(2);
    noGrad(() => layer.weight.copy_(ones([3, 2])));
    expect(layer.weight.sum().item()).toBe(6);
  });

  it("takes another parameter, or null, and nothing plain after that", () => {
    const layer = new Linear(2, 3);
    const given = parameter(zeros([3, 2]));
    layer.weight = given;
    layer.bias = null;
    expect(layer.parameters()).toEqual([given]);
    expect(() => (layer.bias = zeros([3]))).toThrow('cannot assign a Tensor as parameter "bias"');
  });

  it("is one of every layer, and of a module of one's own once its parameters were asked for", () => {
    const attention = new MultiheadAttention(4, 2);
    expect(() => (attention.inProjWeight = ones([12, 4]))).toThrow('as parameter "inProjWeight"');
    const cell = new GRUCell(2, 3);
    expect(() => (cell.weightHh = ones([9, 3]))).toThrow('as parameter "weightHh"');
    const net = new Net();
    net.parameters();
    expect(() => (net.scale = ones([2]))).toThrow('Net: cannot assign a Tensor as parameter "scale"');
    expect(() => (net.inner = ones([2]) as never)).toThrow(
      'Net: cannot assign a Tensor as child module "inner" (a Module or null expected)',
    );
    net.to("float64");
    expect(net.parameters().map(({ dtype }) => dtype)).toEqual(["float64", "float64", "float64"]);
  });
});

it("a field that has a buffer makes a buffer of a tensor", () => {
  const norm = new BatchNorm1d(3);
  norm.runningMean = ones([3]);
  expect(norm.stateDict().running_mean!.toArray()).toEqual([1, 1, 1]);
  expect(() => (norm.runningVar = 1 as never)).toThrow(
    'BatchNorm1d: cannot assign 1 as buffer "runningVar" (a tensor or null expected)',
  );
});

it("a module prints its fields, and the modules within it", () => {
  expect(String(new Sequential(new Linear(2, 3), new Sequential(new ReLU()), new Net()))).toBe(`Sequential(
  (0): Linear(inFeatures: 2, outFeatures: 3, weight: [3, 2], bias: [3])
  (1): Sequential(
    (0): ReLU()
  )
  (2): Net(scale: [2]
    (inner): Linear(inFeatures: 1, outFeatures: 1, weight: [1, 1], bias: [1])
  )
)`);
});
