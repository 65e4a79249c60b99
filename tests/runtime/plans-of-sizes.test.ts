/** Where the working memory of a program of many sizes lies, from one size to the next. */
import { type AnyTensor, clearCaches, getOptions, ones } from "fuseau";
import { beforeEach, describe, expect, it } from "vitest";
import type { LinearKernel } from "../../packages/runtime/src/backends/linear-kernels.ts";
import { LinearPlans, planLinear, roomsOf } from "../../packages/runtime/src/backends/linear-plan.ts";
import { extract, forget } from "../../packages/runtime/src/execute/extract/extract.ts";
import { executableFor } from "../../packages/runtime/src/execute/find-program.ts";
import type { Executable } from "../../packages/runtime/src/execute/programs/executable.ts";
import { unwrap } from "../../packages/runtime/src/tensor/handle.ts";

beforeEach(() => clearCaches());

const weights = ones([96, 96]).compute();
const record = (rows: number): AnyTensor =>
  ones([rows, 96])
    .matmul(weights as never)
    .tanh()
    .matmul(weights as never)
    .softmax(-1) as AnyTensor;

function programOf(rows: number): Executable {
  try {
    return executableFor(extract([unwrap(record(rows))]), getOptions());
  } finally {
    forget();
  }
}

function programs(sizes: readonly number[]): Executable[] {
  for (const rows of [300, 301, 302]) record(rows).compute();
  const found = sizes.map(programOf);
  for (const { late, kernels } of found) {
    expect(late).not.toBeNull();
    expect(kernels).toBe(found[0]?.kernels);
  }
  return found;
}

describe("plans of a program of many sizes", () => {
  it("stay where there is room, with as many work items as the size has", () => {
    for (const threads of [1, 3]) {
      const [large, ...others] = programs([400, 350, 399, 120, 4]);
      const kernels = large?.kernels as readonly LinearKernel[];
      const plans = new LinearPlans(kernels);
      const first = plans.planOf(large!.program, threads);
      for (const { program } of others) {
        const plan = plans.planOf(program, threads);
        const own = planLinear(program, kernels, threads);
        expect([plan.bytes, plan.arena]).toEqual([first.bytes, first.arena]);
        plan.calls.forEach(({ frames, phases }, k) => {
          expect(frames).toEqual(first.calls[k]?.frames);
          expect(phases.map(({ workItems }) => workItems)).toEqual(
            own.calls[k]?.phases.map(({ workItems }) => workItems),
          );
        });
      }
    }
  });

  it("have room for each size that comes", () => {
    for (const threads of [1, 3]) {
      const found = programs([140, 303, 120, 390, 900]);
      const kernels = found[0]?.kernels as readonly LinearKernel[];
      const plans = new LinearPlans(kernels);
      for (const { program } of found) {
        const { bytes } = plans.planOf(program, threads);
        const needed = roomsOf(program, kernels, threads).reduce((sum, room) => sum + room, 0);
        expect(bytes).toBeGreaterThanOrEqual(needed);
      }
    }
  });
});
