/** Binds programs of many sizes to one size. */
import type { OutputArray, Point, Program } from "@fuseau/compiler";
import { sameNumbers } from "@fuseau/ir";
import type { Backend, Kernel, Loaded } from "../../backends/backend.ts";
import type { Recorded } from "../extract/extract.ts";
import type { BoundExecutable, Executable, LateExecutable } from "../programs/executable.ts";
import type { Expected, Source } from "../programs/expected.ts";
import type { Late, Sized } from "../programs/family.ts";
import type { Purpose } from "../programs/purpose.ts";
import { lateFor, programAtPoint, recordedAt, useExpected, weighBound } from "./families.ts";

/** Bound programs that are kept for each surface, by their free sizes modulo this number. */
const MOST_BOUND = 4_096;

/** Spreads pairs of sizes over the places. */
const SPREAD = 61;

/** A program of many sizes, bound to some of them. */
export function executableAt(late: Late, point: Point): BoundExecutable {
  const { executables } = late.sized;
  let place = point[0] as number;
  for (let k = 1; k < point.length; k++) place = (place % MOST_BOUND) * SPREAD + (point[k] as number);
  place %= MOST_BOUND;
  const known = executables[place];
  if (known !== undefined && sameNumbers(known.late.point, point)) return known;
  const executable = new Bound(late, point);
  if (known === undefined) weighBound(late.sized, executable.program);
  executables[place] = executable;
  return executable;
}

const countsOf = ({ results, allocations }: Program): number[] =>
  results.map(({ kind, index }) => (kind === "input" ? -1 : (allocations[index] as OutputArray).cells));

/** Thousands are made, so they hold what is their own, and ask for the rest. */
class Bound implements BoundExecutable {
  readonly program: Program;
  readonly loaded: Loaded<unknown>;
  readonly late: LateExecutable;
  #recorded: Recorded | null = null;

  constructor(late: Late, point: Point) {
    this.program = programAtPoint(late, point);
    this.loaded = late.loaded.at(this.program);
    this.late = { of: late, point, counts: countsOf(this.program) };
  }

  get #purpose(): Purpose {
    return this.late.of.sized.family.purpose;
  }

  get asked(): Purpose["asked"] {
    return this.#purpose.asked;
  }

  get fusion(): Purpose["fusion"] {
    return this.#purpose.fusion;
  }

  get limits(): Purpose["limits"] {
    return this.#purpose.limits;
  }

  get donated(): Purpose["donated"] {
    return this.#purpose.donated;
  }

  get kernels(): readonly Kernel[] {
    return this.late.of.kernels;
  }

  get backend(): Backend {
    return this.late.of.choice.backend;
  }

  get reason(): string {
    return this.late.of.choice.reason;
  }

  get finishing(): null {
    return null;
  }

  get expected(): Expected {
    return this.late.of.sized.expected;
  }

  get recorded(): Recorded {
    this.#recorded ??= recordedAt(this.late.of.sized, this.late.point);
    return this.#recorded;
  }
}

/** Counts a call of a program that is bound to a small size. True where that has come often: from now on it has a program of its own. */
export const noteSmallCall = ({ late }: Executable): boolean =>
  late !== null &&
  (late.point[0] as number) < late.of.unrolledBelow &&
  lateFor(late.of.sized, late.point) === null;

/** Where an expected program comes from, if it is one of many sizes. */
export const sourceOf = (sized: Sized): Source => ({
  purpose: sized.family.purpose,
  held: null,
  at: (point) => {
    const late = lateFor(sized, point);
    return late === null ? null : executableAt(late, point);
  },
  use: () => useExpected(sized),
});
