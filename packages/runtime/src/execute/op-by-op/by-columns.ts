/**
 * Computes an op by itself, from strided views of what it reads, by loops over columns: nothing is compiled, whatever the sizes. Ops that move,
 * map and fold elements are run so when a recording runs op by op, until as many elements have been computed as a kernel for them pays for.
 */
import {
  type Bits,
  type Elements,
  foldStrided,
  MOST_FOLDED,
  type Operand,
  runStrided,
} from "@fuseau/compiler";
import {
  type DType,
  elementCount,
  hasLanes,
  isFloat,
  mix,
  type Node,
  type PointwiseOp,
  pointwiseOps,
  type StridedView,
  sameNumbers,
  type TypedArray,
} from "@fuseau/ir";
import { backendFor } from "../../backends/choose.ts";
import { LruCache } from "../../cache/lru.ts";
import { takeArray } from "../../pool.ts";
import { numberOf } from "../../record.ts";
import { Storage } from "../../storage.ts";
import type { Value } from "../../value.ts";
import { isWhole, moveWindow, wholeWindow } from "../../window/window.ts";
import { hashOfValue } from "../extract/structure.ts";
import { isMovement } from "../places/writes.ts";

/** Elements for which a kernel is not worth looking up. */
const FEW = 1_024;
/** With so many elements computed of ops of one structure, kernels are made for them. */
const MANY = 2 ** 22;

const computed = new LruCache<number, { elements: number }>();
computed.setLimits(4_096, 2 ** 20);
const BYTES = 64;

export const clearByColumns = (): void => computed.clear();

/**
 * The elements of an op; null if it has to be compiled. What it reads is stored, beneath movements, or one of those `within`: pointwise ops of
 * its shape that it alone reads, which are computed with it. `by` are the present loops.
 */
export function byColumns(value: Value, within: ReadonlySet<Value>, by: Loops): Storage | null {
  const { node } = value;
  const count = elementCount(node.shape);
  if (isMovement(node)) return shown(value, count);
  const run = runs[node.op];
  if (run === undefined || !mayRunByColumns(node)) return null;
  const work = workOf(node);
  if (work > FEW && isWorthKernel(value, work)) return null;
  const operands = operandsOf(value, within, by);
  if (operands === null) return null;
  const array = takeArray(node.dtype, count);
  run(node as never, whole(node, array), operands, by);
  return new Storage(node.dtype, array);
}

/** What movements show: the very elements if it is all of them in order, else a copy. */
function shown(value: Value, count: number): Storage | null {
  let base = value;
  while (base.storage === null && isMovement(base.node)) base = base.inputs[0] as Value;
  const from = elementsOf(value);
  if (from === null) return null;
  if (base.storage !== null && isWhole(from.view, elementCount(base.node.shape))) return base.storage.share();
  const { node } = value;
  const array = takeArray(node.dtype, count);
  copy(whole(node, array), wholeWindow(node.shape), from);
  return new Storage(node.dtype, array);
}

function isWorthKernel(value: Value, count: number): boolean {
  let hash = hashOfValue(value);
  for (const { node } of value.inputs) hash = mix(hash, node.shape.length);
  const known = computed.find(hash);
  if (known === undefined) computed.add(hash, { elements: count }, BYTES);
  else known.elements += count;
  return (known?.elements ?? count) > MANY;
}

/** False of divisions of integers, which may fail, and kernels say where, and of folds of more than a block. */
export function mayRunByColumns({ op, attributes, inputs }: Node): boolean {
  const [first] = inputs;
  if (op === "pointwise") return !pointwiseOps[attributes.fn].mayFail || isFloat((first as Node).dtype);
  if (op !== "reduce") return true;
  return (
    attributes.axes.reduce((count, axis) => count * ((first as Node).shape[axis] as number), 1) <= MOST_FOLDED
  );
}

/** What an op computes, or reads where that is more. */
export const workOf = ({ op, shape, inputs }: Node): number =>
  elementCount(op === "reduce" ? (inputs[0] as Node).shape : shape);

