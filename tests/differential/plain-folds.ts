/** What reductions and scans give, by the law of docs/accumulation-order.md, written here a second time on purpose. */
import { isFloat, type Node, type Scanner } from "@fuseau/ir";
import { rounded } from "./plain-pointwise.ts";
import type { Element, Meaning } from "./reference.ts";

/** What a scan has come to at the last of the elements. */
export function scanned(fn: Scanner, node: Node, elements: readonly Element[], meaning: Meaning): Element {
  const [start] = elements as [Element];
  switch (fn) {
    case "sum":
    case "prod": {
      if (typeof start === "bigint") {
        return (elements as bigint[]).reduce((a, x) => BigInt.asIntN(64, fn === "sum" ? a + x : a * x));
      }
      // One lane and no blocks, since every element of a scan is a result.
      if (fn === "prod")
        return settle(
          node.dtype,
          (elements as number[]).reduce((a, x) => a * x, 1),
        );
      return settle(node.dtype, laneSum(elements as number[], node.dtype === "float64"));
    }
    case "max":
    case "min":
      return fold({ ...node, op: "reduce", attributes: { fn, axes: [] } } as FoldNode, elements, 1, meaning);
    case "logaddexp": {
      const joined = (a: number, x: number): number =>
        a === x ? a + Math.LN2 : Math.max(a, x) + Math.log1p(Math.exp(-Math.abs(a - x)));
      return settle(node.dtype, (elements as number[]).reduce(joined, -Infinity));
    }
    default: {
      let best = 0;
      elements.forEach((x, k) => {
        const held = elements[best] as Element;
        const asGood = fn === "lastArgmax" || fn === "lastMax" ? x >= held : x <= held;
        if (asGood || Number.isNaN(x)) best = k;
      });
      return fn === "lastMax" || fn === "lastMin" ? (elements[best] as Element) : BigInt(best);
    }
  }
}

/** A sum in order, with Neumaier's compensation or without. */
function laneSum(elements: readonly number[], compensate: boolean): number {
  let sum = 0;
  let lost = 0;
  for (const x of elements) {
    const after = sum + x;
    if (compensate) lost += Math.abs(sum) >= Math.abs(x) ? sum - after + x : x - after + sum;
    sum = after;
  }
  const whole = sum + lost;
  return Number.isFinite(whole) ? whole : sum;
}

type FoldNode = Extract<Node, { op: "reduce" }>;

export function fold(node: FoldNode, elements: readonly Element[], lanes: number, meaning: Meaning): Element {
  const { fn } = node.attributes;
  const from = (node.inputs[0] as Node).dtype;
  switch (fn) {
    case "sum":
      if (!isFloat(from))
        return BigInt.asIntN(
          64,
          elements.reduce<bigint>((sum, x) => sum + BigInt(x), 0n),
        );
      if (lanes > 1 && from !== "float64")
        return settle(node.dtype, meaning.sumSingles(elements as number[]));
      return settle(
        node.dtype,
        inBlocks(elements as number[], meaning.block, lanes, 0, (a, b) => a + b, from === "float64"),
      );
    case "prod":
      if (!isFloat(from))
        return elements.reduce<bigint>((product, x) => BigInt.asIntN(64, product * BigInt(x)), 1n);
      return settle(
        node.dtype,
        inBlocks(elements as number[], meaning.block, lanes, 1, (a, b) => a * b, false),
      );
    case "max":
      return elements.reduce((a, b) => (isFloat(from) ? Math.max(a as number, b as number) : b > a ? b : a));
    case "min":
      return elements.reduce((a, b) => (isFloat(from) ? Math.min(a as number, b as number) : b < a ? b : a));
    case "any":
      return elements.some((x) => Number(x) !== 0) ? 1 : 0;
    case "all":
      return elements.every((x) => Number(x) !== 0) ? 1 : 0;
    case "argmax":
    case "argmin": {
      let best = 0;
      elements.forEach((x, k) => {
        const held = elements[best] as Element;
        const better = fn === "argmax" ? x > held : x < held;
        if (better || (Number.isNaN(x) && !Number.isNaN(held))) best = k;
      });
      return BigInt(best);
    }
    default:
      return fn satisfies never;
  }
}

export function inBlocks(
  elements: readonly number[],
  size: number,
  lanes: number,
  start: number,
  join: (a: number, b: number) => number,
  compensate: boolean,
): number {
  let total = start;
  for (let block = 0; block === 0 || block < elements.length; block += size) {
    const sums = new Array<number>(lanes).fill(start);
    const lost = new Array<number>(lanes).fill(0);
    elements.slice(block, block + size).forEach((x, k) => {
      const lane = k % lanes;
      const before = sums[lane] as number;
      const after = join(before, x);
      if (compensate) {
        lost[lane] =
          (lost[lane] as number) +
          (Math.abs(before) >= Math.abs(x) ? before - after + x : x - after + before);
      }
      sums[lane] = after;
    });
    let level = sums.map((sum, lane) => {
      const whole = sum + (lost[lane] as number);
      return compensate && Number.isFinite(whole) ? whole : sum;
    });
    while (level.length > 1) {
      level = level.filter((_, k) => k % 2 === 0).map((a, k) => join(a, level[2 * k + 1] as number));
    }
    total = elements.length > size ? join(total, level[0] as number) : (level[0] as number);
  }
  return total;
}

export function settle(dtype: Node["dtype"], value: Element): Element {
  if (typeof value === "bigint") return value;
  switch (dtype) {
    case "float32":
    case "float16":
      return rounded(dtype, value);
    case "uint8":
      return value & 255;
    case "int8":
      return (value << 24) >> 24;
    case "int16":
      return (value << 16) >> 16;
    default:
      return value;
  }
}
