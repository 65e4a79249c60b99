/** Random graphs: a list of small instructions, each made valid for what stands before it, so that shrinking works. */
import type { Graph, Point } from "@fuseau/compiler";
import {
  build,
  computeDType,
  type DType,
  DTypeError,
  isFloat,
  type Node,
  pointwiseNames,
  pointwiseOps,
  promoteTypes,
} from "@fuseau/ir";
import fc from "fast-check";

export interface Instruction {
  readonly kind: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

export interface Program {
  readonly graph: Graph;
  readonly elements: readonly (readonly (number | bigint)[])[];
  /** Inputs that nobody needs afterwards. */
  readonly donated: readonly number[];
}

const instruction = fc.record({
  kind: fc.nat({ max: 119 }),
  a: fc.nat({ max: 999 }),
  b: fc.nat({ max: 999 }),
  c: fc.nat({ max: 999 }),
});

const shape = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.constantFrom(1, 2, 3, 4, 5, 9), { maxLength: 3 }) },
  { weight: 2, arbitrary: fc.array(fc.constantFrom(1, 2, 3), { minLength: 4, maxLength: 6 }) },
  { weight: 2, arbitrary: fc.constantFrom([17], [33], [2, 40], [40, 3], [5, 17]) },
  { weight: 1, arbitrary: fc.constantFrom([130], [3, 70], [70, 3], [2, 9, 24]) },
  { weight: 1, arbitrary: fc.constantFrom([0], [3, 0], [0, 2], [1, 0, 4]) },
);

export const allDTypes: readonly DType[] = [
  "float32",
  "float64",
  "int32",
  "uint8",
  "bool",
  "int64",
  "float16",
  "int8",
  "int16",
];

export const programs = (dtypes: readonly DType[] = allDTypes): fc.Arbitrary<Program> =>
  fc
    .record({
      inputs: fc.array(fc.record({ shape, dtype: fc.constantFrom(...dtypes), seed: fc.nat({ max: 9999 }) }), {
        minLength: 1,
        maxLength: 3,
      }),
      instructions: fc.array(instruction, { minLength: 1, maxLength: 14 }),
      outputs: fc.array(fc.nat({ max: 999 }), { minLength: 1, maxLength: 3 }),
      donated: fc.subarray([0, 1, 2]),
    })
    .map(({ inputs, instructions, outputs, donated }) => ({
      ...assemble(inputs, instructions, outputs, dtypes),
      donated: donated.filter((input) => input < inputs.length),
    }));

interface Given {
  readonly shape: readonly number[];
  readonly dtype: DType;
  readonly seed: number;
}

/** The same instructions on inputs of other sizes: one size of theirs or some, wherever they stand, are what is given. */
export interface SizedProgram {
  /** Null where that would be too large. */
  readonly graphAt: (point: Point) => Graph | null;
  readonly elementsAt: (point: Point) => readonly (readonly (number | bigint)[])[];
}

export const sizedPrograms = (
  free: number,
  dtypes: readonly DType[] = allDTypes,
): fc.Arbitrary<SizedProgram> =>
  fc
    .record({
      inputs: fc.array(fc.record({ shape, dtype: fc.constantFrom(...dtypes), seed: fc.nat({ max: 9999 }) }), {
        minLength: 1,
        maxLength: 3,
      }),
      instructions: fc.array(instruction, { minLength: 1, maxLength: 10 }),
      outputs: fc.array(fc.nat({ max: 999 }), { minLength: 1, maxLength: 3 }),
      which: fc.nat({ max: 99 }),
    })
    .map(({ inputs, instructions, outputs, which }) => {
      const shapes = inputs.map(({ shape: own }): readonly number[] => own);
      const sizes = [...new Set(shapes.flatMap((own) => own.filter((size) => size > 1)))];
      const changed = Array.from({ length: free }, (_, k) => sizes[(which + k) % Math.max(1, sizes.length)]);
      const givenAt = (point: Point): readonly Given[] =>
        inputs.map(({ dtype, seed }, k) => ({
          dtype,
          seed,
          shape: (shapes[k] as readonly number[]).map((own) => point[changed.indexOf(own)] ?? own),
        }));
      return {
        graphAt: (point) => {
          const given = givenAt(point);
          return given.some(({ shape: own }) => count(own) > SIZED_LIMIT)
            ? null
            : assemble(given, instructions, outputs, dtypes, SIZED_LIMIT).graph;
        },
        elementsAt: (point) =>
          givenAt(point).map(({ shape: own, dtype, seed }) => data(dtype, count(own), seed)),
      };
    });

