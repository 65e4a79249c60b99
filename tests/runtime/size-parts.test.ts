/** Parts of a recording whose sizes change independently of each other are computed by themselves. */
import {
  type AnyTensor,
  cat,
  clearCaches,
  linspace,
  manualSeed,
  noGrad,
  setOptions,
  stats,
  type Tensor,
  tensor,
  zerosLike,
} from "fuseau";
import * as nn from "fuseau/nn";
import { SGD } from "fuseau/optim";
import { beforeEach, describe, expect, it } from "vitest";
import { lookForParts } from "../compiled-whole.ts";

lookForParts();

beforeEach(() => clearCaches());

const misses = (): number => stats().programs.misses;
/** Numbers from 4 to 40 that follow no line. */
const size = (k: number): number => 4 + ((k * k * 7 + k * 13) % 37);
const batch = (k: number): AnyTensor =>
  linspace(-1, 1, size(k) * 6)
    .mul(1 + (k % 5))
    .sin()
    .reshape([size(k), 6])
    .compute();

describe("sizes that change independently of each other", () => {
  it("losses of several lengths are a few programs", () => {
    const loss = (x: AnyTensor): AnyTensor => x.mul(3).tanh().square().mean();
    const before = misses();
    for (let k = 0; k < 60; k++) {
      const parts = [batch(3 * k), batch(3 * k + 1), batch(3 * k + 2)];
      const whole = parts.map(loss).reduce((sum, one) => sum.add(one));
      const alone = parts.map((x) => loss(x).item() as number);
      expect(whole.item()).toBeCloseTo(
        alone.reduce((sum, one) => sum + one),
        5,
      );
    }
    expect(misses() - before).toBeLessThan(40);
  });
  it.each([false, true])(
    "gradients of several batches are added up, whether computed or not: %s",
    (isComputed) => {
      const run = (isForced: boolean): readonly unknown[] => {
        const layer = new nn.Linear(6, 5);
        layer.weight.detach().copy_(linspace(-1, 1, 30).reshape([5, 6]));
        layer.bias?.detach().copy_(linspace(0, 1, 5));
        const steps = new SGD(layer.parameters(), { lr: 0.05 });
        const seen: unknown[] = [];
        for (let k = 0; k < 40; k++) {
          steps.zeroGrad();
          for (let i = 0; i < 3; i++) {
            const loss = layer
              .forward(batch(3 * k + i) as Tensor<[number, 6], "float32">)
              .tanh()
              .square()
              .mean()
              .mul(size(k) / 50);
            loss.backward();
            if (isComputed) seen.push(loss.item());
            if (isForced) for (const p of layer.parameters()) p.grad?.compute();
          }
          if (k % 3 === 0) nn.utils.clipGradNorm_(layer.parameters(), 0.1);
          steps.step();
        }
        return [...seen, layer.weight.toArray(), layer.bias?.toArray()];
      };
      const before = misses();
      const own = run(false);
      expect(misses() - before).toBeLessThan(70);
      expect(run(true)).toEqual(own);
    },
  );
  it("experts, each of which takes the rows that are sent to it, are a few programs", () => {
    manualSeed(3);
    const gate = new nn.Linear(6, 4);
    const experts = Array.from({ length: 4 }, () => new nn.Linear(6, 6));
    const steps = new SGD(
      [gate, ...experts].flatMap((each) => [...each.parameters()]),
      { lr: 0.05 },
    );
    const step = (k: number): number => {
      steps.zeroGrad();
      const x = linspace(-1, 1, 40 * 6)
        .mul(1 + ((k * 7) % 11))
        .sin()
        .reshape([40, 6]) as Tensor<[40, 6], "float32">;
      const { values, indices } = gate.forward(x).topk(2, 1);
      const weights = values.softmax(1);
      let y: AnyTensor = zerosLike(x);
      for (const [e, expert] of experts.entries()) {
        const [row, place] = indices.eq(e).nonzero().unbind(1) as [AnyTensor, AnyTensor];
        const own = expert.forward(x.indexSelect(0, row) as Tensor<[number, 6], "float32">);
        y = y.indexAdd(0, row, own.mul(weights.index([row, place]).unsqueeze(1)));
      }
      const loss = y.sub(x.sin()).square().mean();
      loss.backward();
      steps.step();
      return loss.item() as number;
    };
    for (let k = 0; k < 60; k++) step(k);
    const before = misses();
    for (let k = 60; k < 90; k++) step(k);
    expect(misses() - before).toBeLessThan(25);
  });
  it("a part writes over nothing that a later part reads", () => {
    const run = (fusion: "on" | "none"): readonly unknown[] => {
      clearCaches();
      setOptions({ fusion });
      const values = (size: number): AnyTensor => linspace(-1, 1, size, { dtype: "float64" });
      const w = values(9).reshape([3, 3]).compute().requiresGrad_();
      const b = values(3).compute().requiresGrad_();
      const scale = tensor(0.75, { dtype: "float64" }).compute().requiresGrad_();
      const parameters = [w, b, scale];
      const seen: unknown[] = [];
      for (let k = 0; k < 20; k++) {
        for (const each of parameters) each.grad = null;
        const losses = [1 + k, size(k)].map((count, i) => {
          const x = values(count * 3)
            .mul(1 + ((k + i) % 5))
            .reshape([count, 3])
            .compute();
          const y = x.mul(0.5).matmul(w).add(b);
          const z: AnyTensor = i === 0 ? y.mul(scale).square() : y.tanh().mul(scale);
          const loss = z.mean().mul((k + i) % 2 === 0 ? 0.5 : 2);
          loss.backward();
          return loss;
        });
        seen.push(losses[1]?.item(), w.grad?.toArray());
        noGrad(() => {
          for (const each of parameters) each.sub_((each.grad as AnyTensor).mul(0.03) as never);
        });
      }
      setOptions({ fusion: undefined });
      return [...seen, ...parameters.map((each) => each.detach().toArray())];
    };
    expect(run("none")).toEqual(run("on"));
  });
  it("what meets is computed together, and what fails says so", () => {
    for (let k = 0; k < 12; k++) {
      const [a, b] = [batch(k), batch(2 * k + 1)];
      const joined = cat([a, b]).mul(2).relu();
      expect(joined.sum().add(a.sum()).item()).toBeCloseTo(
        (a.relu().sum().item() as number) * 2 +
          (b.relu().sum().item() as number) * 2 +
          (a.sum().item() as number),
        2,
      );
    }
    const pick = (x: AnyTensor, at: number): AnyTensor =>
      x
        .mul(2)
        .indexSelect(0, tensor([at], { dtype: "int64" }))
        .sum();
    for (let k = 0; k < 12; k++) {
      const [a, b] = [batch(k), batch(2 * k + 1)];
      const sum = pick(a, 0).add(pick(b, k === 10 ? 1_000 : 1));
      if (k === 10) expect(() => sum.item()).toThrow("indexSelect: index 1000 is out of bounds");
      else expect(sum.item()).toBeCloseTo((pick(a, 0).item() as number) + (pick(b, 1).item() as number), 3);
    }
  });
});
