/** Calls a function that is to be differentiated, once. */
import { isFloat, ShapeError, sameNumbers, showArgument, showShape } from "@fuseau/ir";
import { backward } from "../../autograd/backward.ts";
import { open } from "../../autograd/open.ts";
import { isSharedWith } from "../../autograd/order.ts";
import { leavesOf, withEach, withLeaves } from "../../autograd/tree.ts";
import { callGiven } from "../../entry/operation.ts";
import { differentiating } from "../../random/mapping.ts";
import { zerosOf } from "../../tape/constants.ts";
import { detached } from "../../tape/detached.ts";
import { GradientError } from "../../tape/errors.ts";
import { type Step, withRecording } from "../../tape/step.ts";
import { Tensor, unwrap } from "../../tensor/handle.ts";
import type { Value } from "../../value.ts";

export type AnyFunction<A extends readonly unknown[] = never[], R = unknown> = (...args: A) => R;

/** Which arguments to differentiate, and whether `fn` returns something beside its result. */
export interface FuncGradOptions {
  /** The argument, or arguments, to differentiate with respect to. Default 0. */
  readonly argnums?: number | readonly number[];
  /** `fn` returns `[result, aux]`; aux is passed on. Default false. */
  readonly hasAux?: boolean;
}

export type Argument<A extends readonly unknown[], O> = O extends { readonly argnums: infer N }
  ? N extends number
    ? A[N]
    : N extends readonly number[]
      ? { -readonly [K in keyof N]: N[K] extends number ? A[N[K]] : never }
      : A[0]
  : A[0];
type HasAux<O> = O extends { readonly hasAux: true } ? true : false;
export type ResultOf<R, O> =
  HasAux<O> extends true ? (R extends readonly [infer First, ...unknown[]] ? First : never) : R;
/** D, or with `hasAux` the pair of it and what `fn` returned beside its result. */
export type WithAux<D, R, O> =
  HasAux<O> extends true ? [derivative: D, aux: R extends readonly [unknown, infer Aux] ? Aux : never] : D;

/** A call: its arguments and results, where tensors to differentiate with respect to replace some arguments. */
export interface Called {
  /** The arguments that are differentiated. It is a list of one, unless several were named. */
  readonly chosen: unknown;
  readonly sources: readonly Value[];
  readonly output: unknown;
  readonly roots: readonly Value[];
  readonly aux: unknown;
  /** True if others differentiate through this too, so that what is made here must be recorded. */
  readonly isShared: boolean;
}

export function called(
  op: string,
  fn: AnyFunction,
  args: readonly unknown[],
  options: FuncGradOptions,
): Called {
  const { argnums = 0, hasAux = false } = options;
  const places = [argnums].flat();
  for (const place of places)
    if (!Number.isInteger(place) || place < 0 || place >= args.length)
      throw new RangeError(`${op}: argnums ${place} is no place of the ${args.length} arguments`);
  const chosen = places.map((place) => args[place]);
  const leaves = leavesOf(op, "argument", chosen);
  for (const leaf of leaves)
    if (!isFloat(leaf.dtype))
      throw new GradientError(
        `${op}: only tensors of floating point dtype have a derivative (got ${leaf.dtype})`,
      );
  const sources = open(leaves);
  const given: unknown[] = [...args];
  const opened = withLeaves<unknown[]>(
    chosen,
    sources.map((source) => new Tensor(source)),
  );
  places.forEach((place, k) => {
    given[place] = opened[k];
  });
  const made = differentiating(() =>
    withRecording(true, () => callGiven(fn as AnyFunction<unknown[]>, given)),
  );
  if (hasAux && !(Array.isArray(made) && made.length === 2))
    throw new TypeError(`${op}: with hasAux, fn gives [result, aux], but it gave ${showArgument(made)}`);
  const [output, aux] = hasAux ? (made as [unknown, unknown]) : [made, undefined];
  const roots = leavesOf(op, "what fn gives", output).map(unwrap);
  return {
    chosen: Array.isArray(argnums) ? chosen : chosen[0],
    sources,
    output,
    roots,
    aux,
    isShared: isSharedWith(roots, sources),
  };
}

/** The result for the user, without derivatives with respect to the tensors that were opened here. Aux may hold more than tensors. */
export const closed = (tree: unknown, isShared: boolean): unknown =>
  withEach(tree, (leaf) => new Tensor(isShared ? unwrap(leaf) : detached(unwrap(leaf))));

/** The gradients; zeros for an argument that the result does not depend on. */
export const orZeros = (value: Value | null | undefined, like: Value): Value => value ?? zerosOf(like);

export function gradients(op: string, call: Called, seeds: readonly Value[], retainGraph = false): Value[] {
  const { roots, sources, isShared } = call;
  const reached = roots.flatMap((root, k) => (root.step === null ? [] : [k]));
  const found = backward({
    op,
    roots: reached.map((k) => roots[k] as Value),
    gradients: reached.map((k) => seeds[k] as Value),
    wanted: sources,
    createGraph: isShared || seeds.some(({ step }) => step !== null),
    retainGraph: retainGraph || isShared,
  });
  return sources.map((source) => orZeros(found.get(source.step as Step), source));
}

/** The values of a tree. They must have the shapes and dtypes of `others`. */
export function checkedLeaves(op: string, name: string, tree: unknown, like: readonly Value[]): Value[] {
  const leaves = leavesOf(op, name, tree).map(unwrap);
  if (leaves.length !== like.length)
    throw new TypeError(`${op}: ${name} has ${leaves.length} tensors where ${like.length} are expected`);
  return leaves.map((leaf, k) => {
    const { shape, dtype } = (like[k] as Value).node;
    if (!sameNumbers(leaf.node.shape, shape))
      throw new ShapeError(
        `${op}: ${name} has shape ${showShape(leaf.node.shape)} where ${showShape(shape)} is expected`,
      );
    if (leaf.node.dtype !== dtype)
      throw new GradientError(`${op}: ${name} has dtype ${leaf.node.dtype} where ${dtype} is expected`);
    return leaf;
  });
}

export function checkFunction(op: string, fn: unknown): void {
  if (typeof fn !== "function")
    throw new TypeError(`${op}: fn must be a function, but got ${showArgument(fn)}`);
}
