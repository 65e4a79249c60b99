/**
 * Sums of products in Einstein's notation. Operands are contracted from left to right. For each pair, axes that both have and that are
 * needed later are batch axes, and axes that nothing else needs are summed. So each step is one matrix product.
 */
import { type DType, elementCount, isFloat, ShapeError, showShape } from "@fuseau/ir";
import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { mul } from "./pointwise.ts";
import { matmul } from "./product.ts";
import { sum } from "./reduction.ts";

/** A value with a label for each axis. Axes of an ellipsis have the labels "…0", "…1" from the right. */
interface Labelled {
  readonly value: Value;
  readonly labels: readonly string[];
}

const fail = (text: string): never => {
  throw new ShapeError(`einsum(): ${text}`);
};

export function einsum(equation: string, values: readonly Value[]): Value {
  if (typeof equation !== "string") fail('the first argument must be the equation, e.g. "ij,jk->ik"');
  const text = equation.replaceAll(" ", "");
  const arrow = text.indexOf("->");
  const inputs = (arrow < 0 ? text : text.slice(0, arrow)).split(",");
  if (values.length === 0) fail("must provide at least one operand");
  if (inputs.length < values.length) fail("more operands were provided than specified in the equation");
  if (inputs.length > values.length) fail("fewer operands were provided than specified in the equation");
  const operands = values.map((value, k) => label(value, inputs[k]!, k));
  const names = new Set(operands.flatMap(({ labels }) => labels));
  const hidden = [...names].filter((name) => name.startsWith("…")).sort(fromLeft);
  const output = arrow < 0 ? implicit(operands, hidden) : explicit(text.slice(arrow + 2), hidden, names);
  checkSizes(operands);
  return evaluate(operands.map(merge), output);
}

const fromLeft = (a: string, b: string): number => Number(b.slice(1)) - Number(a.slice(1));

/** The subscripts of one operand, or of the output; `…` is the ellipsis. */
function parse(text: string, where: string): string[] {
  const symbols: string[] = [];
  for (let at = 0; at < text.length; at++) {
    if (text.startsWith("...", at)) {
      if (symbols.includes("…")) fail(`found '.' for ${where} for which an ellipsis was already found`);
      symbols.push("…");
      at += 2;
    } else if (text[at] === ".") fail(`found '.' for ${where} that is not part of any ellipsis`);
    else if (/[a-zA-Z]/.test(text[at]!)) symbols.push(text[at]!);
    else
      fail(`invalid subscript given at index ${at} in the equation string, subscripts must be in [a-zA-Z]`);
  }
  return symbols;
}

function label(value: Value, text: string, k: number): Labelled {
  const symbols = parse(text, `operand ${k}`);
  const rank = value.node.shape.length;
  const ellipsis = symbols.indexOf("…");
  const named = symbols.length - (ellipsis < 0 ? 0 : 1);
  if (ellipsis < 0 ? named !== rank : named > rank) {
    fail(
      `the number of subscripts in the equation (${named}) ${ellipsis < 0 ? "does not match" : "is more than"} the number of dimensions (${rank}) for operand ${k}${ellipsis < 0 ? " and no ellipsis was given" : ""} (shape ${showShape(value.node.shape)})`,
    );
  }
  const covered = rank - named;
  const labels = symbols.flatMap((symbol) =>
    symbol === "…" ? Array.from({ length: covered }, (_, axis) => `…${covered - 1 - axis}`) : [symbol],
  );
  return { value, labels };
}

/** The size of each label; sizes of 1 are broadcast. */
function checkSizes(operands: readonly Labelled[]): void {
  const sizes = new Map<string, number>();
  operands.forEach(({ value, labels }, k) => {
    const own = new Map<string, number>();
    labels.forEach((name, axis) => {
      const size = value.node.shape[axis]!;
      const before = own.get(name);
      if (before !== undefined && before !== size)
        fail(
          `subscript ${name} is repeated for operand ${k} but the sizes don't match, ${size} != ${before}`,
        );
      own.set(name, size);
      const seen = sizes.get(name) ?? 1;
      if (size !== 1 && seen !== 1 && size !== seen) {
        fail(
          `subscript ${name} has size ${size} for operand ${k} which does not broadcast with previously seen size ${seen}`,
        );
      }
      if (!sizes.has(name) || seen === 1) sizes.set(name, size);
    });
  });
}

/** The output without an arrow: the axes of the ellipsis, then the labels that occur once, in alphabetical order. */
function implicit(operands: readonly Labelled[], hidden: readonly string[]): string[] {
  const all = operands.flatMap(({ labels }) => labels).filter((name) => !name.startsWith("…"));
  return [...hidden, ...all.filter((name) => all.indexOf(name) === all.lastIndexOf(name)).sort()];
}

function explicit(text: string, hidden: readonly string[], names: ReadonlySet<string>): string[] {
  const symbols = parse(text, "the output");
  for (const symbol of symbols) {
    if (symbol === "…") continue;
    if (symbols.indexOf(symbol) !== symbols.lastIndexOf(symbol))
      fail(`output subscript ${symbol} appears more than once in the output`);
    if (!names.has(symbol))
      fail(`output subscript ${symbol} does not appear in the equation for any input operand`);
  }
  return symbols.flatMap((symbol) => (symbol === "…" ? hidden : [symbol]));
}

