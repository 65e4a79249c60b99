/** How many elements the steps of a loop have. */
import {
  type Accumulator,
  type DType,
  dtypes,
  type Expression,
  isLoop,
  type LoopAxis,
  type PointwiseOp,
  pointwiseOps,
  type Run,
  type Statement,
  visitParts,
  visitStatements,
} from "@fuseau/ir";
import { callsFunction } from "../lower/accumulators.ts";
import type { Machine } from "./machine.ts";
import { sizeOf, timesOf } from "./size.ts";

/** Bodies of at least this cost are interleaved over four registers of the widest lanes, others over two. */
export const LONG_BODY = 20;

export const isRandom = (op: PointwiseOp): boolean => op === "randomWord" || op === "randomNormal";

/**
 * Expensive ops that short rows are flattened for. Random words are none: they are made in blocks where their counters come from an index,
 * and counters in private memory do not.
 */
export const isFlattened = (op: PointwiseOp): boolean => pointwiseOps[op].cost >= LONG_BODY && !isRandom(op);

/** Long bodies with this many independent chains hide their own latency: more steps would only spill. */
const BROAD = 3;

/** The most iterations of an unrolled loop in all interleaved steps: more would spill. */
const UNROLLED = 8;

interface BodyFacts {
  /** Bytes of the widest elements. */
  readonly widest: number;
  /** Bytes of the elements of the most expensive ops. */
  readonly costliest?: number;
  readonly cost: number;
  /** The cost of the critical path: the longest chain of dependent ops. */
  readonly chain?: number;
  /** The largest factor by which a loop within it is unrolled. */
  readonly unrolled?: number;
  /** Instructions for one register of each value. */
  readonly size?: number;
  /** True when it makes random words: a step makes sixteen, from four blocks. */
  readonly random?: boolean;
  /** True when it folds by a function. */
  readonly called?: boolean;
}

/** The most instructions of all steps of a loop, where fewer steps are possible. */
const STEPS_SIZE = 4_000;

/** The dtypes in which a machine holds a loop's elements. */
export interface Held {
  readonly machine: Machine;
  readonly dtypeOf: (buffer: number) => DType;
  /** The accumulators of the loops around. */
  readonly folds?: readonly Accumulator[];
}

export type Vector = Run & { readonly kind: "vector" };

/** The lanes of a loop over such a body, and how many of its steps are interleaved. */
export function lanesFor(
  { register }: Machine,
  {
    widest,
    costliest = widest,
    cost,
    chain = cost,
    unrolled = 1,
    size = 0,
    random = false,
    called = false,
  }: BodyFacts,
): { readonly lanes: number; readonly copies: number } {
  let copies = random ? 8 : cost >= LONG_BODY && cost < BROAD * chain ? 4 : 2;
  const spills = (): boolean => unrolled > 1 && copies * unrolled > UNROLLED;
  while (copies > 1 && (spills() || (copies + 2) * size > STEPS_SIZE)) copies /= 2;
  const isLong = cost >= LONG_BODY || called;
  // A single step has elements enough in the lanes of what takes longest: wider values have two registers.
  const bytes = isLong ? costliest : copies === 1 ? Math.max(costliest, widest / 2) : widest;
  return { lanes: register / bytes, copies };
}

/** The steps of a loop. */
export interface Steps {
  /** Their elements, the longest first. A masked last step has at most so many. */
  readonly counts: readonly [number, ...number[]];
  /** The last step is masked: it has the remainder in its first lanes. */
  readonly masked: boolean;
}

/** One element after another. */
export const SINGLE: Steps = { counts: [1], masked: false };

/** The steps of a vector. If the whole loop is walked and its extent is a literal, steps that it never takes are left out. */
export function stepsOf({ lanes, copies, masked }: Vector, all?: LoopAxis): Steps {
  const whole = lanes * copies;
  if (masked === undefined) return { counts: distinct(whole, lanes, 1), masked: false };
  const extent = all?.extent.kind === "literal" ? all.extent.value : Infinity;
  if (extent % whole === 0) return { counts: [whole], masked: false };
  return { counts: extent < whole ? [masked] : [whole, masked], masked: true };
}

const distinct = (first: number, ...rest: number[]): [number, ...number[]] => [
  first,
  ...rest.filter((each, k) => each < (rest[k - 1] ?? first)),
];

/** The dtype that an element is computed in: float16 in float32. */
const heldBytes = (dtype: DType): number => (dtype === "float16" ? 4 : dtypes[dtype].bytes);

/** The cost of an element that is folded by such a function. */
const CALLED = pointwiseOps.exp.cost + pointwiseOps.log1p.cost;

const costOf = (expression: Expression): number =>
  expression.kind === "pointwise" ? pointwiseOps[expression.fn].cost : 1;

/** The facts of a body in which all loops are unrolled, and of its accumulators. */
export function factsOf(
  body: readonly Statement[],
  { machine, dtypeOf, folds: around = [] }: Held,
  folds: readonly Accumulator[] = [],
): BodyFacts {
  let widest = 1;
  let cost = 0;
  let unrolled = 1;
  let random = false;
  let isCalled = false;
  /** By bytes of an element: the total cost. */
  const costs = new Map<number, number>();
  /** By local. */
  const chains = new Map<number, number>();
  let chain = 0;
  const accumulators = new Map(around.map((each) => [each.accumulator, each]));
  const seeCost = (bytes: number, more: number): void => {
    costs.set(bytes, (costs.get(bytes) ?? 0) + more);
  };
  const see = (dtype: DType): void => {
    widest = Math.max(widest, heldBytes(dtype));
  };
  const seeExpression = (expression: Expression, times: number): void => {
    cost += times * costOf(expression);
    if (expression.kind === "pointwise") {
      if (isRandom(expression.fn)) random = true;
      see(expression.from);
      seeCost(heldBytes(expression.from), times * costOf(expression));
    }
  };
  const seeFold = (accumulator: Accumulator): void => {
    machine.partialsOf(accumulator).forEach(see);
    accumulators.set(accumulator.accumulator, accumulator);
  };
  const seeAccumulate = (accumulator: Accumulator | undefined, times: number): void => {
    if (accumulator === undefined) return;
    if (callsFunction(accumulator)) {
      isCalled = true;
      seeCost(heldBytes(accumulator.from), times * CALLED);
    } else
      seeCost(
        Math.max(heldBytes(accumulator.from), ...machine.partialsOf(accumulator).map(heldBytes)),
        times,
      );
  };
  folds.forEach(seeFold);
  visitStatements(body, {
    statement: (statement, loops) => {
      const times = loops.reduce((product, loop) => product * (timesOf(loop) ?? 1), 1);
      if (statement.kind === "let") {
        see(statement.dtype);
        let before = 0;
        visitParts(statement, {
          local: (local) => {
            before = Math.max(before, chains.get(local) ?? 0);
          },
        });
        chains.set(statement.local, before + costOf(statement.value));
        chain = Math.max(chain, before + costOf(statement.value));
        seeExpression(statement.value, times);
      } else if (statement.kind === "store") see(dtypeOf(statement.buffer));
      else if (statement.kind === "accumulate") seeAccumulate(accumulators.get(statement.accumulator), times);
      else if (isLoop(statement)) unrolled = Math.max(unrolled, times * (timesOf(statement) ?? 1));
      if (statement.kind === "reduce") statement.accumulators.forEach(seeFold);
    },
  });
  const [costliest] = [...costs].reduce((most, each) => (each[1] > most[1] ? each : most), [widest, 0]);
  return { widest, costliest, cost, chain, unrolled, size: sizeOf(body), random, called: isCalled };
}
