/**
 * What each node means, written as plainly as possible and without any of the compiler: every node's elements as a flat
 * array, one node after another. Sums follow the law of docs/accumulation-order.md, written here a second time on purpose.
 */

import type { Graph } from "@fuseau/compiler";
import { type AccumulationOrder, type DType, isFloat, type Node } from "@fuseau/ir";
import { alone } from "./alone.ts";
import { fold, inBlocks, scanned, settle } from "./plain-folds.ts";
import { plainPointwise } from "./plain-pointwise.ts";

export type Element = number | bigint;
export type Elements = readonly Element[];

/** What need not be the same for every emitter and every order of accumulation. */
export interface Meaning {
  /** Elements of a block. */
  readonly block: number;
  /** A function of floats that emitters approximate, on operands that have been broadcast to the shape of its result. */
  approximated(node: PointwiseNode, operands: readonly Elements[]): Elements;
  /** The sum of float32 or float16 elements along the last axis, before its one rounding. */
  sumSingles(elements: readonly number[]): number;
  /** An element of a matrix product of floats of a dtype, before its one rounding. */
  dot(dtype: DType, left: readonly number[], right: readonly number[]): number;
}

export const plainMeaningIn = ({ block }: Pick<AccumulationOrder, "block">): Meaning => ({
  block,
  // JavaScript text and closures call the same functions.
  approximated: (node, operands) => alone(node, operands, "closure"),
  sumSingles: (elements) => inBlocks(elements, block, 8, 0, (a, b) => a + b, false),
  dot: (_, left, right) => left.reduce((sum, x, k) => sum + x * (right[k] as number), 0),
});

const plainMeaning = plainMeaningIn({ block: 32_768 });

export function evaluate(
  graph: Graph,
  given: readonly Elements[],
  scalars: readonly Element[],
  meaning: Meaning = plainMeaning,
): Elements[] {
  const results: Elements[] = [];
  let inputs = 0;
  let numbers = 0;
  graph.nodes.forEach((node, position) => {
    const operands = (graph.inputs[position] as readonly number[]).map((input) => results[input] as Elements);
    if (node.op === "input") results.push(given[inputs++] as Elements);
    else if (node.op === "scalar") results.push([scalars[numbers++] as Element]);
    else results.push(evaluateNode(node, operands, meaning));
  });
  return graph.outputs.map((output) => results[output] as Elements);
}

type PointwiseNode = Extract<Node, { op: "pointwise" }>;

function pointwise(meaning: Meaning, node: PointwiseNode, operands: readonly Elements[]): Elements {
  const [a = [], b, c] = operands;
  const f = plainPointwise(node.attributes.fn, (node.inputs.at(-1) as Node).dtype, node.dtype);
  if (f === null) return meaning.approximated(node, operands);
  return a.map((x, k) => f(x, b?.[k] as Element, c?.[k] as Element));
}

function exact(...op: Parameters<typeof plainPointwise>): (...x: Element[]) => Element {
  const f = plainPointwise(...op);
  if (f === null) throw new Error(`${op} is not exact`);
  return f;
}

const count = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

export function unravel(flat: number, shape: readonly number[]): number[] {
  const index = new Array<number>(shape.length);
  let rest = flat;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    index[axis] = rest % (shape[axis] as number);
    rest = Math.floor(rest / (shape[axis] as number));
  }
  return index;
}

export function ravel(index: readonly number[], shape: readonly number[]): number {
  let flat = 0;
  for (let axis = 0; axis < shape.length; axis++)
    flat = flat * (shape[axis] as number) + (index[axis] as number);
  return flat;
}

function broadcastIndex(index: readonly number[], shape: readonly number[]): number[] {
  const missing = index.length - shape.length;
  return shape.map((size, axis) => (size === 1 ? 0 : (index[axis + missing] as number)));
}

const isSameShape = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((size, axis) => size === b[axis]);