/** Elements of the largest node, and of that of a graph of several sizes. */
const limit = 1000;
const SIZED_LIMIT = 10_000;

export interface Assembly {
  readonly limit: number;
  readonly nodes: Node[];
  readonly inputs: number[][];
}

function assemble(
  given: readonly Given[],
  instructions: readonly Instruction[],
  outputs: readonly number[],
  dtypes: readonly DType[],
  mostElements: number = limit,
): Omit<Program, "donated"> {
  const assembly: Assembly = { limit: mostElements, nodes: [], inputs: [] };
  for (const { shape, dtype } of given) push(assembly, build.input(dtype, shape), []);
  for (const step of instructions) apply(assembly, step, dtypes);
  const last = assembly.nodes.length - 1;
  const wanted = [...new Set([last, ...outputs.slice(1).map((output) => output % (last + 1))])];
  const elements = given.map(({ shape, dtype, seed }) => data(dtype, count(shape), seed));
  return { graph: { nodes: assembly.nodes, inputs: assembly.inputs, outputs: wanted }, elements };
}

const count = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

export function push({ limit: most, nodes, inputs }: Assembly, node: Node, from: readonly number[]): number {
  if (count(node.shape) > most || node.shape.length > 6) return -1;
  nodes.push(node);
  inputs.push([...from]);
  return nodes.length - 1;
}

export function cast(assembly: Assembly, position: number, dtype: DType): number {
  const node = assembly.nodes[position] as Node;
  return node.dtype === dtype ? position : push(assembly, build.cast(node, dtype), [position]);
}

const special = [0, -0, 1, -1, 0.5, 2, 3, NaN, Infinity, -Infinity, 1e-40, 3e38, -2.5, 127, 255, -128];

export function data(dtype: DType, length: number, seed: number): (number | bigint)[] {
  let state = seed * 2654435761 + 12345;
  const next = (): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length }, () => {
    const value =
      next() < 0.12 ? (special[Math.floor(next() * special.length)] as number) : (next() - 0.5) * 8;
    switch (dtype) {
      case "float64":
        return value;
      case "float32":
        return Math.fround(value);
      case "float16":
        return Math.round(Math.max(-60, Math.min(60, Number.isNaN(value) ? 0 : value)) * 8) / 8 + 0;
      case "bool":
        return next() < 0.5 ? 1 : 0;
      case "uint8":
        return Math.floor(next() * 256);
      case "int8":
        return Math.floor(next() * 256) - 128;
      case "int16":
        return Math.floor(next() * 65536) - 32768;
      case "int32":
        return Math.floor(next() * 2 ** 32) - 2 ** 31;
      case "int64":
        return BigInt.asIntN(
          64,
          BigInt(Math.floor(next() * 2 ** 32)) * BigInt(Math.floor(next() * 2 ** 31)) - 2n ** 61n,
        );
      default:
        return dtype satisfies never;
    }
  });
}

/** Ops that throw for some integers, or whose results are not the same function on every platform's integers. */
const partial = new Set(["floorDivide", "truncDivide", "remainder", "fmod", "pow", "gcd", "lcm"]);

