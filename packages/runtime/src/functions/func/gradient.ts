/** Reverse mode. */
import { showShape } from "@fuseau/ir";
import { withLeaves } from "../../autograd/tree.ts";
import { declareFunction } from "../../declare/declaration.ts";
import { handedOut } from "../../entry/operation.ts";
import { filled } from "../../tape/constants.ts";
import { GradientError } from "../../tape/errors.ts";
import { Tensor } from "../../tensor/handle.ts";
import type { Value } from "../../value.ts";
import {
  type AnyFunction,
  type Argument,
  called,
  checkedLeaves,
  checkFunction,
  closed,
  type FuncGradOptions,
  gradients,
  type WithAux,
} from "./called.ts";

/** The gradients of `fn`, which must return a scalar, and what it returned. */
export function gradAndValue(
  op: string,
  fn: AnyFunction,
  args: readonly unknown[],
  options: FuncGradOptions,
): { readonly grads: unknown; readonly value: unknown; readonly aux: unknown } {
  const call = called(op, fn, args, options);
  const [root] = call.roots as [Value];
  if (call.roots.length !== 1 || root.node.shape.length > 0)
    throw new GradientError(
      `${op}: Expected fn to return a scalar tensor, but got ${call.roots.length === 1 ? `tensor with ${root.node.shape.length} dims (shape ${showShape(root.node.shape)}; reduce it, e.g. .sum(), or use func.jacrev)` : `${call.roots.length} tensors`}`,
    );
  const found = gradients(op, call, [filled(root.node.dtype, [], 1)]);
  const grads = withLeaves(
    call.chosen,
    found.map((value) => new Tensor(value)),
  );
  const value = closed(call.output, call.isShared);
  return { grads, value, aux: options.hasAux === true ? closed(call.aux, call.isShared) : undefined };
}

/**
 * The gradient of `fn`, which returns a scalar tensor, with respect to its first argument, or those that `argnums` names. It is a function
 * of the same arguments, and returns tensors of their shapes and dtypes. With `hasAux` it returns `[gradient, aux]`.
 * @throws GradientError when `fn` returns no scalar, or an argument is no float.
 */
export const grad = declareFunction(
  "func.grad(fn, { argnums, hasAux })",
  <A extends readonly unknown[], R, const O extends FuncGradOptions = FuncGradOptions>(
    fn: (...args: A) => R,
    options?: O,
  ): ((...args: A) => WithAux<Argument<A, O>, R, O>) => {
    checkFunction("func.grad", fn);
    return handedOut("func.grad", (...args) => {
      const { grads, aux } = gradAndValue("func.grad", fn as AnyFunction, args, options ?? {});
      return (options?.hasAux === true ? [grads, aux] : grads) as never;
    });
  },
);

/** {@link grad} together with the result of `fn`: `[value, gradient]`, or with `hasAux` `[[value, aux], gradient]`. */
export const valueAndGrad = declareFunction(
  "func.valueAndGrad(fn, { argnums, hasAux })",
  <A extends readonly unknown[], R, const O extends FuncGradOptions = FuncGradOptions>(
    fn: (...args: A) => R,
    options?: O,
  ): ((...args: A) => [R, Argument<A, O>]) => {
    checkFunction("func.valueAndGrad", fn);
    return handedOut("func.valueAndGrad", (...args) => {
      const { grads, value, aux } = gradAndValue("func.valueAndGrad", fn as AnyFunction, args, options ?? {});
      return [options?.hasAux === true ? [value, aux] : value, grads] as never;
    });
  },
);

/**
 * The result of `fn` for the primals, and a function that takes a gradient of that result (of its form) to the list of gradients of the
 * primals. It may be called more than once.
 * @throws ShapeError for a gradient of another shape.
 */
export const vjp = declareFunction(
  "func.vjp(fn, ...primals)",
  <A extends readonly unknown[], R>(
    fn: (...args: A) => R,
    ...primals: A
  ): [R, (cotangent: R) => { -readonly [K in keyof A]: A[K] }] => {
    checkFunction("func.vjp", fn);
    const call = called("func.vjp", fn as AnyFunction, primals, { argnums: primals.map((_, k) => k) });
    const pull = handedOut("func.vjp", (cotangent: unknown): unknown => {
      const seeds = checkedLeaves("func.vjp", "cotangent", cotangent, call.roots);
      const found = gradients("func.vjp", call, seeds, true);
      return withLeaves(
        call.chosen,
        found.map((value) => new Tensor(value)),
      );
    });
    return [closed(call.output, call.isShared), pull] as never;
  },
);
