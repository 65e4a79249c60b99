/**
 * Chooses the loop of each nest that is walked in runs. In such a loop each statement processes up to RUN iterations at once; the
 * loops around it and within it go step by step. The choice affects speed only.
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
 * "rows": runs go along the last axis and end where a row ends. "places": runs go along all axes of a reduction, flattened, and
 * each axis is a column. A loop that is not in the map goes step by step.
 */
type Along = "rows" | "places";
export type Runs = ReadonlyMap<Loop, Along>;

// Estimates in nanoseconds; only their ratios matter.
const STATEMENT = 60;
const ELEMENT = 1.5;
/**
 * Additional time of an element: for each unit of an op's cost; for a case of a select or a tested load; for a fold; for a fold
 * of products; for a store that combines.
 */
const [COST, CASE, FOLD, PRODUCT, COMBINE] = [0.4, 3, 4, 12, 12];
/** For each element of a sort, times the logarithm of the row's length. */
const SORT = 25;
/** Additional time of a load or store whose elements are not contiguous. */
const STRIDED = 2.5;
/** For each element of an integer that is not in arithmetic progression. */
const PLACE = 2;
/** The assumed extent of a loop whose extent is known only when it is reached, such as a strip. */
const STRIP = 256;

/** The choice depends on sizes, which are known when the kernel is called. */
export function runChooser(kernel: LoopKernel): (sizes: readonly number[]) => Runs {
  const facts = factsOf(kernel);
  return (sizes) => {
    const chosen = new Map<Loop, Along>();
    for (const statement of kernel.body) if (isLoop(statement)) best(statement, facts, sizes, chosen);
    return chosen;
  };
}

/** Estimates the nanoseconds of a call at given sizes. */
export function timeInClosures(kernel: LoopKernel, sizes: readonly number[]): number {
  const facts = factsOf(kernel);
  let time = 0;
  for (const statement of kernel.body)
    time += isLoop(statement)
      ? best(statement, facts, sizes, new Map())
      : STATEMENT + timeOfElement(statement, sizes);
  return time;
}

/** The least time of a loop; enters into `chosen` which loops are walked in runs for that. */
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
    if (reach === "any") time += elements * (isInteger ? PLACE : PLACE + STRIDED);
    else if (reach === "strided" && !isInteger) time += elements * STRIDED;
  }
  return time;
}

/** The time that a statement takes for one element of a run. */
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

/** How an integer changes along an axis: by 1, by a constant, or in any way. An axis that is missing does not change it. */
type Reach = 1 | "strided" | "any";
type Reaches = ReadonlyMap<number, Reach>;
/** An index read from data may change in any way along every axis. */
const ANY = -1;

interface Facts {
  readonly kernel: LoopKernel;
  /** By the number of an integer local: how it changes along axes. */
  readonly integers: Map<number, Reaches>;
  /** The index of a load or a store; the value of an integer statement. */
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
            alone ? reach : left.get(axis) === "any" || right.get(axis) === "any" ? "any" : "strided",
          );
        else if (integer.kind === "mul") both.set(axis, alone && reach !== "any" ? "strided" : "any");
        else both.set(axis, "any");
      }
      return both;
    }
  }
}

/** Whether the iterations of a loop may be processed together, statement by statement. */
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
    // All iterations run the inner loops equally often.
    inner.every((each) =>
      axesOfLoop(each).every(({ extent }) => {
        const reaches = reachesOf(extent, facts.integers);
        return !reaches.has(ANY) && axes.every((axis) => !reaches.has(axis));
      }),
    )
  );
}

/** False if iterations store to scratch or private memory: it has room for one iteration only. */
function keepsToItself(body: readonly Statement[], kernel: LoopKernel): boolean {
  return body.every((statement) => {
    if (statement.kind === "sort") return false;
    return statement.kind !== "store" || kernel.buffers[statement.buffer]?.access === "write";
  });
}

/** Of an ordered loop: true if no iteration loads from a buffer that is stored to, and no two statements store to the same buffer. */
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

/** Of a scan: true if each result is read after the fold of the current element, and from the same cell. */
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
