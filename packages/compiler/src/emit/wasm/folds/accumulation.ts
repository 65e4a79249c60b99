/** The accumulation order in lanes (docs/wasm.md): the number of partial results of a fold, and their dtype. */
import { type Accumulator, type DType, isFloat } from "@fuseau/ir";
import { accumulatorKind, identity, laneMatters } from "../../../lower/accumulators.ts";

export interface Accumulation {
  /** The number of partial results; element k belongs to number k modulo it. */
  readonly lanes: 1 | 8 | 16;
  /** The result is the same for any number of partial results. */
  readonly free: boolean;
  readonly partial: DType;
  /** Each partial result has a second sum, of what its additions lost. */
  readonly compensated: boolean;
  /** Each partial result has the place of the element that it keeps. */
  readonly positioned: boolean;
  /** Partial results are float32, and are added to float64 after every chunk of the accumulation order. */
  readonly chunked: boolean;
  /** The dtype of the total of blocks; null where splitting into blocks does not change the result. */
  readonly total: DType | null;
  readonly start: number | bigint;
  /**
   * `marked`: an extremum of floats that records NaN and applies it at the end. `signed`: it records signs too, since the sign of
   * a zero counts.
   */
  readonly marked: boolean;
  readonly signed: boolean;
  /** A sum of narrow integers: the elements of a step are added to each other before they are added to two int64. */
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
  // This is for unrolled loops; otherwise loops/dots.ts writes it.
  if (isFloat(from) && fn === "dot")
    return { ...accumulation, free: false, partial: single ? "float32" : "float64" };
  // int64 sums are exact in any order, without a total.
  if (fn === "sum" && !isFloat(from))
    return { ...accumulation, partial: "int64", total: null, start: 0n, condensed: from !== "int64" };
  return accumulation;
}

/**
 * The dtypes of what an accumulator keeps in registers. Sums of narrow integers are left out: their elements are added to each
 * other first.
 */
export function partialsOf(accumulator: Accumulator): readonly DType[] {
  const { condensed, partial, positioned } = accumulationOf(accumulator);
  return [...(condensed ? [] : [partial]), ...(positioned ? (["int32"] as const) : [])];
}
