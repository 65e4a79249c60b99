/** A family: random numbers written over a tensor's elements, which is given back. */
import { copyInto } from "../alias/alias.ts";
import { unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import { declareAs, type method, nameOf } from "./declaration.ts";

/** A is what it takes beside the tensor. */
export interface RandomFill<A extends readonly unknown[]> {
  <T extends AnyTensor>(input: T, ...rest: A): T;
  readonly [method]: <T extends AnyTensor>(this: T, ...rest: A) => T;
}

/** `draw` gives the numbers, for all that see the tensor's elements. */
export function randomFill<A extends readonly unknown[]>(
  call: string,
  draw: (x: Value, ...rest: A) => Value,
): RandomFill<A> {
  const name = nameOf(call);
  return declareAs(call, (input: AnyTensor, ...rest: A) =>
    copyInto(name, input, draw(unwrap(input), ...rest)),
  );
}
