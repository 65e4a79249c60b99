/**
 * The operations and bytes of a kernel's phases, and their estimated time on one thread by the scheduler's costs. This is for display: no
 * decision depends on it.
 */
import {
  type Accumulator,
  dtypes,
  type Expression,
  elementCount,
  evaluateInteger,
  type Integer,
  isDefinition,
  isFloat,
  isLoop,
  type LoopAxis,
  type LoopKernel,
  pointwiseOps,
  type Statement,
} from "@fuseau/ir";
import { inputPositions } from "../graph.ts";
import { productTime } from "../schedule/cost.ts";
import type { Target } from "../schedule/target.ts";
import type { ProductLoops } from "../tactics/products/loops.ts";
import type { KernelCall, Program, Source } from "./program.ts";

export interface PhaseWork {
  /** Floating-point operations; a multiplication and an addition are two. */
  readonly flops: number;
  /** Bytes of the elements read and written, each once: the least traffic with perfect caches. */
  readonly bytes: number;
  /** Nanoseconds on one thread. */
  readonly estimate: number;
}

/** By call and phase. Loops whose extents other loops decide count as in the first iteration of those. */
export function worksOf(program: Program, target: Target): PhaseWork[][] {
  const inputs = inputPositions(program.graph);
  return program.calls.map((call) =>
    workOf(
      call,
      call.buffers.map((source) => cellsOf(program, inputs, source)),
      target,
    ),
  );
}

function workOf({ loop: kernel, sizes }: KernelCall, cells: readonly number[], target: Target): PhaseWork[] {
  const shared = kernel.body.filter((statement) => !isLoop(statement));
  const loops = kernel.body.filter(isLoop);
  const products = target.products(kernel, sizes);
  const phases = loops.length === 0 ? [shared] : loops.map((loop) => [...shared.filter(isDefinition), loop]);
  return phases.map((statements) => {
    const tally = new Tally(kernel, sizes, target, products);
    tally.add(statements, { runs: 1, along: null, slow: 1 });
    return { flops: tally.flops, bytes: tally.bytes(cells), estimate: tally.nanoseconds };
  });
}

function cellsOf(
  { graph, allocations, arena }: Program,
  inputs: readonly number[],
  { kind, index }: Source,
): number {
  if (kind === "output") return allocations[index]!.cells;
  return kind === "arena" ? arena[index]!.cells : elementCount(graph.nodes[inputs[index]!]!.shape);
}

/**
 * The context of statements: how often they run, along which axis, and how many times as slow as in a loop over memory; 0 where that is
 * counted already.
 */
interface Spot {
  readonly runs: number;
  readonly along: number | null;
  readonly slow: number;
}

class Tally {
  readonly #kernel: LoopKernel;
  readonly #sizes: readonly number[];
  readonly #target: Target;
  readonly #products: ReturnType<Target["products"]>;
  /** The values of integers; null for those read from data. */
  readonly #integers = new Map<number, Integer | null>();
  readonly #accumulators = new Map<number, Accumulator>();
  readonly #loads = new Map<number, number>();
  readonly #stores = new Map<number, number>();
  flops = 0;
  nanoseconds = 0;

  constructor(
    kernel: LoopKernel,
    sizes: readonly number[],
    target: Target,
    products: ReturnType<Target["products"]>,
  ) {
    this.#kernel = kernel;
    this.#sizes = sizes;
    this.#target = target;
    this.#products = products;
  }

  add(statements: readonly Statement[], spot: Spot): void {
    for (const statement of statements) this.#addOne(statement, spot);
  }

