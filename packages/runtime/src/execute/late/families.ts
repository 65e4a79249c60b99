/**
 * Programs whose sizes are known late. A family is all graphs of one structure. When the sizes of a third graph lie on a line with those of
 * two earlier ones, or of several on a plane, one program is made for all sizes between bounds. Later graphs of the family are instances of
 * it. docs/late-sizes.md has the reasons.
 */
import {
  type CompileOptions,
  isWithin,
  nodesWith,
  numbersAt,
  type Point,
  type Program,
  type Refusal,
} from "@fuseau/compiler";
import { sameNumbers } from "@fuseau/ir";
import { LruCache } from "../../cache/lru.ts";
import { watchOptions } from "../../options.ts";
import type { Extraction, Recorded } from "../extract/extract.ts";
import { computationCount } from "../extract/keep.ts";
import { hashOfStructure, isAlike, recordedWith, sizesOfExtraction } from "../extract/structure.ts";
import { NODE_COMPILED } from "../programs/costs.ts";
import { Expected, noLongerExpected, type Source } from "../programs/expected.ts";
import type { Family, Late, Learning, Sized } from "../programs/family.ts";
import { DEFAULT_BYTES, DEFAULT_LIMIT, isCrowded } from "../programs/program-cache.ts";
import { isSamePurpose, type Purpose } from "../programs/purpose.ts";
import { Sliced, wasIdleSince } from "../programs/slices.ts";
import { Recurring } from "../sizes/recurring.ts";
import { roomsOf } from "../sizes/rooms.ts";
import { pointOn, type Surface } from "../sizes/surfaces.ts";
import { mostSeen, surfacesWith } from "./candidates.ts";
import { type KernelsOf, learn } from "./learn.ts";

/** Graphs that are compiled singly before a line is looked for. */
const SAMPLES = 2;
/** How often making a program of many sizes is attempted. */
const TRIES = 3;
/** How often a small size runs in a program of many sizes, and the additions of all these runs: they take as long as to compile it by itself. */
const SELDOM = 8;
const SELDOM_WORK = 1 << 24;
const families = new LruCache<number, Family>((family) => {
  family.held = null;
  for (const { expected } of family.sized) noLongerExpected(expected);
});

/** Families hold the graphs of programs that came once and are not kept: they have this part of the bytes of programs. */
const OF_PROGRAMS = 1 / 4;
/** The instances of a family may take this part of it. They are made in microseconds, and the programs that they are of in many compilations. */
const OF_FAMILIES = 1 / 8;
let boundLimit = 0;
watchOptions(({ programCacheLimit = DEFAULT_LIMIT, programBytesLimit = DEFAULT_BYTES }) => {
  const bytes = programBytesLimit * OF_PROGRAMS;
  families.setLimits(programCacheLimit, bytes);
  boundLimit = bytes * OF_FAMILIES;
});

export const clearFamilies = (): void => families.clear();

let made = 0;
let samples = 0;
let instances = 0;
/** Predicted runs of programs of many sizes. */
let expectedRuns = 0;

export interface LateCounters {
  /** Programs with late sizes that were made, and the compilations that took. */
  readonly programs: number;
  readonly samples: number;
  /** Graphs that were new, and became instances of such a program, without a compilation. */
  readonly instances: number;
}

export const expectedLateCount = (): number => expectedRuns;

export const lateCounters = (): LateCounters => ({ programs: made, samples, instances });

/** An extraction as a member of a family. */
export interface Member {
  readonly hash: number;
  readonly sizes: readonly number[];
  /** Null if the family is new. */
  readonly family: Family | null;
}

export function memberOf(extraction: Extraction, purpose: Purpose): Member {
  const hash = hashOfStructure(extraction);
  const family = families.find(
    hash,
    (known) => isSamePurpose(known.purpose, purpose) && isAlike(extraction, known.recorded),
  );
  return { hash, sizes: sizesOfExtraction(extraction), family: family ?? null };
}

/** To be called when a graph was compiled singly. */
export function noteSingle(member: Member, recorded: Recorded, purpose: Purpose): void {
  const family = noteSizes(member, () => recorded, purpose);
  family.lost += NODE_COMPILED * recorded.nodes.length;
  familyOf.set(recorded, family);
}

