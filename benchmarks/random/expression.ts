/** An expression as data: what is called on what. So it can be recorded again and again, and read by a person. */

import type { AnyTensor } from "fuseau";
import * as fuseau from "fuseau";
import { generator, randomFloats } from "../measure/inputs.ts";

/** One of an expression's tensors, by its position among them. */
export interface Term {
  readonly position: number;
  readonly shape: readonly number[];
}

type Plain = number | string | readonly number[] | Readonly<Record<string, boolean | number>>;
export type Argument = Term | readonly Term[] | Plain;

/** Float32 in [-1, 1), or int64 below `below`. */
export interface Input {
  readonly kind: "input";
  readonly shape: readonly number[];
  readonly below: number | null;
}

/** A call of a method of its first argument, or of a function when that has none; of several results, the first. */
export interface Call {
  readonly kind: "call";
  readonly name: string;
  readonly args: readonly Argument[];
}

export interface Expression {
  readonly tensors: readonly (Input | Call)[];
  /** Positions of what it gives. */
  readonly outputs: readonly number[];
}

/** Every input, in memory. */
export const inputsOf = ({ tensors }: Expression): AnyTensor[] =>
  tensors.flatMap((tensor, k) => (tensor.kind === "input" ? [elementsOf(tensor, k + 1)] : []));

function elementsOf({ shape, below }: Input, seed: number): AnyTensor {
  const count = shape.reduce((cells, size) => cells * size, 1);
  if (below === null) return fuseau.fromTypedArray(randomFloats(count, seed, -1), { shape });
  const next = generator(seed);
  const elements = BigInt64Array.from({ length: count }, () => BigInt(Math.floor(below * next())));
  return fuseau.fromTypedArray(elements, { shape });
}

/** What it gives, recorded. */
export function record({ tensors, outputs }: Expression, inputs: readonly AnyTensor[]): AnyTensor[] {
  // Random numbers are the same each time.
  fuseau.manualSeed(1);
  const recorded: AnyTensor[] = [];
  let given = 0;
  for (const tensor of tensors)
    recorded.push(tensor.kind === "input" ? inputs[given++]! : recordCall(tensor, recorded));
  return outputs.map((position) => recorded[position]!);
}

export function recordCall({ name, args }: Call, recorded: readonly AnyTensor[]): AnyTensor {
  const values = args.map((argument) => {
    if (isTerm(argument)) return recorded[argument.position];
    return isTerms(argument) ? argument.map(({ position }) => recorded[position]) : argument;
  });
  const [first, ...rest] = values;
  const method: unknown = isTerm(args[0]) ? Reflect.get(first as AnyTensor, name) : undefined;
  const result: unknown =
    typeof method === "function"
      ? Reflect.apply(method, first, rest)
      : Reflect.apply(Reflect.get(fuseau, name), undefined, values);
  return firstOf(result);
}

function firstOf(result: unknown): AnyTensor {
  if (fuseau.isTensor(result)) return result;
  return Array.isArray(result) ? result[0] : (result as { values: AnyTensor }).values;
}

export const isTerm = (argument: unknown): argument is Term =>
  typeof argument === "object" && argument !== null && "position" in argument;
const isTerms = (argument: Argument): argument is readonly Term[] =>
  Array.isArray(argument) && isTerm(argument[0]);

/** As one would write it. */
export function textOf({ tensors, outputs }: Expression): string {
  const lines = tensors.map((tensor, k) => `${nameOf(k)} = ${definitionText(tensor)}`);
  return [...lines, `→ ${outputs.map(nameOf).join(", ")}`].join("\n");
}

function definitionText(tensor: Input | Call): string {
  if (tensor.kind === "input") {
    const { shape, below } = tensor;
    return `${below === null ? "float32" : `int64 below ${below}`} [${shape.join(", ")}]`;
  }
  const [first, ...rest] = tensor.args.map(argumentText);
  return isTerm(tensor.args[0])
    ? `${first}.${tensor.name}(${rest.join(", ")})`
    : `${tensor.name}(${[first, ...rest].join(", ")})`;
}

const nameOf = (position: number): string => `t${position}`;

function argumentText(argument: Argument): string {
  if (isTerm(argument)) return nameOf(argument.position);
  return isTerms(argument) ? `[${argument.map(argumentText).join(", ")}]` : JSON.stringify(argument);
}
