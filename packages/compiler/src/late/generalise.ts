/**
 * One program for all sizes of a box: an interval for each size that is free. The graph is compiled at a few sizes with the same decisions by
 * cost. docs/late-sizes.md proves that this is enough.
 */
import { type LoopKernel, printLoopKernel, type Statement, sameNumbers } from "@fuseau/ir";
import { type CompileOptions, compileInSteps, type Decided } from "../compile.ts";
import type { Graph } from "../graph.ts";
import type { KernelCall, Program } from "../plan/program.ts";
import { nothingFound } from "../schedule/schedule.ts";
import type { Steps } from "../steps.ts";
import { verifyGraph } from "../verify-graph.ts";
import { aroundInSteps, type Box, boxOf, evenly, isWithin, widest, widestInSteps } from "./box.ts";
import {
  cellsOf,
  countsOf,
  type Dependent,
  dependentOn,
  numbersOf,
  programAt,
  shapesOf,
  structureOf,
} from "./numbers.ts";
import { numbersAt, type Point, samplesAround } from "./polynomials.ts";
import { withoutTurns } from "./turning.ts";

/** A program whose sizes are bound late. */
export interface LateProgram extends Box {
  /** Below this size a program of one size alone unrolls its loops, which is faster; 0 where there is no such size, or several are free. */
  readonly unrolledBelow: number;
  /** The program at one point. */
  readonly program: Program;
  /** How often the graph was compiled to make it. */
  readonly samples: number;
  /** The program at a point; its kernels are those of `calls`. */
  readonly at: (point: Point, calls: readonly KernelCall[]) => Program;
}

/** Why there is none, and how often the graph was compiled to find out: not at all if it is none at these sizes. */
export interface Refusal {
  readonly why: string;
  readonly samples: number;
}

/** Extents up to this one are literals in the text of innermost loops; no sample is as small. */
const SMALLEST_SAMPLE = 17;
/** Sizes that are free and equal in a sample would be taken for one. */
const APART = 7;
/** From so many additions on, a program of small sizes alone, where it is another, is worth its compilation. */
const WORTH_COMPILING = 100_000;
/** How exactly the largest size is looked for, as a share of it: each step is a compilation. */
const ROUGHLY = 1 / 4;
/**
 * With several free sizes no box goes farther than so many times the sizes of the sample: one that is widest along the first leaves little of the
 * next, where a product of both has a bound.
 */
const FARTHEST = 8;

/** Alternative samples, where sizes nearby happen to equal or to be multiples of other sizes of the graph. */
const TRIES = [0, 3, 9] as const;

/**
 * The part of a box around a point in which there is a graph: what is sliced ends where the tensor does, and what is left of a size is not
 * negative. The last size is left out there, if it is not that of the point: a slice that is all of its tensor is another program. Where the
 * sum of sizes is bounded, each has its share of what is left.
 */
export function graphsAround(graphAt: (point: Point) => Graph, point: Point, box: Box): Box {
  const isThere = (at: Point): boolean => {
    try {
      verifyGraph(graphAt(at));
      return true;
    } catch {
      return false;
    }
  };
  const shared = evenly(point, box.high, isThere);
  const { low, high } = widest(
    point,
    box,
    (at) => isThere(at) && isThere(at.map((size, k) => Math.max(size, shared[k] as number))),
  );
  return {
    low,
    high: high.map((most, k) => (most === box.high[k] ? most : Math.max(point[k] as number, most - 1))),
  };
}

/**
 * The program for sizes around `near` within the box, or why there is none. `graphAt` gives the graph at a point. `came` are the points that came
 * of late: where several sizes are free, those are more likely to come than others.
 */
