/** explain() of a loss shows its backward pass too, and changes nothing. */
import { type AnyTensor, explain, noGrad, tensor, zeros } from "fuseau";
import { expect, it } from "vitest";

function lossOf() {
  const w = zeros([16, 4]).add(0.5).compute().requiresGrad_();
  const x = zeros([8, 16]).add(1).compute();
  const hidden: AnyTensor = x.matmul(w).sigmoid();
  return { w, loss: hidden.exp().square().mean() };
}

it("what is expensive is stored for it, with the reason, and what is cheap is not", () => {
  const { loss } = lossOf();
  const { backward } = loss.explain().toJSON();
  expect(backward?.gradients).toBe(1);
  expect(backward?.saved.length).toBeGreaterThan(0);
  for (const { how, bytes, op } of backward?.saved ?? []) {
    expect(["stored", "computed again", "in the same kernel"]).toContain(how);
    expect(bytes, op).toBeGreaterThan(0);
  }
  expect(backward?.program.kernels.flatMap(({ ops }) => ops)).toContain("contract");
  expect(backward?.program.backward).toBeNull();
  const text = String(loss.explain());
  for (const title of ["with its backward pass", "1 gradients;", "read by the backward pass"])
    expect(text).toContain(title);
});

it("the loss and its gradient are what they are without", () => {
  const plain = lossOf();
  plain.loss.backward();
  const { w, loss } = lossOf();
  let calls = 0;
  w.registerHook((gradient) => {
    calls++;
    return gradient;
  });
  loss.explain();
  expect([calls, w.grad]).toEqual([0, null]);
  loss.backward();
  expect(calls).toBe(1);
  expect(w.grad?.toArray()).toEqual(plain.w.grad?.toArray());
  expect(loss.item()).toBe(plain.loss.item());
});

it("there is none where there are no derivatives", () => {
  const { w, loss } = lossOf();
  expect(tensor(1).add(1).explain().backward).toBeNull();
  expect(noGrad(() => w.sum()).explain().backward).toBeNull();
  expect(w.mul(2).explain().backward).toBeNull();
  expect(explain(loss, w.sum()).backward).toBeNull();
  loss.backward();
  expect(loss.explain().backward).toBeNull();
});
