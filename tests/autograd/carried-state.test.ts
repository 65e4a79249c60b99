/** A state that is handed from step to step of training keeps nothing of the steps before. */
import { type AnyTensor, autograd, noGrad, tensor } from "fuseau";
import { expect, test } from "vitest";
import { unwrap } from "../../packages/runtime/src/tensor/handle.ts";
import type { Value } from "../../packages/runtime/src/value.ts";

/** How many values a tensor keeps alive. */
function kept(x: AnyTensor): number {
  const seen = new Set<Value>([unwrap(x)]);
  for (const value of seen)
    for (const input of [...value.inputs, ...(value.step?.inputs ?? [])]) seen.add(input);
  return seen.size;
}

test("a gated state that is detached and never read leads to the last step alone", () => {
  const w = tensor([
    [0.5, 0.1],
    [-0.2, 0.3],
  ]).requiresGrad_() as AnyTensor;
  let state = tensor([[1, 2]]) as AnyTensor;
  const counts: number[] = [];
  for (let k = 0; k < 60; k++) {
    w.grad = null;
    const gate = state.matmul(w).sigmoid();
    const next = state.sub(state.matmul(w).tanh()).mul(gate).add(state);
    state = next.detach();
    next.square().mean().backward();
    noGrad(() => w.sub_(w.grad!.mul(0.1)));
    autograd.computeUpdate([w]);
    counts.push(kept(state));
  }
  expect(Math.max(...counts.slice(30))).toBeLessThanOrEqual(Math.max(...counts.slice(0, 30)));
});

test("what a backward pass has not been through is run backward after one that has met it in a sum", () => {
  const [x, y] = [tensor([1, 2]).requiresGrad_(), tensor([0.5, -1]).requiresGrad_()] as AnyTensor[];
  const sum = x!.add(y!.tanh());
  autograd.grad(sum.sum(), [x!]);
  sum.sum().backward();
  expect(x!.grad?.toArray()).toEqual([1, 1]);
  expect(y!.grad?.toArray()).toEqual(y!.tanh().square().neg().add(1).toArray());
});

test("sums of sums are run backward again, and products are not", () => {
  const x = tensor([1, 2]).requiresGrad_() as AnyTensor;
  const twice = x.add(x);
  const all = twice.add(twice.neg().sub(3)).add(twice).sum();
  all.backward();
  all.backward();
  expect(x.grad?.toArray()).toEqual([4, 4]);
  const square = x.mul(x).add(1).sum();
  square.backward();
  expect(() => square.backward()).toThrow("a second time");
});
