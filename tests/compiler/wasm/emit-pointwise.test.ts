/**
 * Every pointwise op at every dtype, in lanes: what the closure emitter says, bit for bit, but for functions that are approximated,
 * which are within 2 ulp. Arrays are long enough for steps of every length.
 */
import { type Graph, roundToFloat16 } from "@fuseau/compiler";
import {
  build,
  computeDType,
  type DType,
  DTypeError,
  dtypeNames,
  isFloat,
  type Node,
  type PointwiseOp,
  pointwiseNames,
  pointwiseOps,
  resultDType,
} from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { closurePointwise } from "../../../packages/compiler/src/emit/closure/pointwise.ts";
import {
  nextafterFloat16,
  nextafterFloat32,
  nextafterFloat64,
} from "../../../packages/compiler/src/emit/intrinsics/nextafter.ts";

import { type Element, evaluate } from "../../differential/reference.ts";
import { Recording } from "../recording.ts";
import { runInSlices } from "./run-in-slices.ts";

interface Instance {
  readonly op: PointwiseOp;
  readonly inputs: readonly DType[];
  readonly from: DType;
  readonly to: DType;
}

const instances: readonly Instance[] = pointwiseNames.flatMap((op): Instance[] => {
  const { arity, rule } = pointwiseOps[op];
  if (rule === "cast")
    return dtypeNames.flatMap((from) => dtypeNames.map((to) => ({ op, inputs: [from], from, to })));
  if (rule === "select") return dtypeNames.map((d) => ({ op, inputs: ["bool", d, d], from: d, to: d }));
  const computed = new Set(dtypeNames.flatMap((d) => (refuses(op, d) ? [] : [computeDType(op, d)])));
  return [...computed].map((from) => ({
    op,
    inputs: Array.from({ length: arity }, () => from),
    from,
    to: resultDType(op, from),
  }));
});

function refuses(op: PointwiseOp, dtype: DType): boolean {
  try {
    computeDType(op, dtype);
    return false;
  } catch (error) {
    if (error instanceof DTypeError) return true;
    throw error;
  }
}

const floats = [
  0,
  -0,
  1,
  -1,
  0.5,
  -0.5,
  1.5,
  2.5,
  -2.5,
  2,
  3,
  -3,
  7,
  1e-3,
  0.1,
  3.7,
  -3.7,
  88.5,
  127.5,
  255,
  256,
  -129,
  1e5,
  65504,
  65503,
  2 ** 51 - 1.5,
  -(2 ** 51),
  2 ** 51 + 0.5,
  -(2 ** 52) - 1,
  65519,
  65520,
  -65520,
  2 ** -14,
  2 ** -24,
  -(2 ** -24),
  2 ** -14,
  -(2 ** -14),
  2 ** -25,
  3 * 2 ** -26,
  2 ** 23,
  2 ** 24,
  2 ** 31,
  -(2 ** 31),
  2 ** 31 - 1,
  2 ** 32,
  2 ** 33 + 7,
  -(2 ** 40),
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  2 ** 64,
  2 ** 80,
  1e20,
  -1e20,
  1e-38,
  1e-45,
  3.4e38,
  1e300,
  5e-324,
  NaN,
  Infinity,
  -Infinity,
];

function integersOf(bits: number, signed: boolean): bigint[] {
  const top = 1n << BigInt(signed ? bits - 1 : bits);
  const low = signed ? -top : 0n;
  const some = [
    0n,
    1n,
    2n,
    3n,
    5n,
    7n,
    8n,
    15n,
    16n,
    31n,
    32n,
    33n,
    63n,
    64n,
    100n,
    top - 1n,
    top / 2n,
    top / 3n,
    // Where float64 no longer divides int64.
    2n ** 51n - 1n,
    2n ** 51n,
    2n ** 51n + 1n,
  ];
  return [...some, ...(signed ? some.map((value) => -value) : []), low, low + 1n].filter(
    (value) => value >= low && value < top,
  );
}

function valuesOf(dtype: DType): readonly Element[] {
  switch (dtype) {
    case "bool":
      return [0, 1];
    case "uint8":
      return integersOf(8, false).map(Number);
    case "int8":
      return integersOf(8, true).map(Number);
    case "int16":
      return integersOf(16, true).map(Number);
    case "int32":
      return integersOf(32, true).map(Number);
    case "int64":
      return integersOf(64, true);
    case "float16":
      return floats.map(roundToFloat16);
    case "float32":
      return floats.map(Math.fround);
    case "float64":
      return floats;
    default:
      return dtype satisfies never;
  }
}