  bytes(cells: readonly number[]): number {
    let bytes = 0;
    for (const touched of [this.#loads, this.#stores])
      for (const [buffer, times] of touched) {
        const { access, dtype } = this.#kernel.buffers[buffer]!;
        if (access === "read" || access === "write")
          bytes += Math.min(times, cells[buffer]!) * dtypes[dtype].bytes;
      }
    return bytes;
  }

  #addOne(statement: Statement, spot: Spot): void {
    const { costs } = this.#target;
    switch (statement.kind) {
      case "integer":
        this.#integers.set(statement.local, statement.value);
        break;
      case "index":
        this.#integers.set(statement.local, null);
        break;
      case "let":
        this.#take(this.#unitsOf(statement.value, spot), spot);
        break;
      case "store": {
        const { buffer, at, combine } = statement;
        count(this.#stores, buffer, spot.runs);
        this.#take(this.#placeUnits(at, spot), spot);
        if (combine === "set") break;
        count(this.#loads, buffer, spot.runs);
        if (isFloat(this.#kernel.buffers[buffer]!.dtype)) this.flops += spot.runs;
        break;
      }
      case "sort": {
        const length = this.#number(statement.length);
        this.#take(length * Math.log2(Math.max(2, length)), spot);
        break;
      }
      case "for":
        this.add(statement.body, this.#within([statement.axis], spot));
        break;
      case "reduce": {
        const within = this.#within(statement.axes, spot);
        const tiled = statement.accumulators
          .map(({ accumulator }) => this.#products.get(accumulator))
          .filter((loops): loops is ProductLoops => loops !== undefined && loops !== "plain");
        for (const loops of tiled) this.nanoseconds += productTime(loops, costs);
        for (const each of statement.accumulators) this.#accumulators.set(each.accumulator, each);
        const serial = statement.scan ? costs.serial : 1;
        const slow = tiled.length > 0 ? 0 : within.slow * serial;
        this.add([...statement.row, ...statement.body], { ...within, slow });
        break;
      }
      case "accumulate": {
        const { fn, from } = this.#accumulators.get(statement.accumulator)!;
        const isDot = fn === "dot";
        if (isFloat(from)) this.flops += spot.runs * (isDot ? 2 : 1);
        const isPlain = this.#products.get(statement.accumulator) === "plain";
        const product = isPlain ? costs.product : costs.productSingle;
        this.#take(isDot ? product / costs.unit : 1, spot);
        break;
      }
      default:
        statement satisfies never;
    }
  }

  #within(axes: readonly LoopAxis[], { runs, slow }: Spot): Spot {
    const times = axes.reduce((product, { extent }) => product * this.#number(extent), 1);
    return { runs: runs * times, along: axes.at(-1)!.axis, slow };
  }

  #take(units: number, { runs, slow }: Spot): void {
    this.nanoseconds += units * runs * slow * this.#target.costs.unit;
  }

  #unitsOf(value: Expression, spot: Spot): number {
    switch (value.kind) {
      case "pointwise":
        if (isFloat(value.from)) this.flops += spot.runs;
        return this.#target.costs.ops[value.fn] ?? pointwiseOps[value.fn].cost;
      case "load":
        count(this.#loads, value.buffer, spot.runs);
        return this.#placeUnits(value.at, spot) + value.tests.length;
      case "select":
        return 1 + value.cases.length;
      case "index":
        return 1;
      case "result":
        return 0;
      default:
        return value satisfies never;
    }
  }

  /** The factor of a load or a store: contiguous along the axis, strided, or anywhere. */
  #placeUnits(at: Integer, { along }: Spot): number {
    const { strided, everySecond, scattered } = this.#target.costs;
    if (along === null) return 1;
    const stride = Math.abs(this.#number(at, along) - this.#number(at));
    if (Number.isNaN(stride)) return scattered;
    if (stride <= 1) return 1;
    return stride === 2 ? everySecond : strided;
  }

  /** The value in the first iteration of all loops, or in the second along an axis; NaN for what data decides. */
  #number(integer: Integer, second: number | null = null): number {
    const known = new Map<number, number>();
    const evaluate = (own: Integer): number =>
      evaluateInteger(own, this.#sizes, (name) => {
        if (name.kind === "axis") return name.axis === second ? 1 : 0;
        const found = known.get(name.local);
        if (found !== undefined) return found;
        const meaning = this.#integers.get(name.local);
        const number = meaning == null ? Number.NaN : evaluate(meaning);
        known.set(name.local, number);
        return number;
      });
    return evaluate(integer);
  }
}

const count = (touched: Map<number, number>, buffer: number, runs: number): void =>
  void touched.set(buffer, (touched.get(buffer) ?? 0) + runs);