export function* generalise(
  graphAt: (point: Point) => Graph,
  near: Point,
  box: Box,
  options: CompileOptions,
  came: readonly Point[] = [near],
): Steps<LateProgram | Refusal> {
  const { low, high } = box;
  if (low.some((least, k) => (high[k] as number) - least < 2))
    return { why: `there are too few sizes between ${low} and ${high}`, samples: 0 };
  let samples = 0;
  let why = "";
  for (const offset of TRIES) {
    const origin = near.map((size, k) =>
      Math.max(
        low[k] as number,
        Math.min(Math.max(size, SMALLEST_SAMPLE + k * APART) + offset * (k + 1), (high[k] as number) - 2),
      ),
    );
    const decided: Decided = { isRepeated: false, answers: [], unfused: new Map(), found: nothingFound() };
    // Sizes that are polynomials where they were seen may not be so elsewhere.
    const verified = (point: Point): Graph => {
      const graph = graphAt(point);
      verifyGraph(graph);
      return graph;
    };
    const compiled = function* (point: Point, how: CompileOptions): Steps<Program> {
      const graph = verified(point);
      samples++;
      yield;
      return yield* compileInSteps(graph, how);
    };
    const points = samplesAround(origin);
    let first: Program;
    try {
      const varying = varyingAmong(points.map(verified));
      first = yield* compiled(origin, { ...options, decided, varying });
    } catch {
      return { why: `there is no such program at ${points.map(show).join(", or at ")}`, samples };
    }
    const again: Decided = { ...decided, isRepeated: true };
    const repeated = function* (point: Point): Steps<Program | null> {
      try {
        return yield* compiled(point, { ...options, watch: null, decided: again });
      } catch {
        // The decisions differ, or contradict what is known here.
        return null;
      }
    };
    const structure = structureOf(first);
    const sampled = [first];
    while (sampled.length < points.length) {
      const next = yield* repeated(points[sampled.length] as Point);
      if (next === null || structureOf(next) !== structure) break;
      sampled.push(next);
    }
    if (sampled.length < points.length) {
      why = `the program is another at ${show(origin)} and at ${show(points[sampled.length] as Point)}`;
      continue;
    }
    const program = loosened(first, sampled.slice(1));
    const dependent = dependentOn(origin, sampled);
    const holds = function* (point: Point): Steps<boolean> {
      const found = yield* repeated(point);
      return (
        found !== null &&
        structureOf(found) === structure &&
        sameNumbers(numbersOf(found), numbersAt(dependent.numbers, point)) &&
        sameNumbers(countsOf(found), numbersAt(dependent.counts, point)) &&
        sameNumbers(cellsOf(found), numbersAt(dependent.cells, point)) &&
        sameNumbers(shapesOf(found), numbersAt(dependent.shapes, point))
      );
    };
    const possible = withoutTurns(dependent, origin, within(box, origin));
    const most = yield* widestOf(origin, possible, came, holds);
    const [least, from] = [most.low[0] as number, origin[0] as number];
    const isLeast = origin.length === 1 && least < SMALLEST_SAMPLE && from >= SMALLEST_SAMPLE;
    /** True where small loops are unrolled in a program that decides by itself. There need not be a graph of each size between the ends. */
    const differsBelow = function* (): Steps<boolean> {
      const small = [Math.max(least, Math.min(near[0] as number, SMALLEST_SAMPLE - 1))];
      try {
        const alone = yield* compiled(small, options);
        return alone.work >= WORTH_COMPILING && structureOf(alone) !== structure;
      } catch {
        return false;
      }
    };
    const unrolledBelow = isLeast && (yield* differsBelow()) ? SMALLEST_SAMPLE : 0;
    return { ...most, unrolledBelow, program, samples, at: placedBy(program, dependent) };
  }
  return { why, samples };
}

/**
 * A box around all the points that came, where several sizes are free: those are more likely to come again than others. If they are no one
 * program, it is as wide as it can be along the first size, then along the next.
 */
function* widestOf(
  origin: Point,
  possible: Box,
  came: readonly Point[],
  holds: (point: Point) => Steps<boolean>,
): Steps<Box> {
  if (origin.length > 1) {
    const inner = boxOf([origin, ...came.filter((point) => isWithin(possible, point))]);
    const around = yield* aroundInSteps(inner, possible, holds);
    if (around !== null) return around;
  }
  return yield* widestInSteps(origin, possible, holds, ROUGHLY);
}

/**
 * The sizes of the first graph's shapes that are others in another one. They are numbers and no axes, since axes of loops are made of several:
 * a short loop of another axis that happens to have one of these sizes is not unrolled either.
 */
function varyingAmong([first, ...others]: readonly Graph[]): ReadonlySet<number> {
  const found = new Set<number>();
  first?.nodes.forEach(({ shape }, k) => {
    shape.forEach((size, axis) => {
      if (others.some(({ nodes }) => nodes[k]?.shape[axis] !== size)) found.add(size);
    });
  });
  return found;
}

/** A closure that holds nothing of how the program was found: it is kept with it. */
const placedBy =
  (program: Program, dependent: Dependent): LateProgram["at"] =>
  (point, calls) =>
    programAt(program, calls, dependent, point);

const within = ({ low, high }: Box, origin: Point): Box => ({
  low,
  high: origin.length === 1 ? high : high.map((most, k) => Math.min(most, FARTHEST * (origin[k] as number))),
});

const show = (point: Point): string => point.join(" and ");

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
