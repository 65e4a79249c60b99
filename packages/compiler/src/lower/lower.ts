/** A scheduled kernel as loop IR: values become numbered locals, index expressions integers, buffers and sizes parameters. */
import {
  type AccumulationOrder,
  type Accumulator,
  type BufferParameter,
  type DType,
  type Expression,
  type Integer,
  InternalError,
  type LoopAxis,
  type LoopKernel,
  type Operand,
  printLoopKernel,
  type Row,
  type Statement,
  type Test,
} from "@fuseau/ir";
import { asFound, type Decide } from "../decisions.ts";
import type { Graph } from "../graph.ts";
import type { Axis } from "../indexing/index-expression.ts";
import {
  areRepeated,
  aroundMatrix,
  expensiveRowIn,
  fewColumnsIn,
  foldsInLanes,
  isExpensiveRow,
  isMadeFirst,
  isNestOfFolds,
  onlyLoop,
  UNROLLED_ROW,
} from "../schedule/rows.ts";
import {
  type Block,
  type Buffer,
  type Guard,
  type Item,
  type Kernel,
  type Let,
  type Loop,
  placeOf,
  type Reduction,
  type Value,
} from "../schedule/tree.ts";
import { accumulatorKind, heldAs } from "./accumulators.ts";
import { type BoundSize, Integers, type StripCount } from "./integers.ts";

/** A kernel's text, and its bindings in this program. */
export interface LoweredKernel {
  readonly loop: LoopKernel;
  /** The same, printed. */
  readonly text: string;
  /** buffers[slot] is what to bind; scratch is the kernel's own. */
  readonly buffers: readonly Buffer[];
  readonly sizes: readonly number[];
  readonly begins: readonly BoundSize[];
  /** Which of the sizes count strips. */
  readonly strips: readonly StripCount[];
  /** scalars[slot] is the position of the graph's `scalar` node. */
  readonly scalars: readonly number[];
  /** reductions[k] is what the loop IR's accumulator k folds. */
  readonly reductions: readonly Reduction[];
}

interface Lowering {
  readonly graph: Graph;
  readonly integers: Integers;
  readonly buffers: Map<Buffer, number>;
  readonly parameters: BufferParameter[];
  readonly scalars: Map<number, number>;
  readonly lets: Map<Let, number>;
  readonly accumulators: Map<Reduction, Accumulator>;
  readonly order: AccumulationOrder;
  readonly newLocal: () => number;
  readonly decide: Decide;
  /** The bounds of tests, by index and value: where one part ends another begins, and what a part reads is tested there again. */
  readonly bounds: Map<string, Integer>;
  /** The extents of loops that must be known before those loops are lowered. */
  readonly extents: Map<Axis, Integer>;
  /** Extents that are others at other sizes of the program: none of them is in the text. */
  readonly varying: ReadonlySet<number>;
}

export function lower(
  graph: Graph,
  kernel: Kernel,
  order: AccumulationOrder,
  decide: Decide = asFound,
  varying: ReadonlySet<number> = new Set(),
): LoweredKernel {
  let locals = 0;
  const newLocal = (): number => locals++;
  const state: Lowering = {
    graph,
    integers: new Integers(newLocal, decide),
    buffers: new Map(),
    parameters: [],
    scalars: new Map(),
    bounds: new Map(),
    lets: new Map(),
    accumulators: new Map(),
    order,
    newLocal,
    decide,
    extents: new Map(),
    varying,
  };
  const body = lowerBlock(state, kernel.root);
  const loop: LoopKernel = {
    buffers: state.parameters,
    sizes: state.integers.sizes.length,
    scalars: [...state.scalars.keys()].map((node) => (graph.nodes[node] as { dtype: DType }).dtype),
    order,
    body: [...state.integers.prologue(), ...body],
  };
  return {
    loop,
    text: printLoopKernel(loop),
    buffers: [...state.buffers.keys()],
    sizes: state.integers.sizes,
    begins: state.integers.begins,
    strips: state.integers.strips,
    scalars: [...state.scalars.keys()],
    reductions: [...state.accumulators.keys()],
  };
}

const lowerBlock = (state: Lowering, block: Block): Statement[] =>
  block.items.map((item) => lowerItem(state, item));