function apply(assembly: Assembly, { kind, a, b, c }: Instruction, dtypes: readonly DType[]): void {
  const { nodes } = assembly;
  const pick = (n: number): number => n % nodes.length;
  const x = pick(a);
  const node = nodes[x] as Node;
  const { shape } = node;
  const rank = shape.length;
  if (kind < 45)
    pointwise(assembly, pointwiseNames[b % pointwiseNames.length] as (typeof pointwiseNames)[number], a, c);
  else if (kind < 60 && rank > 0) {
    const fns = ["sum", "sum", "max", "min", "prod", "argmax", "argmin", "any", "all"] as const;
    const axes = shape.map((_, axis) => axis).filter((axis) => ((c >> axis) & 1) === 1 || rank === 1);
    const fn = fns[b % fns.length] as (typeof fns)[number];
    const empty = axes.some((axis) => shape[axis] === 0);
    const ordered = fn === "max" || fn === "min" || fn === "argmax" || fn === "argmin";
    if (axes.length > 0 && !(empty && ordered)) push(assembly, build.reduce(fn, node, axes), [x]);
  } else if (kind < 68) push(assembly, build.reshape(node, refactored(shape, b, c)), [x]);
  else if (kind < 74 && rank > 1) push(assembly, build.permute(node, shuffled(rank, b)), [x]);
  else if (kind < 79 && rank < 5) {
    const target = [
      (b % 3) + 1,
      ...shape.map((size, axis) => (size === 1 && (c >> axis) & 1 ? (b % 4) + 1 : size)),
    ];
    push(assembly, build.expand(node, b % 2 ? target : target.slice(1)), [x]);
  } else if (kind < 86 && rank > 0) slice(assembly, x, b, c);
  else if (kind < 89 && rank > 0) {
    const before = shape.map((_, axis) => (b >> axis) & 1);
    const after = shape.map((_, axis) => (c >> axis) & 1);
    const fill = push(assembly, build.constant(node.dtype, node.dtype === "int64" ? 1n : 1), []);
    push(assembly, build.pad(node, before, after, nodes[fill] as Node), [x, fill]);
  } else if (kind < 92 && rank > 0) {
    const axis = b % rank;
    const others = nodes
      .map((_, position) => position)
      .filter((position) => {
        const other = nodes[position] as Node;
        const alike = other.shape.every((size, k) => k === axis || size === shape[k]);
        return other.dtype === node.dtype && other.shape.length === rank && alike;
      });
    const parts = [x, others[c % others.length] as number, x].slice(0, 2 + (c % 2));
    push(
      assembly,
      build.concat(
        parts.map((part) => nodes[part] as Node),
        axis,
      ),
      parts,
    );
  } else if (kind < 94 && rank > 1) {
    const axis1 = b % rank;
    const axis2 = (axis1 + 1 + (c % (rank - 1))) % rank;
    push(assembly, build.diagonal(node, (c % 5) - 2, axis1, axis2), [x]);
  } else if (kind < 96 && rank > 1) contract(assembly, x, b);
  else if (kind < 98)
    push(
      assembly,
      build.iota(
        dtypes[b % dtypes.length] === "bool" ? "int32" : (dtypes[b % dtypes.length] as DType),
        (c % 9) + 1,
      ),
      [],
    );
  else if (kind >= 100 && rank > 0 && !shape.includes(0)) reach(assembly, x, kind, b, c);
  else cast(assembly, x, dtypes[b % dtypes.length] as DType);
}

