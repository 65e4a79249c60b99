/**
 * Runs small programs in linear memory without a workspace. They run one after another in one stretch of it, which holds their frames,
 * intermediates, results and operands without a block of their own. Results are copied to the heap, where the garbage collector finds them.
 */
import type { KernelCall, OutputArray, Program } from "@fuseau/compiler";
import { dtypes, type TypedArray } from "@fuseau/ir";
import { copy, type LinearBlock, linearBlocks } from "../memory/blocks.ts";
import { type LinearMemory, linearMemory } from "../memory/linear.ts";
import { takeArray } from "../pool.ts";
import { Storage } from "../storage.ts";
import { runAlone, type Step } from "../threads/step.ts";
import { isSmall, type Numbers, type RunAtOnce, releaseUnused } from "./backend.ts";
import { fillFrames, refuse, stepsOf } from "./linear-frames.ts";
import type { LinearKernel } from "./linear-kernels.ts";
import { isWithin, type LinearPlan, phaseOf, planLinear, roomsOf, widened } from "./linear-plan.ts";
import { isForOneThread } from "./linear-pool.ts";

/** Operands of more bytes get a block of their own when they are first used. */
const MOST_COPIED = 4_096;
/** Programs that need a larger stretch run with a workspace. */
const MOST_BYTES = 2 ** 20;
const LEAST_BYTES = 2 ** 14;
const ALIGNMENT = 64;
/** Vector loads may read so many bytes past an end. */
const SLACK = 64;

let stretch: LinearBlock | null = null;

function stretchOf(bytes: number): number {
  if (stretch !== null && stretch.bytes >= bytes) return stretch.pointer;
  stretch?.give();
  stretch = null;
  stretch = linearBlocks.take(Math.max(LEAST_BYTES, 2 ** Math.ceil(Math.log2(bytes))));
  return stretch.pointer;
}

/** Offsets within the stretch. */
interface Plan {
  readonly linear: LinearPlan;
  /** By operand: where it is copied to; null if it has a block of its own. */
  readonly copies: readonly (number | null)[];
  /** By result. A result that is written over an operand has the offset of the operand's copy. */
  readonly results: readonly number[];
  readonly bytes: number;
  /** The bytes that each part has room for: first those of `roomsOf`, then operands (−1 if not copied), then results. */
  readonly rooms: readonly number[];
}

function roomsAtOnce(
  program: Program,
  kernels: readonly LinearKernel[],
  given: readonly Storage[],
): number[] {
  const rooms = roomsOf(program, kernels, 1);
  for (let k = 0; k < given.length; k++) {
    const { bytes } = given[k] as Storage;
    rooms.push(bytes > MOST_COPIED ? -1 : bytes);
  }
  for (let k = 0; k < program.allocations.length; k++) {
    const { dtype, cells } = program.allocations[k] as OutputArray;
    rooms.push(cells * dtypes[dtype].bytes);
  }
  return rooms;
}

function planAtOnce(
  program: Program,
  kernels: readonly LinearKernel[],
  given: readonly Storage[],
  rooms: readonly number[],
): Plan | null {
  const linear = planLinear(program, kernels, 1, rooms);
  let bytes = linear.bytes;
  const place = (size: number): number => {
    const start = bytes;
    bytes = Math.ceil((start + size + SLACK) / ALIGNMENT) * ALIGNMENT;
    return start;
  };
  const { allocations } = program;
  const first = rooms.length - allocations.length;
  const copies = given.map((_, k) => {
    const room = rooms[first - given.length + k] as number;
    return room < 0 ? null : place(room);
  });
  const results = allocations.map(({ donor }, k) =>
    donor === null ? place(rooms[first + k] as number) : copies[donor],
  );
  if (bytes > MOST_BYTES || results.some((offset) => offset == null)) return null;
  return { linear, copies, results: results as number[], bytes, rooms };
}

/** A plan at an address. It is valid until the memory grows. */
interface Layout {
  readonly base: number;
  readonly words: Int32Array;
  readonly addresses: { readonly input: number[]; readonly output: readonly number[] };
  /** The arrays of the bound program's results. */
  readonly results: TypedArray[];
  readonly steps: readonly BoundStep[];
}

/** A step whose sizes and scalars are those of the bound program. */
type BoundStep = { -readonly [key in keyof Step]: Step[key] };

