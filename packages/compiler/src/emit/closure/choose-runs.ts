/**
 * Which loop of each nest is walked by runs. All that stands in it is then done for up to RUN of its iterations at once, statement
 * by statement; loops within it are walked step by step. Loops around it go step by step too. The choice is a matter of time alone.
 */
import {
  type Accumulator,
  axesOfLoop,
  type Integer,
  isLoop,
  type Loop,
  type LoopKernel,
  pointwiseOps,
  printInteger,
  type Statement,
  statementsIn,
} from "@fuseau/ir";
import { RUN } from "./columns.ts";

/**
 * "rows": along the last axis, a run ends where a row does. "places": along all axes of a reduction as one, each axis a column. A
 * loop that is not named goes step by step.
 */
export type Along = "rows" | "places";
export type Runs = ReadonlyMap<Loop, Along>;

// Nanoseconds, roughly; only their proportions matter.
const STATEMENT = 60;
const ELEMENT = 1.5;
/** More for each addition that an op costs as much as; for a case, or a test of a place; a fold, one of products, a store that meets what is there. */
const [COST, CASE, FOLD, PRODUCT, COMBINE] = [0.4, 3, 4, 12, 12];
/** For an element and a doubling of the row that is sorted. */
const SORT = 25;
/** More for an element of a buffer that is not next to the one before. */
const APART = 2.5;
/** An integer of each element, where the integers are not in progression. */
const PLACE = 2;
/** The extent of a loop that is known only when it is reached: a strip's width. */
const STRIP = 256;

/** Chooses for sizes that are known when the kernel is called. */
export function runChooser(kernel: LoopKernel): (sizes: readonly number[]) => Runs {
  const facts = factsOf(kernel);
  return (sizes) => {
    const chosen = new Map<Loop, Along>();
    for (const statement of kernel.body) if (isLoop(statement)) best(statement, facts, sizes, chosen);
    return chosen;
  };
}

/** About how many nanoseconds a call takes at those sizes. */
export function timeInClosures(kernel: LoopKernel, sizes: readonly number[]): number {
  const facts = factsOf(kernel);
  let time = 0;
  for (const statement of kernel.body)
    time += isLoop(statement)
      ? best(statement, facts, sizes, new Map())
      : STATEMENT + timeOfElement(statement, sizes);
  return time;
}

/** The least time of a loop; enters what is walked by runs for it. */
function best(loop: Loop, facts: Facts, sizes: readonly number[], chosen: Map<Loop, Along>): number {
  const extents = axesOfLoop(loop).map(({ extent }) => extentOf(extent, sizes));
  const count = extents.reduce((product, extent) => product * extent, 1);
  const within = new Map<Loop, Along>();
  let least = STATEMENT;
  for (const statement of loop.body)
    least += isLoop(statement)
      ? best(statement, facts, sizes, within)
      : STATEMENT + timeOfElement(statement, sizes);
  least *= count;
  let along: Along | null = null;
  if (mayRun(loop, facts)) {
    for (const way of loop.kind === "reduce" && extents.length > 1
      ? (["rows", "places"] as const)
      : (["rows"] as const)) {
      const length = way === "rows" ? (extents.at(-1) as number) : count;
      const runs =
        way === "rows" ? (count / Math.max(1, length)) * Math.ceil(length / RUN) : Math.ceil(count / RUN);
      const each = way === "rows" ? (axesOfLoop(loop).at(-1) as { axis: number }).axis : null;
      const time = timeInRuns(loop.body, { runs, elements: count, axis: each }, facts, sizes);
      if (time >= least) continue;
      least = time;
      along = way;
    }
  }
  if (along !== null) chosen.set(loop, along);
  else for (const [inner, way] of within) chosen.set(inner, way);
  return least;
}

interface Runners {
  readonly runs: number;
  readonly elements: number;
  /** Null where the axes of the run are columns. */
  readonly axis: number | null;
}

function timeInRuns(
  body: readonly Statement[],
  { runs, elements, axis }: Runners,
  facts: Facts,
  sizes: readonly number[],
): number {
  let time = 0;
  for (const statement of body) {
    if (isLoop(statement)) {
      let steps = 1;
      for (const { extent } of axesOfLoop(statement)) steps *= extentOf(extent, sizes);
      time += timeInRuns(
        statement.body,
        { runs: runs * steps, elements: elements * steps, axis },
        facts,
        sizes,
      );
      continue;
    }
    const isInteger = statement.kind === "integer";
    time += runs * STATEMENT;
    if (!isInteger) time += elements * timeOfElement(statement, sizes);
    const at = facts.places.get(statement);
    if (at === undefined) continue;
    const reach = axis === null ? "any" : (at.get(axis) ?? (at.has(ANY) ? "any" : 0));
    if (reach === "any") time += elements * (isInteger ? PLACE : PLACE + APART);
    else if (reach === "apart" && !isInteger) time += elements * APART;
  }
  return time;
}

/** What a statement does for one element of a run. */
function timeOfElement(statement: Statement, sizes: readonly number[]): number {
  switch (statement.kind) {
    case "let": {
      const { value } = statement;
      if (value.kind === "pointwise") return ELEMENT + COST * pointwiseOps[value.fn].cost;
      if (value.kind === "select") return ELEMENT + CASE * value.cases.length;
      return value.kind === "load" && value.tests.length > 0 ? ELEMENT + CASE : ELEMENT;
    }
    case "accumulate":
      return statement.values.length > 1 ? PRODUCT : FOLD;
    case "store":
      return statement.combine === "set" ? ELEMENT : COMBINE;
    case "index":
      return FOLD;
    case "sort": {
      const length = extentOf(statement.length, sizes);
      return SORT * length * Math.log2(length + 1);
    }
    default:
      return ELEMENT;
  }
}

