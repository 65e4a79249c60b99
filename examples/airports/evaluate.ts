/** Runs the expressions, and compares what comes of them. */
import { type AnyTensor, type ComputeOptions, compute } from "fuseau";

export type Tensors<Name extends string> = Readonly<Record<Name, AnyTensor>>;
export type Arrays<Name extends string> = Readonly<Record<Name, ArrayLike<number>>>;

export function evaluate<Name extends string>(
  tensors: Tensors<Name>,
  options?: ComputeOptions,
): Arrays<Name> {
  const entries = Object.entries<AnyTensor>(tensors);
  compute(...Object.values<AnyTensor>(tensors), options ?? {});
  return Object.fromEntries(entries.map(([name, tensor]) => [name, numbers(tensor)])) as Arrays<Name>;
}

/** Computes, and gives the memory back. */
export function run(tensors: Tensors<string>, options?: ComputeOptions): void {
  const list = Object.values<AnyTensor>(tensors);
  compute(...list, options ?? {});
  for (const tensor of list) tensor.dispose();
}

function numbers(tensor: AnyTensor): ArrayLike<number> {
  const elements = tensor.toTypedArray();
  return elements instanceof BigInt64Array ? Float64Array.from(elements, Number) : elements;
}

/** @throws Error where two results differ in any bit; NaN equals NaN. */
export function assertSame<Name extends string>(
  pair: string,
  a: Arrays<Name>,
  b: Arrays<NoInfer<Name>>,
): void {
  for (const name of Object.keys(a) as Name[]) {
    const at = Array.from(a[name]).findIndex((element, i) => !Object.is(element, b[name][i]));
    if (at === -1 && a[name].length === b[name].length) continue;
    throw new Error(`${pair}: ${name}[${at}] is ${a[name][at]} in one and ${b[name][at]} in the other`);
  }
}
