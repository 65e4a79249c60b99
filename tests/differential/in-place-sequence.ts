/**
 * Random sequences of views, reads and writes, run on tensors and on the model side by side. An instruction is four numbers,
 * made valid for what stands before it, so that shrinking works.
 */

import fc from "fast-check";
import { type AnyTensor, compute, fromTypedArray, tensor, ViewError } from "fuseau";
import {
  broadcast,
  count,
  fresh,
  type ModelDType,
  overlapsPartly,
  places,
  read,
  reshaped,
  rounded,
  sharesCells,
  type Window,
  write,
} from "./in-place-model.ts";

export interface Instruction {
  readonly kind: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

const number = fc.nat({ max: 999 });
/** Without a bias toward small numbers, which would be a bias toward the first of every list. */
export const sequences: fc.Arbitrary<Instruction[]> = fc.noBias(
  fc.array(fc.record({ kind: fc.nat({ max: 99 }), a: number, b: number, c: number }), {
    minLength: 1,
    maxLength: 22,
    size: "max",
  }),
);

/** A tensor and what the model says it is. */
interface Pair {
  readonly tensor: AnyTensor;
  window: Window;
}

interface State {
  readonly pairs: Pair[];
  readonly lent: { readonly array: Float32Array; readonly before: Float32Array }[];
  /** What was done, to be shown when it goes wrong. */
  readonly story: string[];
}

const shapes: readonly (readonly number[])[] = [
  [4, 3],
  [6],
  [2, 3, 2],
  [3, 3],
  [1, 4],
  [2, 2, 2],
  [3, 4],
  [8],
  [4, 1],
  [2, 6],
  [2, 1, 3],
  [],
  [0, 2],
];
const dtypes: readonly ModelDType[] = ["float32", "int32", "float32", "uint8", "bool"];

export class Mismatch extends Error {}

/** @throws Mismatch with the story so far. */
export function runSequence(instructions: readonly Instruction[]): void {
  const state: State = { pairs: [], lent: [], story: [] };
  try {
    const { a, b, c } = instructions[0] as Instruction;
    create(state, a, b, c);
    for (const { kind, a, b, c } of instructions) step(state, kind, a, b, c);
    // Three of four compute all that is left as one program; the others, a program for each.
    const together = instructions.length % 4 !== 0;
    state.story.push(`reads everything, ${together ? "computed together" : "one after another"}`);
    if (together) compute(...state.pairs.map(({ tensor }) => tensor));
    for (const pair of state.pairs) check(state, pair);
    for (const { array, before } of state.lent)
      if (array.some((value, k) => !Object.is(value, before[k])))
        throw new Mismatch("a lent array was written to");
  } catch (error) {
    throw new Mismatch(`${state.story.join("\n")}\n${error instanceof Error ? error.stack : String(error)}`);
  }
}

function step(state: State, kind: number, a: number, b: number, c: number): void {
  if (kind < 5) create(state, a, b, c);
  else if (kind < 40) view(state, a, b, c);
  else if (kind < 55) record(state, a, b, c);
  else if (kind < 88) change(state, a, b, c);
  else if (kind < 96) partlyCompute(state, a, b, c);
  else check(state, pick(state, a));
}

const pick = ({ pairs }: State, k: number): Pair => pairs[k % pairs.length] as Pair;

const nameOf = (state: State, pair: Pair): string => `t${state.pairs.indexOf(pair)}`;

function add(state: State, story: string, made: AnyTensor, window: Window): void {
  state.story.push(`t${state.pairs.length} = ${story}   # shape [${window.shape.join(", ")}]`);
  state.pairs.push({ tensor: made, window });
  if (made.shape.join() !== window.shape.join()) throw new Mismatch(`shape is [${made.shape.join(", ")}]`);
}

function create(state: State, a: number, b: number, c: number): void {
  if (state.pairs.length > 24) return;
  const shape = shapes[a % shapes.length] as readonly number[];
  const dtype = dtypes[b % dtypes.length] as ModelDType;
  const cells = Array.from({ length: count(shape) }, (_, k) =>
    rounded(dtype, dtype === "float32" ? ((k * 7 + c) % 11) - 5.5 : ((k * 7 + c) % 11) - 5),
  );
  const window = fresh(dtype, shape, cells);
  if (dtype === "float32" && c % 3 === 0) {
    const array = Float32Array.from(cells);
    state.lent.push({ array, before: array.slice() });
    add(state, `lent ${dtype}`, fromTypedArray(array, { shape }), window);
  } else add(state, dtype, tensor(cells, { shape, dtype }), window);
}

/** Strides of axes of size 1 are the library's own business. */
function adopt(made: AnyTensor, window: Window): Window {
  const own = made.stride();
  const strides = window.strides.map((stride, axis) =>
    (window.shape[axis] as number) <= 1 || count(window.shape) === 0 ? (own[axis] as number) : stride,
  );
  if (strides.join() !== own.join())
    throw new Mismatch(`strides are [${own.join(", ")}], not [${strides.join(", ")}]`);
  return { ...window, strides };
}

function view(state: State, a: number, b: number, c: number): void {
  if (state.pairs.length > 24) return;
  const pair = pick(state, a);
  const { tensor: x, window } = pair;
  const { shape, strides, offset, memory } = window;
  const rank = shape.length;
  const axis = rank === 0 ? 0 : b % rank;
  const size = shape[axis] ?? 1;
  const stride = strides[axis] ?? 1;
  const replaced = (list: readonly number[], value: number): number[] =>
    list.map((own, k) => (k === axis ? value : own));
  const without = (list: readonly number[]): number[] => list.filter((_, k) => k !== axis);
  const keep = (story: string, made: AnyTensor, next: Omit<Window, "memory">): void => {
    add(state, `${nameOf(state, pair)}.${story}`, made, adopt(made, { memory, ...next }));
    if (!made.sharesStorage(x)) throw new Mismatch(`${story} is not a view`);
  };
  switch (c % 13) {
    case 0:
    case 1: {
      if (rank === 0) return;
      const start = (c >> 4) % (size + 1);
      const step = 1 + ((c >> 6) % 3);
      const length = Math.ceil(Math.max(0, size - start) / step);
      const ranges = shape.map((_, k) => (k === axis ? ([start, null, step] as const) : (":" as const)));
      keep(`slice ${JSON.stringify(ranges)}`, x.slice(...ranges), {
        shape: replaced(shape, length),
        strides: replaced(strides, stride * step),
        offset: offset + start * stride,
      });
      return;
    }
    case 2: {
      if (rank === 0 || size === 0) return;
      const place = (c >> 4) % size;
      keep(`select(${axis}, ${place})`, x.select(axis, place), {
        shape: without(shape),
        strides: without(strides),
        offset: offset + place * stride,
      });
      return;
    }
    case 3: {
      if (rank < 2) return;
      const other = (axis + 1 + ((c >> 4) % (rank - 1))) % rank;
      const swap = (list: readonly number[]): number[] =>
        list.map((own, k) => (list[k === axis ? other : k === other ? axis : k] ?? own) as number);
      keep(`transpose(${axis}, ${other})`, x.transpose(axis, other), {
        shape: swap(shape),
        strides: swap(strides),
        offset,
      });
      return;
    }
    case 4: {
      const order = shape.map((_, k) => (k + axis) % rank);
      keep(`permute([${order}])`, x.permute(order), {
        shape: order.map((k) => shape[k] as number),
        strides: order.map((k) => strides[k] as number),
        offset,
      });
      return;
    }
    case 5: {
      if (rank < 2) return;
      const other = (axis + 1) % rank;
      const along = ((c >> 4) % 5) - 2;
      const [rows, columns] = [size, shape[other] as number];
      const length = Math.max(0, Math.min(rows + Math.min(0, along), columns - Math.max(0, along)));
      const rest = (list: readonly number[]): number[] => list.filter((_, k) => k !== axis && k !== other);
      const begin = along >= 0 ? along * (strides[other] as number) : -along * stride;
      keep(`diagonal(${along}, ${axis}, ${other})`, x.diagonal(along, axis, other), {
        shape: [...rest(shape), length],
        strides: [...rest(strides), stride + (strides[other] as number)],
        offset: length === 0 ? x.diagonal(along, axis, other).storageOffset() : offset + begin,
      });
      return;
    }
    case 6: {
      const front = (c >> 4) % 3;
      const widened = shape.map((own) => (own === 1 && (c >> 6) % 2 === 0 ? 3 : own));
      const to = front === 0 ? widened : [front + 1, ...widened];
      if (count(to) > 60 || to.length > 5) return;
      const walked = widened.map((own, k) => (own === shape[k] ? (strides[k] as number) : 0));
      keep(`expand([${to}])`, x.expand(to), {
        shape: to,
        strides: front === 0 ? walked : [0, ...walked],
        offset,
      });
      return;
    }
    case 7: {
      if (rank === 0 || size === 0 || rank > 4) return;
      const length = 1 + ((c >> 4) % size);
      const step = 1 + ((c >> 6) % 2);
      const made = x.unfold(axis, length, step);
      const count = Math.floor((size - length) / step) + 1;
      keep(`unfold(${axis}, ${length}, ${step})`, made, {
        shape: [...replaced(shape, count), length],
        strides: [...replaced(strides, stride * step), stride],
        offset,
      });
      return;
    }
    case 8: {
      const cells = memory.cells.length;
      if (cells < 2) return;
      const begin = (c >> 4) % cells;
      const rows = 1 + ((c >> 5) % 3);
      const [down, right] = [b % 4, 1 + (b % 2)];
      const columns = Math.min(3, 1 + Math.floor((cells - 1 - begin - (rows - 1) * down) / right));
      if (columns < 1) return;
      keep(
        `asStrided([${rows}, ${columns}], [${down}, ${right}], ${begin})`,
        x.asStrided([rows, columns], [down, right], begin),
        { shape: [rows, columns], strides: [down, right], offset: begin },
      );
      return;
    }
    case 9: {
      const total = count(shape);
      const options = [[total], [2, total / 2], [total / 3, 3], [total, 1], [2, 2, total / 4]];
      const to = options[(c >> 4) % options.length] as number[];
      if (!to.every(Number.isInteger)) return;
      const found = reshaped(window, to);
      if (found !== null) keep(`reshape([${to}])`, x.reshape(to), found);
      else {
        let refused = false;
        try {
          x.view(to);
        } catch (error) {
          refused = error instanceof ViewError;
        }
        if (!refused) throw new Mismatch(`view([${to}]) of strides [${strides.join(", ")}] was not refused`);
        add(
          state,
          `${nameOf(state, pair)}.reshape([${to}]), a copy`,
          x.reshape(to),
          fresh(memory.dtype, to, read(window)),
        );
      }
      return;
    }
    case 10: {
      if (rank > 4) return;
      const at = b % (rank + 1);
      const insert = (list: readonly number[], value: number): number[] => [
        ...list.slice(0, at),
        value,
        ...list.slice(at),
      ];
      keep(`unsqueeze(${at})`, x.unsqueeze(at), {
        shape: insert(shape, 1),
        strides: insert(strides, 1),
        offset,
      });
      return;
    }
    case 11: {
      const kept = shape.map((own) => own !== 1);
      keep("squeeze()", x.squeeze(), {
        shape: shape.filter((_, k) => kept[k]),
        strides: strides.filter((_, k) => kept[k]),
        offset,
      });
      return;
    }
    default:
      keep("detach()", x.detach(), { shape, strides, offset });
  }
}

/** A tensor whose elements can stand beside those of `shape`. */
function partner(state: State, k: number, dtype: ModelDType, shape: readonly number[]): Pair | null {
  const { pairs } = state;
  for (let tries = 0; tries < pairs.length; tries++) {
    const pair = pairs[(k + tries) % pairs.length] as Pair;
    if (pair.window.memory.dtype === dtype && broadcast(pair.window, shape) !== null) return pair;
  }
  return null;
}

/** What the ops give of two elements; the result is rounded when it is written. */
const pairwise = {
  add: (a: number, b: number, dtype: ModelDType) => (dtype === "bool" ? a | b : a + b),
  mul: (a: number, b: number, dtype: ModelDType) => (dtype === "float32" ? a * b : Math.imul(a, b)),
  maximum: (a: number, b: number) => Math.max(a, b),
  lt: (a: number, b: number) => Number(a < b),
} as const;
const pairNames = ["add", "mul", "maximum", "lt"] as const;

/** An expression that is recorded now, and computed later, if at all. */
function record(state: State, a: number, b: number, c: number): void {
  if (state.pairs.length > 24) return;
  const pair = pick(state, a);
  const { tensor: x, window } = pair;
  const { shape, memory } = window;
  const { dtype } = memory;
  const own = read(window);
  const name = nameOf(state, pair);
  const put = (story: string, made: AnyTensor, to: ModelDType, values: readonly number[]): void =>
    add(
      state,
      story,
      made,
      fresh(
        to,
        made.shape,
        values.map((value) => rounded(to, value)),
      ),
    );
  switch (c % 5) {
    case 0:
      put(`${name}.clone()`, x.clone(), dtype, own);
      return;
    case 1:
      if (shape.length === 0 || shape.includes(0)) return;
      put(
        `${name}.flip([0])`,
        x.flip([0]),
        dtype,
        places(fresh(dtype, shape, own)).map((_, k) => {
          const row = own.length / (shape[0] as number);
          return own[own.length - row - k + 2 * (k % row)] as number;
        }),
      );
      return;
    case 2:
      put(
        `${name}.add(1)`,
        x.add(dtype === "bool" ? true : 1),
        dtype,
        own.map((value) => (dtype === "bool" ? 1 : value + 1)),
      );
      return;
    default: {
      const other = partner(state, b, dtype, shape);
      if (other === null) return;
      const op = pairNames[c % 3] as "add" | "mul" | "maximum";
      const beside = broadcast(other.window, shape) as number[];
      put(
        `${name}.${op}(${nameOf(state, other)})`,
        x[op](other.tensor),
        dtype,
        own.map((value, k) => pairwise[op](value, beside[k] as number, dtype)),
      );
    }
  }
}

/** A write in place, which the model carries out at once. */
function change(state: State, a: number, b: number, c: number): void {
  const pair = pick(state, a);
  const { tensor: x, window } = pair;
  const { dtype } = window.memory;
  const own = read(window);
  const name = nameOf(state, pair);
  const attempt = (
    story: string,
    run: () => AnyTensor,
    values: readonly number[],
    isRefused = sharesCells(window),
  ): void => {
    state.story.push(`${name}.${story}${isRefused ? "   # is refused" : ""}`);
    let refused = false;
    try {
      if (run() !== x) throw new Mismatch(`${story} did not return its target`);
    } catch (error) {
      if (!(error instanceof ViewError)) throw error;
      refused = true;
    }
    if (refused !== isRefused) throw new Mismatch(`${story} was ${refused ? "" : "not "}refused`);
    if (!refused) write(window, values);
  };
  const amount = dtype === "bool" ? 1 : (c >> 4) % 7;
  const scalar = dtype === "bool" ? true : amount;
  switch (c % 9) {
    case 0:
      attempt(
        `add_(${scalar})`,
        () => x.add_(scalar),
        own.map((value) => value + amount),
      );
      return;
    case 1:
      attempt(
        `fill_(${scalar})`,
        () => x.fill_(scalar),
        own.map(() => amount),
        false,
      );
      return;
    case 2:
      attempt(
        `mul_(${scalar})`,
        () => x.mul_(scalar),
        own.map((value) => pairwise.mul(value, amount, dtype)),
      );
      return;
    case 3: {
      const other = pick(state, b);
      const values = broadcast(other.window, window.shape);
      if (values === null) return;
      const refused = sharesCells(window) || overlapsPartly(window, other.window);
      const held = values.map((value) =>
        dtype === "float32" || dtype === "bool" ? value : Math.trunc(value),
      );
      attempt(`copy_(${nameOf(state, other)})`, () => x.copy_(other.tensor), held, refused);
      return;
    }
    case 4:
      if (dtype === "bool") return;
      attempt(
        "clamp_(-2, 3)",
        () => x.clamp_(dtype === "uint8" ? 1 : -2, 3),
        own.map((value) => Math.min(3, Math.max(dtype === "uint8" ? 1 : -2, value))),
      );
      return;
    default: {
      const other = partner(state, b, dtype, window.shape);
      if (other === null) return;
      const values = broadcast(other.window, window.shape) as number[];
      const op = pairNames[(c >> 4) % 4] as (typeof pairNames)[number];
      const result = own.map((value, k) => pairwise[op](value, values[k] as number, dtype));
      // Through an expression any overlap is allowed: it stands for elements of its own.
      const isExpression = c % 2 === 0;
      const beside = isExpression ? other.tensor.clone() : other.tensor;
      attempt(
        `${op}_(${nameOf(state, other)}${isExpression ? ".clone()" : ""})`,
        () => x[`${op}_`](beside),
        result,
        sharesCells(window) || (!isExpression && overlapsPartly(window, other.window)),
      );
    }
  }
}

function partlyCompute(state: State, a: number, b: number, c: number): void {
  const [first, second, third] = [pick(state, a), pick(state, b), pick(state, c)];
  state.story.push(`compute(${[first, second, third].map((pair) => nameOf(state, pair)).join(", ")})`);
  if (c % 2 === 0) first.tensor.compute();
  else compute(first.tensor, second.tensor, third.tensor);
}

function check(state: State, pair: Pair): void {
  const expected = read(pair.window);
  const actual = [...pair.tensor.toTypedArray()].map(Number);
  const wrong = expected.findIndex((value, k) => !Object.is(value, actual[k]));
  if (wrong >= 0 || actual.length !== expected.length)
    throw new Mismatch(`${nameOf(state, pair)} is [${actual.map(show)}], not [${expected.map(show)}]`);
}

const show = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));
