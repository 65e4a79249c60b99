/** A family of ops that overwrite a tensor's elements with random numbers and return the tensor. */
import { copyInto } from "../alias/alias.ts";
import { unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import { declareAs, type method, nameOf } from "./declaration.ts";

/** A is the tuple of the arguments beside the tensor. */
export interface RandomFill<A extends readonly unknown[]> {
  <T extends AnyTensor>(input: T, ...rest: A): T;
  readonly [method]: <T extends AnyTensor>(this: T, ...rest: A) => T;
}

/** `draw` returns the numbers. Every tensor that shares the elements sees them. */
export function randomFill<A extends readonly unknown[]>(
  call: string,
  draw: (x: Value, ...rest: A) => Value,
): RandomFill<A> {
  const name = nameOf(call);
  return declareAs(call, (input: AnyTensor, ...rest: A) =>
    copyInto(name, input, draw(unwrap(input), ...rest)),
  );
}
