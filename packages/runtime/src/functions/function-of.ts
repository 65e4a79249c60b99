import { operation } from "../entry/operation.ts";
import { type MethodName, signatureOf } from "../tensor/signatures.ts";
import { methods, receiver } from "../tensor/tensor.ts";
import type { AnyTensor } from "../tensor/types.ts";

type Method = (this: AnyTensor, ...given: unknown[]) => unknown;

/** A method as a function, whose first argument is the tensor: F is its type, of which the types' tests speak. */
/* @__NO_SIDE_EFFECTS__ */
export function functionOf<F extends (...given: never[]) => unknown>(name: MethodName): F {
  const method = methods[name] as Method;
  const signature = signatureOf(name);
  const run = (x: AnyTensor, a: unknown, b: unknown, c: unknown, d: unknown, e: unknown): unknown =>
    method.call(receiver(String(name), x), a, b, c, d, e);
  return operation(String(name), signature === "" ? "input" : `input, ${signature}`, run);
}
