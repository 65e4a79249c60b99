/** Frames and steps of WebAssembly kernels. A frame has all addresses and numbers that a kernel is called with; steps run on frames. */
import { type KernelCall, type Program, type Source, throwRecorded } from "@fuseau/compiler";
import { type LinearMemory, linearMemory } from "../memory/linear.ts";
import type { Step } from "../threads/step.ts";
import type { Failure } from "../threads/worker-pool.ts";
import type { Numbers } from "./backend.ts";
import { sizesOf } from "./bind.ts";
import type { LinearKernel } from "./linear-kernels.ts";
import type { LinearPlan, PlannedCall } from "./linear-plan.ts";

/** Addresses, by index. */
export interface Addresses {
  readonly input: readonly number[];
  readonly output: readonly number[];
}

export function fillFrames(
  { calls }: Pick<Program, "calls">,
  kernels: readonly LinearKernel[],
  plan: LinearPlan,
  base: number,
  addresses: Addresses,
  numbers: Numbers,
): void {
  const words = (linearMemory() as LinearMemory).view("int32");
  for (let k = 0; k < calls.length; k++) {
    const call = calls[k] as KernelCall;
    const { frame } = (kernels[k] as LinearKernel).compiled;
    const { frames, scratch, workspaces } = plan.calls[k] as PlannedCall;
    const sizes = sizesOf(call, numbers.numbers);
    for (let thread = 0; thread < frames.length; thread++) {
      const begin = base + (frames[thread] as number);
      words.fill(0, begin / 4, (begin + frame.buffers) / 4);
      const own = scratch[thread] as readonly (number | null)[];
      for (let slot = 0; slot < call.buffers.length; slot++) {
        const { kind, index } = call.buffers[slot] as Source;
        const offset = own[slot] ?? (kind === "arena" ? (plan.arena[index] as number) : null);
        const address =
          offset !== null ? base + offset : kind === "arena" ? 0 : (addresses[kind][index] as number);
        words[(begin + frame.buffers) / 4 + 2 * slot] = address;
      }
      for (let slot = 0; slot < sizes.length; slot++)
        words[(begin + frame.sizes) / 4 + 2 * slot] = sizes[slot] as number;
      for (let slot = 0; slot < call.scalars.length; slot++)
        fillScalar((begin + frame.scalars) / 8 + slot, numbers.scalars[call.scalars[slot] as number]);
      const places = workspaces[thread] as readonly number[];
      for (let slot = 0; slot < places.length; slot++)
        words[(begin + frame.workspaces) / 4 + 2 * slot] = base + (places[slot] as number);
    }
  }
}

function fillScalar(place: number, value: number | bigint | undefined): void {
  const memory = linearMemory() as LinearMemory;
  if (typeof value === "bigint") memory.view("int64")[place] = value;
  else memory.view("float64")[place] = value as number;
}

/** By call: the phases of its kernel. */
export function stepsOf(
  kernels: readonly LinearKernel[],
  plan: LinearPlan,
  base: number,
): readonly (readonly Step[])[] {
  return plan.calls.map(({ frames, phases }, k) => {
    const { shared } = kernels[k] as LinearKernel;
    const addresses = frames.map((offset) => base + offset);
    return phases.map(
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
  });
}

/** @throws RangeError for a status that a kernel returned because of elements. */
export function refuse(failure: Failure | null, kernels: readonly LinearKernel[]): void {
  if (failure === null) return;
  const failed = kernels.findIndex(({ shared }) => shared === failure.step.kernel);
  const { compiled } = kernels[failed] as LinearKernel;
  const { buffer } = (linearMemory() as LinearMemory).memory;
  throwRecorded(new DataView(buffer), failure.frame + compiled.frame.error);
}