/** Takes the diagonal of labels that occur twice in an operand. */
function merge(operand: Labelled): Labelled {
  const repeated = operand.labels.find((name, axis) => operand.labels.indexOf(name) !== axis);
  if (repeated === undefined) return operand;
  const first = operand.labels.indexOf(repeated);
  const second = operand.labels.indexOf(repeated, first + 1);
  const value = record.diagonal(operand.value, 0, first, second);
  const labels = operand.labels.filter((_, axis) => axis !== first && axis !== second);
  return merge({ value, labels: [...labels, repeated] });
}

function evaluate(operands: readonly Labelled[], output: readonly string[]): Value {
  let result = operands[0]!;
  for (let k = 1; k < operands.length; k++) {
    const later = operands.slice(k + 1).flatMap(({ labels }) => labels);
    result = pair(result, operands[k]!, new Set([...output, ...later]));
  }
  const summed = without(result, new Set(output));
  return arranged(summed, output);
}

/** Sums the axes whose labels are not needed later. As in any sum, integers and bool become int64. */
function without(operand: Labelled, needed: ReadonlySet<string>): Labelled {
  const axes = operand.labels.flatMap((name, axis) => (needed.has(name) ? [] : [axis]));
  if (axes.length === 0) return operand;
  return {
    value: sum(operand.value, axes, false, null),
    labels: operand.labels.filter((name) => needed.has(name)),
  };
}

/** Puts the axes in the order of `labels`; those that it lacks get size 1. */
function arranged({ value, labels: own }: Labelled, labels: readonly string[]): Value {
  const present = labels.filter((name) => own.includes(name));
  const order = present.map((name) => own.indexOf(name));
  const moved = order.every((from, to) => from === to) ? value : record.permute(value, order);
  const shape = labels.map((name) => (own.includes(name) ? value.node.shape[own.indexOf(name)]! : 1));
  return shape.length === present.length ? moved : record.reshape(moved, shape);
}

const sizeIn = ({ value, labels }: Labelled, name: string): number =>
  labels.includes(name) ? value.node.shape[labels.indexOf(name)]! : 1;

function pair(a: Labelled, b: Labelled, needed: ReadonlySet<string>): Labelled {
  const shared = (name: string): boolean => sizeIn(a, name) !== 1 && sizeIn(b, name) !== 1;
  // Axes that only one operand has, and nothing needs, are summed before the product.
  const kept = new Set([...a.labels, ...b.labels].filter((name) => needed.has(name) || shared(name)));
  const [left, right] = [a, b].map((each) => {
    // One element is no sum: its dtype stays.
    const single = each.labels.filter((name) => !kept.has(name) && sizeIn(each, name) === 1);
    return without(squeezed(each, single), kept);
  }) as [Labelled, Labelled];
  const all = [...new Set([...left.labels, ...right.labels])];
  const inner = all.filter((name) => !needed.has(name) && shared(name));
  if (inner.length === 0) {
    const both = all.filter((name) => needed.has(name));
    return { value: mul(arranged(left, both), arranged(right, both)), labels: both };
  }
  const batch = all.filter((name) => needed.has(name) && shared(name));
  const rest = all.filter((name) => needed.has(name) && !shared(name));
  const rows = rest.filter((name) => sizeIn(left, name) !== 1 || !right.labels.includes(name));
  const columns = rest.filter((name) => !rows.includes(name));
  const sizes = (operand: Labelled, names: readonly string[]): number[] =>
    names.map((name) => sizeIn(operand, name));
  const [m, k, n] = [sizes(left, rows), sizes(left, inner), sizes(right, columns)].map(elementCount) as [
    number,
    number,
    number,
  ];
  const [first, second] = alike(squeezed(left, columns), squeezed(right, rows));
  const product = matmul(
    record.reshape(arranged(first, [...batch, ...rows, ...inner]), [...sizes(left, batch), m, k]),
    record.reshape(arranged(second, [...batch, ...inner, ...columns]), [...sizes(right, batch), k, n]),
  );
  const labels = [...batch, ...rows, ...columns];
  const shape = [...sizes(left, batch), ...sizes(left, rows), ...sizes(right, columns)];
  return { value: record.reshape(product, shape), labels };
}

/** Integers of which some have been summed: those are int64, and a product has one dtype. */
function alike(...pair: readonly [Labelled, Labelled]): readonly [Labelled, Labelled] {
  const [a, b] = pair.map(({ value }) => value.node.dtype) as [DType, DType];
  if (a === b || isFloat(a) || isFloat(b)) return pair;
  return pair.map((each) => ({ ...each, value: record.cast(each.value, "int64") })) as [Labelled, Labelled];
}

/** Drops axes of size 1 that the other operand has too. */
function squeezed(operand: Labelled, names: readonly string[]): Labelled {
  const gone = operand.labels.filter((name) => names.includes(name));
  if (gone.length === 0) return operand;
  const labels = operand.labels.filter((name) => !gone.includes(name));
  return {
    value: record.reshape(
      operand.value,
      labels.map((name) => sizeIn(operand, name)),
    ),
    labels,
  };
}
