/**
 * Runs small programs in linear memory at once, one after another in the same stretch of it: there are their frames, intermediates and
 * results, and operands that have no block of their own. Results are copied to the heap, where the collector sees them.
 */
import type { OutputArray, Program } from "@fuseau/compiler";
import { dtypes, type TypedArray } from "@fuseau/ir";
import { copy, type LinearBlock, linearBlocks } from "../memory/blocks.ts";
import { type LinearMemory, linearMemory } from "../memory/linear.ts";
import { takeArray } from "../pool.ts";
import { Storage } from "../storage.ts";
import { runAlone, type Step } from "../threads/step.ts";
import { isSmall, type RunAtOnce, releaseUnused } from "./backend.ts";
import { fillFrames, refuse, stepsOf } from "./linear-frames.ts";
import type { LinearKernel } from "./linear-kernels.ts";
import { type LinearPlan, planLinear } from "./linear-plan.ts";
import { isForOneThread } from "./linear-pool.ts";

/** Operands of more bytes are worth a block of their own at their first use. */
const MOST_COPIED = 4_096;
/** Programs that need more of the stretch have memory of their own. */
const MOST_BYTES = 2 ** 20;
const LEAST_BYTES = 2 ** 14;
const ALIGNMENT = 64;
/** Vectors may read so many bytes past an end. */
const SLACK = 64;

let stretch: LinearBlock | null = null;

function stretchOf(bytes: number): number {
  if (stretch !== null && stretch.bytes >= bytes) return stretch.pointer;
  stretch?.give();
  stretch = null;
  stretch = linearBlocks.take(Math.max(LEAST_BYTES, 2 ** Math.ceil(Math.log2(bytes))));
  return stretch.pointer;
}

/** Offsets in the stretch. */
interface Plan {
  readonly linear: LinearPlan;
  /** By operand; null where it has a block of its own. */
  readonly copies: readonly (number | null)[];
  /** By result; of one that is written over an operand, that of the operand's copy. */
  readonly results: readonly number[];
  readonly bytes: number;
}

function planAtOnce(
  program: Program,
  kernels: readonly LinearKernel[],
  given: readonly Storage[],
): Plan | null {
  const linear = planLinear(program, kernels, 1);
  let bytes = linear.bytes;
  const place = (size: number): number => {
    const start = bytes;
    bytes = Math.ceil((start + size + SLACK) / ALIGNMENT) * ALIGNMENT;
    return start;
  };
  const copies = given.map(({ bytes: size }) => (size > MOST_COPIED ? null : place(size)));
  const results = program.allocations.map(({ dtype, cells, donor }) =>
    donor === null ? place(cells * dtypes[dtype].bytes) : copies[donor],
  );
  if (bytes > MOST_BYTES || results.some((offset) => offset == null)) return null;
  return { linear, copies, results: results as number[], bytes };
}

/** A plan at an address, for as long as the memory does not grow. */
interface Layout {
  readonly base: number;
  readonly words: Int32Array;
  readonly addresses: { readonly input: number[]; readonly output: readonly number[] };
  readonly results: readonly TypedArray[];
  readonly steps: readonly Step[];
}

function layOut(
  { allocations }: Program,
  kernels: readonly LinearKernel[],
  { linear, results }: Plan,
  base: number,
): Layout {
  const memory = linearMemory() as LinearMemory;
  const output = results.map((offset) => base + offset);
  return {
    base,
    words: memory.view("int32"),
    addresses: { input: [], output },
    results: allocations.map(({ dtype, cells }, k) => memory.elements(dtype, output[k] as number, cells)),
    steps: stepsOf(kernels, linear, base).flat(),
  };
}

/** Null for programs that are not small, or of which too much would have to be copied. */
export function linearAtOnce(program: Program, kernels: readonly LinearKernel[]): RunAtOnce | null {
  if (!isSmall(program)) return null;
  const { allocations, donors } = program;
  let plan: Plan | null | undefined;
  let layout: Layout | null = null;
  return (given, numbers) => {
    if (!isForOneThread(program.work)) return null;
    if (plan === undefined) plan = planAtOnce(program, kernels, given);
    if (plan === null) return null;
    const base = stretchOf(plan.bytes);
    const memory = linearMemory() as LinearMemory;
    if (layout === null || layout.base !== base || layout.words !== memory.view("int32"))
      layout = layOut(program, kernels, plan, base);
    const { addresses, results, steps } = layout;
    for (let k = 0; k < given.length; k++) {
      const storage = given[k] as Storage;
      const isDonor = donors.length > 0 && donors.includes(k);
      const block = isDonor ? null : storage.blockAtHand(linearBlocks);
      if (block !== null) {
        addresses.input[k] = block.pointer;
        continue;
      }
      const offset = plan.copies[k] as number | null;
      const array = offset === null || (!isDonor && storage.isReadAgain()) ? null : storage.atHand;
      if (offset === null || array === null) return null;
      addresses.input[k] = base + offset;
      place(memory, storage, array, base + offset);
    }
    fillFrames(program, kernels, plan.linear, base, addresses, numbers);
    for (let k = 0; k < steps.length; k++) {
      const step = steps[k] as Step;
      const frame = runAlone(step);
      if (frame !== null) refuse({ step, frame }, kernels);
    }
    const storages = new Array<Storage>(allocations.length);
    for (let k = 0; k < allocations.length; k++) {
      const { dtype, cells, donor } = allocations[k] as OutputArray;
      const array =
        donor === null ? takeArray(dtype, cells) : ((given[donor] as Storage).atHand as TypedArray);
      if (donor !== null) given[donor]?.surrender();
      copy(results[k] as TypedArray, array);
      storages[k] = new Storage(dtype, array);
    }
    if (donors.length > 0) releaseUnused(program, given);
    return storages;
  };
}

function place(memory: LinearMemory, { dtype }: Storage, array: TypedArray, address: number): void {
  (memory.view(dtype) as Float32Array).set(array as Float32Array, address / dtypes[dtype].bytes);
}
