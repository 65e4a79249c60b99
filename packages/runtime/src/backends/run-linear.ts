/** Runs a program's WebAssembly kernels in linear memory. It plans all memory first, then runs every phase. */
import type { ArenaSlot, KernelCall, Program, Source } from "@fuseau/compiler";
import { type BufferParameter, dtypes, type TypedArray } from "@fuseau/ir";
import type { LinearBlock } from "../memory/blocks.ts";
import { type LinearMemory, linearMemory } from "../memory/linear.ts";
import type { Step } from "../threads/step.ts";
import type { Around, HeapKernel, Loaded, Run, RunAtOnce } from "./backend.ts";
import { sizesOf } from "./bind.ts";
import { AtOnce } from "./linear-at-once.ts";
import { fillFrames, refuse, stepsOf } from "./linear-frames.ts";
import type { LinearKernel } from "./linear-kernels.ts";
import { type LinearPlan, LinearPlans, type Planned, planLinear } from "./linear-plan.ts";
import { runOnThreads, threadsFor } from "./linear-pool.ts";

export function loadLinear(
  program: Program,
  kernels: readonly (LinearKernel | HeapKernel)[],
): Loaded<LinearBlock> {
  const linear = kernels.filter(isLinear);
  if (linear.length === kernels.length)
    return new LoadedLinear(program, {
      kernels: linear,
      plans: new LinearPlans(linear),
      small: new AtOnce(linear),
    });
  return new Beginning(program, kernels, linear);
}

const isLinear = (kernel: LinearKernel | HeapKernel): kernel is LinearKernel => "compiled" in kernel;

/** A program whose kernels are all of WebAssembly. */
class LoadedLinear implements Loaded<LinearBlock> {
  readonly atOnce: RunAtOnce | null;
  readonly #program: Program;
  readonly #shared: Shared;
  /** By number of threads. */
  #plans: (LinearPlan | undefined)[] | null = null;

  constructor(program: Program, shared: Shared) {
    this.#program = program;
    this.#shared = shared;
    this.atOnce = shared.small.of(program);
  }

  run(run: Run<LinearBlock>): void {
    const { inputs, outputs, workspace, around, isRetry } = run;
    const { kernels, plans: shared } = this.#shared;
    const program = this.#program;
    const threads = isRetry ? 1 : threadsFor(program.work);
    this.#plans ??= [];
    const plan = this.#plans[threads] ?? shared.planOf(program, threads);
    this.#plans[threads] = plan;
    const base = workspace.take("uint8", plan.bytes).pointer;
    fillFrames(program, kernels, plan, base, { input: inputs.map(at), output: outputs.map(at) }, run);
    runSteps(program, kernels, stepsOf(kernels, plan, base), around);
  }

  at(program: Program): Loaded<LinearBlock> {
    return new LoadedLinear(program, this.#shared);
  }
}

/** What programs of many sizes share. */
interface Shared {
  readonly kernels: readonly LinearKernel[];
  readonly plans: LinearPlans;
  readonly small: AtOnce;
}

/** Work from which workers are worth waking for a first run, where each has to compile the kernel: in additions of elements. */
const WORTH_WAKING = 10_000_000;

/** A program some of whose kernels are closures, which work on views of linear memory. */
class Beginning implements Loaded<LinearBlock> {
  readonly atOnce = null;
  readonly #program: Program;
  readonly #kernels: readonly (LinearKernel | HeapKernel)[];
  readonly #linear: readonly LinearKernel[];
  /** What there is to plan: the program without its calls of closures. */
  readonly #planned: Planned;
  #plan: LinearPlan | null = null;

  constructor(
    program: Program,
    kernels: readonly (LinearKernel | HeapKernel)[],
    linear: readonly LinearKernel[],
  ) {
    this.#program = program;
    this.#kernels = kernels;
    this.#linear = linear;
    const { arena, allocations } = program;
    this.#planned = {
      arena,
      allocations,
      calls: program.calls.filter((_, k) => isLinear(kernels[k] as LinearKernel)),
      get graph() {
        return program.graph;
      },
    };
  }

  run({ inputs, outputs, workspace, around, isRetry, ...numbers }: Run<LinearBlock>): void {
    const { calls, arena, work } = this.#program;
    const linear = this.#linear;
    const threads = isRetry || work < WORTH_WAKING ? 1 : threadsFor(work);
    if (this.#plan?.threads !== threads) this.#plan = planLinear(this.#planned, linear, threads);
    const plan = this.#plan;
    const base = workspace.take("uint8", plan.bytes).pointer;
    fillFrames(
      this.#planned,
      linear,
      plan,
      base,
      { input: inputs.map(at), output: outputs.map(at) },
      numbers,
    );
    const steps = stepsOf(linear, plan, base);
    const memory = linearMemory() as LinearMemory;
    const arrayOf = ({ kind, index }: Source, slot: number, { loop }: KernelCall): TypedArray => {
      const { dtype } = loop.buffers[slot] as BufferParameter;
      if (kind === "arena")
        return memory.elements(
          dtype,
          base + (plan.arena[index] as number),
          (arena[index] as ArenaSlot).cells,
        );
      const { pointer, bytes } = (kind === "input" ? inputs : outputs)[index] as LinearBlock;
      return memory.elements(dtype, pointer, bytes / dtypes[dtype].bytes);
    };
    let next = 0;
    for (const [k, call] of calls.entries()) {
      const kernel = this.#kernels[k] as LinearKernel | HeapKernel;
      const run = isLinear(kernel)
        ? () => refuse(runOnThreads(steps[next++] as readonly Step[]), linear)
        : () => {
            const arrays = call.buffers.map((source, slot) => arrayOf(source, slot, call));
            const scalars = call.scalars.map((index) => numbers.scalars[index] as number | bigint);
            kernel.run(arrays, sizesOf(call, numbers.numbers), scalars);
          };
      if (around === undefined) run();
      else around(call, run);
    }
  }

  at(program: Program): Loaded<LinearBlock> {
    return loadLinear(program, this.#kernels);
  }
}

const at = ({ pointer }: LinearBlock): number => pointer;

function runSteps(
  { calls }: Program,
  kernels: readonly LinearKernel[],
  steps: readonly (readonly Step[])[],
  around: Around | undefined,
): void {
  if (around === undefined) refuse(runOnThreads(steps.flat()), kernels);
  else
    for (const [k, call] of calls.entries())
      around(call, () => refuse(runOnThreads(steps[k] as readonly Step[]), kernels));
}
