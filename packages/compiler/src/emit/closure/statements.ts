/** Statements without loops. Each becomes a function that processes all elements of a run. */
import {
  type BufferParameter,
  combinerOps,
  type DType,
  type Expression,
  type IndexStatement,
  type Integer,
  type StoreStatement,
  type TypedArray,
} from "@fuseau/ir";
import { intrinsics } from "../intrinsics/index.ts";
import {
  type Column,
  closureLoad,
  closureStore,
  loadEven,
  loadsOf,
  type Numbers,
  part,
  storeEven,
  storesOf,
  type Words,
} from "./columns.ts";
import type { Run } from "./frame.ts";
import { guardOf } from "./guards.ts";
import { columnOfPlaces, type Places, placesOf } from "./integers.ts";
import { closurePointwise, pointwiseLoop, type Scalar } from "./pointwise.ts";
import { readResult } from "./reduction.ts";
import type { Walk } from "./walk.ts";

export function runInteger(walk: Walk, local: number, value: Integer): Run {
  const places = placesOf(value, walk);
  if (places.kind === "each") {
    let column = new Int32Array(0);
    walk.locals.set(local, { kind: "each", read: () => column });
    return (frame) => {
      column = places.read(frame) as Int32Array<ArrayBuffer>;
    };
  }
  const { base, step } = places;
  if (step === null)
    return (frame) => {
      frame.integers[local] = base(frame);
    };
  walk.locals.set(local, {
    kind: "even",
    base: (frame) => frame.integers[local] as number,
    step: (frame) => frame.steps[local] as number,
  });
  return (frame) => {
    frame.integers[local] = base(frame);
    frame.steps[local] = step(frame);
  };
}

/** An index read from data: a column with an integer for each element. */
export function runIndex(walk: Walk, statement: IndexStatement): Run {
  const { local, axis, dtype } = statement;
  const value = walk.column(statement.value);
  const size = walk.same(statement.size);
  const place = columnOfPlaces(placesOf(statement.place, walk), walk.columns);
  const out = walk.columns.places();
  if (walk.loop !== null) walk.locals.set(local, { kind: "each", read: () => out });
  const lookUp =
    dtype === "int64" ? lookUpWords(intrinsics.wordsOf(value as Words)) : lookUpNumbers(value as Numbers);
  return (frame) => {
    const bound = size(frame);
    const wrong = lookUp(out, bound, frame.n);
    if (wrong >= 0)
      intrinsics.outOfBounds(value[wrong] as Scalar, bound, axis, place(frame)[wrong] as number);
    if (walk.loop === null) frame.integers[local] = out[0] as number;
  };
}

/** Checks indexes against `bound`; gives the first element whose index is out of range, or −1. */
type LookUp = (out: Int32Array, bound: number, n: number) => number;

function lookUpNumbers(value: Numbers): LookUp {
  return (out, bound, n) => {
    for (let i = 0; i < n; i++) {
      const index = value[i]!;
      if (!(index >= 0 && index < bound)) return i;
      out[i] = index;
    }
    return -1;
  };
}

/** An int64 index is valid only if its high word is 0. Then its low word is the index. */
function lookUpWords(halves: Int32Array): LookUp {
  return (out, bound, n) => {
    for (let i = 0; i < n; i++) {
      const index = halves[2 * i]!;
      if (halves[2 * i + 1] !== 0 || index < 0 || index >= bound) return i;
      out[i] = index;
    }
    return -1;
  };
}

export function runStore(walk: Walk, { buffer, at, value, combine }: StoreStatement): Run {
  const { dtype } = walk.kernel.buffers[buffer] as BufferParameter;
  const column = walk.column(value);
  const places = placesOf(at, walk);
  if (combine !== "set") {
    const target = columnOfPlaces(places, walk.columns);
    const join = combineOf(combine, dtype);
    return (frame) => join(frame.buffers[buffer] as TypedArray, target(frame), column, frame.n);
  }
  if (places.kind === "each") {
    const { each } = storesOf(dtype);
    return (frame) => each(column, frame.buffers[buffer] as TypedArray, places.read(frame), 0, frame.n);
  }
  const { base, step } = places;
  return (frame) =>
    storeEven(
      dtype,
      column,
      frame.buffers[buffer] as TypedArray,
      base(frame),
      step === null ? 0 : step(frame),
      frame.n,
    );
}

/** Combines elements with those stored at their places, in order, since several elements may have the same place. */
type Combine = (buffer: TypedArray, at: Int32Array, value: Column, n: number) => void;

function combineOf(combine: Exclude<StoreStatement["combine"], "set">, dtype: DType): Combine {
  // The typed arrays of these dtypes round and wrap what is stored.
  const plain = dtype !== "bool" && dtype !== "int64" && dtype !== "float16";
  if (plain && combine !== "prod") return combineNumbers[combine] as Combine;
  const join = closurePointwise[combinerOps[combine]](dtype, dtype);
  const [load, store] = [closureLoad(dtype), closureStore(dtype)];
  return (buffer, at, value, n) => {
    for (let i = 0; i < n; i++) {
      const place = at[i] as number;
      store(buffer, place, join(load(buffer, place), value[i] as Scalar));
    }
  };
}

