/**
 * What users import as `func`: functions of functions. Source: torch.func on pytorch.org/docs/stable. Each gives a function, which
 * may be given to another of them, to any order. Arguments and results are tensors, or nested arrays and plain objects of tensors.
 */
import { build, isFloat, ShapeError, sameNumbers, showArgument, showShape } from "@fuseau/ir";
import { backward } from "../autograd/backward.ts";
import { batch } from "../autograd/batch.ts";
import { forward } from "../autograd/forward.ts";
import { open } from "../autograd/open.ts";
import { isSharedWith } from "../autograd/order.ts";
import { leavesOf, type Tree, type TreeOf, withLeaves } from "../autograd/tree.ts";
import { declareFunction } from "../declare/declaration.ts";
import { asUser } from "../entry/operation.ts";
import * as record from "../record.ts";
import { filled, zerosOf } from "../tape/constants.ts";
import { detached } from "../tape/detached.ts";
import { GradientError } from "../tape/errors.ts";
import { type Step, withRecording } from "../tape/step.ts";
import { Tensor, unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import { Value } from "../value.ts";

type Function<A extends readonly unknown[] = never[], R = unknown> = (...args: A) => R;

/** What is differentiated: which arguments, and whether `fn` gives something beside. */
export interface FuncGradOptions {
  /** The argument, or arguments, to differentiate with respect to. Default 0. */
  readonly argnums?: number | readonly number[];
  /** `fn` gives `[result, aux]`; aux is handed on. Default false. */
  readonly hasAux?: boolean;
}

type Argument<A extends readonly unknown[], O> = O extends { readonly argnums: infer N }
  ? N extends number
    ? A[N]
    : N extends readonly number[]
      ? { -readonly [K in keyof N]: N[K] extends number ? A[N[K]] : never }
      : A[0]
  : A[0];
type HasAux<O> = O extends { readonly hasAux: true } ? true : false;
type ResultOf<R, O> =
  HasAux<O> extends true ? (R extends readonly [infer First, ...unknown[]] ? First : never) : R;
type AuxOf<R> = R extends readonly [unknown, infer Aux] ? Aux : never;

/** What a function was called with, and gave, with tensors that derivatives are asked of in the place of some arguments. */
interface Called {
  /** The arguments that are differentiated; a list of one unless several were named. */
  readonly chosen: unknown;
  readonly sources: readonly Value[];
  readonly output: unknown;
  readonly roots: readonly Value[];
  readonly aux: unknown;
  /** Others differentiate through this too: what is made here must be recorded. */
  readonly isShared: boolean;
}

function called(op: string, fn: Function, args: readonly unknown[], options: FuncGradOptions): Called {
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
  const made = withRecording(true, () => asUser(() => (fn as Function<unknown[]>)(...given)));
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

/** What it gives to users: without a derivative with respect to what was opened here. */
function closed(tree: unknown, isShared: boolean): unknown {
  return withLeaves(
    tree,
    leavesOf("func", "result", tree).map(
      (leaf) => new Tensor(isShared ? unwrap(leaf) : detached(unwrap(leaf))),
    ),
  );
}

/** Of what does not depend on it: zeros. */
const orZeros = (value: Value | null | undefined, like: Value): Value => value ?? zerosOf(like);

function gradients(op: string, call: Called, seeds: readonly Value[], retainGraph = false): Value[] {
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

function gradAndValue(op: string, fn: Function, args: readonly unknown[], options: FuncGradOptions) {
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
  return { grads, value, aux: options.hasAux === true ? closedAux(call) : undefined };
}

/** What else fn gives need not hold tensors alone. */
function closedAux({ aux, isShared }: Called): unknown {
  try {
    return closed(aux, isShared);
  } catch {
    return aux;
  }
}

/**
 * The gradient of `fn`, which gives a scalar tensor, with respect to its first argument, or those that `argnums` names: a function of
 * the same arguments, which gives tensors of their shapes and dtypes. With `hasAux`, `[gradient, aux]`.
 * @throws GradientError when `fn` gives no scalar, or an argument is no float.
 */
export const grad = declareFunction(
  "grad(fn, { argnums, hasAux })",
  <A extends readonly unknown[], R, const O extends FuncGradOptions = FuncGradOptions>(
    fn: (...args: A) => R,
    options?: O,
  ): ((...args: A) => HasAux<O> extends true ? [Argument<A, O>, AuxOf<R>] : Argument<A, O>) => {
    checkFunction("func.grad", fn);
    return (...args) => {
      const { grads, aux } = gradAndValue("func.grad", fn as Function, args, options ?? {});
      return (options?.hasAux === true ? [grads, aux] : grads) as never;
    };
  },
);

/** {@link grad} and what `fn` gives: `[value, gradient]`, or with `hasAux` `[[value, aux], gradient]`. */
export const valueAndGrad = declareFunction(
  "valueAndGrad(fn, { argnums, hasAux })",
  <A extends readonly unknown[], R, const O extends FuncGradOptions = FuncGradOptions>(
    fn: (...args: A) => R,
    options?: O,
  ): ((...args: A) => [R, Argument<A, O>]) => {
    checkFunction("func.valueAndGrad", fn);
    return (...args) => {
      const { grads, value, aux } = gradAndValue("func.valueAndGrad", fn as Function, args, options ?? {});
      return [options?.hasAux === true ? [value, aux] : value, grads] as never;
    };
  },
);

/**
 * What `fn` gives for the primals, and a function from a gradient of that (of its form) to the gradients of the primals, a list.
 * It may be called more than once. @throws ShapeError for a gradient of another shape.
 */
export const vjp = declareFunction(
  "vjp(fn, ...primals)",
  <A extends readonly unknown[], R>(
    fn: (...args: A) => R,
    ...primals: A
  ): [R, (cotangent: R) => { -readonly [K in keyof A]: A[K] }] => {
    checkFunction("func.vjp", fn);
    const call = called("func.vjp", fn as Function, primals, { argnums: primals.map((_, k) => k) });
    const pull = (cotangent: unknown): unknown => {
      const seeds = checkedLeaves("func.vjp", "cotangent", cotangent, call.roots);
      const found = gradients("func.vjp", call, seeds, true);
      return withLeaves(
        call.chosen,
        found.map((value) => new Tensor(value)),
      );
    };
    return [closed(call.output, call.isShared), pull] as never;
  },
);

/** The values of a tree that must be of others' shapes and dtypes. */
function checkedLeaves(op: string, name: string, tree: unknown, like: readonly Value[]): Value[] {
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

/**
 * `[output, tangent]`: what `fn` gives for the primals, and its directional derivative along the tangents, by forward mode. Both are lists,
 * one entry for each argument; a tangent has its primal's form, shapes and dtypes.
 */
export const jvp = declareFunction(
  "jvp(fn, primals, tangents)",
  <A extends readonly unknown[], R>(
    fn: (...args: A) => R,
    primals: A,
    tangents: { readonly [K in keyof A]: A[K] },
  ): [R, R] => {
    checkFunction("func.jvp", fn);
    if (!Array.isArray(primals) || !Array.isArray(tangents))
      throw new TypeError("func.jvp: primals and tangents are lists, one entry for each argument of fn");
    const call = called("func.jvp", fn as Function, primals, { argnums: primals.map((_, k) => k) });
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

/** Which axis of each argument, or result, is the batch's; null where it has none. A tree says it for each tensor. */
export type Dims = number | null | readonly Dims[] | { readonly [name: string]: Dims };

/**
 * `fn`, written for one example, for a batch of them: arguments have one axis more, where `inDims` says (0), and results have it at
 * `outDims` (0). `fn` is called once. Random numbers in it are the same for all examples.
 * @throws GradientError when `fn` reads elements; ShapeError when batches differ in size; RangeError for an axis that does not exist.
 */
export const vmap = declareFunction(
  "vmap(fn, inDims, outDims)",
  <A extends readonly unknown[], R>(
    fn: (...args: A) => R,
    inDims: Dims = 0,
    outDims: Dims = 0,
  ): ((...args: A) => TreeOf<R, AnyTensor>) => {
    checkFunction("func.vmap", fn);
    return (...args) => mapped(fn as Function, args, inDims, outDims) as never;
  },
);

function mapped(fn: Function, args: readonly unknown[], inDims: Dims, outDims: Dims): unknown {
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
    standIns.push(standIn);
    batches.push(moved(value, place, 0));
    return new Tensor(standIn);
  });
  if (size === null)
    throw new TypeError(
      "func.vmap: no argument has a batch axis (inDims names none, or there are no tensors)",
    );
  const count: number = size;
  const output = asUser(() => (fn as Function<unknown[]>)(...withLeaves<unknown[]>(args, given)));
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

const without = (shape: readonly number[], axis: number): number[] => shape.filter((_, k) => k !== axis);

function moved(x: Value, from: number, to: number): Value {
  if (from === to) return x;
  const axes = without([...x.node.shape.keys()], from);
  axes.splice(to, 0, from);
  return record.permute(x, axes);
}

/**
 * The Jacobian of `fn` with respect to its first argument (or `argnums`), by reverse mode: a row for each element of the result.
 * Its shape is that of the result, then that of the argument; of trees, for each result a tree of the argument's form.
 */
export const jacrev = declareFunction(
  "jacrev(fn, { argnums, hasAux })",
  <A extends readonly unknown[], R, const O extends FuncGradOptions = FuncGradOptions>(
    fn: (...args: A) => R,
    options?: O,
  ): ((...args: A) => TreeOf<ResultOf<R, O>, TreeOf<Argument<A, O>, AnyTensor>>) => {
    checkFunction("func.jacrev", fn);
    return (...args) => {
      const call = called("func.jacrev", fn as Function, args, options ?? {});
      const rows = call.roots.map((root) => {
        const { dtype, shape } = root.node;
        const count = shape.reduce((product, size) => product * size, 1);
        const seed = new Value(build.input(dtype, shape), [], null);
        const found = gradients("func.jacrev", { ...call, roots: [root] }, [seed], true);
        const units = record.reshape(identityMatrix(dtype, count), [count, ...shape]);
        const made = withRecording(call.isShared, () => batch(found, [seed], [units], count));
        return withLeaves(
          call.chosen,
          made.map((value, k) => {
            const own = (call.sources[k] as Value).node.shape;
            return new Tensor(record.reshape(value, [...shape, ...own]));
          }),
        );
      });
      const jacobian = withLeaves(call.output, rows);
      return (options?.hasAux === true ? [jacobian, closedAux(call)] : jacobian) as never;
    };
  },
);

/** {@link jacrev}'s result by forward mode: cheaper where the argument has fewer elements than the result. */
export const jacfwd = declareFunction(
  "jacfwd(fn, { argnums, hasAux })",
  <A extends readonly unknown[], R, const O extends FuncGradOptions = FuncGradOptions>(
    fn: (...args: A) => R,
    options?: O,
  ): ((...args: A) => TreeOf<ResultOf<R, O>, TreeOf<Argument<A, O>, AnyTensor>>) => {
    checkFunction("func.jacfwd", fn);
    return (...args) => {
      const call = called("func.jacfwd", fn as Function, args, options ?? {});
      const columns = call.sources.map((source) => {
        const { dtype, shape } = source.node;
        const count = shape.reduce((product, size) => product * size, 1);
        const tangent = new Value(build.input(dtype, shape), [], null);
        const found = forward(call.roots, [source], [tangent], call.isShared);
        const units = record.reshape(identityMatrix(dtype, count), [count, ...shape]);
        const dense = found.map((value, k) => orZeros(value, call.roots[k] as Value));
        const made = withRecording(call.isShared, () => batch(dense, [tangent], [units], count));
        return made.map((value) => {
          const last = moved(value, 0, value.node.shape.length - 1);
          return new Tensor(record.reshape(last, [...value.node.shape.slice(1), ...shape]));
        });
      });
      const rows = call.roots.map((_, row) =>
        withLeaves(
          call.chosen,
          columns.map((column) => column[row]),
        ),
      );
      const jacobian = withLeaves(call.output, rows);
      return (options?.hasAux === true ? [jacobian, closedAux(call)] : jacobian) as never;
    };
  },
);

function identityMatrix(dtype: Value["node"]["dtype"], size: number): Value {
  const place = record.iota("int64", size);
  const isOwn = record.binary("eq", record.reshape(place, [size, 1]), place);
  return record.cast(isOwn, dtype);
}

/** The Hessian of `fn`, which gives a scalar: forward mode over reverse mode. Its shape is the argument's twice. */
export const hessian = declareFunction(
  "hessian(fn, { argnums })",
  <A extends readonly unknown[], R, const O extends FuncGradOptions = FuncGradOptions>(
    fn: (...args: A) => R,
    options?: O,
  ): ((...args: A) => TreeOf<R, TreeOf<Argument<A, O>, TreeOf<Argument<A, O>, AnyTensor>>>) => {
    checkFunction("func.hessian", fn);
    return jacfwd(jacrev(fn, options), options) as never;
  },
);

/** `[value, product]`: what `fn` gives for the primals, and its Hessian times the tangents, without the Hessian being made. */
export const hvp = declareFunction(
  "hvp(fn, primals, tangents)",
  <A extends readonly unknown[], R>(
    fn: (...args: A) => R,
    primals: A,
    tangents: { readonly [K in keyof A]: A[K] },
  ): [R, { -readonly [K in keyof A]: A[K] }] => {
    checkFunction("func.hvp", fn);
    const argnums = [...primals.keys()];
    const both = valueAndGrad(fn, { argnums }) as unknown as (...args: A) => [R, A];
    const [[value], [, product]] = jvp(both, primals, tangents) as [[R, A], [R, A]];
    return [value, product] as never;
  },
);

function checkFunction(op: string, fn: unknown): void {
  if (typeof fn !== "function")
    throw new TypeError(`${op}: fn must be a function, but got ${showArgument(fn)}`);
}

export type { Tree };