function lowerItem(state: Lowering, item: Item): Statement {
  switch (item.kind) {
    case "let": {
      const value = lowerDefinition(state, item);
      const local = state.newLocal();
      state.lets.set(item, local);
      return { kind: "let", local, dtype: item.dtype, value };
    }
    case "store": {
      const at = state.integers.of(item.at);
      const access = item.buffer.role === "scratch" ? "scratch" : "write";
      const value = operandOf(state, item.value);
      return { kind: "store", buffer: slotOf(state, item.buffer, access), at, value, combine: item.combine };
    }
    case "accumulate": {
      const accumulator = state.accumulators.get(item.reduction) as Accumulator;
      const { positioned } = accumulatorKind(item.reduction.fn, item.reduction.from);
      return {
        kind: "accumulate",
        accumulator: accumulator.accumulator,
        cell: state.integers.of(item.cell),
        values: item.values.map((value) => operandOf(state, value)),
        position: positioned ? state.integers.of(item.position) : { kind: "literal", value: 0 },
      };
    }
    case "lookup": {
      const value = operandOf(state, item.value);
      const place = state.integers.of(item.place);
      const local = state.newLocal();
      state.integers.define(item.atom, local);
      const size = state.integers.size(item.size);
      return { kind: "index", local, value, dtype: item.dtype, size, axis: item.axis, place };
    }
    case "sort": {
      const keys = slotOf(state, item.keys, "scratch");
      const order = item.order === null ? null : slotOf(state, item.order, "scratch");
      return {
        kind: "sort",
        keys,
        order,
        sorted: item.sorted,
        length: state.integers.size(item.length),
        first: item.first < item.length ? state.integers.size(item.first) : null,
        descending: item.descending,
      };
    }
    case "loop":
      return item.role === "parallel" ? lowerFor(state, item) : lowerReduce(state, item);
    default:
      return item satisfies never;
  }
}

function lowerFor(state: Lowering, loop: Loop): Statement {
  const [axis] = loop.axes as [Axis];
  const extent = extentOf(state, loop, axis);
  const columns = fewColumnsIn(loop);
  const [areOne, areFew] = [state.decide(areRepeated(loop)), state.decide(columns !== undefined)];
  const { items } = loop.body;
  const row = expensiveRowIn(loop.body);
  const expensive = items[state.decide(row === undefined ? -1 : items.indexOf(row))] as Loop | undefined;
  const inner = areOne ? onlyLoop(loop.body) : (expensive ?? (areFew ? columns : undefined));
  if (inner !== undefined) {
    const [along] = inner.axes as [Axis];
    const length = extentOf(state, inner, along);
    state.extents.set(along, length);
    state.integers.lieBehindEachOther(axis, along.extent, length);
  }
  const folds = foldsInLanes(loop);
  if (state.decide(folds.length > 0))
    for (const fold of folds) {
      const along = fold.axes[0] as Axis;
      state.extents.set(along, { kind: "literal", value: along.extent });
    }
  const [name] = state.integers.enter([axis], [extent]) as [number];
  const body = lowerBlock(state, loop.body);
  return {
    kind: "for",
    axis: { axis: name, extent, ...(state.decide(isExpensiveRow(loop)) && { short: true }) },
    ordered: loop.ordered,
    body: [...state.integers.leave(), ...body],
  };
}

function lowerReduce(state: Lowering, loop: Loop): Statement {
  const axes = loop.axes;
  const outer = axes.slice(0, -1);
  const last = axes.at(-1) as Axis;
  const extents = axes.map((axis) => extentOf(state, loop, axis));
  const reductions = new Set<Reduction>();
  collectReductions(loop.body, loop, reductions);
  const count = axes.reduce((product, axis) => product * axis.extent, 1);
  const accumulators = [...reductions].map((reduction) => lowerAccumulator(state, reduction, count));

  const outerNames = state.integers.enter(outer, extents);
  const lastNames = state.integers.enter([last], extents.slice(-1));
  const body = lowerBlock(state, loop.body);
  const inner = state.integers.leave();
  const row = state.integers.leave();
  const names = [...outerNames, ...lastNames];
  const isShort = state.decide(isExpensiveRow(loop) || isMadeFirst(loop));
  return {
    kind: "reduce",
    axes: names.map(
      (axis, k): LoopAxis => ({
        axis,
        extent: extents[k] as Integer,
        ...(isShort && k === axes.length - 1 && { short: true }),
      }),
    ),
    accumulators,
    scan: loop.role === "scan",
    // A scan's running value is read at every element; only folds have blocks.
    blocked:
      loop.role === "reduce" &&
      count > state.order.block &&
      [...reductions].some(({ fn, from }) => accumulatorKind(fn, from).total !== null),
    aligned: axes.length > 1 && last.extent % 8 === 0,
    row,
    body: [...inner, ...body],
  };
}

/** The reductions of this loop, which may accumulate in loops within it. */
function collectReductions(block: Block, loop: Loop, found: Set<Reduction>): void {
  for (const item of block.items) {
    if (item.kind === "accumulate" && item.reduction.loop === loop) found.add(item.reduction);
    else if (item.kind === "loop") collectReductions(item.body, loop, found);
  }
}

function lowerAccumulator(state: Lowering, reduction: Reduction, count: number): Accumulator {
  const { fn, from, to, lanes } = reduction;
  const row = reduction.cells === 1 ? null : rowOf(state, reduction, count);
  const accumulator: Accumulator = { accumulator: state.accumulators.size, fn, from, to, lanes, row };
  state.accumulators.set(reduction, accumulator);
  return accumulator;
}

