/**
 * The loop IR: one kernel as loops over numbered locals. Emitters read this and nothing above it.
 * The contract. Integers that index are never negative and fit 31 bits. A `let` has exactly a value of its dtype: rounded (float32,
 * float16) or wrapped (integers) after every op. The iterations of a `for` are independent, and none reads memory that another writes,
 * unless it is `ordered`. A `reduce` walks its axes in row-major order and folds in the accumulation order (docs/accumulation-order.md).
 * Integers and values share one numbering. Each local is defined once, before its uses, in a block around them. Sizes are parameters, one
 * slot for each role. Literals are the numbers for which other code is emitted, such as a stride of 1 or the extent of a short inner loop:
 * kernels that differ in one of them are other kernels (the compiler's `lower/integers.ts` says which).
 */
import type { DType } from "../dtype.ts";
import type { PointwiseOp } from "../pointwise/table.ts";
import type { Combiner, Reducer, Scanner } from "../tensor/node.ts";

export type Integer =
  | { readonly kind: "literal"; readonly value: number }
  | { readonly kind: "size"; readonly slot: number }
  | { readonly kind: "axis"; readonly axis: number }
  | { readonly kind: "local"; readonly local: number }
  | { readonly kind: IntegerOperator; readonly left: Integer; readonly right: Integer };

/** What makes an integer of two. */
export type IntegerOperator = "add" | "mul" | "div" | "mod" | "min";

export type Operand =
  | { readonly kind: "local"; readonly local: number }
  | { readonly kind: "constant"; readonly value: number | bigint; readonly dtype: DType }
  | { readonly kind: "scalar"; readonly slot: number };

/** True where low <= at < high. A null bound needs no test. */
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
  /** The buffer's element. It is 0 where a test fails, and then memory is not read. */
  | { readonly kind: "load"; readonly buffer: number; readonly at: Integer; readonly tests: readonly Test[] }
  /** The value of the first case whose tests all hold. */
  | { readonly kind: "select"; readonly cases: readonly Choice[]; readonly otherwise: Operand }
  | { readonly kind: "index"; readonly at: Integer }
  /** The accumulator's value after its loop, rounded to the result's dtype. */
  | { readonly kind: "result"; readonly accumulator: number; readonly cell: Integer };

export interface Choice {
  readonly tests: readonly Test[];
  readonly value: Operand;
}

/** How an accumulator takes an element. The functions that are scanners alone occur in scans alone. */
export type Fold = Reducer | "dot" | Exclude<Scanner, Reducer>;

export interface LoopAxis {
  readonly axis: number;
  readonly extent: Integer;
  /** Set where the loop was made, when it has too few iterations for the steps of a long loop. */
  readonly short?: true;
}

/** The state of a reduction. A row of accumulators is kept in the kernel's buffers, a single one in registers. */
export interface Accumulator {
  readonly accumulator: number;
  readonly fn: Fold;
  readonly from: DType;
  readonly to: DType;
  /** 16 where text gathers singles as WebAssembly does. */
  readonly lanes: 1 | 8 | 16;
  readonly row: Row | null;
}

/**
 * The buffers of a row of accumulators. Each has `lanes` × `cells` elements, lane by lane. Which of them exist follows from fn and dtype.
 */
export interface Row {
  readonly cells: Integer;
  readonly partial: number;
  readonly compensation: number | null;
  readonly total: number | null;
  readonly position: number | null;
}

/**
 * How the iterations of a loop run (docs/scheduled-loops.md). An emitter that cannot run them so runs them one after another, which gives
 * the same bits.
 */
export type Run =
  /** As work items. Nested parallel loops that have nothing but definitions between them are counted as one loop. */
  | { readonly kind: "parallel" }
  /**
   * `lanes` iterations side by side, with the instructions of `copies` such steps interleaved. Remaining iterations run one by one, or in
   * steps of `masked` lanes, whose last step has lanes without an iteration. With `spilled`, accumulators wait in memory while a step
   * computes what they fold. With `cut`, the loop runs in pieces.
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
   * The body is repeated for each iteration, so the extent is a literal. `transposed` is for a loop over contiguous elements within a vector:
   * lanes are elements of that loop, for one iteration of the vector after another. The results of folds are transposed in registers.
   */
  | { readonly kind: "unrolled"; readonly transposed?: true }
  /**
   * Unroll-and-jam: `copies` iterations go into the body of the vector loop at the end of this one's body. Remaining iterations run one by
   * one.
   */
  | { readonly kind: "jam"; readonly copies: number };

