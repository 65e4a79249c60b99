/** Forward mode. */
import { forward } from "../../autograd/forward.ts";
import { withLeaves } from "../../autograd/tree.ts";
import { declareFunction } from "../../declare/declaration.ts";
import { handedOut } from "../../entry/operation.ts";
import { Tensor } from "../../tensor/handle.ts";
import { type AnyFunction, called, checkedLeaves, checkFunction, closed, orZeros } from "./called.ts";
import { gradAndValue } from "./gradient.ts";

/**
 * `[output, tangent]`: the result of `fn` for the primals, and its directional derivative along the tangents, by forward mode. Primals and
 * tangents are lists with one entry for each argument. A tangent has its primal's form, shapes and dtypes.
 */
export const jvp = declareFunction(
  "func.jvp(fn, primals, tangents)",
  <A extends readonly unknown[], R>(
    fn: (...args: A) => R,
    primals: A,
    tangents: { readonly [K in keyof A]: A[K] },
  ): [R, R] => {
    checkFunction("func.jvp", fn);
    checkLists("func.jvp", primals, tangents);
    const call = called("func.jvp", fn as AnyFunction, primals, { argnums: primals.map((_, k) => k) });
    const { roots, sources } = call;
    const given = checkedLeaves("func.jvp", "tangents", tangents, sources);
    const isShared = call.isShared || given.some(({ step }) => step !== null);
    const found = forward(roots, sources, given, isShared);
    const made = withLeaves(
      call.output,
      roots.map((root, k) => new Tensor(orZeros(found[k], root))),
    );
    return [closed(call.output, isShared), made] as never;
  },
);

function checkLists(op: string, primals: unknown, tangents: unknown): void {
  if (!Array.isArray(primals) || !Array.isArray(tangents))
    throw new TypeError(`${op}: primals and tangents are lists, one entry for each argument of fn`);
}

/**
 * `[value, products]`: the result of `fn` for the primals, and its Hessian times the tangents, without computing the Hessian. Primals, tangents
 * and products are lists with one entry for each argument.
 */
export const hvp = declareFunction(
  "func.hvp(fn, primals, tangents)",
  <A extends readonly unknown[], R>(
    fn: (...args: A) => R,
    primals: A,
    tangents: { readonly [K in keyof A]: A[K] },
  ): [R, { -readonly [K in keyof A]: A[K] }] => {
    checkFunction("func.hvp", fn);
    checkLists("func.hvp", primals, tangents);
    const argnums = [...primals.keys()];
    const both = handedOut("func.hvp", (...args: A) => {
      const { value, grads } = gradAndValue("func.hvp", fn as AnyFunction, args, { argnums });
      return [value, grads] as [R, A];
    });
    const [[value], [, product]] = jvp(both, primals, tangents) as [[R, A], [R, A]];
    return [value, product] as never;
  },
);
