/**
 * One program for all sizes of an interval. The graph is compiled at a few sizes with the same decisions by cost. docs/late-sizes.md
 * proves that this is enough.
 */
import { type LoopKernel, printLoopKernel, type Statement, sameNumbers } from "@fuseau/ir";
import { type CompileOptions, compile, type Decided } from "../compile.ts";
import type { Graph } from "../graph.ts";
import type { KernelCall, Program } from "../plan/program.ts";
import { nothingFound } from "../schedule/schedule.ts";
import { verifyGraph } from "../verify-graph.ts";
import { numbersOf, programAt, shapesOf, structureOf } from "./numbers.ts";
import { numbersAt, through } from "./polynomials.ts";

/** A program whose size is bound late. */
export interface LateProgram {
  /** It holds for sizes from `low` to `high`. */
  readonly low: number;
  readonly high: number;
  /** Below this size a program of one size alone unrolls its loops, which is faster; 0 where there is no such size. */
  readonly unrolledBelow: number;
  /** The program at one size. */
  readonly program: Program;
  /** How often the graph was compiled to make it. */
  readonly samples: number;
  /** The program at a size; its kernels are those of `calls`. */
  readonly at: (size: number, calls: readonly KernelCall[]) => Program;
}

/** Why there is none, and how often the graph was compiled to find out: not at all if it is none at these sizes. */
export interface Refusal {
  readonly why: string;
  readonly samples: number;
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Extents up to this one are literals in the text of innermost loops; no sample is as small. */
const SMALLEST_SAMPLE = 17;
/** From so many additions on, a program of small sizes alone, where it is another, is worth its compilation. */
const WORTH_COMPILING = 100_000;
/** How exactly the largest size is looked for, as a share of it: each step is a compilation. */
const ROUGHLY = 1 / 4;
/** Alternative samples, where sizes nearby happen to equal or to be multiples of other sizes of the graph. */
const TRIES = [0, 3, 9] as const;

/** The program for sizes around `near` within the interval, or why there is none. `graphAt` gives the graph at a size. */
export function generalise(
  graphAt: (size: number) => Graph,
  near: number,
  { low, high }: Interval,
  options: CompileOptions,
): LateProgram | Refusal {
  if (high - low < 2) return { why: `there are too few sizes between ${low} and ${high}`, samples: 0 };
  let samples = 0;
  let why = "";
  for (const offset of TRIES) {
    const origin = Math.max(low, Math.min(Math.max(near, SMALLEST_SAMPLE) + offset, high - 2));
    const decided: Decided = { isRepeated: false, answers: [], unfused: new Map(), found: nothingFound() };
    const compiled = (size: number, how: CompileOptions): Program => {
      const graph = graphAt(size);
      // Sizes that are linear where they were seen may not be so over the whole interval.
      verifyGraph(graph);
      samples++;
      return compile(graph, how);
    };
    let first: Program;
    try {
      first = compiled(origin, { ...options, decided });
    } catch (error) {
      return { why: error instanceof Error ? error.message : String(error), samples };
    }
    const again: Decided = { ...decided, isRepeated: true };
    const repeated = (size: number): Program | null => {
      try {
        return compiled(size, { ...options, watch: null, decided: again });
      } catch {
        // The decisions differ, or contradict what is known here.
        return null;
      }
    };
    const structure = structureOf(first);
    const [second, third] = [repeated(origin + 1), repeated(origin + 2)];
    if (second === null || third === null || [second, third].some((one) => structureOf(one) !== structure)) {
      why = `the program is another at ${origin}, ${origin + 1} and ${origin + 2}`;
      continue;
    }
    const program = loosened(first, [second, third]);
    const numbers = through(origin, [numbersOf(first), numbersOf(second), numbersOf(third)]);
    const shapes = through(origin, [shapesOf(first), shapesOf(second), shapesOf(third)]);
    const holds = (size: number): boolean => {
      const found = repeated(size);
      return (
        found !== null &&
        structureOf(found) === structure &&
        sameWithin(numbersOf(found), numbersAt(numbers, size)) &&
        sameNumbers(shapesOf(found), numbersAt(shapes, size))
      );
    };
    const least = farthest(origin, low, holds);
    const isLeast = least < SMALLEST_SAMPLE && origin >= SMALLEST_SAMPLE;
    /** True where small loops are unrolled in a program that decides by itself. */
    const differsBelow = (): boolean => {
      const alone = compiled(Math.max(least, Math.min(near, SMALLEST_SAMPLE - 1)), options);
      return alone.work >= WORTH_COMPILING && structureOf(alone) !== structure;
    };
    return {
      low: least,
      unrolledBelow: isLeast && differsBelow() ? SMALLEST_SAMPLE : 0,
      high: farthest(origin + 2, high, holds, ROUGHLY),
      program,
      get samples() {
        return samples;
      },
      at: (size, calls) => programAt(program, calls, numbers, shapes, size),
    };
  }
  return { why, samples };
}

/**
 * The size farthest from `from`, which is at least 1, at which a condition holds, towards an end, for a condition that fails from some size
 * on; or, if that is another than `from`, one that is nearer by less than a `share` of it.
 */
export function farthest(from: number, end: number, holds: (size: number) => boolean, share = 0): number {
  if (from === end || holds(end)) return end;
  let [good, bad] = [from, end];
  // Where it fails, it mostly does so near the size that came. Upwards, steps that double find that sooner than halves of all that is above.
  while (end - good > good && holds(2 * good)) good *= 2;
  if (end - good > good) bad = 2 * good;
  while (Math.abs(bad - good) > Math.max(1, good === from ? 0 : share * good)) {
    const middle = Math.trunc((good + bad) / 2);
    if (holds(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

/** Work is a sum of floats; all others are integers, which differ by much more. */
const sameWithin = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length &&
  a.every((value, k) => Math.abs(value - (b[k] as number)) <= 1e-9 * Math.abs(value));

/** The program with only those loops marked aligned that are aligned at every sample. */
function loosened(first: Program, others: readonly Program[]): Program {
  const calls = first.calls.map((call, k): KernelCall => {
    const known = others.map(({ calls }) => (calls[k] as KernelCall).key);
    if (known.every((key) => key === call.key)) return call;
    const flags = [call, ...others.map(({ calls }) => calls[k] as KernelCall)].map(({ loop }) =>
      alignedIn(loop.body),
    );
    let next = 0;
    const isAligned = (): boolean => {
      const place = next++;
      return flags.every((own) => own[place] === true);
    };
    const loop: LoopKernel = { ...call.loop, body: withAligned(call.loop.body, isAligned) };
    return { ...call, loop, key: printLoopKernel(loop) };
  });
  return { ...first, calls };
}

function alignedIn(body: readonly Statement[], found: boolean[] = []): boolean[] {
  for (const statement of body) {
    if (statement.kind === "reduce") {
      found.push(statement.aligned);
      alignedIn(statement.row, found);
    }
    if (statement.kind === "reduce" || statement.kind === "for") alignedIn(statement.body, found);
  }
  return found;
}

function withAligned(body: readonly Statement[], isAligned: () => boolean): Statement[] {
  return body.map((statement): Statement => {
    if (statement.kind === "for") return { ...statement, body: withAligned(statement.body, isAligned) };
    if (statement.kind !== "reduce") return statement;
    const aligned = isAligned();
    const row = withAligned(statement.row, isAligned);
    return { ...statement, aligned, row, body: withAligned(statement.body, isAligned) };
  });
}
