/** An expression as data: what is called on what. So it can be recorded again and again, and read by a person. */

import type { AnyTensor } from "fuseau";
import * as fuseau from "fuseau";
import { generator, randomFloats } from "../measure/inputs.ts";

/** One of an expression's tensors, by its position among them. */
export interface Term {
  readonly position: number;
  readonly shape: readonly number[];
}

type Plain = number | string | readonly number[] | Readonly<Record<string, boolean | number | string>>;
export type Argument = Term | readonly Term[] | Plain;

/** Floats in [-1, 1), or whole numbers below `below`. */
export interface Input {
  readonly kind: "input";
  readonly shape: readonly number[];
  readonly dtype: "float32" | "float64" | "int64" | "uint8";
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
  /** Whether it gives the gradients of its floats too: of the mean of the outputs' squares, all together. */
  readonly isDifferentiated: boolean;
}

/** Every input, in memory. */
export const inputsOf = ({ tensors, isDifferentiated }: Expression): AnyTensor[] =>
  tensors.flatMap((tensor, k) => {
    if (tensor.kind === "call") return [];
    const elements = elementsOf(tensor, k + 1);
    return [isDifferentiated && tensor.below === null ? elements.requiresGrad_() : elements];
  });

function elementsOf({ shape, dtype, below }: Input, seed: number): AnyTensor {
  const count = shape.reduce((cells, size) => cells * size, 1);
  const next = generator(seed);
  const whole = (): number => Math.floor((below ?? 0) * next());
  switch (dtype) {
    case "float32":
      return fuseau.fromTypedArray(randomFloats(count, seed, -1), { shape });
    case "float64":
      return fuseau.fromTypedArray(Float64Array.from(randomFloats(count, seed, -1)), { shape });
    case "uint8":
      return fuseau.fromTypedArray(Uint8Array.from({ length: count }, whole), { shape });
    case "int64":
      return fuseau.fromTypedArray(
        BigInt64Array.from({ length: count }, () => BigInt(whole())),
        { shape },
      );
  }
}

/** What it gives, recorded. */
export function record(
  { tensors, outputs, isDifferentiated }: Expression,
  inputs: readonly AnyTensor[],
): AnyTensor[] {
  // Random numbers are the same each time.
  fuseau.manualSeed(1);
  const recorded: AnyTensor[] = [];
  let given = 0;
  for (const tensor of tensors)
    recorded.push(tensor.kind === "input" ? inputs[given++]! : recordCall(tensor, recorded));
  const results = outputs.map((position) => recorded[position]!);
  return isDifferentiated ? [...results, ...gradientsOf(results, inputs)] : results;
}

function gradientsOf(results: readonly AnyTensor[], inputs: readonly AnyTensor[]): AnyTensor[] {
  const losses = results.filter((result) => result.requiresGrad).map((result) => result.square().mean());
  const [first, ...rest] = losses;
  if (first === undefined) return [];
  const loss = rest.reduce((sum, other) => sum.add(other), first);
  const leaves = inputs.filter((input) => input.requiresGrad);
  const gradients = fuseau.autograd.grad(loss, leaves, { allowUnused: true });
  return gradients.filter((gradient) => gradient !== null);
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
export function textOf({ tensors, outputs, isDifferentiated }: Expression): string {
  const lines = tensors.map((tensor, k) => `${nameOf(k)} = ${definitionText(tensor)}`);
  const gradients = isDifferentiated ? ", and the gradients of all floats" : "";
  return [...lines, `→ ${outputs.map(nameOf).join(", ")}${gradients}`].join("\n");
}

function definitionText(tensor: Input | Call): string {
  if (tensor.kind === "input") {
    const { shape, dtype, below } = tensor;
    return `${dtype}${below === null ? "" : ` below ${below}`} [${shape.join(", ")}]`;
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
