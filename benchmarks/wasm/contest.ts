/** One computation of the WebAssembly report, as everyone says it, and what is asked of fuseau there. */
import type { AnyTensor } from "fuseau";
import { generator, randomBytes, randomFloats } from "../measure/inputs.ts";
import type { Jax, JaxArray } from "../peers/jax-contender.ts";
import type { Tensorflow, TfTensor } from "../peers/tensorflow-contender.ts";
import type { ContenderName } from "./contender.ts";

export interface Input {
  readonly elements: Float32Array | Int32Array | Uint8Array;
  readonly shape: readonly number[];
}

export interface Contest {
  /** What `--only` selects by, and the name of its C kernel. */
  readonly name: string;
  readonly title: string;
  /** Made anew for each who asks; those of the C kernel are the same. */
  readonly inputs: () => readonly Input[];
  /** How far apart two results may be, relative to the largest element. */
  readonly tolerance: number;
  /** The same for other libraries, which have functions and sums of their own. Default 10⁻⁴. */
  readonly peerTolerance?: number;
  readonly fuseau: (...inputs: AnyTensor[]) => AnyTensor | readonly AnyTensor[];
  /** Left out where the library has no such computation. */
  readonly jax?: (jax: Jax, ...inputs: JaxArray[]) => JaxArray | JaxArray[];
  readonly tensorflow?: (tf: Tensorflow, ...inputs: TfTensor[]) => TfTensor | TfTensor[];
  /** Orders of axes where tfjs wants its inputs otherwise, and what brings its result back. Both are made outside the clock. */
  readonly tensorflowOrder?: {
    readonly inputs: readonly (readonly number[])[];
    readonly result: readonly number[];
  };
  /** Whether it is large enough for C and for threads; small ones are about everything but the arithmetic. */
  readonly size: "large" | "small";
  /** False where it has no kernel in C. */
  readonly inC?: false;
  /** Multiplications and additions of its products. What says so is raced op by op too, and its speed is told. */
  readonly operations?: number;
  readonly targets: readonly Target[];
}

/** Met when one of its conditions is. */
export type Target = readonly Condition[];

export type Condition =
  | {
      /** `who` is at least so many times as fast as `against`. */
      readonly kind: "speed";
      readonly who: ContenderName;
      readonly against: ContenderName;
      readonly atLeast: number;
    }
  | { readonly kind: "time"; readonly who: ContenderName; readonly microseconds: number };

/** On one thread. */
export const faster = (atLeast: number, against: ContenderName): Target => [
  { kind: "speed", who: "fuseau 1", against, atLeast },
];

export const onTwoThreads = (atLeast: number, against: ContenderName): Target => [
  { kind: "speed", who: "fuseau 2", against, atLeast },
];

export const either = (...targets: readonly Target[]): Target => targets.flat();

export const within = (microseconds: number): Target => [{ kind: "time", who: "fuseau 1", microseconds }];

const sizeOf = (shape: readonly number[]): number => shape.reduce((count, size) => count * size, 1);

/** Numbers in [low, high). */
export const floats = (shape: readonly number[], seed: number, low = 0, high = 1): Input => ({
  elements: randomFloats(sizeOf(shape), seed, low, high),
  shape,
});

export const bytes = (shape: readonly number[], seed: number): Input => ({
  elements: randomBytes(sizeOf(shape), seed),
  shape,
});

/** Whole numbers below `bound`. */
export function places(shape: readonly number[], seed: number, bound: number): Input {
  const next = generator(seed);
  return { elements: new Int32Array(sizeOf(shape)).map(() => bound * next()), shape };
}