/** To be called when a graph was compiled singly, or was new and runs op by op: programs of many sizes are made for what has come. */
export function noteSizes(
  { hash, sizes, family }: Member,
  recordedOf: () => Recorded,
  purpose: Purpose,
): Family {
  if (family === null) {
    const recorded = recordedOf();
    const founded: Family = {
      recorded,
      purpose,
      seen: [sizes],
      rooms: roomsOf(recorded, (position) => recorded.begins[position] === undefined),
      singles: 1,
      lost: 0,
      bound: 0,
      isInParts: false,
      recurring: new Recurring(),
      sized: [],
      held: null,
      refusals: 0,
      refused: [],
      learning: null,
      spent: 0,
      lookedAt: 0,
      lostThen: 0,
      why: null,
    };
    founded.held = families.add(hash, founded, BYTES + BYTES_PER_NODE * recorded.nodes.length);
    return founded;
  }
  family.singles++;
  // A list that came twice is one point of a curve.
  if (family.seen.some((known) => sameNumbers(known, sizes))) return family;
  family.seen.unshift(sizes);
  if (family.seen.length > mostSeen(sizes)) family.seen.pop();
  else if (family.held !== null) families.grow(family.held, BYTES_PER_SIZE * sizes.length);
  return family;
}

/** The family of each graph that was compiled singly. */
const familyOf = new WeakMap<Recorded, Family>();

/** Why a graph that was compiled singly shares no program with graphs of other sizes; null if that was not attempted. */
export function whyAlone(recorded: Recorded): string | null {
  const family = familyOf.get(recorded);
  if (family === undefined || family.seen.length <= SAMPLES) return null;
  const { length } = family.seen;
  const isFull = length === mostSeen(family.seen[0] as readonly number[]);
  const sizes = `graphs of this structure came with ${isFull ? "at least " : ""}${length} lists of sizes`;
  if (family.why !== null) return `${sizes}; the last of ${family.refusals} attempts: ${family.why}`;
  if (family.sized.some(({ small }) => small.some((left) => left < 0)))
    return `${sizes}; small ones that come often are compiled by themselves, so that their loops are unrolled`;
  if (family.sized.length > 0) return `${sizes}; this one is not between the bounds of a program of many`;
  return `${sizes}, of which too few depend on one to three numbers by polynomials of degree 2, none that changes being 0 or 1`;
}

const BYTES = 512;
/** Nodes are shared with the first program. Beside them a family has lists of sizes. */
const BYTES_PER_NODE = 256;
const BYTES_PER_SIZE = 8;

/** A program of many sizes, with some of them. */
export interface Instance {
  readonly late: Late;
  readonly point: Point;
}

/** The family's program for an extraction; null if it is to be compiled singly. */
export function instanceOf(
  { family, sizes }: Member,
  options: () => CompileOptions,
  kernelsOf: KernelsOf,
  source: (sized: Sized) => Source,
): Instance | null {
  if (family === null) return null;
  const known = instanceIn(family, sizes);
  if (known !== undefined) return known;
  if (family.refusals >= TRIES) return null;
  let surfaces: readonly Sized[] =
    family.learning === null ? surfacesWith(family, sizes).map((one) => sizedOn(family, one, source)) : [];
  for (;;) {
    if (family.learning === null) {
      const [sized, ...others] = surfaces;
      const point = sized === undefined ? null : pointOn(sized.surface, sizes);
      if (sized === undefined || point === null) return null;
      const sliced = new Sliced(() => learn(sized, point, options, kernelsOf), computationCount() - LATELY);
      family.learning = { sized, point, others, sliced };
    }
    const { sized, point, others } = family.learning;
    const learned = learnedOf(family, family.learning);
    if (learned === null) return null;
    family.spent += "why" in learned ? learned.samples : learned.program.samples;
    if (!("why" in learned)) {
      noteLate(sized, point, learned);
      return instanceIn(family, sizes) ?? null;
    }
    family.refused.push(sized.surface);
    family.why = learned.why;
    // A coincidence of sizes costs nothing if it gives no graph.
    if (learned.samples > 0) {
      family.refusals++;
      return null;
    }
    surfaces = others;
  }
}

/** An instance of a program that there is; undefined if none is for these sizes, null if they are better compiled singly. */
function instanceIn({ sized: all }: Family, sizes: readonly number[]): Instance | null | undefined {
  for (const sized of all) {
    const point = pointOn(sized.surface, sizes);
    if (point === null || lateAt(sized, point) === null) continue;
    const late = lateFor(sized, point);
    return late === null ? null : { late, point };
  }
  return undefined;
}

/**
 * To compile graphs of more nodes several times takes a second, so that is done beside many runs, for so many milliseconds with each. Those
 * runs have sizes for which there is no program, and take about as long themselves. Where the host was idle within the last computations, that is
 * done while it is.
 */
