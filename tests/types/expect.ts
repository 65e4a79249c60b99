/** Assertions that hold of a type and of the value at once, so that a type rule and its run-time twin are tested in one line. */
import type { AnyTensor, DType } from "fuseau";
import { expect } from "vitest";

export type Exactly<A, B> =
  (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;

/** The shape is known exactly, in the type and at run time. */
export function expectShape<T extends AnyTensor, const S extends readonly number[]>(
  x: T,
  shape: Exactly<T["shape"], S> extends true ? S : { readonly inferred: T["shape"] },
): void {
  expect(x.shape).toEqual(shape);
}

/** The shape and the dtype are known exactly, in the type and at run time. */
export function expectTensor<T extends AnyTensor, const S extends readonly number[], D extends DType>(
  x: T,
  shape: Exactly<T["shape"], S> extends true ? S : { readonly inferred: T["shape"] },
  dtype: Exactly<T["dtype"], D> extends true ? D : { readonly inferred: T["dtype"] },
): void {
  expect([x.shape, x.dtype]).toEqual([shape, dtype]);
}

/** The dtype is known exactly, in the type and at run time. */
export function expectDType<T extends AnyTensor, D extends DType>(
  x: T,
  dtype: Exactly<T["dtype"], D> extends true ? D : { readonly inferred: T["dtype"] },
): void {
  expect(x.dtype).toBe(dtype);
}

/**
 * The message that stands in an argument's type is the one that is thrown when the types are set aside:
 * `expectRefusal<Parameters<typeof x.add<typeof x, typeof y>>[0]>(() => erased(x).add(y), "add: The size …")`.
 */
export function expectRefusal<Argument>(
  run: () => unknown,
  op: string,
  message: Exactly<Argument, AnyTensor> extends true ? never : Argument,
): void {
  expect(run).toThrow(`${op}: `);
  expect(run).toThrow(String(message));
}

/** The same tensor, of unknown shape and dtype: what reaches the run-time check when types do not help. */
export const erased = (x: AnyTensor): AnyTensor => x;
