/** Runs a program's WebAssembly kernels in linear memory: lays everything out first, then runs every phase. */
import { type Program, type Source, throwRecorded } from "@fuseau/compiler";
import type { LinearBlock } from "../memory/blocks.ts";
import { type LinearMemory, linearMemory } from "../memory/linear.ts";
import type { Step } from "../threads/step.ts";
import type { Around, Loaded, Numbers } from "./backend.ts";
import { sizesOf } from "./bind.ts";
import type { LinearKernel } from "./linear-kernels.ts";
import { type LinearPlan, type PlannedCall, planLinear } from "./linear-plan.ts";
import { runOnThreads, threadsFor } from "./linear-pool.ts";

/** Where its working memory lies is planned once for each number of threads. */
export function loadLinear(program: Program, kernels: readonly LinearKernel[]): Loaded<LinearBlock> {
  const plans: (LinearPlan | undefined)[] = [];
  return {
    run(run) {
      const { inputs, outputs, workspace, around, isRetry } = run;
      const threads = isRetry ? 1 : threadsFor(program.work);
      const plan = plans[threads] ?? planLinear(program, kernels, threads);
      plans[threads] = plan;
      const base = workspace.take("uint8", plan.bytes).pointer;
      const addressOf = ({ kind, index }: Source): number => {
        if (kind === "arena") return base + (plan.arena[index] as number);
        return ((kind === "input" ? inputs : outputs)[index] as LinearBlock).pointer;
      };
      fillFrames(program, kernels, plan, base, run, addressOf);
      runSteps(program, kernels, plan, base, around);
    },
    atOnce: null,
  };
}

function fillFrames(
  { calls }: Program,
  kernels: readonly LinearKernel[],
  plan: LinearPlan,
  base: number,
  { scalars, numbers }: Numbers,
  addressOf: (source: Source) => number,
): void {
  const memory = linearMemory() as LinearMemory;
  const words = memory.view("int32");
  calls.forEach((call, k) => {
    const { compiled } = kernels[k] as LinearKernel;
    const { frame } = compiled;
    const { frames, scratch, workspaces } = plan.calls[k] as PlannedCall;
    const sizes = sizesOf(call, numbers);
    frames.forEach((offset, thread) => {
      const at = base + offset;
      words.fill(0, at / 4, (at + frame.buffers) / 4);
      const own = scratch[thread] as readonly (number | null)[];
      call.buffers.forEach((source, slot) => {
        const address = own[slot] === null ? addressOf(source) : base + (own[slot] as number);
        words[(at + frame.buffers) / 4 + 2 * slot] = address;
      });
      for (let slot = 0; slot < sizes.length; slot++)
        words[(at + frame.sizes) / 4 + 2 * slot] = sizes[slot] as number;
      call.scalars.forEach((index, slot) => {
        const value = scalars[index] as number | bigint;
        const place = (at + frame.scalars) / 8 + slot;
        if (typeof value === "bigint") memory.view("int64")[place] = value;
        else memory.view("float64")[place] = value;
      });
      (workspaces[thread] as readonly number[]).forEach((workspace, slot) => {
        words[(at + frame.workspaces) / 4 + 2 * slot] = base + workspace;
      });
    });
  });
}

function runSteps(
  program: Program,
  kernels: readonly LinearKernel[],
  plan: LinearPlan,
  base: number,
  around: Around | undefined,
): void {
  const all: Step[] = [];
  program.calls.forEach((call, k) => {
    const { shared } = kernels[k] as LinearKernel;
    const { frames, phases } = plan.calls[k] as PlannedCall;
    const addresses = frames.map((offset) => base + offset);
    const steps = phases.map(
      ({ workItems, slice, sequential }, phase): Step => ({
        kernel: shared,
        frames: addresses,
        phase,
        workItems,
        slice,
        sequential,
        repeatable: false,
      }),
    );
    if (around !== undefined) around(call, () => runAll(steps, kernels));
    else all.push(...steps);
  });
  if (around === undefined) runAll(all, kernels);
}

function runAll(steps: readonly Step[], kernels: readonly LinearKernel[]): void {
  const failure = runOnThreads(steps);
  if (failure === null) return;
  const failed = kernels.findIndex(({ shared }) => shared === failure.step.kernel);
  const { compiled } = kernels[failed] as LinearKernel;
  const { buffer } = (linearMemory() as LinearMemory).memory;
  throwRecorded(new DataView(buffer), failure.frame + compiled.frame.error);
}