export function pointwise(
  assembly: Assembly,
  fn: (typeof pointwiseNames)[number],
  a: number,
  c: number,
): void {
  const { nodes } = assembly;
  if (fn === "cast") return;
  const { arity, rule } = pointwiseOps[fn];
  let operands = [a, a + c + 1, a + 2 * c + 3].slice(0, arity).map((n) => n % nodes.length);
  let shape = (nodes[operands[0] as number] as Node).shape;
  for (let k = 1; k < arity; k++) {
    const joined = broadcast(shape, (nodes[operands[k] as number] as Node).shape);
    // A constant broadcasts with everything.
    if (joined === null) operands[k] = push(assembly, build.constant("float32", (c % 7) - 3), []);
    else shape = joined;
  }
  const values = rule === "select" ? operands.slice(1) : operands;
  let dtype = values.map((position) => (nodes[position] as Node).dtype).reduce((p, q) => promoteTypes(p, q));
  try {
    dtype = computeDType(fn, dtype);
  } catch (error) {
    if (error instanceof DTypeError) return;
    throw error;
  }
  if (partial.has(fn) && !isFloat(dtype)) return;
  // A counter and its key are whole numbers.
  if (fn === "randomWord" || fn === "randomNormal")
    operands = operands.map((position) => cast(assembly, position, "uint8"));
  operands = operands.map((position, k) =>
    cast(assembly, position, rule === "select" && k === 0 ? "bool" : dtype),
  );
  if (operands.some((position) => position < 0)) return;
  push(
    assembly,
    build.pointwise(
      fn,
      operands.map((position) => nodes[position] as Node),
    ),
    operands,
  );
}

function broadcast(a: readonly number[], b: readonly number[]): readonly number[] | null {
  const rank = Math.max(a.length, b.length);
  const shape: number[] = [];
  for (let axis = 0; axis < rank; axis++) {
    const p = a[axis - rank + a.length] ?? 1;
    const q = b[axis - rank + b.length] ?? 1;
    if (p !== q && p !== 1 && q !== 1) return null;
    shape.push(p === 1 ? q : p);
  }
  return shape;
}

function refactored(shape: readonly number[], b: number, c: number): readonly number[] {
  const total = count(shape);
  if (total === 0) return b % 2 ? shape : [...shape].reverse();
  const factors = [2, 3, 4, 5].filter((factor) => total % factor === 0);
  switch (b % 5) {
    case 0:
      return [total];
    case 1:
      return [1, ...shape];
    case 2:
      return shape.filter((size) => size !== 1);
    case 3: {
      const factor = factors[c % Math.max(1, factors.length)] ?? 1;
      return [factor, total / factor];
    }
    default: {
      const factor = factors[c % Math.max(1, factors.length)] ?? 1;
      return [total / factor, 1, factor];
    }
  }
}

function shuffled(rank: number, seed: number): number[] {
  const axes = Array.from({ length: rank }, (_, axis) => axis);
  const order: number[] = [];
  let rest = seed;
  while (axes.length > 0) {
    order.push(...axes.splice(rest % axes.length, 1));
    rest = Math.floor(rest / 2) + 1;
  }
  return order;
}

function slice(assembly: Assembly, x: number, b: number, c: number): void {
  const node = assembly.nodes[x] as Node;
  const starts: number[] = [];
  const steps: number[] = [];
  const sizes: number[] = [];
  node.shape.forEach((size, axis) => {
    const choice = (b >> (2 * axis)) & 3;
    if (size === 0 || choice === 0) {
      starts.push(0);
      steps.push(1);
      sizes.push(size);
    } else if (choice === 1) {
      starts.push(size - 1);
      steps.push(-1);
      sizes.push(size);
    } else {
      const step = choice === 2 ? 1 : 2;
      const start = (c + axis) % size;
      starts.push(start);
      steps.push(step);
      sizes.push(Math.ceil((size - start) / step));
    }
  });
  push(assembly, build.slice(node, starts, steps, sizes), [x]);
}

function contract(assembly: Assembly, x: number, b: number): void {
  const { nodes } = assembly;
  const a = nodes[x] as Node;
  const matching = nodes
    .map((_, position) => position)
    .filter((position) => {
      const other = nodes[position] as Node;
      const batch =
        other.shape.length === a.shape.length &&
        other.shape.slice(0, -2).every((size, k) => size === a.shape[k]);
      return batch && other.shape.at(-2) === a.shape.at(-1) && other.dtype === a.dtype && a.dtype !== "bool";
    });
  const y = matching[b % Math.max(1, matching.length)];
  if (y !== undefined) push(assembly, build.contract(a, nodes[y] as Node), [x, y]);
}

