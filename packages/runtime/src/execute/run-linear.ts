/** Runs a program's WebAssembly kernels in linear memory: lays everything out first, then runs every phase, then hands the results on. */
import { type Program, type Source, throwRecorded } from "@fuseau/compiler";
import type { Block } from "../memory/blocks.ts";
import { bytesOf } from "../memory/copy.ts";
import { type LinearMemory, linearMemory } from "../memory/linear.ts";
import { Workspace } from "../memory/workspace.ts";
import type { Storage } from "../storage.ts";
import type { Step } from "../threads/step.ts";
import { ThreadError } from "../threads/thread-error.ts";
import { sizesOf } from "./bind.ts";
import type { LinearKernel } from "./linear-kernels.ts";
import { type LinearPlan, type PlannedCall, planLinear } from "./linear-plan.ts";
import { runOnThreads, threadsFor, whenReleased } from "./linear-pool.ts";
import type { Around, Bound } from "./run.ts";

/** A program with kernels for linear memory, and where its working memory lies. */
export interface LinearProgram {
  readonly program: Program;
  readonly kernels: readonly LinearKernel[];
  /** By number of threads; filled as they are needed. */
  readonly plans: (LinearPlan | undefined)[];
}

/** The elements of each allocation of the program's. */
export function runLinear(linear: LinearProgram, bound: Bound, around?: Around): Storage[] {
  const threads = threadsFor(linear.program.work);
  try {
    return runOn(threads, linear, bound, around);
  } catch (error) {
    const isLost = linear.program.donors.some((index) => bound.given[index]?.isLost);
    if (!(error instanceof ThreadError) || isLost) throw error;
    return runOn(1, linear, bound, around);
  }
}

function runOn(
  threads: number,
  { program, kernels, plans }: LinearProgram,
  bound: Bound,
  around: Around | undefined,
): Storage[] {
  const { given } = bound;
  const plan = plans[threads] ?? planLinear(program, kernels, threads);
  plans[threads] = plan;
  const workspace = new Workspace();
  let lost = false;
  try {
    const inputs = given.map((storage) => workspace.operand(storage));
    const blocks = program.allocations.map(({ dtype, cells, donor }) =>
      donor === null ? workspace.take(bytesOf(dtype, cells)) : null,
    );
    const base = workspace.take(plan.bytes).pointer;
    const addressOf = ({ kind, index }: Source): number => {
      if (kind === "input") return inputs[index] as number;
      if (kind === "arena") return base + (plan.arena[index] as number);
      return blocks[index]?.pointer ?? (inputs[program.allocations[index]?.donor as number] as number);
    };
    fillFrames(program, kernels, plan, base, bound, addressOf);
    runSteps(program, kernels, plan, base, around);
    return settle(program, given, workspace, blocks);
  } catch (error) {
    if (error instanceof ThreadError) {
      lost = true;
      for (const index of program.donors) (given[index] as Storage).lose(error);
    }
    throw error;
  } finally {
    if (lost) whenReleased(() => workspace.close());
    else workspace.close();
  }
}

function fillFrames(
  { calls }: Program,
  kernels: readonly LinearKernel[],
  plan: LinearPlan,
  base: number,
  { scalars, numbers }: Bound,
  addressOf: (source: Source) => number,
): void {
  const memory = linearMemory() as LinearMemory;
  const words = memory.view("int32");
  calls.forEach((call, k) => {
    const { compiled } = kernels[k] as LinearKernel;
    const { frame } = compiled;
    const { frames, scratch, areas } = plan.calls[k] as PlannedCall;
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
      (areas[thread] as readonly number[]).forEach((area, slot) => {
        words[(at + frame.areas) / 4 + 2 * slot] = base + area;
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
      ({ units, slice, sequential }, phase): Step => ({
        kernel: shared,
        frames: addresses,
        phase,
        units,
        slice,
        sequential,
        repeatable: false,
      }),
    );
    if (around !== undefined) around(call, () => runAll(steps, program, kernels));
    else all.push(...steps);
  });
  if (around === undefined) runAll(all, program, kernels);
}

function runAll(steps: readonly Step[], _program: Program, kernels: readonly LinearKernel[]): void {
  const failure = runOnThreads(steps);
  if (failure === null) return;
  const failed = kernels.findIndex(({ shared }) => shared === failure.step.kernel);
  const { compiled } = kernels[failed] as LinearKernel;
  const { buffer } = (linearMemory() as LinearMemory).memory;
  throwRecorded(new DataView(buffer), failure.frame + compiled.frame.error);
}

function settle(
  { allocations, donors }: Program,
  given: readonly Storage[],
  workspace: Workspace,
  blocks: readonly (Block | null)[],
): Storage[] {
  // Operands that become results leave the workspace, the last first, so that the others keep their places in it.
  const over = allocations
    .map(({ donor }, index) => ({ donor, index }))
    .filter((one): one is { donor: number; index: number } => one.donor !== null)
    .sort((a, b) => b.donor - a.donor);
  const settled = new Map<number, Storage>();
  for (const { donor, index } of over) {
    const { dtype, cells } = allocations[index] as Program["allocations"][number];
    settled.set(index, workspace.settleOver(donor, dtype, cells));
  }
  const results = allocations.map(
    ({ dtype, cells }, index) => settled.get(index) ?? workspace.settle(blocks[index] as Block, dtype, cells),
  );
  const taken = new Set(over.map(({ donor }) => donor));
  for (const index of donors) if (!taken.has(index)) given[index]?.release();
  return results;
}
