/**
 * Random functions of tensors: reads, views, writes in place and random numbers, of what is given and of what is captured. An
 * instruction is four numbers, made valid for what stands before it, so that shrinking works.
 */
import fc from "fast-check";
import { type AnyTensor, type FloatScalar, Generator, rand, tensor, where } from "fuseau";

export interface Instruction {
  readonly kind: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

const number = fc.nat({ max: 999 });
export const functions: fc.Arbitrary<Instruction[]> = fc.noBias(
  fc.array(fc.record({ kind: fc.nat({ max: 99 }), a: number, b: number, c: number }), {
    minLength: 1,
    maxLength: 14,
    size: "max",
  }),
);

const elements = (count: number, seed: number): number[] =>
  Array.from({ length: count }, (_, k) => ((k * 7 + seed * 3) % 13) - 6 + 0.25);

/** What a function captures: some of it views of the rest. */
export class World {
  readonly tensors: AnyTensor[];
  readonly generator: Generator = new Generator(11);

  constructor(seed: number) {
    const a = tensor(elements(12, seed), { shape: [4, 3] });
    const b = tensor(elements(3, seed + 1), { shape: [3] });
    const c = tensor([1, -2, 3, 4], { shape: [2, 2], dtype: "int32" });
    this.tensors = [a, b, c, a.select(0, 1), a.t(), b.reshape([3, 1]), a.slice([1, 3])];
  }

  /** All that there is. */
  read(): unknown {
    return [...this.tensors.map((x) => [x.dtype, x.toArray()]), this.generator.getState()];
  }
}

/** Arguments of a call: tensors of which some share elements, by `form`. */
export function argumentsOf(call: number, form: number): AnyTensor[] {
  const x = tensor(elements(12, call + 5), { shape: [4, 3] });
  const y = form % 3 === 1 ? x.select(0, 2) : tensor(elements(3, call + 9), { shape: [3] });
  return [form % 4 === 2 ? x.mul(1.5) : x, y];
}

/** The function that the instructions are: gives some of what it has made, used or was given. */
export function functionOf(
  instructions: readonly Instruction[],
  { tensors, generator }: World,
): (x: AnyTensor, y: AnyTensor, factor: FloatScalar) => AnyTensor[] {
  return (x, y, factor) => {
    const pool: AnyTensor[] = [x, y, ...tensors];
    const given: AnyTensor[] = [];
    for (const instruction of instructions) apply(instruction, pool, given, factor, generator);
    return given;
  };
}

function apply(
  { kind, a, b, c }: Instruction,
  pool: AnyTensor[],
  given: AnyTensor[],
  factor: FloatScalar,
  generator: Generator,
): void {
  const x = pool[a % pool.length] as AnyTensor;
  const other = pool.slice(b % pool.length).find((y) => fits(x, y) && y.dtype === x.dtype) ?? x;
  try {
    if (kind < 20) pool.push(c % 2 === 0 ? x.add(other) : x.mul(other).sub(0.7));
    else if (kind < 30) pool.push(x.mul(c % 2 === 0 ? factor : 1 + (c % 4)));
    else if (kind < 50) pool.push(viewOf(x, b, c));
    else if (kind < 60) pool.push(c % 2 === 0 ? x.sum() : where(x.gt(0), x, other));
    else if (kind < 66) pool.push(rand(x.shape, { generator }).add(x));
    else if (kind < 70) void x.uniform_(0, 1, { generator });
    else if (kind < 80) void (c % 3 === 0 ? x.copy_(other) : c % 3 === 1 ? x.add_(other) : x.mul_(0.5));
    else if (kind < 85) void x.fill_(c % 5);
    else if (kind < 88) void x.add_(factor);
    else given.push(x);
  } catch (error) {
    // What is refused is refused alike, whether it is recorded or not.
    if (!(error instanceof Error) || error.message.startsWith("jit")) throw error;
  }
}

function fits(x: AnyTensor, y: AnyTensor): boolean {
  if (y.ndim > x.ndim) return false;
  return y.shape.every((size, k) => size === 1 || size === x.shape[x.ndim - y.ndim + k]);
}

function viewOf(x: AnyTensor, b: number, c: number): AnyTensor {
  switch (c % 5) {
    case 0:
      return x.reshape([-1]);
    case 1:
      return x.ndim > 0 ? x.select(0, b % (x.shape[0] ?? 1)) : x;
    case 2:
      return x.ndim > 1 ? x.transpose(0, 1) : x;
    case 3:
      return x.detach();
    default:
      return x.ndim > 0 ? x.slice([b % 2, null]) : x;
  }
}
