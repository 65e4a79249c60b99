/** Parses the text of a tensor graph: the inverse of print.ts, with a line `return %3, %5` at the end. */
import { isDType } from "../dtype.ts";
import { showShape } from "../errors.ts";
import { type PointwiseOp, pointwiseOps } from "../pointwise/table.ts";
import { sameNumbers } from "../shape/shape.ts";
import * as build from "./build.ts";
import type { Combiner, Node, Place, Reducer, Scanner } from "./node.ts";

/** Nodes in order, the positions of each one's inputs, and the positions of the results. */
export interface ParsedGraph {
  readonly nodes: readonly Node[];
  readonly inputs: readonly (readonly number[])[];
  readonly outputs: readonly number[];
}

/** @throws SyntaxError with the line that is no valid node. */
export function parseGraph(text: string): ParsedGraph {
  const nodes: Node[] = [];
  const inputs: number[][] = [];
  let outputs: readonly number[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    if (line.startsWith("return ")) {
      outputs = [...line.matchAll(/%(\d+)/g)].map(([, position]) => Number(position));
      if (outputs.some((position) => position >= nodes.length)) throw fault(line, "returns what is no node");
      continue;
    }
    const { node, operands } = parseNode(line, nodes);
    nodes.push(node);
    inputs.push(operands);
  }
  return { nodes, inputs, outputs };
}

const fault = (line: string, why: string): SyntaxError => new SyntaxError(`parseGraph: ${why}: ${line}`);

const nodeLine = /^%(\d+): (\w+)\[([\d, ]*)\] = (\w+)\((.*)\)$/;
const operandsBefore = /^((?:%\d+(?:, )?)*)(.*)$/;

function parseNode(line: string, nodes: readonly Node[]): { node: Node; operands: number[] } {
  const [, position, dtype, sizes = "", op = "", inside = ""] = nodeLine.exec(line) ?? [];
  if (Number(position) !== nodes.length || !isDType(dtype)) throw fault(line, "is not the next node");
  const [, names = "", details = ""] = operandsBefore.exec(inside) ?? [];
  const operands = [...names.matchAll(/%(\d+)/g)].map(([, name]) => Number(name));
  const inputs = operands.map((operand) => {
    const input = nodes[operand];
    if (input === undefined) throw fault(line, `%${operand} does not stand before it`);
    return input;
  });
  const shape = numbersIn(sizes);
  const node = made(op, { dtype, shape }, inputs, new Details(line, details));
  if (node.dtype !== dtype || !sameNumbers(node.shape, shape))
    throw fault(line, `is ${node.dtype}${showShape(node.shape)}`);
  return { node, operands };
}

const numbersIn = (text: string): number[] => (text.trim() === "" ? [] : text.split(",").map(Number));

/** The text in the parentheses after the operands. */
class Details {
  readonly #line: string;
  readonly #text: string;

  constructor(line: string, text: string) {
    this.#line = line;
    this.#text = text;
  }

  /** The whole of it. */
  get text(): string {
    return this.#text;
  }

