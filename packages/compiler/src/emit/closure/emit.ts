/**
 * The closure emitter: loop IR to nested functions. It serves hosts that forbid code from strings, and is the oracle in tests.
 * Its accumulation order is that of the JavaScript text. In each nest, one loop is walked in runs of up to RUN iterations: each
 * statement in it becomes a function that processes the whole run, over columns (docs/loop-ir.md). A statement outside of such a
 * loop is the same function over columns of one element.
 */
import {
  allocate,
  elementCount,
  evaluateInteger,
  type ForStatement,
  isLoop,
  type LoopKernel,
  type ReduceStatement,
  type SortStatement,
  type Statement,
  type TypedArray,
} from "@fuseau/ir";
import { withoutPieces } from "../../tactics/pieces.ts";
import { intrinsics } from "../intrinsics/index.ts";
import type { KernelFunction } from "../shared/kernel-function.ts";
import { type Bits, ownBits } from "./bits.ts";
import { type Runs, runChooser } from "./choose-runs.ts";
import { RUN } from "./columns.ts";
import type { Frame, Run } from "./frame.ts";
import { alongRun, type Places, type ReadInteger, unravel } from "./integers.ts";
import { Reduction, runAccumulate } from "./reduction.ts";
import { runIndex, runInteger, runLet, runStore } from "./statements.ts";
import { Walk } from "./walk.ts";

/** `bits`: those of JavaScript text, or of another emitter in which the program goes on later. */
export function compileClosure(given: LoopKernel, bits: Bits = ownBits): KernelFunction {
  const kernel = { ...given, body: withoutPieces(given.body) };
  const choose = runChooser(kernel);
  const compiled = new Map<string, Run>();
  let run: Run | null = null;
  let sizesBefore: readonly number[] = [];
  const ownBuffers = privateBuffers(kernel);
  return (bound, sizes, scalars) => {
    const buffers = ownBuffers.length === 0 ? bound : [...bound, ...ownBuffers.map((make) => make(sizes))];
    if (run === null || sizes.some((size, slot) => size !== sizesBefore[slot])) {
      const runs = choose(sizes);
      const key = describe(kernel.body, runs);
      run = compiled.get(key) ?? compile(kernel, runs, bits);
      compiled.set(key, run);
      sizesBefore = sizes.slice();
    }
    run({ buffers, sizes, scalars, axes: [], integers: [], steps: [], cells: [], n: 1, place: 0 });
  };
}

const privateBuffers = ({ buffers }: LoopKernel): ((sizes: readonly number[]) => TypedArray)[] =>
  buffers.flatMap((buffer) =>
    buffer.access === "private"
      ? [(sizes: readonly number[]) => allocate(buffer.dtype, evaluateInteger(buffer.cells, sizes))]
      : [],
  );

/** Identifies a choice of runs: which loops are walked in runs, in the order of the text. */
function describe(body: readonly Statement[], runs: Runs): string {
  let text = "";
  for (const statement of body)
    if (isLoop(statement)) text += `${runs.get(statement) ?? "steps"}(${describe(statement.body, runs)})`;
  return text;
}

function compile(kernel: LoopKernel, runs: Runs, bits: Bits): Run {
  const walk = new Walk(kernel, runs, bits);
  const body = runAll(walk, kernel.body);
  return (frame) => {
    walk.enter(frame);
    body(frame);
  };
}

function runAll(walk: Walk, statements: readonly Statement[]): Run {
  const runs = statements.map((statement) => runOne(walk, statement));
  const [only] = runs;
  if (runs.length === 1 && only !== undefined) return only;
  return (frame) => {
    for (let k = 0; k < runs.length; k++) (runs[k] as Run)(frame);
  };
}

function runOne(walk: Walk, statement: Statement): Run {
  switch (statement.kind) {
    case "integer":
      return runInteger(walk, statement.local, statement.value);
    case "let":
      return runLet(walk, statement.local, statement.dtype, statement.value);
    case "store":
      return runStore(walk, statement);
    case "index":
      return runIndex(walk, statement);
    case "sort":
      return runSort(walk, statement);
    case "for":
      return runFor(walk, statement);
    case "reduce":
      return runReduce(walk, statement);
    case "accumulate":
      return runAccumulate(walk, statement);
    default:
      return statement satisfies never;
  }
}

function runSort(walk: Walk, statement: SortStatement): Run {
  const { keys, order, sorted, descending } = statement;
  const length = walk.same(statement.length);
  const first = walk.same(statement.first ?? statement.length);
  return (frame) => {
    const places = order === null ? null : (frame.buffers[order] as Int32Array);
    const given = frame.buffers[keys] as TypedArray;
    intrinsics.sortKeys(given, places, sorted, length(frame), first(frame), descending);
  };
}

