/** Kernels as text, and what they compute: by closures as they stand, or by another emitter. */
import { type Emitter, scheduleLoops, type Target, targets } from "@fuseau/compiler";
import {
  allocate,
  countBound,
  type LoopKernel,
  parseLoopKernel,
  printLoopKernel,
  type TypedArray,
  verifyLoopKernel,
} from "@fuseau/ir";
import { expect } from "vitest";
import { kernelFunction } from "../../differential/kernel-function.ts";

/** The body of the first phase of a kernel of float32, all of whose buffers but the last are read. */
export const kernelOf = (
  body: string,
  sizes: number,
  dtypes: readonly string[] = ["float32", "float32"],
): LoopKernel =>
  parseLoopKernel(
    `kernel(${dtypes
      .map((dtype, k) => `b${k}: ${k === dtypes.length - 1 ? "write" : "read"} ${dtype}`)
      .join(", ")}; sizes ${sizes}; )\n${body.replace(/^\n/, "").replace(/^/gm, "  ")}`,
  );

/** What a kernel writes, as hexadecimal bytes, for given sizes; what it reads holds small numbers, no two neighbours alike. */
export function runner(
  kernel: LoopKernel,
  emitter: Emitter,
): (sizes: readonly number[], cells: number) => string {
  const run = kernelFunction(kernel, "kernel", emitter);
  return (sizes, cells) => {
    const buffers = kernel.buffers.slice(0, countBound(kernel)).map(({ dtype, access }, slot): TypedArray => {
      const array = allocate(dtype, cells);
      for (let k = 0; k < cells; k++) {
        const x = access === "read" ? ((k * 37 + slot * 11) % 101) + 1 : 77;
        array[k] = dtype === "int64" ? BigInt(x) : dtype === "bool" ? x % 2 : x;
      }
      return array;
    });
    run(
      buffers,
      sizes,
      kernel.scalars.map(() => 2),
    );
    const written = buffers.filter((_, slot) => kernel.buffers[slot]?.access === "write");
    return Buffer.concat(written.map(({ buffer }) => Buffer.from(buffer))).toString("hex");
  };
}

/** A kernel scheduled for WebAssembly by one tactic: verified, and read back as it is printed. */
export function scheduledBy(tactic: Target["tactics"][number], kernel: LoopKernel): LoopKernel {
  const scheduled = scheduleLoops(kernel, { ...targets.wasm, tactics: [tactic] });
  verifyLoopKernel(scheduled);
  const text = printLoopKernel(scheduled);
  expect(printLoopKernel(parseLoopKernel(text))).toBe(text);
  return scheduled;
}

/** Expects the same bits of two kernels, by all emitters, for each of the sizes. */
export function expectSameBits(
  kernel: LoopKernel,
  scheduled: LoopKernel,
  sizes: readonly (readonly number[])[],
  cells: number,
): void {
  for (const emitter of ["closure", "wasm", "js"] as const) {
    const [plain, run] = [runner(kernel, emitter), runner(scheduled, emitter)];
    for (const own of sizes) expect(run(own, cells), `sizes ${own} by ${emitter}`).toBe(plain(own, cells));
  }
}
