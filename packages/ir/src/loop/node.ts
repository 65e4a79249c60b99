/**
 * The loop IR: one kernel as loops over numbered locals. Every emitter reads this and nothing above it.
 *
 * The contract. Integers are never negative where they index, and fit 31 bits. `let` values are of their dtype exactly: rounded
 * (float32, float16) or wrapped (integers) after every op. A `for` has independent iterations, which hand nothing to each other
 * through memory, unless it is `ordered`. A `reduce` walks its axes in row-major order and folds in the accumulation order
 * (docs/accumulation-order.md). Integers and values share one numbering; each local is defined once, before its uses, in a block
 * around them. Sizes are parameters, one slot per role: only strides of 1, bounds of 0 and short inner extents stand in the text.
 */
import type { DType } from "../dtype.ts";
import type { PointwiseOp } from "../pointwise/table.ts";
import type { Combiner, Reducer, Scanner } from "../tensor/node.ts";

export type Integer =
  | { readonly kind: "literal"; readonly value: number }
  | { readonly kind: "size"; readonly slot: number }
  | { readonly kind: "axis"; readonly axis: number }
  | { readonly kind: "local"; readonly local: number }
  | { readonly kind: "add" | "mul" | "div" | "mod" | "min"; readonly left: Integer; readonly right: Integer };

export type Operand =
  | { readonly kind: "local"; readonly local: number }
  | { readonly kind: "constant"; readonly value: number | bigint; readonly dtype: DType }
  | { readonly kind: "scalar"; readonly slot: number };

/** True where low <= at < high; a bound that is null needs no test. */
export interface Test {
  readonly at: Integer;
  readonly low: Integer | null;
  readonly high: Integer | null;
}

export type Expression =
  | {
      readonly kind: "pointwise";
      readonly fn: PointwiseOp;
      readonly from: DType;
      readonly args: readonly Operand[];
    }
  /** The buffer's element; 0 where a test fails, without touching memory. */
  | { readonly kind: "load"; readonly buffer: number; readonly at: Integer; readonly tests: readonly Test[] }
  /** The value of the first case whose tests all hold. */
  | { readonly kind: "select"; readonly cases: readonly Choice[]; readonly otherwise: Operand }
  | { readonly kind: "index"; readonly at: Integer }
  /** What an accumulator holds after its loop, rounded to the result's dtype. */
  | { readonly kind: "result"; readonly accumulator: number; readonly cell: Integer };

export interface Choice {
  readonly tests: readonly Test[];
  readonly value: Operand;
}

/** What an accumulator does with an element; the last three occur in scans alone. */
export type Fold = Reducer | "dot" | Exclude<Scanner, Reducer>;

export interface LoopAxis {
  readonly axis: number;
  readonly extent: Integer;
  /** So few iterations that steps of a long loop do not fit, as was decided when it was made. */
  readonly short?: true;
}

/** Where a reduction gathers. A row of accumulators lives in the kernel's buffers; a single one in registers. */
export interface Accumulator {
  readonly accumulator: number;
  readonly fn: Fold;
  readonly from: DType;
  readonly to: DType;
  readonly lanes: 1 | 8;
  readonly row: Row | null;
}

/** Buffers of a row of accumulators, `lanes` × `cells` each, lane-major; which there are follows from fn and dtype. */
export interface Row {
  readonly cells: Integer;
  readonly partial: number;
  readonly compensation: number | null;
  readonly total: number | null;
  readonly position: number | null;
}

/**
 * How the iterations of a loop run (docs/scheduled-loops.md). Whoever cannot run them so runs them one after another: the bits are the
 * same.
 */
export type Run =
  /** As work items; parallel loops in each other with nothing but definitions beside them are counted as one. */
  | { readonly kind: "parallel" }
  /**
   * Side by side in `lanes`, the instructions of `copies` such steps interleaved; those left over one by one, or in steps of `masked`
   * lanes, of which the last has some without an iteration. Where it is `spilled`, what is folded waits in memory while a step computes
   * what it folds. Where it is `cut`, so in pieces.
   */
  | {
      readonly kind: "vector";
      readonly lanes: number;
      readonly copies: number;
      readonly masked?: number;
      readonly spilled?: true;
      readonly cut?: Cut;
    }
  /**
   * The body once for each of them: the extent is in the text. Where elements of a fold that lie in a row are `turned`, they are the lanes,
   * for one iteration of the vector around after another.
   */
  | { readonly kind: "unrolled"; readonly turned?: true }
  /** Unrolled and jammed: so many in the body of the vector loop that ends this one's; those left over one by one. */
  | { readonly kind: "jam"; readonly copies: number };

