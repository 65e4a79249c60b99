/** Runs a program's WebAssembly kernels in linear memory: lays everything out first, then runs every phase. */
import type { Program } from "@fuseau/compiler";
import type { LinearBlock } from "../memory/blocks.ts";
import type { Step } from "../threads/step.ts";
import type { Around, Loaded } from "./backend.ts";
import { AtOnce } from "./linear-at-once.ts";
import { fillFrames, refuse, stepsOf } from "./linear-frames.ts";
import type { LinearKernel } from "./linear-kernels.ts";
import { type LinearPlan, planLinear } from "./linear-plan.ts";
import { runOnThreads, threadsFor } from "./linear-pool.ts";

/** Where its working memory lies is planned once for each number of threads. */
export const loadLinear = (program: Program, kernels: readonly LinearKernel[]): Loaded<LinearBlock> =>
  loadWith(program, kernels, new AtOnce(kernels));

function loadWith(program: Program, kernels: readonly LinearKernel[], small: AtOnce): Loaded<LinearBlock> {
  const plans: (LinearPlan | undefined)[] = [];
  return {
    run(run) {
      const { inputs, outputs, workspace, around, isRetry } = run;
      const threads = isRetry ? 1 : threadsFor(program.work);
      const plan = plans[threads] ?? planLinear(program, kernels, threads);
      plans[threads] = plan;
      const base = workspace.take("uint8", plan.bytes).pointer;
      fillFrames(program, kernels, plan, base, { input: inputs.map(at), output: outputs.map(at) }, run);
      runSteps(program, kernels, stepsOf(kernels, plan, base), around);
    },
    atOnce: small.of(program),
    at: (other) => loadWith(other, kernels, small),
  };
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