function extentOf(extent: Integer, sizes: readonly number[]): number {
  if (extent.kind === "literal") return extent.value;
  return extent.kind === "size" ? (sizes[extent.slot] as number) : STRIP;
}

/** How an integer goes with an axis: next to each other, apart by the same, or anyhow. Axes that are missing leave it as it is. */
type Reach = 1 | "apart" | "any";
type Reaches = ReadonlyMap<number, Reach>;
/** What was read from data may go anyhow with every axis. */
const ANY = -1;

interface Facts {
  readonly kernel: LoopKernel;
  /** How far apart the values of an integer local are, by its number. */
  readonly integers: Map<number, Reaches>;
  /** Where a statement loads or stores, and what an integer statement names. */
  readonly places: Map<Statement, Reaches>;
}

function factsOf(kernel: LoopKernel): Facts {
  const integers = new Map<number, Reaches>();
  const places = new Map<Statement, Reaches>();
  for (const statement of statementsIn(kernel.body)) {
    if (statement.kind === "integer") {
      const reaches = reachesOf(statement.value, integers);
      integers.set(statement.local, reaches);
      places.set(statement, reaches);
    } else if (statement.kind === "index") integers.set(statement.local, new Map([[ANY, "any"]]));
    else if (statement.kind === "let" && statement.value.kind === "load")
      places.set(statement, reachesOf(statement.value.at, integers));
    else if (statement.kind === "store") places.set(statement, reachesOf(statement.at, integers));
  }
  return { kernel, integers, places };
}

function reachesOf(integer: Integer, integers: ReadonlyMap<number, Reaches>): Reaches {
  switch (integer.kind) {
    case "literal":
    case "size":
      return new Map();
    case "axis":
      return new Map([[integer.axis, 1]]);
    case "local":
      return integers.get(integer.local) ?? new Map();
    default: {
      const [left, right] = [reachesOf(integer.left, integers), reachesOf(integer.right, integers)];
      const both = new Map<number, Reach>();
      for (const [axis, reach] of [...left, ...right]) {
        const alone = !(left.has(axis) && right.has(axis));
        if (integer.kind === "add")
          both.set(
            axis,
            alone ? reach : left.get(axis) === "any" || right.get(axis) === "any" ? "any" : "apart",
          );
        else if (integer.kind === "mul") both.set(axis, alone && reach !== "any" ? "apart" : "any");
        else both.set(axis, "any");
      }
      return both;
    }
  }
}

/** Whether the iterations of a loop can be taken side by side, statement by statement. */
function mayRun(loop: Loop, facts: Facts): boolean {
  if (loop.kind === "for" && loop.ordered) return meetsNothing(loop.body);
  const inner = statementsIn(loop.body).filter(isLoop);
  if (loop.kind === "reduce" && loop.scan) return inner.length === 0 && readsBehindFolds(loop.body);
  if (inner.length === 0) return loop.body.every(({ kind }) => kind !== "sort");
  const axes = axesOfLoop(loop).map(({ axis }) => axis);
  return (
    inner.every(({ body }) => keepsToItself(body, facts.kernel)) &&
    keepsToItself(loop.body, facts.kernel) &&
    inner.every(
      (each) => each.kind === "for" || each.accumulators.every(({ row }: Accumulator) => row === null),
    ) &&
    // All iterations take as many steps.
    inner.every((each) =>
      axesOfLoop(each).every(({ extent }) => {
        const reaches = reachesOf(extent, facts.integers);
        return !reaches.has(ANY) && axes.every((axis) => !reaches.has(axis));
      }),
    )
  );
}

/** What iterations keep in scratch or private memory, each for itself, has room for one of them. */
function keepsToItself(body: readonly Statement[], kernel: LoopKernel): boolean {
  return body.every((statement) => {
    if (statement.kind === "sort") return false;
    return statement.kind !== "store" || kernel.buffers[statement.buffer]?.access === "write";
  });
}

/** In order: what one iteration stores no other may load, and one statement alone stores in a buffer. */
function meetsNothing(body: readonly Statement[]): boolean {
  const stored = new Set<number>();
  for (const statement of body) {
    if (isLoop(statement) || statement.kind === "sort") return false;
    if (statement.kind !== "store") continue;
    if (stored.has(statement.buffer)) return false;
    stored.add(statement.buffer);
  }
  return body.every(
    (statement) =>
      statement.kind !== "let" || statement.value.kind !== "load" || !stored.has(statement.value.buffer),
  );
}

/** In a scan: what an accumulator holds is read behind the fold that the element at hand has joined, of the same cell. */
function readsBehindFolds(body: readonly Statement[]): boolean {
  const folded = new Map<number, string>();
  return body.every((statement) => {
    if (statement.kind === "sort") return false;
    if (statement.kind === "accumulate") {
      if (folded.has(statement.accumulator)) return false;
      folded.set(statement.accumulator, printInteger(statement.cell));
    }
    if (statement.kind !== "let" || statement.value.kind !== "result") return true;
    const { accumulator, cell } = statement.value;
    const cellText = folded.get(accumulator);
    return cellText === undefined ? !foldsIn(body, accumulator) : cellText === printInteger(cell);
  });
}

const foldsIn = (body: readonly Statement[], accumulator: number): boolean =>
  body.some((statement) => statement.kind === "accumulate" && statement.accumulator === accumulator);