/** The same for each index along an axis: found once. */
function alongAxis<T>(axis: number, of: (index: readonly number[]) => T): (index: readonly number[]) => T {
  const known = new Map<string, T>();
  return (index) => {
    const row = index.map((i, other) => (other === axis ? 0 : i));
    const key = row.join();
    if (!known.has(key)) known.set(key, of(row));
    return known.get(key) as T;
  };
}

function evaluateNode(node: Node, operands: readonly Elements[], meaning: Meaning): Elements {
  const shapes = node.inputs.map((input) => input.shape);
  const each = (element: (index: number[]) => Element): Elements =>
    Array.from({ length: count(node.shape) }, (_, flat) => element(unravel(flat, node.shape)));
  const [first] = operands as [Elements];
  const [shape] = shapes as [readonly number[]];
  const at = (index: readonly number[]): Element => first[ravel(index, shape)] as Element;
  switch (node.op) {
    case "constant":
      return [node.attributes.value];
    case "iota":
      return each(([place]) => (node.dtype === "int64" ? BigInt(place as number) : (place as number)));
    case "pointwise":
      return pointwise(
        meaning,
        node,
        operands.map((elements, k) => {
          const own = shapes[k] as readonly number[];
          if (isSameShape(own, node.shape)) return elements;
          return each((index) => elements[ravel(broadcastIndex(index, own), own)] as Element);
        }),
      );
    case "reshape":
      return first;
    case "permute":
      return each((index) => {
        const source = new Array<number>(index.length);
        node.attributes.axes.forEach((axis, k) => {
          source[axis] = index[k] as number;
        });
        return at(source);
      });
    case "expand":
      return each((index) => at(broadcastIndex(index, shape)));
    case "slice":
      return each((index) =>
        at(
          index.map(
            (i, axis) =>
              (node.attributes.starts[axis] as number) + i * (node.attributes.steps[axis] as number),
          ),
        ),
      );
    case "pad":
      return each((index) => {
        const source = index.map((i, axis) => i - (node.attributes.before[axis] as number));
        const inside = source.every((i, axis) => i >= 0 && i < (shape[axis] as number));
        return inside ? at(source) : ((operands[1] as Elements)[0] as Element);
      });
    case "concat":
      return each((index) => {
        let rest = index[node.attributes.axis] as number;
        let k = 0;
        while (rest >= ((shapes[k] as readonly number[])[node.attributes.axis] as number)) {
          rest -= (shapes[k] as readonly number[])[node.attributes.axis] as number;
          k++;
        }
        const source = [...index];
        source[node.attributes.axis] = rest;
        return (operands[k] as Elements)[ravel(source, shapes[k] as readonly number[])] as Element;
      });
    case "diagonal": {
      const { offset, axis1, axis2 } = node.attributes;
      return each((index) => {
        const along = index.at(-1) as number;
        const others = index.slice(0, -1);
        const source = shape.map((_, axis) => {
          if (axis === axis1) return along + Math.max(0, -offset);
          if (axis === axis2) return along + Math.max(0, offset);
          return others.shift() as number;
        });
        return at(source);
      });
    }
    case "asStrided": {
      const { strides, offset } = node.attributes;
      return each(
        (index) =>
          first[index.reduce((place, i, k) => place + i * (strides[k] as number), offset)] as Element,
      );
    }
    case "update": {
      const { shape: window, strides, offset } = node.attributes.view;
      const result = [...first];
      (operands[1] as Elements).forEach((x, flat) => {
        result[unravel(flat, window).reduce((place, i, k) => place + i * (strides[k] as number), offset)] = x;
      });
      return result;
    }
    case "gather":
      return each((index) => {
        const source = [...index];
        source[node.attributes.axis] = Number((operands[1] as Elements)[ravel(index, node.shape)]);
        return at(source);
      });
    case "scatter": {
      const { axis, combine } = node.attributes;
      const [, indexShape, sourceShape] = shapes as [readonly number[], readonly number[], readonly number[]];
      const fns = { sum: "add", prod: "mul", max: "maximum", min: "minimum" } as const;
      const result = [...first];
      (operands[1] as Elements).forEach((place, flat) => {
        const index = unravel(flat, indexShape);
        const target = index.map((i, k) => (k === axis ? Number(place) : i));
        const x = (operands[2] as Elements)[ravel(index, sourceShape)] as Element;
        const to = ravel(target, shape);
        const held = result[to] as Element;
        result[to] = combine === "set" ? x : exact(fns[combine], node.dtype, node.dtype)(held, x);
      });
      return result;
    }
    case "scan":
      return each((index) => {
        const { axis, fn } = node.attributes;
        const elements = Array.from({ length: (index[axis] as number) + 1 }, (_, k) =>
          at(index.map((i, other) => (other === axis ? k : i))),
        );
        return scanned(fn, node, elements, meaning);
      });
    case "argsort": {
      const { axis, descending } = node.attributes;
      const size = (x: Element): number => (Number.isNaN(x) ? 1 : 0);
      const orderOf = alongAxis(axis, (index) => {
        const row = Array.from({ length: shape[axis] as number }, (_, k) =>
          at(index.map((i, other) => (other === axis ? k : i))),
        );
        return row
          .map((_, k) => k)
          .sort((i, j) => {
            const [a, b] = [row[i] as Element, row[j] as Element];
            const ascending = a < b ? -1 : a > b ? 1 : size(a) - size(b);
            return (descending ? -ascending : ascending) || i - j;
          });
      });
      return each((index) => BigInt(orderOf(index)[index[axis] as number] as number));
    }
    case "reduce": {
      const { axes } = node.attributes;
      const sizes = axes.map((axis) => shape[axis] as number);
      const folded = Array.from({ length: count(sizes) }, (_, flat) => unravel(flat, sizes));
      // Of each axis of the operand: which of those folded it is, or which of those kept.
      const foldedPlace = shape.map((_, axis) => axes.indexOf(axis));
      const kept = shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
      const keptPlace = shape.map((_, axis) => kept.indexOf(axis));
      const isLane = (axis: number): boolean =>
        shape[axis] !== 1 && shape.slice(axis + 1).every((size) => size === 1);
      const lanes = axes.some(isLane) ? 8 : 1;
      return each((index) => {
        const elements = folded.map((places) =>
          at(
            shape.map((_, axis) => {
              const place = foldedPlace[axis] as number;
              return (place >= 0 ? places[place] : index[keptPlace[axis] as number]) as number;
            }),
          ),
        );
        return fold(node, elements, lanes, meaning);
      });
    }
    case "contract": {
      const [a, b] = operands as [Elements, Elements];
      const [left, right] = shapes as [readonly number[], readonly number[]];
      const inner = left.at(-1) as number;
      return each((index) => {
        const batch = index.slice(0, -2);
        const [i, j] = index.slice(-2) as [number, number];
        const along = Array.from({ length: inner }, (_, k) => k);
        const xs = along.map((k) => a[ravel([...batch, i, k], left)] as Element);
        const ys = along.map((k) => b[ravel([...batch, k, j], right)] as Element);
        if (isFloat(node.dtype))
          return settle(node.dtype, meaning.dot(node.dtype, xs as number[], ys as number[]));
        let sum: Element = node.dtype === "int64" ? 0n : 0;
        xs.forEach((x, k) => {
          const y = ys[k] as Element;
          if (typeof sum === "bigint") sum = BigInt.asIntN(64, sum + (x as bigint) * (y as bigint));
          else sum = (sum + Math.imul(x as number, y as number)) | 0;
        });
        return settle(node.dtype, sum);
      });
    }
    default:
      throw new Error(`no meaning for ${node.op}`);
  }
}