/** Pieces of a loop, which begin where it does and at these places, those within it, in any order. */
export interface Cut {
  /** What the body knows the first iteration of the piece at hand by. */
  readonly first: number;
  readonly at: readonly Integer[];
}

export interface ForStatement {
  readonly kind: "for";
  readonly axis: LoopAxis;
  /** Iterations that must run in their order: what they store may meet. */
  readonly ordered: boolean;
  /** Left out where nothing has been decided. */
  readonly run?: Run;
  readonly body: readonly Statement[];
}
export interface ReduceStatement {
  readonly kind: "reduce";
  /** At least one, outermost first. */
  readonly axes: readonly LoopAxis[];
  readonly accumulators: readonly Accumulator[];
  /** The accumulators are read within the loop, after each element. */
  readonly scan: boolean;
  /** More elements than one block of the accumulation order. */
  readonly blocked: boolean;
  /** The last extent is a multiple of 8 lanes, so that every row starts at lane 0. */
  readonly aligned: boolean;
  /** Left out where nothing has been decided. */
  readonly run?: Exclude<Run, { readonly kind: "parallel" }>;
  /** Integers that depend on all axes but the last. */
  readonly row: readonly Statement[];
  readonly body: readonly Statement[];
}
export interface AccumulateStatement {
  readonly kind: "accumulate";
  readonly accumulator: number;
  readonly cell: Integer;
  readonly values: readonly Operand[];
  /** The row-major place among the reduced elements; for argmax and argmin. */
  readonly position: Integer;
}
export interface StoreStatement {
  readonly kind: "store";
  readonly buffer: number;
  readonly at: Integer;
  readonly value: Operand;
  /** How the value meets what stands there; "set" replaces it. */
  readonly combine: Combiner;
}
/** An index read from data, as an integer. @throws RangeError unless 0 <= value < size. */
export interface IndexStatement {
  readonly kind: "index";
  readonly local: number;
  readonly value: Operand;
  readonly dtype: DType;
  readonly size: Integer;
  /** The axis that is indexed, and the row-major place of the value among its kind: for the message. */
  readonly axis: number;
  readonly place: Integer;
}
/**
 * Puts `length` keys in order: equal ones (−0 and 0 are) stay in theirs, NaN is the largest. The keys' buffer is scratch; it
 * holds them in order afterwards where `sorted` is said, bit for bit, and anything otherwise. An order is the places where
 * they were, in an int32 buffer of scratch. There is an order, or the keys are wanted sorted, or both. Of an order alone no more
 * than the `first` places may be wanted.
 */
export interface SortStatement {
  readonly kind: "sort";
  readonly keys: number;
  readonly order: number | null;
  readonly sorted: boolean;
  readonly length: Integer;
  /** Null where all of them are wanted. */
  readonly first: Integer | null;
  readonly descending: boolean;
}
export type Statement =
  | { readonly kind: "integer"; readonly local: number; readonly value: Integer }
  | { readonly kind: "let"; readonly local: number; readonly dtype: DType; readonly value: Expression }
  | StoreStatement
  | IndexStatement
  | SortStatement
  | ForStatement
  | ReduceStatement
  | AccumulateStatement;

export type BufferParameter =
  | { readonly dtype: DType; readonly access: "read" | "write" | "scratch" }
  /** Each work item's own: found by the emitter, and of any content when an item begins. `cells` follows from sizes alone. */
  | { readonly dtype: DType; readonly access: "private"; readonly cells: Integer };

/** One generated function. Its statements at the top are its phases, with what they share in front. */
export interface LoopKernel {
  /** Those that the caller binds, and behind them the private ones. */
  readonly buffers: readonly BufferParameter[];
  /** How many integer parameters there are. */
  readonly sizes: number;
  readonly scalars: readonly DType[];
  readonly order: AccumulationOrder;
  readonly body: readonly Statement[];
}

/**
 * In which order folds take their elements, beside what each accumulator says itself (docs/accumulation-order.md). It is part of the results:
 * equal orders give equal bits.
 */
export interface AccumulationOrder {
  /** Elements of a block, after which lanes are folded into the total. A power of 2, of at most 2^22: narrow integers are then exact. */
  readonly block: number;
  /** Elements after which lanes of float32 are folded into float64, where an emitter has such. A multiple of 16 that divides a block. */
  readonly chunk: number;
}

export const defaultOrder: AccumulationOrder = { block: 32_768, chunk: 512 };