/** Every pair of values; of random words, counters and keys. */
function operands({ op, inputs, from }: Instance): Element[][] {
  if (op === "randomWord" || op === "randomNormal") {
    const count = 301;
    return [
      Array.from({ length: count }, (_, k) => (k % 2 === 0 ? k : 2 ** 34 + 3 * k)),
      Array.from({ length: count }, (_, k) => (k * 2654435761) % 2 ** 32),
      Array.from({ length: count }, (_, k) => (k * 40503) % 2 ** 32),
    ];
  }
  const a = valuesOf(inputs.at(-1) as DType);
  if (inputs.length === 1) return [[...a, ...a, ...a.slice(0, 5)]];
  const pairs = a.flatMap((x) => a.map((y) => [x, y] as const)).filter(([, y]) => divides(op, from, y));
  const columns = [pairs.map(([x]) => x), pairs.map(([, y]) => y)];
  return inputs.length === 3 ? [pairs.map((_, k) => (k % 3 === 0 ? 0 : 1)), ...columns] : columns;
}

const divides = (op: PointwiseOp, dtype: DType, divisor: Element): boolean =>
  isFloat(dtype) ||
  Number(divisor) !== 0 ||
  !["floorDivide", "truncDivide", "remainder", "fmod"].includes(op);

/**
 * How many steps emitters may be apart. A normal number is made of a logarithm, a root and a cosine; log Γ and its derivative are
 * differences next to their zeros between poles.
 */
const mostSteps = (op: PointwiseOp): number => steps[op] ?? 2;
const steps: { readonly [Op in PointwiseOp]?: number } = {
  randomNormal: 4,
  erfinv: 8,
  ndtri: 8,
  lgamma: 100,
  digamma: 100,
};

/** Whether it takes no more steps from one number to the other, among those of the dtype. */
function areNear(dtype: DType, x: number, y: number, most: number): boolean {
  if (Object.is(x, y) || (x === y && x === 0)) return true;
  const next =
    dtype === "float16" ? nextafterFloat16 : dtype === "float32" ? nextafterFloat32 : nextafterFloat64;
  let at = x;
  for (let steps = 1; steps <= most; steps++) {
    at = next(at, y);
    if (at === y) return true;
  }
  return false;
}

function run({ op, inputs, to }: Instance, given: readonly Element[][]): Element[] {
  const length = given[0]!.length;
  const operandNodes = inputs.map((dtype): Node => build.input(dtype, [length]));
  const result = op === "cast" ? build.cast(operandNodes[0]!, to) : build.pointwise(op, operandNodes);
  const graph: Graph = {
    nodes: [...operandNodes, result],
    inputs: [...inputs.map(() => []), inputs.map((_, k) => k)],
    outputs: [inputs.length],
  };
  return runInSlices(graph, given, {}, Infinity)[0]!;
}

describe.each(pointwiseNames.map((op) => [op] as const))("%s", (op) => {
  it.each(
    instances.filter((each) => each.op === op).map((each) => [`${each.from} to ${each.to}`, each] as const),
  )("%s", (_, instance) => {
    const given = operands(instance);
    const f = closurePointwise[op](instance.from, instance.to);
    const actual = run(instance, given);
    actual.forEach((value, k) => {
      const args = given.map((column) => column[k]!) as [Element, Element?, Element?];
      const expected = f(...args);
      if (Object.is(value, expected)) return;
      const near =
        pointwiseOps[op].approximated &&
        isFloat(instance.to) &&
        areNear(instance.to, Number(value), Number(expected), mostSteps(op));
      if (!near) expect.fail(`${op} of ${args} is ${value}, not ${expected}`);
    });
  });
});

describe.each(["maximum", "minimum"] as const)("the %s of values and one bound", (fn) => {
  it.each(["float32", "float64", "float16"] as const)(
    "%s: NaN of either sign, zeros and infinities",
    (dtype) => {
      const special = [NaN, 0, -0, 1, -1, Infinity, -Infinity, 0.5];
      const values = Array.from({ length: 43 }, (_, k) => special[(k * 5) % special.length]!);
      for (const bound of special) {
        const g = new Recording();
        const x = g.input(dtype, [43]);
        const each = g.expand(g.input(dtype, [1]), [43]);
        const constant = g.constant(dtype, bound);
        const negated = (one: typeof x): typeof x => g.pointwise("neg", one);
        const graph = g.graph(
          g.pointwise(fn, x, each),
          g.pointwise(fn, each, negated(x)),
          g.pointwise(fn, x, constant),
          g.pointwise(fn, constant, negated(x)),
          g.pointwise(fn, x, g.pointwise("neg", each)),
        );
        const given = [values, [bound]];
        expect(runInSlices(graph, given, {}, Infinity), `${bound}`).toEqual(evaluate(graph, given, []));
      }
    },
  );
});
