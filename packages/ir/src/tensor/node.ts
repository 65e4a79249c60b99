/**
 * The tensor graph: what the user wrote, as immutable nodes.
 * The contract. A node has one result of a static shape and dtype, and no side effect. Inputs already have the dtype that the op computes
 * in (casts are nodes). Only `pointwise` broadcasts its inputs; every other op takes its operands as they are. Axes are wrapped to [0,
 * rank). Integers wrap at their width, int64 values are exact, float32 and float16 are rounded after every op. Nodes are pure, so they may
 * be evaluated in any order; accumulation has an order of its own (docs/accumulation-order.md).
 */
import type { DType } from "../dtype.ts";
import type { PointwiseOp } from "../pointwise/table.ts";
import { type StridedView, sameNumbers } from "../shape/shape.ts";

/**
 * The state of a scan after each element. `lastArgmax` and `lastArgmin` are the position of the last extremum so far, where a NaN counts as
 * the extremum; `lastMax` and `lastMin` are the element there.
 */
export type Scanner =
  | "sum"
  | "prod"
  | "max"
  | "min"
  | "logaddexp"
  | "lastArgmax"
  | "lastArgmin"
  | "lastMax"
  | "lastMin";

/** How a scattered value is combined with the element at its place. */
export type Combiner = "set" | "sum" | "prod" | "max" | "min";

/** The op by which a combiner joins a new element and the one at its place. */
export const combinerOps: {
  readonly sum: "add";
  readonly prod: "mul";
  readonly max: "maximum";
  readonly min: "minimum";
} = { sum: "add", prod: "mul", max: "maximum", min: "minimum" };

/** `argmax` and `argmin` give the first position among the reduced elements in row-major order. */
export type Reducer = "sum" | "prod" | "max" | "min" | "any" | "all" | "argmax" | "argmin";

/**
 * A part of the offset where a slice or window begins: `factor` times a number that is bound when the program runs and lies in [0, count).
 */
export interface Place {
  /** Which of the program's bound numbers. */
  readonly slot: number;
  readonly count: number;
  readonly factor: number;
}
/** A place along one axis. */
export interface AxisPlace extends Place {
  readonly axis: number;
}

interface NodeOf<Op extends string, Attributes> {
  readonly op: Op;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly inputs: readonly Node[];
  readonly attributes: Attributes;
}

/** Elements in row-major order, bound when the program runs. */
export type InputNode = NodeOf<"input", null>;
/** One 0-d value, a bigint for int64 and a number otherwise. */
export type ConstantNode = NodeOf<"constant", { readonly value: number | bigint }>;
/**
 * One 0-d value, bound when the program runs. Constants are lifted into scalars, so that graphs that differ only in them share one program.
 */
export type ScalarNode = NodeOf<"scalar", null>;
/** 0, 1, 2 … along the only axis. */
export type IotaNode = NodeOf<"iota", null>;
/** `fn` at every place of the broadcast shape of the inputs. */
export type PointwiseNode = NodeOf<"pointwise", { readonly fn: PointwiseOp }>;
/** Folds `axes` (ascending) and removes them; the other axes keep their order. */
export type ReduceNode = NodeOf<"reduce", { readonly fn: Reducer; readonly axes: readonly number[] }>;
/** The same elements in row-major order under another shape. */
export type ReshapeNode = NodeOf<"reshape", null>;
/** Axis k of the result is axis axes[k] of the input. */
export type PermuteNode = NodeOf<"permute", { readonly axes: readonly number[] }>;
/** Shapes are aligned from the end. Axes of size 1 and missing ones are repeated. */
export type ExpandNode = NodeOf<"expand", null>;
/** Index i along an axis reads the input at starts + i·steps. Steps are not 0 and may be negative. */
export type SliceNode = NodeOf<
  "slice",
  { readonly starts: readonly number[]; readonly steps: readonly number[] }
>;
/**
 * A block of the input that has this node's shape. Along each axis it begins at the sum of that axis's places. Starts of slices are lifted
 * into it, so that graphs that differ only in them share one program.
 */
export type ShiftNode = NodeOf<"shift", { readonly places: readonly AxisPlace[] }>;
/**
 * inputs[0] with copies of inputs[1] (a 0-d value) around it: `before` places in front of each axis, and behind it as many as the shape
 * implies.
 */
export type PadNode = NodeOf<"pad", { readonly before: readonly number[] }>;
/** The inputs one after another along `axis`. */
export type ConcatNode = NodeOf<"concat", { readonly axis: number }>;
/** The elements at (i, i + offset) of two axes, along a new last axis. */
export type DiagonalNode = NodeOf<
  "diagonal",
  { readonly offset: number; readonly axis1: number; readonly axis2: number }
>;
/** A strided view, with this node's shape, of the input's elements in row-major order. */
export type AsStridedNode = NodeOf<
  "asStrided",
  { readonly strides: readonly number[]; readonly offset: number }
>;
/**
 * inputs[0] with the elements of a window replaced by those of inputs[1]. No two places of the window are the same element. The window
 * begins at its offset plus the sum of the places.
 */
