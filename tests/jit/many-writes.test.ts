import { type AnyTensor, func, jit, ones, zeros } from "fuseau";
import { expect, it } from "vitest";

/** More writes than a recording takes before it is computed by itself. */
const WRITES = 150;

it("a function that writes often into what it was given is recorded whole", () => {
  let calls = 0;
  const step = jit((x: AnyTensor) => {
    calls++;
    for (let k = 0; k < WRITES; k++) x.mul_(0.5).add_(k % 3);
    return x.sum();
  });
  const [jitted, plain] = [ones([4]), ones([4])];
  for (let round = 0; round < 4; round++) {
    const sum = step(jitted);
    for (let k = 0; k < WRITES; k++) plain.mul_(0.5).add_(k % 3);
    expect(sum.item()).toBe(plain.sum().item());
    expect(jitted.toArray()).toEqual(plain.toArray());
  }
  expect(calls).toBe(1);
});

it("a mapped function that writes often is recorded whole", () => {
  const mapped = func.vmap((x: AnyTensor) => {
    const state = zeros([2]).add(x);
    for (let k = 0; k < WRITES; k++) state.mul_(0.5).add_(x);
    return state;
  });
  const rows = mapped(ones([3, 2])).toArray() as number[][];
  for (const row of rows) for (const element of row) expect(element).toBe(2);
});
