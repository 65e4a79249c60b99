/** Nested arrays and plain objects of tensors: what functions that are differentiated take and give. */
import { showArgument } from "@fuseau/ir";
import { Tensor } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";

/** Tensors in nested arrays and plain objects. */
export type Tree = AnyTensor | readonly Tree[] | { readonly [name: string]: Tree };

/** A tree of the same form with R at the place of each tensor. */
export type TreeOf<T, R> = T extends AnyTensor ? R : { -readonly [K in keyof T]: TreeOf<T[K], R> };

/** The tensors of a tree, in order. @throws TypeError for what is none, with where it stands. */
export function leavesOf(op: string, name: string, tree: unknown): AnyTensor[] {
  const found: AnyTensor[] = [];
  visit(op, name, tree, (leaf) => {
    found.push(leaf);
    return leaf;
  });
  return found;
}

/** The tree with another leaf in the place of each, in order. */
export function withLeaves<R>(tree: unknown, leaves: readonly unknown[]): R {
  let next = 0;
  return visit("", "", tree, () => leaves[next++]) as R;
}

function visit(op: string, name: string, tree: unknown, give: (leaf: AnyTensor) => unknown): unknown {
  if (tree instanceof Tensor) return give(tree);
  if (Array.isArray(tree)) return tree.map((inner, k) => visit(op, `${name}[${k}]`, inner, give));
  if (typeof tree === "object" && tree !== null && Object.getPrototypeOf(tree) === Object.prototype)
    return Object.fromEntries(
      Object.entries(tree).map(([key, inner]) => [key, visit(op, `${name}.${key}`, inner, give)]),
    );
  throw new TypeError(
    `${op}: ${name} must be a tensor, or an array or plain object of tensors, but got ${showArgument(tree)}`,
  );
}