function rowOf(state: Lowering, { fn, from, lanes, cells, node, loop }: Reduction, count: number): Row {
  const kind = accumulatorKind(fn, from);
  const scratch = (dtype: DType, size: number): number =>
    slotOf(state, { role: "scratch", dtype, cells: size, node }, "scratch");
  return {
    cells: lengthOf(state, loop, cells),
    partial: scratch(kind.partial, cells * lanes),
    compensation: kind.compensated ? scratch("float64", cells * lanes) : null,
    total:
      loop.role === "reduce" && kind.total !== null && count > state.order.block
        ? scratch(kind.total, cells)
        : null,
    position: kind.positioned ? scratch("float64", cells * lanes) : null,
  };
}

/** The length of a row of accumulators: in the text, if the loop over it has its length there. */
function lengthOf(state: Lowering, { body }: Loop, cells: number): Integer {
  const row = body.items.find((item) => item.kind === "loop");
  const [axis, ...others] = row?.axes ?? [];
  const isLoop = axis !== undefined && others.length === 0 && axis.strip === null && !state.extents.has(axis);
  const isInText =
    isLoop &&
    row!.body.items.every(({ kind }) => kind !== "loop") &&
    state.decide(axis.extent === cells && isShort(state, axis));
  return isInText ? { kind: "literal", value: cells } : state.integers.size(cells);
}

const isShort = ({ varying }: Lowering, { extent }: Axis): boolean =>
  extent <= UNROLLED_ROW && !varying.has(extent);

function extentOf(state: Lowering, loop: Loop, axis: Axis): Integer {
  const known = state.extents.get(axis);
  if (known !== undefined) return known;
  if (axis.strip !== null) return state.integers.widthOf(axis.strip);
  const isRow = loop.body.items.every(({ kind }) => kind !== "loop");
  const isInText = (): boolean =>
    isRow ? isShort(state, axis) : isNestOfFolds(loop) || aroundMatrix(loop) !== null;
  return state.decide(isInText()) ? { kind: "literal", value: axis.extent } : state.integers.extent(axis);
}

function lowerDefinition(state: Lowering, item: Let): Expression {
  const { definition } = item;
  switch (definition.kind) {
    case "pointwise": {
      const args = definition.args.map((value) => operandOf(state, value));
      return { kind: "pointwise", fn: definition.fn, from: definition.from, args };
    }
    case "load": {
      const tests = testsOf(state, definition.guards);
      const at = state.integers.of(definition.at);
      const access = definition.buffer.role === "scratch" ? "scratch" : "read";
      return { kind: "load", buffer: slotOf(state, definition.buffer, access), at, tests };
    }
    case "select": {
      const cases = definition.cases.map(({ guards, value }) => ({
        tests: testsOf(state, guards),
        value: operandOf(state, value),
      }));
      return { kind: "select", cases, otherwise: operandOf(state, definition.otherwise) };
    }
    case "index":
      return { kind: "index", at: state.integers.of(definition.at) };
    case "result": {
      const accumulator = state.accumulators.get(definition.reduction) as Accumulator;
      return {
        kind: "result",
        accumulator: accumulator.accumulator,
        cell: state.integers.of(definition.cell),
      };
    }
    default:
      return definition satisfies never;
  }
}

function testsOf(state: Lowering, guards: readonly Guard[]): Test[] {
  const { integers, bounds } = state;
  return guards.map(({ at, low, high }) => {
    const isInText = integers.isInText(at);
    const bound = (value: number): Integer => {
      if (isInText || value === 0) return { kind: "literal", value };
      const key = `${at.id},${value}`;
      const slot = bounds.get(key) ?? integers.size(value);
      bounds.set(key, slot);
      return slot;
    };
    return {
      at: isInText ? integers.inText(at) : integers.of(at, true),
      low: at.low >= low ? null : bound(low),
      high: at.high < high ? null : bound(high),
    };
  });
}

function operandOf(state: Lowering, value: Value): Operand {
  const place = placeOf(value);
  switch (place?.kind) {
    case "let":
      return { kind: "local", local: state.lets.get(place.item) as number };
    case "constant":
      return {
        kind: "constant",
        value: place.value,
        dtype: (state.graph.nodes[value.node] as { dtype: DType }).dtype,
      };
    case "scalar": {
      const slot = state.scalars.get(place.node) ?? state.scalars.size;
      state.scalars.set(place.node, slot);
      return { kind: "scalar", slot };
    }
    default:
      throw new InternalError(`a value of node ${value.node} was never placed`);
  }
}

function slotOf(state: Lowering, buffer: Buffer, access: "read" | "write" | "scratch"): number {
  const known = state.buffers.get(buffer);
  if (known !== undefined) return known;
  const slot = state.parameters.length;
  state.buffers.set(buffer, slot);
  const dtype = buffer.role === "scratch" ? heldAs(buffer.dtype) : buffer.dtype;
  state.parameters.push({ dtype, access });
  return slot;
}
