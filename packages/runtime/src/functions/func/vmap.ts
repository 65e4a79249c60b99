/** Maps a function of one example over a batch. */
import { build, ShapeError, showArgument, type UnknownRank } from "@fuseau/ir";
import { aliasOf, copyInto, isWritten } from "../../alias/alias.ts";
import { batch } from "../../autograd/batch.ts";
import { leavesOf, withLeaves } from "../../autograd/tree.ts";
import { declareFunction } from "../../declare/declaration.ts";
import { callGiven, handedOut } from "../../entry/operation.ts";
import { namedArgument } from "../../entry/refused.ts";
import { signatureOf } from "../../entry/signature.ts";
import { mappingOf, type Randomness, withMapping } from "../../random/mapping.ts";
import { isMadeOf } from "../../tape/dependents.ts";
import { GradientError } from "../../tape/errors.ts";
import { Step } from "../../tape/step.ts";
import { type ShapeKey, Tensor, unwrap, wrap } from "../../tensor/handle.ts";
import type { AnyTensor } from "../../tensor/types.ts";
import { withStandIns } from "../../tracing.ts";
import { Value } from "../../value.ts";
import { type AnyFunction, checkFunction } from "./called.ts";
import { moved, without } from "./move.ts";

/** Options of the whole call. */
export interface VmapOptions {
  /**
   * Whether random numbers drawn in `fn` are the same for all examples, or different for each. If different, a draw takes as many words as
   * for a tensor with the batch axis in front. Default "error": drawing is refused.
   */
  readonly randomness?: Randomness;
}

/** The batch axis of each argument or result; null if it has none. A tree has one for each tensor. */
export type Dims = number | null | readonly Dims[] | { readonly [name: string]: Dims };

/** The type of a tree with a batch, whose axes are given by D. */
type Batched<T, D> = T extends AnyTensor
  ? BatchedTensor<T, D>
  : { [K in keyof T]: Batched<T[K], D extends number | null ? D : K extends keyof D ? D[K] : Dims> };

/** Any tensor may be given for T if D is unknown. */
type BatchedTensor<T extends AnyTensor, D> = Dims extends D
  ? AnyTensor
  : D extends null
    ? T
    : UnknownRank<T[ShapeKey]> extends true
      ? T
      : Tensor<D extends 0 ? [number, ...T[ShapeKey]] : [number, ...Unsized<T[ShapeKey]>], T["dtype"]>;

/** As many sizes, none of which is known. */
type Unsized<S extends readonly number[]> = { [Axis in keyof S]: number };

/** The arguments of a mapped function. */
type BatchedArguments<A extends readonly unknown[], D> =
  Batched<A, D> extends infer B extends readonly unknown[] ? B : A;

const ARGUMENTS = "fn, inDims, outDims, { randomness }";

/**
 * Maps `fn`, which is written for one example, over a batch. Arguments have one axis more, at `inDims` (0), and results have it at
 * `outDims` (0). `fn` is called once. Where it writes to an argument, it writes to the batch.
 * @throws GradientError when `fn` reads elements, draws random numbers without `randomness`, or writes what differs between examples to a
 * tensor from outside; ShapeError when batches differ in size;
 * RangeError for an axis that does not exist.
 */
export const vmap = declareFunction(
  `func.vmap(${ARGUMENTS})`,
  <A extends readonly unknown[], R, const I extends Dims = 0, const O extends Dims = 0>(
    fn: (...args: A) => R,
    inDims?: I,
    outDims?: O,
    { randomness = "error" }: VmapOptions = {},
  ): ((...args: BatchedArguments<A, I>) => Batched<R, O>) => {
    checkFunction("func.vmap", fn);
    if (!modes.includes(randomness))
      throw new TypeError(
        `func.vmap: Only allowed values for randomness are ${modes.map((mode) => `"${mode}"`).join(", ")}. Got ${showArgument(randomness)}`,
      );
    return handedOut(
      "func.vmap",
      (...args) =>
        mapped(
          fn as AnyFunction,
          args,
          inDims === undefined ? 0 : inDims,
          outDims === undefined ? 0 : outDims,
          randomness,
        ) as never,
    );
  },
);

const modes: readonly Randomness[] = ["error", "different", "same"];

/** A tensor with a batch axis at `place`, and what `fn` is given for it. */
interface MappedLeaf {
  readonly leaf: AnyTensor;
  readonly place: number;
  readonly standIn: Value;
  readonly given: Tensor;
  /** That of the leaf's cell before `fn` is called. */
  readonly version: number;
}

