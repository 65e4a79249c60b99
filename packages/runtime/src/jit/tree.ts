/** The result of a jitted function: tensors in plain objects and arrays, or nothing. */
import { showArgument } from "@fuseau/ir";
import { Tensor } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Tree } from "./entry.ts";

const DEEPEST = 100;

/** @throws TypeError for a structure that contains itself. */
export function checkDepth(depth: number, name: string): void {
  if (depth > DEEPEST)
    throw new TypeError(`jit: ${name} are nested more than ${DEEPEST} deep, or hold themselves`);
}

/** True if an object has fields with symbols as names, which its list of names lacks. */
export const hasSymbols = (x: object): boolean => Object.getOwnPropertySymbols(x).length > 0;

/** @throws TypeError for an object that `hasSymbols`: those fields would be lost silently. */
export function refuseSymbols(x: object, name: string): void {
  if (hasSymbols(x))
    throw new TypeError(
      `jit: ${name} has fields that are named by symbols, which are not handed on (name them by strings)`,
    );
}

/**
 * Where tensors are in `output`. Each is put into `made` once.
 * @throws TypeError for anything else: every later call would return that of the first one.
 */
export function treeOf(output: unknown, name: string, made: AnyTensor[], depth = 0): Tree {
  checkDepth(depth, "results");
  if (output instanceof Tensor) {
    const known = made.indexOf(output);
    return { is: "tensor", index: known < 0 ? made.push(output) - 1 : known };
  }
  if (Array.isArray(output))
    return {
      is: "list",
      items: Array.from(output, (item, k) => treeOf(item, `${name}[${k}]`, made, depth + 1)),
    };
  if (depth === 0 && (output === undefined || output === null)) return { is: "nothing", value: output };
  if (typeof output === "object" && output !== null && Object.getPrototypeOf(output) === Object.prototype) {
    refuseSymbols(output, name);
    const names = Object.keys(output);
    const items = Object.values(output).map((item, k) =>
      treeOf(item, `${name}.${names[k]}`, made, depth + 1),
    );
    return { is: "object", names, items };
  }
  throw new TypeError(
    output instanceof Promise
      ? "jit: the function must not be async (read what it gives outside)"
      : `jit: ${name} must be a tensor, an array or plain object of tensors, or nothing, but it is ${showArgument(output)} (it would be that of the first call for ever: make a tensor of it, or compute it outside)`,
  );
}

/** The tree with tensors at its places. */
export function treeWith(tree: Tree, tensors: readonly AnyTensor[]): unknown {
  switch (tree.is) {
    case "nothing":
      return tree.value;
    case "tensor":
      return tensors[tree.index];
    case "list":
      return tree.items.map((item) => treeWith(item, tensors));
    case "object":
      return Object.fromEntries(
        tree.names.map((name, k) => [name, treeWith(tree.items[k] as Tree, tensors)]),
      );
    default:
      return tree satisfies never;
  }
}
