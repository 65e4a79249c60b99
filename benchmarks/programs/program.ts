/** A program that people write, in two orders of writing it and in PyTorch. */
import type { AnyTensor, Tensor, TypedArray } from "fuseau";
import { generator, randomFloats } from "../measure/inputs.ts";

type InputDType = "float32" | "float64" | "int64" | "uint8" | "bool";

export interface Input<D extends InputDType = InputDType> {
  readonly dtype: D;
  readonly shape: readonly number[];
  readonly make: (seed: number) => TypedArray;
}

type Inputs = Readonly<Record<string, Input>>;
type Tensors<I extends Inputs> = { readonly [name in keyof I]: Tensor<number[], I[name]["dtype"]> };
export type Result = AnyTensor | readonly AnyTensor[];

export interface Program {
  readonly name: string;
  readonly inputs: Inputs;
  /** A Python expression over the inputs' names; `torch` and `F` (torch.nn.functional) are there. */
  readonly torch: string;
  readonly natural: (inputs: Readonly<Record<string, AnyTensor>>) => Result;
  /** The same result, up to rounding, said another way. */
  readonly other: (inputs: Readonly<Record<string, AnyTensor>>) => Result;
}

export function program<const I extends Inputs>(
  name: string,
  inputs: I,
  torch: string,
  natural: (inputs: Tensors<I>) => Result,
  other: (inputs: Tensors<I>) => Result,
): Program {
  // Whoever runs it makes the tensors of these very inputs.
  return { name, inputs, torch, natural: natural as Program["natural"], other: other as Program["other"] };
}

const count = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

const numbers = (low: number, high: number, shape: readonly number[]): Input<"float32"> => ({
  dtype: "float32",
  shape,
  make: (seed) => randomFloats(count(shape), seed, low, high),
});

/** From −1 to 1. */
export const floats = (...shape: number[]): Input<"float32"> => numbers(-1, 1, shape);

/** From 0.1 to 1. */
export const positive = (...shape: number[]): Input<"float32"> => numbers(0.1, 1, shape);

export const doubles = (...shape: number[]): Input<"float64"> => ({
  dtype: "float64",
  shape,
  make: (seed) => Float64Array.from(randomFloats(count(shape), seed, -1, 1)),
});

/** Below `high`. */
export const integers = (high: number, ...shape: number[]): Input<"int64"> => ({
  dtype: "int64",
  shape,
  make(seed) {
    const next = generator(seed);
    return BigInt64Array.from({ length: count(shape) }, () => BigInt(Math.floor(next() * high)));
  },
});

export const bytes = (...shape: number[]): Input<"uint8"> => ({
  dtype: "uint8",
  shape,
  make(seed) {
    const next = generator(seed);
    return Uint8Array.from({ length: count(shape) }, () => Math.floor(next() * 256));
  },
});

/** True for about three in ten. */
export const truths = (...shape: number[]): Input<"bool"> => ({
  dtype: "bool",
  shape,
  make(seed) {
    const next = generator(seed);
    return Uint8Array.from({ length: count(shape) }, () => (next() < 0.3 ? 1 : 0));
  },
});
