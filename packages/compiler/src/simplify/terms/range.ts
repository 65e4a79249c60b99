/** The range of a term's integers, from those of its inputs: interval arithmetic, one step for each node. */
import type { DType, Node } from "@fuseau/ir";
import type { Term } from "./term.ts";

/** Inclusive safe integers; if intermediate values overflow, there is no range. */
export type Range = readonly [low: number, high: number];

const bounds: { readonly [D in DType]: Range | undefined } = {
  bool: [0, 1],
  uint8: [0, 255],
  int8: [-128, 127],
  int16: [-32768, 32767],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  // int64 values beyond the safe integers have no exact number here, so arithmetic that exceeds those has no range.
  int64: undefined,
  float16: undefined,
  float32: undefined,
  float64: undefined,
};

const safe: Range = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

export const isWithin = ([low, high]: Range, [lowest, highest]: Range): boolean =>
  low >= lowest && high <= highest;

/** True when an integer or bool dtype represents all values of the range. */
export const fits = (dtype: DType, range: Range): boolean =>
  isWithin(range, dtype === "int64" ? safe : (bounds[dtype] ?? [0, -1]));

/** The range of a node of an integer dtype or bool; undefined for floats, and for unrestricted int64. */
export function rangeOf(node: Node, inputs: readonly Term[]): Range | undefined {
  const whole = bounds[node.dtype];
  if (whole === undefined && node.dtype !== "int64") return undefined;
  const range = computed(node, inputs);
  return range !== undefined && fits(node.dtype, range) ? range : whole;
}

function computed(node: Node, inputs: readonly Term[]): Range | undefined {
  switch (node.op) {
    case "constant":
      return [Number(node.attributes.value), Number(node.attributes.value)];
    case "iota":
      return [0, Math.max(0, (node.shape[0] as number) - 1)];
    case "reshape":
    case "expand":
    case "permute":
    case "slice":
    case "shift":
    case "diagonal":
    case "asStrided":
    case "gather":
      return inputs[0]?.range;
    case "pad":
    case "concat":
      return inputs.map(({ range }) => range).reduce(union);
    case "argsort":
      return [0, Math.max(0, (node.shape[node.attributes.axis] as number) - 1)];
    case "reduce": {
      const { fn, axes } = node.attributes;
      const [x] = inputs as [Term];
      if (fn === "max" || fn === "min") return x.range;
      if (fn !== "argmax" && fn !== "argmin") return undefined;
      return [0, axes.reduce((count, axis) => count * (x.node.shape[axis] as number), 1) - 1];
    }
    case "pointwise":
      return pointwiseRange(node.attributes.fn, inputs);
    default:
      return undefined;
  }
}

const union = (a: Range | undefined, b: Range | undefined): Range | undefined =>
  a && b && [Math.min(a[0], b[0]), Math.max(a[1], b[1])];

function pointwiseRange(fn: Term["fn"], inputs: readonly Term[]): Range | undefined {
  const [a, b, c] = inputs.map(({ range }) => range);
  if (fn === "where") return union(b, c);
  if (a === undefined) return undefined;
  switch (fn) {
    case "cast":
      return a;
    case "neg":
      return [0 - a[1], 0 - a[0]];
    case "abs":
      return a[0] >= 0 ? a : [0, Math.max(-a[0], a[1])];
    case "relu":
      return [Math.max(0, a[0]), Math.max(0, a[1])];
    default:
      return b && pairRange(fn, a, b);
  }
}

function pairRange(fn: Term["fn"], a: Range, b: Range): Range | undefined {
  switch (fn) {
    case "add":
      return [a[0] + b[0], a[1] + b[1]];
    case "sub":
      return [a[0] - b[1], a[1] - b[0]];
    case "mul": {
      const corners = [a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]];
      return [Math.min(...corners), Math.max(...corners)];
    }
    case "maximum":
      return [Math.max(a[0], b[0]), Math.max(a[1], b[1])];
    case "minimum":
      return [Math.min(a[0], b[0]), Math.min(a[1], b[1])];
    case "remainder":
      return b[0] > 0 ? [0, b[1] - 1] : undefined;
    case "floorDivide":
      return b[0] > 0 && a[0] >= 0 ? [0, Math.floor(a[1] / b[0])] : undefined;
    default:
      return undefined;
  }
}