  /** `name [1, 2]`. */
  list(name: string): number[] {
    return numbersIn(this.#after(name, /^\[([^\]]*)\]/));
  }

  /** `name 3`. */
  number(name: string): number {
    return Number(this.#after(name, /^(-?\d+)/));
  }

  /** Places with their ranges: `3·p0 < 7`, followed by `along axis 1` for a place along an axis. */
  get places(): (Place & { readonly axis: number })[] {
    const found = this.#text.matchAll(/(?:axis (\d+) )?\+ (?:(-?\d+)·)?p(\d+) < (\d+)/g);
    return [...found].map(([, axis = "-1", factor = "1", slot, count]) => ({
      axis: Number(axis),
      slot: Number(slot),
      count: Number(count),
      factor: Number(factor),
    }));
  }

  /** The last word of the text that is in the list. */
  word<W extends string>(words: readonly W[]): W {
    const found = words.find((word) => new RegExp(`(^|, )${word}(,|$)`).test(this.#text));
    if (found === undefined) throw this.fault(`has none of ${words.join(", ")}`);
    return found;
  }

  fault(why: string): SyntaxError {
    return fault(this.#line, why);
  }

  #after(name: string, value: RegExp): string {
    const begin = this.#text.indexOf(`${name} `);
    const found = begin < 0 ? null : value.exec(this.#text.slice(begin + name.length + 1));
    if (found === null) throw this.fault(`has no ${name}`);
    return found[1] as string;
  }
}

const reducers: readonly Reducer[] = ["sum", "prod", "max", "min", "any", "all", "argmax", "argmin"];
const scanners: readonly Scanner[] = [
  "sum",
  "prod",
  "max",
  "min",
  "logaddexp",
  "lastArgmax",
  "lastArgmin",
  "lastMax",
  "lastMin",
];
const combiners: readonly Combiner[] = ["set", "sum", "prod", "max", "min"];

/** The node with its attributes. The caller compares what `build` infers with what is written. */
function made(
  op: string,
  { dtype, shape }: Pick<Node, "dtype" | "shape">,
  inputs: readonly Node[],
  details: Details,
): Node {
  const operand = (k: number): Node => {
    const found = inputs[k];
    if (found === undefined) throw details.fault(`has ${inputs.length} operands`);
    return found;
  };
  const reducer = reducers.find((name) => name === op);
  if (reducer !== undefined) return build.reduce(reducer, operand(0), details.list("axes"));
  switch (op) {
    case "input":
      return build.input(dtype, shape);
    case "scalar":
      return build.scalar(dtype);
    case "constant":
      return build.constant(dtype, dtype === "int64" ? BigInt(details.text) : Number(details.text));
    case "iota":
      return build.iota(dtype, shape[0] ?? 0);
    case "cast":
      return build.cast(operand(0), dtype);
    case "reshape":
      return build.reshape(operand(0), shape);
    case "expand":
      return build.expand(operand(0), shape);
    case "permute":
      return build.permute(operand(0), details.list("axes"));
    case "slice":
      return build.slice(operand(0), details.list("starts"), details.list("steps"), shape);
    case "shift":
      return build.shift(operand(0), details.places, shape);
    case "pad": {
      const before = details.list("before");
      const after = operand(0).shape.map(
        (size, axis) => (shape[axis] as number) - size - (before[axis] as number),
      );
      return build.pad(operand(0), before, after, operand(1));
    }
    case "concat":
      operand(0);
      return build.concat(inputs, details.number("axis"));
    case "diagonal": {
      const [axis1, axis2] = details.list("axes") as [number, number];
      return build.diagonal(operand(0), details.number("offset"), axis1, axis2);
    }
    case "asStrided": {
      const view = { shape, strides: details.list("strides"), offset: details.number("offset") };
      return build.asStrided(operand(0), view);
    }
    case "update": {
      const strides = details.list("strides");
      const view = { shape: details.list("view"), strides, offset: details.number("offset") };
      const places = details.places.map(({ slot, count, factor }) => ({ slot, count, factor }));
      return build.update(operand(0), view, operand(1), places);
    }
    case "gather":
      return build.gather(operand(0), details.number("axis"), operand(1));
    case "scatter": {
      const combine = details.word(combiners);
      return build.scatter(operand(0), details.number("axis"), operand(1), operand(2), combine);
    }
    case "scan":
      return build.scan(details.word(scanners), operand(0), details.number("axis"));
    case "argsort": {
      const descending = details.word(["ascending", "descending"]) === "descending";
      return build.argsort(operand(0), details.number("axis"), descending);
    }
    case "contract":
      return build.contract(operand(0), operand(1));
    default: {
      if (!isPointwise(op)) throw details.fault(`knows no ${op}`);
      if (inputs.length !== pointwiseOps[op].arity) throw details.fault(`has ${inputs.length} operands`);
      return build.pointwise(op, inputs);
    }
  }
}

const isPointwise = (op: string): op is Exclude<PointwiseOp, "cast"> =>
  op !== "cast" && Object.hasOwn(pointwiseOps, op);