/** Runs small programs of the same kernels: one program, or those of many sizes in turn, which share a plan. */
export class AtOnce {
  readonly #kernels: readonly LinearKernel[];
  #plan: Plan | null = null;
  #layout: Layout | null = null;
  /** The program that the layout is bound to. */
  #bound: Program | null = null;

  constructor(kernels: readonly LinearKernel[]) {
    this.#kernels = kernels;
  }

  /** Null for a program that is not small. The function returns null if too much would have to be copied. */
  of(program: Program): RunAtOnce | null {
    if (!isSmall(program)) return null;
    let isRefused = false;
    /** A plan that has room for the program. */
    let roomy: Plan | null = null;
    return (given, numbers) => {
      if (isRefused || !isForOneThread(program.work)) return null;
      if (this.#bound !== program && (roomy === null || roomy !== this.#plan)) {
        isRefused = !this.#hasPlanFor(program, given);
        if (isRefused) return null;
        roomy = this.#plan;
      }
      return this.#run(program, given, numbers);
    };
  }

  /** Makes a new plan if the last one has too little room. False if the program has no plan. */
  #hasPlanFor(program: Program, given: readonly Storage[]): boolean {
    for (const { donor } of program.allocations)
      if (donor !== null && (given[donor] as Storage).bytes > MOST_COPIED) return false;
    const rooms = roomsAtOnce(program, this.#kernels, given);
    const known = this.#plan?.rooms;
    if (known !== undefined && isWithin(rooms, known)) return true;
    const wanted = known === undefined ? rooms : widened(rooms, known);
    const plan = planAtOnce(program, this.#kernels, given, wanted);
    if (plan === null) return false;
    this.#plan = plan;
    this.#layout = null;
    return true;
  }

  /** The layout of the plan at an address, bound to the program. */
  #layoutFor(program: Program, plan: Plan): Layout {
    const base = stretchOf(plan.bytes);
    const memory = linearMemory() as LinearMemory;
    const words = memory.view("int32");
    let layout = this.#layout;
    if (layout === null || layout.base !== base || layout.words !== words) {
      layout = {
        base,
        words,
        addresses: { input: [], output: plan.results.map((offset) => base + offset) },
        results: [],
        steps: stepsOf(this.#kernels, plan.linear, base).flat(),
      };
      this.#layout = layout;
      this.#bound = null;
    }
    if (this.#bound !== program) {
      bind(layout, program, this.#kernels, memory);
      this.#bound = program;
    }
    return layout;
  }

  #run(program: Program, given: readonly Storage[], numbers: Numbers): Storage[] | null {
    const { allocations, donors } = program;
    const plan = this.#plan as Plan;
    const kernels = this.#kernels;
    const { base, addresses, results, steps } = this.#layoutFor(program, plan);
    const memory = linearMemory() as LinearMemory;
    for (let k = 0; k < given.length; k++) {
      const storage = given[k] as Storage;
      const isDonor = donors.length > 0 && donors.includes(k);
      const block = isDonor ? null : storage.blockAtHand(linearBlocks);
      if (block !== null) {
        addresses.input[k] = block.pointer;
        continue;
      }
      const offset = storage.bytes > MOST_COPIED ? null : (plan.copies[k] as number | null);
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
  }
}

function bind(
  { addresses, results, steps }: Layout,
  { allocations, calls }: Program,
  kernels: readonly LinearKernel[],
  memory: LinearMemory,
): void {
  for (let k = 0; k < allocations.length; k++) {
    const { dtype, cells } = allocations[k] as OutputArray;
    if (results[k]?.length !== cells)
      results[k] = memory.elements(dtype, addresses.output[k] as number, cells);
  }
  let next = 0;
  for (let k = 0; k < calls.length; k++)
    for (const phase of (kernels[k] as LinearKernel).compiled.phases) {
      const { workItems, slice } = phaseOf(phase, calls[k] as KernelCall);
      const step = steps[next++] as BoundStep;
      step.workItems = workItems;
      step.slice = slice;
    }
}

function place(memory: LinearMemory, { dtype }: Storage, array: TypedArray, address: number): void {
  (memory.view(dtype) as Float32Array).set(array as Float32Array, address / dtypes[dtype].bytes);
}
