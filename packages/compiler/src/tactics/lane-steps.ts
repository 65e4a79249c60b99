/** How many elements the steps of a loop take. */
import {
  type Accumulator,
  type DType,
  dtypes,
  type Expression,
  isLoop,
  type LoopAxis,
  pointwiseOps,
  type Run,
  type Statement,
  visitParts,
  visitStatements,
} from "@fuseau/ir";
import type { Machine } from "./machine.ts";
import { sizeOf, timesOf } from "./size.ts";

/** Bodies of at least this cost are walked with four registers of the widest lanes side by side, others with two. */
export const LONG_BODY = 20;

/** Long bodies that are so many chains side by side do not wait: the values of more steps would only spill. */
const BROAD = 3;

/** Iterations of an unrolled loop in all steps side by side, at most: the values of more would spill. */
const UNROLLED = 8;

export interface BodyFacts {
  /** Bytes of the widest elements that are worked on. */
  readonly widest: number;
  /** The same of the ops that cost most. */
  readonly costliest?: number;
  readonly cost: number;
  /** The cost of the longest chain in it, each op of which waits for the one before. */
  readonly chain?: number;
  /** The largest number of times that a loop within it is unrolled. */
  readonly unrolled?: number;
  /** Instructions for one register of each value. */
  readonly size?: number;
  /** Whether it makes random words: sixteen come of four blocks side by side. */
  readonly random?: boolean;
}

/** Instructions of all steps of a loop, at most, as long as there is a choice. */
const STEPS_SIZE = 4_000;

/** What loops work on, as a machine holds it. */
export interface Held {
  readonly machine: Machine;
  readonly dtypeOf: (buffer: number) => DType;
}

export type Vector = Run & { readonly kind: "vector" };

/** The lanes of a loop over such a body, and how many such steps are interleaved. */
export function lanesFor(
  { register }: Machine,
  { widest, costliest = widest, cost, chain = cost, unrolled = 1, size = 0, random = false }: BodyFacts,
): { readonly lanes: number; readonly copies: number } {
  const lanes = register / (cost >= LONG_BODY ? costliest : widest);
  let copies = random ? 8 : cost >= LONG_BODY && cost < BROAD * chain ? 4 : 2;
  const spills = (): boolean => unrolled > 1 && copies * unrolled > UNROLLED;
  while (copies > 1 && (spills() || (copies + 2) * size > STEPS_SIZE)) copies /= 2;
  return { lanes, copies };
}

/** The steps of a loop. */
export interface Steps {
  /** Their elements, the longest first. Those of the last are as many as there may be. */
  readonly counts: readonly [number, ...number[]];
  /** The last one has what is left, in the first of its lanes. */
  readonly masked: boolean;
}

/** One element after another. */
export const SINGLE: Steps = { counts: [1], masked: false };

/** The steps that a vector is walked in. Where all of a loop is walked and its extent is in the text, no others than it has. */
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

/** What an element is worked on as: float16 as float32. */
const heldBytes = (dtype: DType): number => (dtype === "float16" ? 4 : dtypes[dtype].bytes);

const costOf = (expression: Expression): number =>
  expression.kind === "pointwise" ? pointwiseOps[expression.fn].cost : 1;

/** The facts of a body in which all loops are unrolled, and of what it is folded into. */
export function factsOf(
  body: readonly Statement[],
  { machine, dtypeOf }: Held,
  folds: readonly Accumulator[] = [],
): BodyFacts {
  let widest = 1;
  let cost = 0;
  let unrolled = 1;
  let random = false;
  /** By bytes of its elements, what all costs. */
  const costs = new Map<number, number>();
  /** By local. */
  const chains = new Map<number, number>();
  let chain = 0;
  const see = (dtype: DType): void => {
    widest = Math.max(widest, heldBytes(dtype));
  };
  const seeExpression = (expression: Expression, times: number): void => {
    cost += times * costOf(expression);
    if (expression.kind === "pointwise") {
      if (expression.fn === "randomWord" || expression.fn === "randomNormal") random = true;
      see(expression.from);
      const bytes = heldBytes(expression.from);
      costs.set(bytes, (costs.get(bytes) ?? 0) + times * costOf(expression));
    }
  };
  const seeFold = (accumulator: Accumulator): void => {
    machine.partialsOf(accumulator).forEach(see);
  };
  folds.forEach(seeFold);
  visitStatements(body, {
    statement: (statement, around) => {
      const times = around.reduce((product, loop) => product * (timesOf(loop) ?? 1), 1);
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
      else if (isLoop(statement)) unrolled = Math.max(unrolled, times * (timesOf(statement) ?? 1));
      if (statement.kind === "reduce") statement.accumulators.forEach(seeFold);
    },
  });
  const [costliest] = [...costs].reduce((most, each) => (each[1] > most[1] ? each : most), [widest, 0]);
  return { widest, costliest, cost, chain, unrolled, size: sizeOf(body), random };
}
