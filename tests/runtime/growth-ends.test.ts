import { type AnyTensor, ones, zeros } from "fuseau";
import { expect, it } from "vitest";

it("a recording that grows is watched for a while where it settles, and then no more", () => {
  const x = ones([600, 600]).compute();
  let taken = 0;
  const { stackTraceLimit } = Error;
  /** Calls `run`, and counts the stacks that are taken in it. */
  const stacksIn = (run: () => void): number => {
    taken = 0;
    const set = (): void => void taken++;
    Object.defineProperty(Error, "stackTraceLimit", { configurable: true, get: () => stackTraceLimit, set });
    run();
    Object.defineProperty(Error, "stackTraceLimit", {
      configurable: true,
      value: stackTraceLimit,
      writable: true,
    });
    return taken;
  };
  const grow = (): void => {
    let sum: AnyTensor = zeros([600, 600]);
    for (let k = 0; k < 6; k++) {
      sum = sum.add(x);
      sum.sum().item();
    }
    sum.compute();
  };
  expect(stacksIn(() => [1, 2, 3].forEach(grow))).toBeGreaterThan(0);
  const rest = (): void => {
    for (let k = 0; k < 3_000; k++) x.mul(2).add(1).sub(x).relu();
  };
  rest();
  expect(stacksIn(rest)).toBe(0);
});
