/**
 * Random graphs over the rows of matrices: values of whole rows, of elements, and of both, so that a row is walked several times; lookups
 * that vary along rows and columns; numbers of rows around the borders of blocks.
 */
import { build, type DType, isFloat, type Node, pointwiseNames } from "@fuseau/ir";
import fc from "fast-check";
import {
  type Assembly,
  cast,
  data,
  type Instruction,
  type Program,
  pointwise,
  push,
} from "./random-graph.ts";

interface Shape {
  readonly rows: number;
  readonly columns: number;
}

const instruction = fc.record({
  kind: fc.nat({ max: 99 }),
  a: fc.nat({ max: 999 }),
  b: fc.nat({ max: 999 }),
  c: fc.nat({ max: 999 }),
});

const dtypes: readonly DType[] = [
  "float32",
  "float32",
  "float32",
  "float64",
  "float16",
  "int64",
  "int32",
  "uint8",
];

/** Which matrix, column, or row it is that an input has the shape of. */
const inputs = fc.array(
  fc.record({ kind: fc.nat({ max: 9 }), dtype: fc.constantFrom(...dtypes), seed: fc.nat({ max: 9999 }) }),
  { minLength: 1, maxLength: 4 },
);

const MOST_ELEMENTS = 8_000;

/** Programs over matrices of one shape. */
export const rowPrograms: fc.Arbitrary<Program> = fc
  .record({
    rows: fc.constantFrom(1, 2, 3, 5, 7, 8, 63, 64, 65, 129, 0),
    columns: fc.oneof(fc.integer({ min: 1, max: 24 }), fc.constantFrom(31, 32, 33, 50, 0)),
    inputs,
    instructions: fc.array(instruction, { minLength: 2, maxLength: 16 }),
    outputs: fc.array(fc.nat({ max: 999 }), { maxLength: 3 }),
    donated: fc.subarray([0, 1, 2, 3]),
  })
  .map(({ rows, columns, inputs: given, instructions, outputs, donated }) => {
    const shape = { rows, columns };
    const assembly: Assembly = { limit: MOST_ELEMENTS, nodes: [], inputs: [] };
    const elements = given.map(({ kind, dtype, seed }) => {
      const own = kind < 6 ? [rows, columns] : kind < 9 ? [rows, 1] : [1, columns];
      push(assembly, build.input(dtype, own), []);
      return data(dtype, own[0]! * own[1]!, seed);
    });
    for (const each of instructions) apply(assembly, shape, each);
    const last = assembly.nodes.length - 1;
    const wanted = [...new Set([last, ...outputs.map((output) => output % (last + 1))])];
    return {
      graph: { nodes: assembly.nodes, inputs: assembly.inputs, outputs: wanted },
      elements,
      donated: donated.filter((input) => input < given.length),
    };
  });

function apply(assembly: Assembly, shape: Shape, { kind, a, b, c }: Instruction): void {
  const { nodes } = assembly;
  const all = nodes.map((_, position) => position).filter((position) => nodes[position]!.shape.length === 2);
  const x = all[a % all.length]!;
  const node = nodes[x]!;
  const isEmpty = node.shape.includes(0);
  if (kind < 40) pointwise(assembly, pointwiseNames[b % pointwiseNames.length]!, a, c);
  else if (kind < 62) foldRows(assembly, x, b);
  else if (kind < 72) {
    const whole = [shape.rows, shape.columns];
    if (node.shape.every((size, axis) => size === 1 || size === whole[axis]))
      push(assembly, build.expand(node, whole), [x]);
  } else if (kind < 78) {
    const axis = b % 2;
    const wide = isFloat(node.dtype) ? x : cast(assembly, x, "int64");
    push(assembly, build.scan((["sum", "max", "lastArgmax"] as const)[c % 3]!, nodes[wide]!, axis), [wide]);
  } else if (kind < 88 && !isEmpty) lookUp(assembly, x, b, c);
  else if (kind < 91) push(assembly, build.argsort(node, b % 2, c % 2 === 1), [x]);
  else if (kind < 94 && !isEmpty) overwrite(assembly, x, b);
  else if (kind < 96 && node.shape[0] === node.shape[1]) push(assembly, build.permute(node, [1, 0]), [x]);
  else if (kind >= 96) cast(assembly, x, dtypes[b % dtypes.length]!);
}

const folds = ["sum", "sum", "max", "max", "min", "prod", "argmax", "argmin", "any"] as const;

/** The fold of each row, as a column; of a column, one element. */
function foldRows(assembly: Assembly, x: number, b: number): number {
  const node = assembly.nodes[x]!;
  const fn = folds[b % folds.length]!;
  const [rows, columns] = node.shape as [number, number];
  const axis = columns === 1 ? 0 : 1;
  if (node.shape[axis] === 0 && fn !== "sum" && fn !== "prod" && fn !== "any") return -1;
  const folded = push(assembly, build.reduce(fn, node, [axis]), [x]);
  if (folded < 0) return -1;
  return push(assembly, build.reshape(assembly.nodes[folded]!, [axis === 0 ? 1 : rows, 1]), [folded]);
}

/** The element of each row, or of each column, that is its largest, another by each row; read, or written over. */
function lookUp(assembly: Assembly, x: number, b: number, c: number): void {
  const { nodes } = assembly;
  const node = nodes[x] as Node;
  const axis = b % 2;
  const folded = push(assembly, build.reduce("argmax", node, [axis]), [x]);
  const shape = node.shape.map((size, k) => (k === axis ? 1 : size));
  let index = push(assembly, build.reshape(nodes[folded]!, shape), [folded]);
  if (c % 3 === 0) index = cast(assembly, index, "int32");
  if (c % 2 === 0) push(assembly, build.gather(node, axis, nodes[index]!), [x, index]);
  else if (node.dtype !== "bool") {
    const combine = (["set", "sum", "max"] as const)[c % 3]!;
    push(assembly, build.scatter(node, axis, nodes[index]!, node, combine), [x, index, x]);
  }
}

/** A matrix in which one row or column is that of another place. */
function overwrite(assembly: Assembly, x: number, b: number): void {
  const { nodes } = assembly;
  const node = nodes[x] as Node;
  const [rows, columns] = node.shape as [number, number];
  const [length, step, places] = b % 2 === 0 ? [columns, 1, rows] : [rows, columns, columns];
  const stride = b % 2 === 0 ? columns : 1;
  const at = (place: number) => ({ shape: [length], strides: [step], offset: (place % places) * stride });
  const value = push(assembly, build.asStrided(node, at(b >> 1)), [x]);
  push(assembly, build.update(node, at(b >> 4), nodes[value]!), [x, value]);
}