type CombineNumbers = (b: Numbers, at: Int32Array, v: Numbers, n: number) => void;
// biome-ignore format: a loop on each line
const combineNumbers: { readonly [C in "sum" | "max" | "min"]: CombineNumbers } = {
  sum: (b, at, v, n) => { for (let i = 0; i < n; i++) b[at[i]!] = b[at[i]!]! + v[i]!; },
  max: (b, at, v, n) => { for (let i = 0; i < n; i++) b[at[i]!] = Math.max(b[at[i]!]!, v[i]!); },
  min: (b, at, v, n) => { for (let i = 0; i < n; i++) b[at[i]!] = Math.min(b[at[i]!]!, v[i]!); },
};

export function runLet(walk: Walk, local: number, dtype: DType, expression: Expression): Run {
  switch (expression.kind) {
    case "pointwise": {
      const loop = walk.bits.loopOf(expression.fn, expression.from, dtype);
      const [a, b, c] = expression.args.map((arg) => walk.column(arg)) as [Column, Column?, Column?];
      const out = walk.define(local, dtype);
      return (frame) => loop(out, a, b ?? a, c ?? a, frame.n);
    }
    case "load":
      return runLoad(walk, local, dtype, expression);
    case "select":
      return runSelect(walk, local, dtype, expression);
    case "index": {
      const places = columnOfPlaces(placesOf(expression.at, walk), walk.columns);
      const whole = walk.columns.values("int32") as Numbers;
      const cast = pointwiseLoop("cast", "int32", dtype);
      const out = walk.define(local, dtype);
      return (frame) => {
        const at = places(frame);
        for (let i = 0; i < frame.n; i++) whole[i] = at[i]!;
        cast(out, whole, whole, whole, frame.n);
      };
    }
    case "result":
      return readResult(walk, expression.accumulator, expression.cell, walk.define(local, dtype));
    default:
      return expression satisfies never;
  }
}

function runLoad(walk: Walk, local: number, dtype: DType, load: Expression & { kind: "load" }): Run {
  const { buffer } = load;
  const stored = (walk.kernel.buffers[buffer] as BufferParameter).dtype;
  const places = placesOf(load.at, walk);
  const out = walk.define(local, dtype);
  if (load.tests.length === 0)
    return (frame) => read(stored, out, frame.buffers[buffer] as TypedArray, places, frame, 0, frame.n);
  const guard = guardOf(load.tests, walk);
  const zeros = out as Numbers;
  const zero = (dtype === "int64" ? 0n : 0) as number;
  if (guard.kind === "stretch")
    return (frame) => {
      const { from, to } = guard.find(frame);
      if (from > 0) zeros.fill(zero, 0, from);
      if (to < frame.n) zeros.fill(zero, to, frame.n);
      if (to > from) read(stored, out, frame.buffers[buffer] as TypedArray, places, frame, from, to);
    };
  const at = columnOfPlaces(places, walk.columns);
  const safe = walk.columns.places();
  const { each } = loadsOf(stored);
  return (frame) => {
    const { n } = frame;
    const array = frame.buffers[buffer] as TypedArray;
    const [mask, wanted] = [guard.find(frame), at(frame)];
    if (array.length === 0) {
      zeros.fill(zero, 0, n);
      return;
    }
    for (let i = 0; i < n; i++) safe[i] = mask[i]! !== 0 ? wanted[i]! : 0;
    each(out, array, safe, 0, n);
    for (let i = 0; i < n; i++) if (mask[i] === 0) out[i] = zero;
  };
}

/** Loads the elements from `from` to before `to` of a run. */
function read(
  dtype: DType,
  out: Column,
  array: TypedArray,
  places: Places,
  frame: Parameters<Run>[0],
  from: number,
  to: number,
): void {
  if (places.kind === "each") loadsOf(dtype).each(out, array, places.read(frame), from, to);
  else if (places.step !== null)
    loadEven(dtype, out, array, places.base(frame), places.step(frame), from, to);
  else {
    loadEven(dtype, out, array, places.base(frame), 0, from, from + 1);
    (out as Numbers).fill(out[from] as number, from, to);
  }
}

function runSelect(walk: Walk, local: number, dtype: DType, select: Expression & { kind: "select" }): Run {
  const otherwise = walk.column(select.otherwise);
  // The first case that holds wins, so it is written last.
  const cases = select.cases.map(({ tests, value }) => ({
    guard: guardOf(tests, walk),
    value: walk.column(value),
  }));
  cases.reverse();
  const out = walk.define(local, dtype) as Numbers;
  return (frame) => {
    const { n } = frame;
    out.set(part(otherwise as Numbers, 0, n));
    for (const { guard, value } of cases) {
      if (guard.kind === "stretch") {
        const { from, to } = guard.find(frame);
        if (to > from) out.set(part(value as Numbers, from, to), from);
      } else pick(out, value, guard.find(frame), n);
    }
  };
}

function pick(out: Column, value: Column, mask: Int32Array, n: number): void {
  for (let i = 0; i < n; i++) if (mask[i] !== 0) out[i] = value[i] as number;
}
