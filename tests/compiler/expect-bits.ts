import { expect } from "vitest";
import type { Element } from "../differential/reference.ts";

/** −0 is not 0, and NaN is NaN whatever its payload. */
export function expectSameBits(
  actual: readonly Element[],
  expected: readonly Element[],
  picture: () => string,
): void {
  const differs = expected.findIndex((x, k) => !Object.is(x, actual[k]));
  if (differs >= 0 || actual.length !== expected.length) {
    expect.fail(`element ${differs} is ${actual[differs]}, not ${expected[differs]}\n${picture()}`);
  }
}
