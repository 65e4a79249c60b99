/** Short rows that are stored by squares: the bytes of closures, for any number of rows, and what is loaded behind a store. */
import { compileWasm, scheduleLoops, targets } from "@fuseau/compiler";
import { describe, expect, it } from "vitest";
import { kernelOf, runner } from "../tactics/kernels.ts";

/** A register that is stored whole, and not a lane of it. */
const WHOLE = /v128\.store(?!\d)/;

const wasm = { shared: false, relaxed: false } as const;

const rows = (length: number, body: string): string => `
for x0 < n0
  i0 = (x0 * ${length})
  for x1 < ${length}
    v0: float32 = b0[(i0 + x1)]
${body.replace(/^\n/, "").replace(/^/gm, "    ")}`;

const plain = "b1[(i0 + x1)] = v0";
const uniform = `
v1: float32 = select 7:float32 if x1 < 2, else v0
b1[(i0 + x1)] = v1`;
const reloaded = `
b1[(i0 + x1)] = v0
v1: float32 = b1[(i0 + x1)]
v2: float32 = add.float32(v1, v0)
b1[(i0 + x1)] = v2`;
const backwards = "b1[((i0 + n1) + (x1 * -1))] = v0";

describe("short rows of results", () => {
  it.each([
    ["copied", plain],
    ["some of them the same in all lanes", uniform],
    ["loaded again", reloaded],
    ["from the last to the first", backwards],
  ])("are what closures give: %s", (_, body) => {
    for (let length = 3; length <= 16; length++) {
      const kernel = kernelOf(rows(length, body), 2);
      const [expected, given] = [runner(kernel, "closure"), runner(kernel, "wasm")];
      for (const count of [0, 1, 3, 4, 8, 13, 21]) {
        const sizes = [count, length - 1];
        expect(given(sizes, 16 * 24), `${count} rows of ${length}`).toBe(expected(sizes, 16 * 24));
      }
    }
  });

  it("are stored four neighbours at once", () => {
    const source = (body: string): string => {
      const kernel = scheduleLoops(kernelOf(rows(8, body), 2), targets.wasm);
      return compileWasm(kernel, "kernel", wasm).source();
    };
    expect(source(plain)).toMatch(WHOLE);
  });
});
