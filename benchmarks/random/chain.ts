/** Chains of a few ops over one tensor, as a seed decides. */
import { type AnyTensor, autograd, type DType, randint, randn, type Tensor } from "fuseau";
import type { Choices } from "./choices.ts";

export type Floats = Tensor<number[], "float32">;

export interface Chain {
  readonly name: string;
  /** Records the chain anew, over the same operands. */
  readonly make: () => AnyTensor;
  /** The same for the gradient of the sum of its squares; null where it has none. */
  readonly gradient: () => AnyTensor | null;
}

/** What a step may ask for: choices, and operands that are drawn once. */
export interface Draw {
  readonly choices: Pick<Choices, "chance" | "between">;
  operand(shape: readonly number[]): Floats;
  places(axis: number, x: Floats, shape: readonly number[]): Tensor<number[], "int64">;
}

export type Step = (x: Floats, draw: Draw) => AnyTensor;

/** What chains are of. */
export interface Family {
  readonly steps: Readonly<Record<string, Step>>;
  /** A shape of about so many elements. */
  shape(choices: Choices, elements: number): readonly number[];
  /** The rank that all steps need; null where any will do. */
  readonly rank: number | null;
  /** How many times as many elements any result may have. */
  readonly most: number;
}

/** An axis of x. */
export const axisOf = (x: Floats, { choices }: Draw): number => choices.between(0, x.ndim - 1);

/** Null where a result would be large, empty or of another rank than steps need. */
export function chainOf(
  choices: Choices,
  { steps, shape, rank, most }: Family,
  elements: number,
  dtype: DType = "float32",
): Chain | null {
  const sizes = shape(choices, elements);
  const names = Array.from({ length: choices.between(2, 3) }, () => choices.pick(Object.keys(steps)));
  /** Each step as the first recording of it has decided it. */
  const recorded: ((x: Floats) => AnyTensor)[] = [];
  const drawn = (own: readonly number[]): Floats =>
    randn(own as number[])
      .to(dtype)
      .compute() as AnyTensor as Floats;
  const x = drawn(sizes);
  let last: AnyTensor = x;
  for (const name of names) {
    const decided: unknown[] = [];
    let next = 0;
    /** What a recording draws is what the first one drew. */
    const once = <T>(make: () => T): T => {
      if (next === decided.length) decided.push(make());
      return decided[next++] as T;
    };
    const draw: Draw = {
      choices: {
        chance: (part) => once(() => choices.chance(part)),
        between: (low, high) => once(() => choices.between(low, high)),
      },
      operand: (own) => once(() => drawn(own)),
      places: (axis, { shape: own }, wanted) =>
        once(() => randint(0, own[axis]!, wanted as number[]).compute() as Tensor<number[], "int64">),
    };
    const step = (value: Floats): AnyTensor => {
      next = 0;
      return steps[name]!(value, draw);
    };
    if (last.ndim === 0 || last.numel() === 0 || (rank !== null && last.ndim !== rank)) return null;
    last = step(last as Floats);
    if (last.numel() === 0 || last.numel() > most * elements) return null;
    recorded.push(step);
  }
  return {
    name: `${sizes.join("x")}  ${names.join(" → ")}`,
    make: () => recorded.reduce<AnyTensor>((value, step) => step(value as Floats), x),
    gradient: () => {
      const input = x.detach().requiresGrad_();
      const result = recorded.reduce<AnyTensor>((value, step) => step(value as Floats), input);
      if (!result.requiresGrad) return null;
      const loss = (result as Floats).square().sum();
      return autograd.grad([loss], [input] as const)[0] as AnyTensor;
    },
  };
}