/**
 * Where a loop is cut into pieces. The first piece begins where the loop does, the others at the places in `at`, which may be in any order;
 * places outside the loop are ignored.
 */
export interface Cut {
  /** The axis that stands for the first iteration of the current piece. */
  readonly first: number;
  readonly at: readonly Integer[];
}

export interface ForStatement {
  readonly kind: "for";
  readonly axis: LoopAxis;
  /** True when iterations must run in their order, because they may store to the same element. */
  readonly ordered: boolean;
  /** Absent until a tactic has decided. */
  readonly run?: Run;
  readonly body: readonly Statement[];
}
export interface ReduceStatement {
  readonly kind: "reduce";
  /** At least one, outermost first. */
  readonly axes: readonly LoopAxis[];
  readonly accumulators: readonly Accumulator[];
  /** True when the accumulators are read within the loop, after each element. */
  readonly scan: boolean;
  /** True when there are more elements than one block of the accumulation order. */
  readonly blocked: boolean;
  /** True when the last extent is a multiple of 8 lanes, so that every row starts at lane 0. */
  readonly aligned: boolean;
  /** Absent until a tactic has decided. */
  readonly run?: Exclude<Run, { readonly kind: "parallel" }>;
  /** Integers that depend on no axis but those before the last: computed once for each row. */
  readonly row: readonly Statement[];
  readonly body: readonly Statement[];
}
export interface AccumulateStatement {
  readonly kind: "accumulate";
  readonly accumulator: number;
  readonly cell: Integer;
  readonly values: readonly Operand[];
  /** The row-major position among the reduced elements, for argmax and argmin. */
  readonly position: Integer;
}
export interface StoreStatement {
  readonly kind: "store";
  readonly buffer: number;
  readonly at: Integer;
  readonly value: Operand;
  /** How the value is combined with the element that is there; "set" replaces it. */
  readonly combine: Combiner;
}
/**
 * A lookup: an index that is read from data, as an integer.
 * @throws RangeError unless 0 <= value < size.
 */
export interface IndexStatement {
  readonly kind: "index";
  readonly local: number;
  readonly value: Operand;
  readonly dtype: DType;
  readonly size: Integer;
  /** For the message: the axis that is indexed, and the row-major position of the value among the indexes. */
  readonly axis: number;
  readonly place: Integer;
}
/**
 * Sorts `length` keys. The sort is stable, −0 equals 0, and NaN is the largest. The buffer of keys is scratch. If `sorted`, it holds the
 * sorted keys afterwards, bit for bit; otherwise its content is undefined. `order` is an int32 scratch buffer that gets the positions where
 * the sorted keys were. At least one of both is wanted. If only the order is, `first` may limit it to its first elements.
 */
export interface SortStatement {
  readonly kind: "sort";
  readonly keys: number;
  readonly order: number | null;
  readonly sorted: boolean;
  readonly length: Integer;
  /** Null when the whole order is wanted. */
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

/** The definition of a value. */
export type LetStatement = Extract<Statement, { readonly kind: "let" }>;

export type BufferParameter =
  | { readonly dtype: DType; readonly access: "read" | "write" | "scratch" }
  /**
   * A buffer for each work item alone. The emitter allocates it. Its content is undefined when an item begins, and `cells` depends on sizes
   * alone.
   */
  | { readonly dtype: DType; readonly access: "private"; readonly cells: Integer };

/** One generated function. The top-level loops and sorts are its phases; top-level definitions are shared by all phases. */
export interface LoopKernel {
  /** First the buffers that the caller binds, then the private ones. */
  readonly buffers: readonly BufferParameter[];
  /** The number of integer parameters. */
  readonly sizes: number;
  readonly scalars: readonly DType[];
  readonly order: AccumulationOrder;
  readonly body: readonly Statement[];
}

/**
 * The order in which folds take their elements, beside each accumulator's own `lanes` (docs/accumulation-order.md). It is part of the
 * results: equal orders give equal bits.
 */
export interface AccumulationOrder {
  /**
   * Elements after which lanes are folded into the total. A power of 2 and at most 2^22, so that sums of narrow integers are exact within a
   * block.
   */
  readonly block: number;
  /**
   * Elements after which float32 lanes are folded into float64, in emitters that have such lanes. A multiple of 16 that divides `block`.
   */
  readonly chunk: number;
}

export const defaultOrder: AccumulationOrder = { block: 32_768, chunk: 512 };