export type UpdateNode = NodeOf<"update", { readonly view: StridedView; readonly places: readonly Place[] }>;
/**
 * At every place of inputs[1] (int64 or int32, of this node's shape), an element of inputs[0]: along `axis` the one that inputs[1] names,
 * along other axes the one at the same place, which must exist. An index out of range throws at run time.
 */
export type GatherNode = NodeOf<"gather", { readonly axis: number }>;
/**
 * inputs[0] with elements of inputs[2] combined into it: for every place of inputs[1] in row-major order, the element of inputs[2] at that
 * place. Along `axis` it goes where the index says, along other axes to the same place. inputs[2] may be larger than inputs[1].
 */
export type ScatterNode = NodeOf<"scatter", { readonly axis: number; readonly combine: Combiner }>;
/** At every place, the fold of the elements along `axis` up to and including it. */
export type ScanNode = NodeOf<"scan", { readonly fn: Scanner; readonly axis: number }>;
/** The positions along `axis` that put its elements in ascending (or descending) order. The sort is stable, and NaN is the largest. */
export type ArgsortNode = NodeOf<"argsort", { readonly axis: number; readonly descending: boolean }>;
/**
 * [..., m, k] × [..., k, n] → [..., m, n] with equal leading axes. It sums in an order of its own, so tests compare it within a tolerance.
 */
export type ContractNode = NodeOf<"contract", null>;

export type Node =
  | InputNode
  | ConstantNode
  | ScalarNode
  | IotaNode
  | PointwiseNode
  | ReduceNode
  | ReshapeNode
  | PermuteNode
  | ExpandNode
  | SliceNode
  | ShiftNode
  | PadNode
  | ConcatNode
  | DiagonalNode
  | AsStridedNode
  | UpdateNode
  | GatherNode
  | ScatterNode
  | ScanNode
  | ArgsortNode
  | ContractNode;

export type NodeOp = Node["op"];

/**
 * True when both nodes do the same to their inputs; the inputs are not compared. If `begin` is false, neither is where slices and windows
 * begin.
 */
export function sameOperation(a: Node, b: Node, begin = true): boolean {
  if (a === b) return true;
  if (a.op !== b.op || a.dtype !== b.dtype || !sameNumbers(a.shape, b.shape)) return false;
  switch (a.op) {
    case "input":
    case "scalar":
    case "iota":
    case "reshape":
    case "expand":
    case "contract":
      return true;
    case "constant":
      return Object.is(a.attributes.value, (b as ConstantNode).attributes.value);
    case "pointwise":
      return a.attributes.fn === (b as PointwiseNode).attributes.fn;
    case "reduce": {
      const other = (b as ReduceNode).attributes;
      return a.attributes.fn === other.fn && sameNumbers(a.attributes.axes, other.axes);
    }
    case "permute":
      return sameNumbers(a.attributes.axes, (b as PermuteNode).attributes.axes);
    case "slice": {
      const other = (b as SliceNode).attributes;
      const sameStarts = !begin || sameNumbers(a.attributes.starts, other.starts);
      return sameStarts && sameNumbers(a.attributes.steps, other.steps);
    }
    case "shift":
      return samePlaces(a.attributes.places, (b as ShiftNode).attributes.places);
    case "pad":
      return !begin || sameNumbers(a.attributes.before, (b as PadNode).attributes.before);
    case "concat":
      return a.attributes.axis === (b as ConcatNode).attributes.axis;
    case "diagonal": {
      const other = (b as DiagonalNode).attributes;
      return (
        (!begin || a.attributes.offset === other.offset) &&
        a.attributes.axis1 === other.axis1 &&
        a.attributes.axis2 === other.axis2
      );
    }
    case "asStrided": {
      const other = (b as AsStridedNode).attributes;
      const sameOffset = !begin || a.attributes.offset === other.offset;
      return sameOffset && sameNumbers(a.attributes.strides, other.strides);
    }
    case "update": {
      const [one, other] = [a.attributes.view, (b as UpdateNode).attributes.view];
      return (
        (!begin || one.offset === other.offset) &&
        sameNumbers(one.shape, other.shape) &&
        sameNumbers(one.strides, other.strides) &&
        samePlaces(a.attributes.places, (b as UpdateNode).attributes.places)
      );
    }
    case "gather":
      return a.attributes.axis === (b as GatherNode).attributes.axis;
    case "scatter": {
      const other = (b as ScatterNode).attributes;
      return a.attributes.axis === other.axis && a.attributes.combine === other.combine;
    }
    case "scan": {
      const other = (b as ScanNode).attributes;
      return a.attributes.fn === other.fn && a.attributes.axis === other.axis;
    }
    case "argsort": {
      const other = (b as ArgsortNode).attributes;
      return a.attributes.axis === other.axis && a.attributes.descending === other.descending;
    }
    default:
      return a satisfies never;
  }
}

export function samePlaces(a: readonly Partial<AxisPlace>[], b: readonly Partial<AxisPlace>[]): boolean {
  if (a.length !== b.length) return false;
  for (let k = 0; k < a.length; k++) {
    const [one, other] = [a[k] as Partial<AxisPlace>, b[k] as Partial<AxisPlace>];
    if (one.slot !== other.slot || one.factor !== other.factor || one.axis !== other.axis) return false;
  }
  return true;
}