function mapped(
  fn: AnyFunction,
  args: readonly unknown[],
  inDims: Dims,
  outDims: Dims,
  randomness: Randomness,
): unknown {
  const dims: readonly Dims[] = Array.isArray(inDims) ? inDims : args.map(() => inDims);
  if (dims.length < args.length) throw new TypeError(`func.vmap: inDims says nothing of ${dims.length}`);
  // Arguments without a batch axis may be anything.
  const places = [...args.keys()].filter((k) => dims[k] !== null);
  const leaves = places.flatMap((k) => leavesOf("func.vmap", `argument[${k}]`, args[k]));
  const axes = places.flatMap((k) => axesFor("inDims", dims[k] as Dims, args[k]));
  let size: number | null = null;
  const mappedLeaves: MappedLeaf[] = [];
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
    // A stand-in needs a gradient if its batch does.
    if (value.step !== null) standIn.setStep(new Step(standIn.node, [], null, null));
    const given = new Tensor(standIn);
    mappedLeaves.push({ leaf, place, standIn, given, version: aliasOf(leaf).cell.version });
    return given;
  });
  if (size === null)
    throw new TypeError(
      "func.vmap: no argument has a batch axis (inDims names none, or there are no tensors)",
    );
  const count: number = size;
  const mapping = mappingOf(
    randomness,
    count,
    mappedLeaves.map(({ standIn }) => standIn),
    mappedLeaves.map(({ leaf, place }) => moved(unwrap(leaf), place, 0)),
  );
  const standIns = withLeaves<unknown[]>(
    places.map((k) => args[k]),
    given,
  );
  const all = [...args];
  places.forEach((place, k) => {
    all[place] = standIns[k];
  });
  const output = withMapping(mapping, () => withStandIns(() => callGiven(fn as AnyFunction<unknown[]>, all)));
  const roots = leavesOf("func.vmap", "what fn gives", output).map(unwrap);
  // As in PyTorch, one result may be given for a list of one.
  const isOne = output instanceof Tensor && Array.isArray(outDims) && outDims.length === 1;
  const outs = axesFor("outDims", isOne ? outDims[0] : outDims, output);
  const written = mappedLeaves.filter(({ given }) => isWritten(given));
  const wholes = batch([...roots, ...written.map(({ given }) => aliasOf(given).cell.value)], mapping);
  const made = roots.map((root, k) => {
    const axis = outs[k] ?? null;
    if (axis === null && isMadeOf(root, mapping.standIns))
      throw new TypeError(
        "func.vmap: outDims must say an axis for every result that differs between examples, but is null for one",
      );
    if (axis === null) return wrap(root);
    const value = wholes[k] as Value;
    return new Tensor(moved(value, 0, wrapped("outDims", axis, value.node.shape.length)));
  });
  refuseLostWrites(written);
  // A write to an example is one to the batch.
  written.forEach(({ leaf, place }, k) => {
    copyInto("func.vmap", leaf, moved(wholes[roots.length + k] as Value, 0, place));
  });
  return withLeaves(output, made);
}

/** @throws GradientError if one write would be lost in another. Nothing is written then. */
function refuseLostWrites(written: readonly MappedLeaf[]): void {
  const cells = written.map(({ leaf }) => aliasOf(leaf).cell);
  if (new Set(cells).size < cells.length || written.some(({ version }, k) => cells[k]?.version !== version))
    throw new GradientError(
      "func.vmap: elements of one tensor are written through two arguments, or through an argument and from outside (write to one of them, or clone() the other)",
    );
}

function wrapped(name: string, axis: number, rank: number): number {
  if (Number.isInteger(axis) && axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
  throw new RangeError(
    `func.vmap: Got ${name}=${axis} for a tensor of dimensionality ${rank}, expected an axis in [${-rank}, ${rank})`,
  );
}

/** The axis for each tensor of a tree, from a tree of axes that may be less deep. */
function axesFor(name: string, dims: Dims, tree: unknown): (number | null)[] {
  if (dims === null || typeof dims === "number") return leavesOf("func.vmap", name, tree).map(() => dims);
  if (tree instanceof Tensor || typeof tree !== "object" || tree === null)
    throw new TypeError(
      `func.vmap: ${name} is not of the same form as what it is for${namedArgument(signatureOf("func.vmap", ARGUMENTS), [null, dims])}`,
    );
  return Object.entries(tree).flatMap(([key, inner]) => {
    const own = (dims as Readonly<Record<string, Dims>>)[key];
    if (own === undefined) throw new TypeError(`func.vmap: ${name} says nothing of ${key}`);
    return axesFor(name, own, inner);
  });
}
