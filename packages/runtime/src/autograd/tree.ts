/** Nested arrays and plain objects of tensors: the arguments and results of functions that are differentiated. */
import { showArgument } from "@fuseau/ir";
import { Tensor } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";

/** Tensors in nested arrays and plain objects. */
export type Tree = AnyTensor | readonly Tree[] | { readonly [name: string]: Tree };

/** A tree of the same form with an R in place of each tensor. */
export type TreeOf<T, R> = T extends AnyTensor ? R : { -readonly [K in keyof T]: TreeOf<T[K], R> };

type Give = (leaf: AnyTensor) => unknown;

/**
 * The tensors of a tree, in order.
 * @throws TypeError for a leaf that is no tensor; it says where.
 */
export function leavesOf(op: string, name: string, tree: unknown): AnyTensor[] {
  const found: AnyTensor[] = [];
  const refuse = (other: unknown, place: string): never => {
    throw new TypeError(
      `${op}: ${place} must be a tensor, or an array or plain object of tensors, but got ${showArgument(other)}`,
    );
  };
  visit(tree, name, (leaf) => found.push(leaf), refuse);
  return found;
}

/** The tree with the given leaves in place of its own, in order. */
export function withLeaves<R>(tree: unknown, leaves: readonly unknown[]): R {
  let next = 0;
  return withEach(tree, () => leaves[next++]) as R;
}

/** The tree with each tensor replaced by what `give` returns for it. Other leaves stay. */
export const withEach = (tree: unknown, give: Give): unknown => visit(tree, "", give, (other) => other);

function visit(
  tree: unknown,
  place: string,
  give: Give,
  otherwise: (other: unknown, place: string) => unknown,
): unknown {
  if (tree instanceof Tensor) return give(tree);
  if (Array.isArray(tree)) return tree.map((inner, k) => visit(inner, `${place}[${k}]`, give, otherwise));
  if (typeof tree === "object" && tree !== null && Object.getPrototypeOf(tree) === Object.prototype)
    return Object.fromEntries(
      Object.entries(tree).map(([key, inner]) => [key, visit(inner, `${place}.${key}`, give, otherwise)]),
    );
  return otherwise(tree, place);
}