type Run<Op extends Node["op"]> = (
  node: Extract<Node, { op: Op }>,
  out: Elements,
  operands: readonly Operand[],
  by: Loops,
) => void;

/** An operand that is no map, as those of ops other than pointwise ones. */
const stored = (operand: Operand | undefined): Elements =>
  typeof operand === "object" ? (operand as Elements) : ofNumber(operand as number | bigint);

const runs: { readonly [Op in Node["op"]]?: Run<Op> } = {
  pointwise: (node, out, operands, by) => runStrided(mapped(node, operands, by), out),
  concat({ attributes: { axis } }, out, operands) {
    let begin = 0;
    for (const operand of operands.map(stored)) {
      copy(out, part(out.view, operand.view.shape, begin * (out.view.strides[axis] as number)), operand);
      begin += operand.view.shape[axis] as number;
    }
  },
  pad({ attributes: { before } }, out, [inner, around]) {
    const { strides, shape } = out.view;
    const border = stored(around);
    copy(out, out.view, { ...border, view: repeated(border.view, shape) });
    // Where fewer places are in front than none, the operand is cut.
    const operand = stored(inner);
    const { view } = operand;
    const first = before.map((places) => Math.max(0, -places));
    const count = view.shape.map((size, axis) =>
      Math.max(
        0,
        Math.min(
          size - (first[axis] as number),
          (shape[axis] as number) - Math.max(0, before[axis] as number),
        ),
      ),
    );
    const to = before.reduce((sum, places, axis) => sum + Math.max(0, places) * (strides[axis] as number), 0);
    const from = first.reduce((sum, places, axis) => sum + places * (view.strides[axis] as number), 0);
    copy(out, part(out.view, count, to), { ...operand, view: part(view, count, from) });
  },
  reduce({ attributes: { fn, axes }, inputs, dtype }, out, [operand], { bits }) {
    const elements = stored(operand);
    const { shape, strides, offset } = elements.view;
    const along = (own: readonly number[], from: number): StridedView => ({
      shape: own.map((axis) => shape[axis] as number),
      strides: own.map((axis) => strides[axis] as number),
      offset: from,
    });
    const kept = shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
    const isLaned = (fn === "sum" || fn === "prod") && hasLanes(shape, axes);
    foldStrided(
      { fn, from: (inputs[0] as Node).dtype, to: dtype, lanes: isLaned ? 8 : 1 },
      bits,
      out,
      { ...elements, view: along(kept, offset) },
      along(axes, 0),
    );
  },
  update({ attributes: { view } }, out, [all, window]) {
    copy(out, out.view, stored(all));
    copy(out, view, stored(window));
  },
};

/** A pointwise op, with what it reads. */
function mapped(
  { attributes: { fn }, inputs, dtype, shape }: PointwiseNode,
  operands: readonly Operand[],
  by: Loops,
): Operand {
  const from = (inputs.at(-1) as Node).dtype;
  return {
    loop: by.of(fn, from, dtype),
    dtype,
    operands: operands.map((operand) =>
      typeof operand === "object" && "view" in operand
        ? { ...operand, view: repeated(operand.view, shape) }
        : operand,
    ),
  };
}

type PointwiseNode = Extract<Node, { op: "pointwise" }>;

const copy = ({ dtype, array }: Elements, to: StridedView, from: Elements): void =>
  runStrided(from, { dtype, array, view: to });

/** The loops of some bits: a loop is a new function whenever it is asked for. */
export class Loops {
  readonly bits: Bits;
  /** By op and dtypes. */
  readonly #known = new Map<PointwiseOp, Map<DType, Map<DType, Loop>>>();

  constructor(bits: Bits) {
    this.bits = bits;
  }

