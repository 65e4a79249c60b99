/** Vectors under guards, cut where tests change: loops in, loops out, and the bits of closures. */
import { scheduleLoops, targets } from "@fuseau/compiler";
import { parseLoopKernel, printLoopKernel, verifyLoopKernel } from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { kernelFunction } from "../../differential/kernel-function.ts";
import { kernelOf, runner } from "./kernels.ts";

/** The kernel's text for WebAssembly, read back. */
function given(body: string) {
  const scheduled = scheduleLoops(kernelOf(body, 4), targets.wasm);
  verifyLoopKernel(scheduled);
  const text = printLoopKernel(scheduled);
  expect(printLoopKernel(parseLoopKernel(text))).toBe(text);
  return { text, kernel: parseLoopKernel(text) };
}

const padded = `
for x0 < n0
  v0: float32 = b0[x0] if (x0 + (n1 * -1)) < n2
  b1[x0] = v0`;

const joined = `
for x0 < n0
  v0: float32 = b0[x0] if x0 < n1
  v1: float32 = b0[(x0 + n2)] if n1 <= x0 < n3
  v2: float32 = select v0 if x0 < n1, else v1
  b1[x0] = v2`;

/** Backwards, and every third element. */
const backwards = `
for x0 < n0
  v0: float32 = b0[(n3 + (x0 * -1))] if n2 <= (n1 + (x0 * -1)) < n3
  b1[x0] = v0`;
const thirds = `
for x0 < n0
  v0: float32 = b0[(x0 * 3)] if n2 <= (n1 + ((x0 + n2) * 3)) < n3
  b1[x0] = v0`;
const backwardThirds = `
for x0 < n0
  v0: float32 = b0[x0] if n2 <= (n1 + (x0 * -3)) < n3
  b1[x0] = v0`;

const summed = `
reduce x0 < n0
  a0 = sum float32 -> float32 lanes 8
  v0: float32 = b0[x0] if x0 < n1
  a0[0] <- v0 @ x0
v1: float32 = result a0[0]
b1[0] = v1`;

const windows = `
for x0 < n0
  reduce x1 < 2
    a0 = max float32 -> float32 lanes 8
    v0: float32 = b0[(x0 + x1)] if n1 <= x0 < n2
    a0[0] <- v0 @ 0
  v1: float32 = result a0[0]
  b1[x0] = v1`;

const running = `
scan x0 < n0
  a0 = sum float32 -> float32 lanes 1
  v0: float32 = b0[x0] if x0 < n1
  a0[0] <- v0 @ 0
  v1: float32 = result a0[0]
  b1[x0] = v1`;

describe("a vector under guards", () => {
  it("is cut where its tests change, which ask where the piece begins", () => {
    const { text } = given(padded);
    expect(text).toContain("for x0 < n0 vector 4 x 2 cut x1 at (n2 + ((n1 * -1) * -1))");
    expect(text).toContain("if (x1 + (n1 * -1)) < n2");
    expect(given(joined).text).toContain("cut x1 at n1, n3");
    expect(given(summed).text).toContain("reduce x0 < n0 vector 4 x 4 cut x1 at n1");
    expect(given(backwards).text).toMatch(/vector 4 x 2 cut x1 at .* if n2 <= \(\(x1 \* -1\) \+ n1\) < n3/s);
    expect(given(thirds).text).toMatch(/vector 4 x 2 cut x1 at /);
    expect(given(running).text).toContain("scan x0 < n0 vector 1 cut x1 at n1");
    expect(given(windows).text).toContain("for x0 < n0 vector 4 x 2 cut x2 at n1, n2");
  });

  it.each([
    ["a test that does not change along it", padded.replace("(x0 + (n1 * -1))", "n3")],
    ["one that changes unevenly", padded.replace("(x0 + (n1 * -1))", "(x0 % n3)")],
  ])("is not cut at %s", (_, body) => {
    expect(given(body).text).not.toContain("cut");
  });

  it.each([
    ["padded", padded],
    ["joined", joined],
    ["summed", summed],
    ["windows", windows],
    ["a scan", running],
    ["backwards", backwards],
    ["every third element", thirds],
    ["every third element backwards", backwardThirds],
  ])("gives what it gives in one piece: %s", (_, body) => {
    const { kernel } = given(body);
    const [plain, closures, wasm] = [
      runner(kernelOf(body, 4), "closure"),
      runner(kernel, "closure"),
      runner(kernel, "wasm"),
    ];
    for (const length of [0, 1, 5, 16, 17, 40]) {
      for (const cut of [0, 1, 4, 9, 60]) {
        const sizes = [length, cut, 3, 40];
        expect(closures(sizes, 200)).toBe(plain(sizes, 200));
        expect(wasm(sizes, 200), `${sizes}`).toBe(plain(sizes, 200));
      }
    }
    expect(() => kernelFunction(kernel, "kernel", "js")).not.toThrow();
  });
});