function runFor(walk: Walk, statement: ForStatement): Run {
  const { axis, extent } = statement.axis;
  const end = walk.same(extent);
  if (walk.runs.get(statement) === undefined) {
    const body = runAll(walk, statement.body);
    return (frame) => {
      const count = end(frame);
      for (let x = 0; x < count; x++) {
        frame.axes[axis] = x;
        body(frame);
      }
    };
  }
  const within = walk.along(statement, new Map([[axis, alongRun(axis)]]));
  const body = runAll(within, statement.body);
  return (frame) => {
    const count = end(frame);
    if (count === 0) return;
    frame.n = Math.min(RUN, count);
    within.enter(frame);
    for (let x = 0; x < count; x += RUN) {
      frame.n = Math.min(RUN, count - x);
      frame.axes[axis] = x;
      body(frame);
    }
    frame.n = 1;
  };
}

function runReduce(walk: Walk, statement: ReduceStatement): Run {
  const along = walk.runs.get(statement);
  const extents = statement.axes.map(({ extent }) => walk.same(extent));
  if (along === undefined) return reduceInSteps(walk, statement, extents);
  return along === "rows" ? reduceRows(walk, statement, extents) : reducePlaces(walk, statement, extents);
}

function reduceInSteps(walk: Walk, statement: ReduceStatement, extents: readonly ReadInteger[]): Run {
  const axes = statement.axes.map(({ axis }) => axis);
  const reduction = new Reduction(walk, walk, statement);
  const row = runAll(walk, statement.row);
  const body = runAll(walk, statement.body);
  return (frame) => {
    const outer = frame.place;
    reduction.begin(frame);
    const sizes = extents.map((extent) => extent(frame));
    const count = elementCount(sizes);
    for (let place = 0; place < count; place++) {
      setAxes(frame, axes, sizes, place);
      row(frame);
      frame.place = place;
      body(frame);
      reduction.passed(frame, place + 1, count);
    }
    frame.place = outer;
  };
}

/** Walks a reduction in runs along its last axis. What the outer axes determine is the same for a whole run. */
function reduceRows(walk: Walk, statement: ReduceStatement, extents: readonly ReadInteger[]): Run {
  const axes = statement.axes.map(({ axis }) => axis);
  const last = axes.at(-1) as number;
  const within = walk.along(statement, new Map([[last, alongRun(last)]]));
  const reduction = new Reduction(walk, within, statement);
  const row = runAll(within, statement.row);
  const body = runAll(within, statement.body);
  return (frame) => {
    const outer = frame.place;
    reduction.begin(frame);
    const sizes = extents.map((extent) => extent(frame));
    const count = elementCount(sizes);
    const length = sizes.at(-1) as number;
    frame.n = Math.min(RUN, length);
    if (count > 0) within.enter(frame);
    for (let place = 0; place < count; ) {
      setAxes(frame, axes, sizes, place);
      row(frame);
      for (let x = 0; x < length; x += frame.n) {
        frame.n = Math.min(RUN, length - x, reduction.room(place));
        frame.axes[last] = x;
        frame.place = place;
        body(frame);
        place += frame.n;
        reduction.passed(frame, place, count);
      }
    }
    frame.place = outer;
    frame.n = 1;
  };
}

/** Walks a reduction in runs along all axes, flattened. Each axis is a column. */
function reducePlaces(walk: Walk, statement: ReduceStatement, extents: readonly ReadInteger[]): Run {
  const columns = new Map<number, Places>();
  const within = walk.along(statement, columns);
  const axes = statement.axes.map(({ axis }) => {
    const column = within.columns.places();
    columns.set(axis, { kind: "each", read: () => column });
    return column;
  });
  const reduction = new Reduction(walk, within, statement);
  const row = runAll(within, statement.row);
  const body = runAll(within, statement.body);
  return (frame) => {
    const outer = frame.place;
    reduction.begin(frame);
    const sizes = extents.map((extent) => extent(frame));
    const count = elementCount(sizes);
    frame.n = Math.min(RUN, count);
    if (count > 0) within.enter(frame);
    for (let place = 0; place < count; place += frame.n) {
      frame.n = Math.min(RUN, count - place, reduction.room(place));
      unravel(axes, sizes, place, frame.n);
      frame.place = place;
      row(frame);
      body(frame);
      reduction.passed(frame, place + frame.n, count);
    }
    frame.place = outer;
    frame.n = 1;
  };
}

function setAxes(frame: Frame, axes: readonly number[], sizes: readonly number[], place: number): void {
  let rest = place;
  for (let k = axes.length - 1; k >= 0; k--) {
    const size = sizes[k] as number;
    frame.axes[axes[k] as number] = rest % size;
    rest = Math.floor(rest / size);
  }
}