  of(fn: PointwiseOp, from: DType, to: DType): Loop {
    const byFrom = keptIn(this.#known, fn, () => new Map());
    const byTo = keptIn(byFrom, from, () => new Map());
    return keptIn(byTo, to, () => this.bits.loopOf(fn, from, to));
  }
}

type Loop = ReturnType<Bits["loopOf"]>;

const loops = new WeakMap<Bits, Loops>();

/** The loops whose bits programs have that nobody has asked an emitter for. */
export function presentLoops(): Loops {
  const bits = backendFor(0, undefined).bits();
  return keptIn(loops, bits, () => new Loops(bits));
}

/** What is kept for the key, made where there is nothing. */
function keptIn<Key, Kept>(
  map: { get(key: Key): Kept | undefined; set(key: Key, kept: Kept): unknown },
  key: Key,
  make: () => Kept,
): Kept {
  let kept = map.get(key);
  if (kept === undefined) {
    kept = make();
    map.set(key, kept);
  }
  return kept;
}

const whole = ({ dtype, shape }: Node, array: TypedArray): Elements => ({
  dtype,
  array,
  view: wholeWindow(shape),
});

/** A block of a view, so many places behind its first. */
const part = ({ strides, offset }: StridedView, shape: readonly number[], behind: number): StridedView => ({
  shape,
  strides,
  offset: offset + behind,
});

/** Shapes are aligned from the end. Axes of size 1 and missing ones are repeated. */
function repeated({ shape, strides, offset }: StridedView, to: readonly number[]): StridedView {
  if (sameNumbers(shape, to)) return { shape: to, strides, offset };
  const missing = to.length - shape.length;
  const stride = (axis: number): number =>
    axis < missing || shape[axis - missing] === 1 ? 0 : (strides[axis - missing] as number);
  return { shape: to, strides: to.map((_, axis) => stride(axis)), offset };
}

/** What it reads; null if one of its operands is. */
function operandsOf({ inputs }: Value, within: ReadonlySet<Value>, by: Loops): readonly Operand[] | null {
  const operands: Operand[] = [];
  for (const input of inputs) {
    const operand = operandOf(input, within, by);
    if (operand === null) return null;
    operands.push(operand);
  }
  return operands;
}

/** What is stored, a number, or a pointwise op `within`; null if strides cannot express where it is, or it is not in memory. */
function operandOf(value: Value, within: ReadonlySet<Value>, by: Loops): Operand | null {
  const { node, storage } = value;
  if (storage !== null) return elementsOf(value);
  if (node.op === "constant") return node.attributes.value;
  if (node.op === "scalar") return numberOf(value);
  if (node.op !== "pointwise" || !within.has(value)) return elementsOf(value);
  const operands = operandsOf(value, within, by);
  return operands === null ? null : mapped(node, operands, by);
}

/** What is stored, or a number, seen through movements. */
function elementsOf(value: Value): Elements | null {
  const path: Node[] = [];
  let base = value;
  for (; base.storage === null && isMovement(base.node); base = base.inputs[0] as Value) path.push(base.node);
  const source = storedOf(base);
  let view: StridedView | null = source?.view ?? null;
  for (let node = path.pop(); node !== undefined && view !== null; node = path.pop())
    view = moved(view, node);
  return view === null ? null : { ...(source as Elements), view };
}

/** Where a movement's elements are; unlike views of tensors, they may go backward. */
function moved(view: StridedView, node: Node): StridedView | null {
  if (node.op !== "slice") return moveWindow(view, node);
  const { starts, steps } = node.attributes;
  return {
    shape: node.shape,
    strides: view.strides.map((stride, axis) => stride * (steps[axis] as number)),
    offset: starts.reduce(
      (place, start, axis) => place + start * (view.strides[axis] as number),
      view.offset,
    ),
  };
}

/** What is in memory, or a number. */
function storedOf(value: Value): Elements | null {
  const { node, storage } = value;
  if (storage !== null) {
    const array = storage.peek();
    return array === null ? null : whole(node, array);
  }
  if (node.op === "constant") return ofNumber(node.attributes.value);
  return node.op === "scalar" ? ofNumber(numberOf(value)) : null;
}

/** Columns hold numbers of all dtypes but int64 as float64. */
const ofNumber = (number: number | bigint): Elements => ({
  dtype: typeof number === "bigint" ? "int64" : "float64",
  array: typeof number === "bigint" ? BigInt64Array.of(number) : Float64Array.of(number),
  view: wholeWindow([]),
});