/** Gathers, scatters, scans, sorts and windows. */
function reach(assembly: Assembly, x: number, kind: number, b: number, c: number): void {
  const { nodes } = assembly;
  const node = nodes[x] as Node;
  const { shape } = node;
  const axis = b % shape.length;
  if (kind < 104) {
    const index = indexInto(assembly, shape, axis, c);
    if (index < 0) return;
    push(assembly, build.gather(node, axis, nodes[index] as Node), [x, index]);
  } else if (kind < 108) {
    const index = indexInto(assembly, shape, axis, c);
    if (index < 0) return;
    const indexNode = nodes[index] as Node;
    const starts = indexNode.shape.map(() => 0);
    const steps = indexNode.shape.map(() => 1);
    const sizes = indexNode.shape.map((size, k) => Math.min(size, shape[k] as number));
    const clipped = push(assembly, build.slice(indexNode, starts, steps, sizes), [index]);
    const combine = (["set", "sum", "prod", "max", "min"] as const)[c % 5] ?? "set";
    if (node.dtype === "bool" && combine !== "set") return;
    push(assembly, build.scatter(node, axis, nodes[clipped] as Node, node, combine), [x, clipped, x]);
  } else if (kind < 112) {
    const fns = [
      "sum",
      "prod",
      "max",
      "min",
      "lastArgmax",
      "lastArgmin",
      "lastMax",
      "lastMin",
      "logaddexp",
    ] as const;
    const fn = fns[c % fns.length] as (typeof fns)[number];
    if (fn === "logaddexp" && !isFloat(node.dtype)) return;
    const wide = (fn === "sum" || fn === "prod") && !isFloat(node.dtype);
    const from = wide ? cast(assembly, x, "int64") : x;
    push(assembly, build.scan(fn, nodes[from] as Node, axis), [from]);
  } else if (kind < 114) {
    const order = push(assembly, build.argsort(node, axis, c % 2 === 1), [x]);
    if (c % 3 > 0) push(assembly, build.gather(node, axis, nodes[order] as Node), [x, order]);
  } else {
    const total = count(shape);
    const step = (b % 3) + 1;
    const length = Math.max(1, Math.floor((total - 1) / step / 2));
    const offset = c % Math.max(1, total - step * (length - 1));
    const view = { shape: [length], strides: [step], offset };
    if (kind < 117) push(assembly, build.asStrided(node, view), [x]);
    else {
      const value = push(assembly, build.asStrided(node, { ...view, offset: 0 }), [x]);
      push(assembly, build.update(node, view, nodes[value] as Node), [x, value]);
    }
  }
}

/** An index that fits `shape` along `axis`: places that wrap around the axis; −1 where it would be too large. */
function indexInto(assembly: Assembly, shape: readonly number[], axis: number, c: number): number {
  const { nodes } = assembly;
  const sizes = shape.map((size, k) => (k === axis ? (c % 4) + 1 : Math.max(1, size - (c % 2))));
  const total = count(sizes);
  if (total > assembly.limit) return -1;
  const places = push(assembly, build.iota("int32", total), []);
  const factor = push(assembly, build.constant("int32", (c % 5) + 1), []);
  const scaled = push(assembly, build.pointwise("mul", [nodes[places] as Node, nodes[factor] as Node]), [
    places,
    factor,
  ]);
  const size = push(assembly, build.constant("int32", shape[axis] as number), []);
  const wrapped = push(assembly, build.pointwise("remainder", [nodes[scaled] as Node, nodes[size] as Node]), [
    scaled,
    size,
  ]);
  const shaped = push(assembly, build.reshape(nodes[wrapped] as Node, sizes), [wrapped]);
  return c % 3 === 0 ? cast(assembly, shaped, "int64") : shaped;
}
