/** Makes a program for a box of a surface, on the backend that runs it there. */
import {
  type Box,
  type CompileOptions,
  type Graph,
  generalise,
  graphsAround,
  type KernelCall,
  nodesWith,
  numbersAt,
  type Point,
  type Program,
  pointsIn,
  type Refusal,
  type Steps,
  widest,
  workOf,
} from "@fuseau/compiler";
import { type Choice, choose } from "../../backends/choose.ts";
import { recordedWith } from "../extract/structure.ts";
import { withPlaces } from "../places/lift.ts";
import type { Late, Sized } from "../programs/family.ts";
import { type MadeKernel, madeInSteps } from "../programs/kernels.ts";
import { boxAround } from "../sizes/boxes.ts";
import { pointOn } from "../sizes/surfaces.ts";

/** Makes the kernels of a program, on the backend that suits it. */
export type KernelsOf = (program: Program) => {
  readonly choice: Choice;
  readonly made: readonly MadeKernel[];
};

/** A program is made only for more points than this: it takes five compilations and more. */
const FEWEST = 32;
/** The same where one size is free and there are no more: it is made in five. */
const FEWEST_OF_ALL = 8;
/**
 * By so many times a size may be too small for the backend that runs the program. A backend for small programs is quicker there by a
 * microsecond or so, and a program for it by itself takes compilations.
 */
const SMALLER = 4;

/** Three quarters of the way to an end: what is near it may be another program. */
const towards = (end: number, size: number): number => size + Math.trunc(((end - size) * 3) / 4);

/** The point, or one so many times larger where another backend begins between. */
function largerAround(point: Point, { high }: Box, targetAt: (point: Point) => unknown): Point {
  const larger = point.map((size, k) => Math.min(SMALLER * size, towards(high[k] as number, size)));
  return targetAt(point) === targetAt(larger) ? point : larger;
}

/** How far down a program goes whose backend suits sizes from `least` on, if it holds from `low` on: all the way if little would be left. */
function lowered(least: number, low: number): number {
  const down = Math.ceil(least / SMALLER);
  return down - low < FEWEST ? low : down;
}

/** The points that came of late. */
const cameOn = ({ family: { seen }, surface }: Sized, point: Point): readonly Point[] => [
  point,
  ...seen.map((sizes) => pointOn(surface, sizes)).filter((one) => one !== null),
];

/**
 * A program for this point and others on the surface, or why there is none; null where other programs leave too few points, and nothing was
 * compiled.
 */
export function* learn(
  sized: Sized,
  point: Point,
  options: () => CompileOptions,
  kernelsOf: KernelsOf,
): Steps<Late | Refusal | null> {
  const around = boxAround(point, sized.late);
  if (pointsIn(around) <= FEWEST) return null;
  const { surface } = sized;
  const { recorded, purpose } = sized.family;
  const graphAt = (at: Point): Graph => {
    const own = recordedWith(recorded, numbersAt(surface.sizes, at), nodesWith);
    return withPlaces(own, own.begins, own.counts);
  };
  const box = graphsAround(graphAt, point, around);
  if (pointsIn(box) <= (point.length > 1 ? FEWEST : FEWEST_OF_ALL)) return null;
  const asking = options();
  const near = largerAround(point, box, (at) => asking.target?.(workOf(graphAt(at))));
  const program = yield* generalise(graphAt, near, box, asking, cameOn(sized, point));
  if ("why" in program) return program;
  const { low, high, unrolledBelow } = program;
  const within = near.map((size, k) => Math.max(low[k] as number, Math.min(size, high[k] as number)));
  const own = program.at(within, program.program.calls);
  const { asked } = purpose;
  const { backend } = choose(own, asked);
  yield* madeInSteps(own.calls, backend);
  const { choice, made: kernels } = kernelsOf(own);
  const calls = program.program.calls.map((call, k): KernelCall => {
    const { key, loop } = kernels[k] as MadeKernel;
    return { ...call, key, loop };
  });
  const isRunThere = (at: Point): boolean => choose(program.at(at, calls), asked).backend === backend;
  const shared = kernels.map(({ kernel }) => kernel);
  const run = widest(within, { low, high }, isRunThere);
  const there = { ...run, low: run.low.map((least, k) => lowered(least, low[k] as number)) };
  const isSingle = there.low.some((least, k) => least === there.high[k]);
  if (point.length > 1 && (isSingle || pointsIn(there) < FEWEST))
    return {
      why: `it would hold from ${there.low.join(" and ")} to ${there.high.join(" and ")} only`,
      samples: program.samples,
    };
  return {
    ...there,
    sized,
    unrolledBelow,
    program,
    calls,
    kernels: shared,
    choice,
    loaded: choice.backend.load(program.at(within, calls), shared),
  };
}