const [LONG, SLICE, LATELY] = [100, 20, 16];

/**
 * What is asked for at once may be computed in many parts, each of a family. Programs of many sizes are made for some of them, with so many nodes
 * together; the others are, when they come in later requests. Each is compiled several times, and all of them would be in one step of a loop.
 */
const AT_ONCE = 60;
let nodesLeft = AT_ONCE;

/** To be called for each request, before its first part. */
export function beginRequest(): void {
  nodesLeft = AT_ONCE;
}

/** What was learned; null if there is nothing to learn, or it is not finished. */
function learnedOf(family: Family, { sliced }: Learning): Late | Refusal | null {
  if (nodesLeft <= 0) return null;
  nodesLeft -= family.recorded.nodes.length;
  let isFinished = true;
  try {
    const isInSlices = family.recorded.nodes.length > LONG || wasIdleSince(sliced.last);
    const gone = sliced.goOn(isInSlices ? SLICE : Number.POSITIVE_INFINITY);
    isFinished = gone !== null;
    return gone?.result ?? null;
  } finally {
    if (isFinished) family.learning = null;
  }
}

/** Keeps a new program of many sizes. */
function noteLate(sized: Sized, point: Point, late: Late): void {
  const { family } = sized;
  if (sized.late.length === 0) family.sized.push(sized);
  sized.late.push(late);
  if (family.purpose.isOfOp !== true) {
    made++;
    samples += late.program.samples;
  }
  if (lateAt(sized, point) === late) return;
  // Small sizes are literals in the loop IR, so the program for a small size may be another. Later sizes may grow into the program's
  // bounds.
  family.refusals++;
  family.why = `at ${point.join(" and ")} the program is another than from ${late.low.join(" and ")} to ${late.high.join(" and ")}`;
}

/** The program whose bounds include the point. */
function lateAt({ late }: Sized, point: Point): Late | null {
  for (let k = 0; k < late.length; k++) {
    const one = late[k] as Late;
    if (isWithin(one, point)) return one;
  }
  return null;
}

/**
 * The program to run at the point. A small size that comes often is compiled by itself, so that its loops are unrolled, if there is room; one
 * that seldom comes is not worth a compilation.
 */
export function lateFor(sized: Sized, point: Point): Late | null {
  const late = lateAt(sized, point);
  const size = point[0] as number;
  if (late === null || size >= late.unrolledBelow) return late;
  const left = sized.small[size] ?? Math.min(SELDOM, Math.floor(SELDOM_WORK / workAt(late, point)));
  sized.small[size] = left - 1;
  return left > 0 || isCrowded() ? late : null;
}

const workAt = ({ program, calls }: Late, point: Point): number => program.at(point, calls).work;

/** A predicted program of the line runs. */
export function useExpected({ family: { held } }: Sized): void {
  expectedRuns++;
  if (held !== null) families.use(held);
}

/** A program of the line was bound to a size, and will be kept. If there is no room for more, those that were bound before are dropped. */
export function weighBound({ family }: Sized, program: Program): void {
  const { held } = family;
  if (held === null) return;
  const bytes = BYTES * (1 + program.calls.length);
  if (family.bound + bytes > boundLimit) {
    for (const { executables } of family.sized) executables.length = 0;
    families.grow(held, -family.bound);
    family.bound = 0;
  }
  family.bound += bytes;
  families.grow(held, bytes);
}

/** The program at one of its points. */
export function programAtPoint({ program, calls, sized }: Late, point: Point): Program {
  if (sized.family.purpose.isOfOp !== true) instances++;
  return program.at(point, calls);
}

/** The recorded graph at a point. */
export const recordedAt = ({ surface, family }: Sized, point: Point): Recorded =>
  recordedWith(family.recorded, numbersAt(surface.sizes, point), nodesWith);

/** The programs for sizes on the surface: those that there are, or none yet. */
function sizedOn(family: Family, surface: Surface, source: (sized: Sized) => Source): Sized {
  const known = family.sized.find((one) => one.surface === surface);
  if (known !== undefined) return known;
  let recorded: Recorded | undefined;
  let expected: Expected | undefined;
  const sized: Sized = {
    family,
    surface,
    get recorded() {
      recorded ??= recordedAt(sized, surface.sizes.origin);
      return recorded;
    },
    late: [],
    small: [],
    executables: [],
    get expected() {
      expected ??= new Expected(source(sized));
      return expected;
    },
  };
  return sized;
}
