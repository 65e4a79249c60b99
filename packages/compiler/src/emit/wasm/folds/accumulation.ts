/** The accumulation order in lanes (docs/wasm.md): how many partial results a fold has and what they are kept in. */
import { type Accumulator, type DType, isFloat } from "@fuseau/ir";
import { accumulatorKind, identity, laneMatters } from "../../../lower/accumulators.ts";

export interface Accumulation {
  /** Partial results; element k goes to number k modulo them. */
  readonly lanes: 1 | 8 | 16;
  /** Any number of partial results gives the same. */
  readonly free: boolean;
  readonly partial: DType;
  /** Each partial result carries what its additions lost. */
  readonly compensated: boolean;
  /** The place of the best element is kept beside it. */
  readonly positioned: boolean;
  /** Partial results are float32 and join a float64 after every chunk of the accumulation order. */
  readonly chunked: boolean;
  /** What blocks fold into; null where more than one block makes no difference. */
  readonly total: DType | null;
  readonly start: number | bigint;
  /** An extremum of floats, which takes heed of NaN only in the end, and of −0 too where signs of zeros count. */
  readonly marked: boolean;
  readonly signed: boolean;
  /** Elements are added to each other before they join two int64: sums of narrower integers. */
  readonly condensed: boolean;
}

const marked: ReadonlySet<string> = new Set(["max", "min", "lastMax", "lastMin", "lastArgmax", "lastArgmin"]);

/** How an accumulator in registers accumulates. */
export function accumulationOf(accumulator: Accumulator): Accumulation {
  const { fn, from } = accumulator;
  const kind = accumulatorKind(fn, from);
  const accumulation: Accumulation = {
    lanes: laneMatters(accumulator) ? 8 : 1,
    free: !(isFloat(from) && (fn === "sum" || fn === "prod")) && fn !== "logaddexp",
    partial: kind.partial,
    compensated: kind.compensated,
    positioned: kind.positioned,
    chunked: false,
    total: kind.total,
    start: identity(accumulator),
    marked: isFloat(from) && marked.has(fn),
    signed: isFloat(from) && (fn === "max" || fn === "min"),
    condensed: false,
  };
  const single = from === "float32" || from === "float16";
  if (single && fn === "sum" && accumulation.lanes > 1)
    return { ...accumulation, lanes: 16, partial: "float32", chunked: true };
  // Where it is not unrolled, loops/dots.ts has it.
  if (isFloat(from) && fn === "dot")
    return { ...accumulation, free: false, partial: single ? "float32" : "float64" };
  // Exact in any order, without a float64 in between.
  if (fn === "sum" && !isFloat(from))
    return { ...accumulation, partial: "int64", total: null, start: 0n, condensed: from !== "int64" };
  return accumulation;
}

/** What an accumulator in registers is held in. Narrow integers are as they come until they are added up. */
export function partialsOf(accumulator: Accumulator): readonly DType[] {
  const { condensed, partial, positioned } = accumulationOf(accumulator);
  return [...(condensed ? [] : [partial]), ...(positioned ? (["int32"] as const) : [])];
}
