/** Functions of one example, for a batch. */
import { build, ShapeError } from "@fuseau/ir";
import { batch } from "../../autograd/batch.ts";
import { leavesOf, type TreeOf, withLeaves } from "../../autograd/tree.ts";
import { declareFunction } from "../../declare/declaration.ts";
import { asUser, handedOut } from "../../entry/operation.ts";
import { Step } from "../../tape/step.ts";
import { Tensor, unwrap } from "../../tensor/handle.ts";
import type { AnyTensor } from "../../tensor/types.ts";
import { withStandIns } from "../../tracing.ts";
import { Value } from "../../value.ts";
import { type AnyFunction, checkFunction } from "./called.ts";
import { moved, without } from "./move.ts";

/** Which axis of each argument, or result, is the batch's; null where it has none. A tree says it for each tensor. */
export type Dims = number | null | readonly Dims[] | { readonly [name: string]: Dims };

/**
 * `fn`, written for one example, for a batch of them: arguments have one axis more, where `inDims` says (0), and results have it at
 * `outDims` (0). `fn` is called once. Random numbers in it are the same for all examples.
 * @throws GradientError when `fn` reads elements; ShapeError when batches differ in size; RangeError for an axis that does not exist.
 */
export const vmap = declareFunction(
  "func.vmap(fn, inDims, outDims)",
  <A extends readonly unknown[], R>(
    fn: (...args: A) => R,
    inDims: Dims = 0,
    outDims: Dims = 0,
  ): ((...args: A) => TreeOf<R, AnyTensor>) => {
    checkFunction("func.vmap", fn);
    return handedOut((...args) => mapped(fn as AnyFunction, args, inDims, outDims) as never);
  },
);

function mapped(fn: AnyFunction, args: readonly unknown[], inDims: Dims, outDims: Dims): unknown {
  const leaves = leavesOf("func.vmap", "argument", args);
  const axes = axesFor("inDims", Array.isArray(inDims) ? inDims : args.map(() => inDims), args);
  let size: number | null = null;
  const standIns: Value[] = [];
  const batches: Value[] = [];
  const given = leaves.map((leaf, k) => {
    const axis = axes[k] ?? null;
    const value = unwrap(leaf);
    if (axis === null) return leaf;
    const { dtype, shape } = value.node;
    const place = wrapped("inDims", axis, shape.length);
    const own = shape[place] as number;
    if (size !== null && size !== own)
      throw new ShapeError(
        `func.vmap: Expected all tensors to have the same size in the mapped dimension, got sizes ${size} and ${own} for the mapped dimension`,
      );
    size = own;
    const standIn = new Value(build.input(dtype, without(shape, place)), [], null);
    // What is made of it has derivatives where what is made of the batch has.
    if (value.step !== null) standIn.setStep(new Step(standIn.node, [], null, null));
    standIns.push(standIn);
    batches.push(moved(value, place, 0));
    return new Tensor(standIn);
  });
  if (size === null)
    throw new TypeError(
      "func.vmap: no argument has a batch axis (inDims names none, or there are no tensors)",
    );
  const count: number = size;
  const output = withStandIns(() =>
    asUser(() => (fn as AnyFunction<unknown[]>)(...withLeaves<unknown[]>(args, given))),
  );
  const roots = leavesOf("func.vmap", "what fn gives", output).map(unwrap);
  const outs = axesFor(
    "outDims",
    Array.isArray(output) || typeof outDims !== "object" ? outDims : [outDims],
    output,
  );
  const made = batch(roots, standIns, batches, count).map((value, k) => {
    const axis = outs[k] ?? null;
    if (axis === null) throw new TypeError("func.vmap: outDims must say an axis for every result");
    return new Tensor(moved(value, 0, wrapped("outDims", axis, value.node.shape.length)));
  });
  return withLeaves(output, made);
}

function wrapped(name: string, axis: number, rank: number): number {
  if (Number.isInteger(axis) && axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
  throw new RangeError(
    `func.vmap: Got ${name}=${axis} for a tensor of dimensionality ${rank}, expected an axis in [${-rank}, ${rank})`,
  );
}

/** For each tensor of a tree its axis, from a tree of axes that may stop above it. */
function axesFor(name: string, dims: Dims, tree: unknown): (number | null)[] {
  if (dims === null || typeof dims === "number") return leavesOf("func.vmap", name, tree).map(() => dims);
  if (tree instanceof Tensor || typeof tree !== "object" || tree === null)
    throw new TypeError(`func.vmap: ${name} is not of the same form as what it is for`);
  return Object.entries(tree).flatMap(([key, inner]) => {
    const own = (dims as Readonly<Record<string, Dims>>)[key];
    if (own === undefined) throw new TypeError(`func.vmap: ${name} says nothing of ${key}`);
    return axesFor(name, own, inner);
  });
}
