/** Affine terms: integers that are a linear function of their place, such as an iota. */
import { type Node, sameNumbers } from "@fuseau/ir";
import { fits } from "./range.ts";
import type { Term } from "./term.ts";

/** At place i the value is start + Σ steps·i. */
interface Affine {
  readonly start: number;
  /** One for each axis of the term; 0 where the axis has at most one place. */
  readonly steps: readonly number[];
}

/** The most terms that are visited beneath one. */
const DEEPEST = 8;

/** The linear function of an integer term, if it is one and no intermediate value wraps. */
export function affineOf(term: Term, depth: number = DEEPEST): Affine | undefined {
  const found = depth === 0 ? undefined : affineAt(term, depth - 1);
  return found !== undefined && fits(term.dtype, extremes(found, term.node.shape)) ? found : undefined;
}

function affineAt({ node, inputs, fn, value }: Term, depth: number): Affine | undefined {
  if (value !== undefined) return { start: Number(value), steps: [] };
  if (fn === "iota") return along(node.shape, 0, [1]);
  const operands: Affine[] = [];
  for (const input of inputs) {
    const operand = affineOf(input, depth);
    if (operand === undefined) return undefined;
    operands.push(operand);
  }
  const [a, b] = operands;
  if (a === undefined) return undefined;
  switch (node.op) {
    case "pointwise":
      return pointwise(node, a, b);
    case "reshape": {
      const from = (node.inputs[0] as Node).shape;
      const [before, after] = [longAxes(from), longAxes(node.shape)];
      const alike = sameNumbers(
        before.map((axis) => from[axis] as number),
        after.map((axis) => node.shape[axis] as number),
      );
      if (!alike) return undefined;
      const steps = new Array<number>(node.shape.length).fill(0);
      after.forEach((axis, k) => {
        steps[axis] = a.steps[before[k] as number] as number;
      });
      return { start: a.start, steps };
    }
    case "expand":
      return along(node.shape, a.start, aligned(a.steps, node.shape.length));
    case "permute":
      return { start: a.start, steps: node.attributes.axes.map((axis) => a.steps[axis] as number) };
    case "slice": {
      const { starts, steps } = node.attributes;
      const start = starts.reduce((sum, place, axis) => sum + place * (a.steps[axis] as number), a.start);
      return along(
        node.shape,
        start,
        steps.map((step, axis) => step * (a.steps[axis] as number)),
      );
    }
    default:
      return undefined;
  }
}

function pointwise(node: Node, a: Affine, b: Affine | undefined): Affine | undefined {
  const fn = node.op === "pointwise" ? node.attributes.fn : undefined;
  const rank = node.shape.length;
  const combined = (p: number, q: number, of: Affine, by: Affine): Affine => {
    const [left, right] = [aligned(of.steps, rank), aligned(by.steps, rank)];
    return {
      start: p * of.start + q * by.start,
      steps: left.map((step, axis) => p * step + q * (right[axis] as number)),
    };
  };
  const none: Affine = { start: 0, steps: [] };
  if (fn === "cast") return a;
  if (fn === "neg") return combined(-1, 0, a, none);
  if (b === undefined) return undefined;
  if (fn === "add") return combined(1, 1, a, b);
  if (fn === "sub") return combined(1, -1, a, b);
  if (fn !== "mul") return undefined;
  if (isFixed(b)) return combined(b.start, 0, a, none);
  return isFixed(a) ? combined(a.start, 0, b, none) : undefined;
}

const isFixed = ({ steps }: Affine): boolean => steps.every((step) => step === 0);

const longAxes = (shape: readonly number[]): number[] =>
  shape.flatMap((size, axis) => (size === 1 ? [] : [axis]));

/** Steps aligned from the end; 0 for axes that are missing. */
const aligned = (steps: readonly number[], rank: number): number[] => [
  ...new Array<number>(rank - steps.length).fill(0),
  ...steps,
];

const along = (shape: readonly number[], start: number, steps: readonly number[]): Affine => ({
  start,
  steps: steps.map((step, axis) => ((shape[axis] as number) > 1 ? step : 0)),
});

function extremes({ start, steps }: Affine, shape: readonly number[]): readonly [number, number] {
  let [low, high] = [start, start];
  steps.forEach((step, axis) => {
    const reach = step * ((shape[axis] as number) - 1);
    if (reach < 0) low += reach;
    else high += reach;
  });
  return [low, high];
}
