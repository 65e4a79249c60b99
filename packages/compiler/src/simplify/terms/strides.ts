/** The distance in memory between neighbours along each axis of a term, beneath movements that have strides. */
import { sameNumbers } from "@fuseau/ir";
import { rowMajorStrides } from "../../indexing/strides.ts";
import { alignedShape, runsOf } from "./axes.ts";
import type { Term } from "./term.ts";

/** The most movements that are visited beneath a term. */
const DEEPEST = 8;

/** The strides of the value beneath movements; undefined where one of those has no strides. */
export function stridesOf(term: Term, depth: number = DEEPEST): readonly number[] | undefined {
  const { node, inputs } = term;
  const beneath = (): readonly number[] | undefined =>
    depth === 0 ? undefined : stridesOf(inputs[0] as Term, depth - 1);
  const from = node.inputs[0]?.shape ?? [];
  switch (node.op) {
    case "reshape": {
      const strides = beneath();
      return strides && reshapedStrides(from, strides, node.shape);
    }
    case "permute": {
      const strides = beneath();
      return strides && node.attributes.axes.map((axis) => strides[axis] as number);
    }
    case "shift":
      return beneath();
    case "slice": {
      const strides = beneath();
      return strides?.map((stride, axis) => stride * (node.attributes.steps[axis] as number));
    }
    case "expand": {
      const strides = beneath();
      if (strides === undefined) return undefined;
      const missing = node.shape.length - from.length;
      return alignedShape(from, node.shape.length).map((size, axis) =>
        size === 1 ? 0 : (strides[axis - missing] as number),
      );
    }
    case "asStrided": {
      const strides = beneath();
      return strides && sameNumbers(strides, rowMajorStrides(from)) ? node.attributes.strides : undefined;
    }
    default:
      return rowMajorStrides(node.shape);
  }
}

function reshapedStrides(
  from: readonly number[],
  strides: readonly number[],
  to: readonly number[],
): number[] | undefined {
  const result = to.map(() => 0);
  for (const run of runsOf(from, to)) {
    const long = run.from.filter((axis) => from[axis] !== 1);
    if (!liesAsOne(long, from, strides)) return undefined;
    let stride = strides[long.at(-1) ?? -1] ?? 0;
    for (const axis of [...run.to].reverse()) {
      if (to[axis] === 1) continue;
      result[axis] = stride;
      stride *= to[axis] as number;
    }
  }
  return result;
}

/** True when consecutive axes could be merged: each step of one spans the whole of the next. */
export const liesAsOne = (
  axes: readonly number[],
  shape: readonly number[],
  strides: readonly number[],
): boolean =>
  axes.every((axis, k) => {
    const next = axes[k + 1];
    return next === undefined || strides[axis] === (strides[next] as number) * (shape[next] as number);
  });
