/** A graph comes again while something else still reads inputs that its program overwrites: it runs with copies, and is not compiled anew. */
import { type AnyTensor, Generator, jit, noGrad, randn, stats, zeros } from "fuseau";
import { Linear, Sequential, Tanh } from "fuseau/nn";
import { SGD } from "fuseau/optim";
import { describe, expect, test } from "vitest";

const random = (shape: readonly number[], seed: number): AnyTensor =>
  randn(shape, { generator: new Generator().manualSeed(seed) });

function training(width: number) {
  const net = new Sequential(new Linear(3, width), new Tanh(), new Linear(width, 2));
  const parameters = [...net.parameters()] as AnyTensor[];
  noGrad(() => {
    for (const [k, parameter] of parameters.entries()) parameter.copy_(random(parameter.shape, k).mul(0.5));
  });
  const optimizer = new SGD(parameters, { lr: 0.1, momentum: 0.9 });
  const forward = (x: AnyTensor): AnyTensor => net.forward(x as never) as AnyTensor;
  const step = (k: number): number => {
    optimizer.zeroGrad();
    const loss = forward(random([4, 3], 100 + k))
      .square()
      .mean();
    loss.backward();
    optimizer.step();
    return loss.item() as number;
  };
  /** Reads a sum of what the model gives, and returns that, which nobody has computed by itself. */
  const evaluated = (x: AnyTensor): AnyTensor =>
    noGrad(() => {
      const y = forward(x);
      y.abs().sum().item();
      return y;
    });
  return { parameters, forward, evaluated, step };
}

describe("parameters that something else still reads", () => {
  test("are copied for a step, whatever reads them, and no program is compiled", () => {
    const [one, other] = [training(5), training(5)];
    const x = random([6, 3], 7).compute();
    for (let k = 0; k < 40; k++) expect(one.step(k)).toBe(other.step(k));
    for (let k = 40; k < 48; k++) {
      const known = noGrad(() => other.forward(x).toArray());
      const expected = other.step(k);
      const held = one.evaluated(x);
      const before = stats().programs.misses;
      expect(one.step(k)).toBe(expected);
      expect(stats().programs.misses).toBe(before);
      expect(held.toArray()).toEqual(known);
    }
    for (const [k, parameter] of one.parameters.entries())
      expect(parameter.toArray()).toEqual((other.parameters[k] as AnyTensor).toArray());
  });

  test("get a program of their own where that is usual", () => {
    const { evaluated, step, parameters } = training(6);
    const x = random([6, 3], 7).compute();
    for (let k = 0; k < 3; k++) step(k);
    const before = stats().programs.misses;
    const held: AnyTensor[] = [];
    for (let k = 0; k < 120; k++) {
      held.push(evaluated(x));
      step(k);
    }
    const made = stats().programs.misses - before;
    expect(made).toBeGreaterThan(0);
    expect(made).toBeLessThan(8);
    expect(held.at(-1)?.shape).toEqual([6, 2]);
    expect(parameters[0]?.isfinite().all().item()).toBe(true);
  });

  test("of a jitted function are left to them too", () => {
    const [jitted, plain] = [zeros([50]).compute(), zeros([50]).compute()];
    const added = (w: AnyTensor, x: AnyTensor): AnyTensor => {
      let y = x;
      for (let k = 0; k < 20; k++) y = y.sin().add(w);
      return y;
    };
    const fn = jit((x: AnyTensor) => {
      jitted.add_(added(jitted, x));
    });
    for (let k = 0; k < 6; k++) {
      const held = added(jitted, random([50], k));
      if (k % 2 === 1) held.sum().item();
      const known = added(plain, random([50], k)).toArray();
      fn(random([50], k + 10));
      plain.add_(added(plain, random([50], k + 10)));
      expect(held.toArray()).toEqual(known);
      expect(jitted.toArray()).toEqual(plain.toArray());
    }
  });
});
