/** Every emitter's sort against the plainest one there is: orders place for place, sorted keys bit for bit. */
import { compile, type Emitter, type Graph, type Program, printGraph } from "@fuseau/compiler";
import { allocate, build, type DType, dtypes, type Node, type TypedArray } from "@fuseau/ir";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kernelOf } from "../differential/kernel-function.ts";
import { allDTypes } from "../differential/random-graph.ts";
import type { Element } from "../differential/reference.ts";
import { expectSameBits } from "./expect-bits.ts";
import { bytesOf, keysOf, kinds, orderOf } from "./sort-keys.ts";

const emitters: readonly Emitter[] = ["wasm", "js", "closure"];

type Wanted = "order" | "sorted" | "both";

function sortGraph(
  dtype: DType,
  shape: readonly number[],
  axis: number,
  descending: boolean,
  wanted: Wanted,
): Graph {
  const x = build.input(dtype, shape);
  const order = build.argsort(x, axis, descending);
  const nodes: Node[] = [x, order, build.gather(x, axis, order)];
  return {
    nodes,
    inputs: [[], [0], [0, 1]],
    outputs: wanted === "order" ? [1] : wanted === "sorted" ? [2] : [1, 2],
  };
}

const programsKnown = new Map<string, Program>();

/** It is the same for every emitter and all keys. */
function programOf(graph: Graph, fusion: "on" | "none"): Program {
  const text = `${fusion} ${printGraph(graph)}`;
  const known = programsKnown.get(text) ?? compile(graph, { verify: true, fusion });
  programsKnown.set(text, known);
  return known;
}

/** The results of a graph of one input, as they stand in memory. */
function run(
  graph: Graph,
  input: TypedArray,
  emitter: Emitter,
  fusion: "on" | "none",
): { kernels: number; results: TypedArray[] } {
  const program = programOf(graph, fusion);
  const arrays = {
    input: [input.slice()],
    output: program.allocations.map(({ dtype, cells }) => allocate(dtype, cells)),
    arena: program.arena.map(({ dtype, cells }) => allocate(dtype, cells)),
  };
  for (const call of program.calls) {
    const buffers = call.buffers.map(({ kind, index }) => arrays[kind][index] as TypedArray);
    kernelOf(call, emitter)(buffers, call.sizes, []);
  }
  const results = program.results.map(({ kind, index }) => arrays[kind as "input" | "output"][index]!);
  return { kernels: program.calls.length, results };
}

/** Compares all emitters, fused and not, with what a comparing sort of each row gives. */
function expectSorted(
  dtype: DType,
  shape: readonly [number, number],
  axis: 0 | 1,
  descending: boolean,
  keys: TypedArray,
  using: readonly Emitter[] = emitters,
): void {
  const [rows, columns] = shape;
  const order = allocate("int64", rows * columns);
  const sorted = allocate(dtype, rows * columns);
  const [outer, length] = axis === 1 ? [rows, columns] : [columns, rows];
  for (let row = 0; row < outer; row++) {
    const at = (k: number): number => (axis === 1 ? row * columns + k : k * columns + row);
    const own = allocate(dtype, length);
    for (let k = 0; k < length; k++) bytesOf(own).set(element(keys, at(k)), k * dtypes[dtype].bytes);
    orderOf(dtype, own, descending).forEach((place, k) => {
      order[at(k)] = BigInt(place);
      bytesOf(sorted).set(element(keys, at(place)), at(k) * dtypes[dtype].bytes);
    });
  }
  const expected: Record<Wanted, TypedArray[]> = { order: [order], sorted: [sorted], both: [order, sorted] };
  for (const emitter of using) {
    for (const fusion of ["on", "none"] as const) {
      for (const wanted of ["order", "sorted", "both"] as const) {
        const graph = sortGraph(dtype, shape, axis, descending, wanted);
        const { results } = run(graph, keys, emitter, fusion);
        results.forEach((result, k) => {
          if (isSame(result, expected[wanted][k]!, emitter)) return;
          expect.fail(`${emitter} ${fusion} ${wanted} ${k} differs`);
        });
      }
    }
  }
}

/** Bit for bit; JavaScript may give any NaN for another, on the way through a variable. */
function isSame(a: TypedArray, b: TypedArray, emitter: Emitter): boolean {
  if (Buffer.compare(bytesOf(a), bytesOf(b)) === 0) return true;
  if (emitter === "wasm") return false;
  return a.length === b.length && a.every((x: unknown, k: number) => Object.is(x, b[k]));
}

function element(array: TypedArray, k: number): Uint8Array {
  const bytes = array.BYTES_PER_ELEMENT;
  return bytesOf(array).subarray(k * bytes, (k + 1) * bytes);
}

describe.each(allDTypes)("a sort of %s", (dtype) => {
  it.each([0, 1, 2, 3, 4, 15, 16, 17, 40, 41, 64, 65, 100, 1000])("gives %d keys in order", (length) => {
    const cases = fc.record({ kind: fc.constantFrom(...kinds), descending: fc.boolean(), seed: fc.nat() });
    void fc.assert(
      fc.property(cases, ({ kind, descending, seed }) => {
        expectSorted(dtype, [1, length], 1, descending, keysOf(dtype, length, kind, seed));
      }),
      { numRuns: length > 100 ? 4 : 10 },
    );
  });
  it.each(kinds)("gives many keys in order: %s", (kind) => {
    for (const descending of [false, true]) {
      expectSorted(dtype, [1, 5000], 1, descending, keysOf(dtype, 5000, kind, 7));
      expectSorted(dtype, [1, 3001], 1, descending, keysOf(dtype, 3001, kind, 8));
    }
  });
  it("gives each row and each column of a matrix in order, of one element too", () => {
    for (const kind of kinds) {
      for (const shape of [
        [1, 17],
        [17, 1],
      ] as const) {
        for (const axis of [0, 1] as const)
          expectSorted(dtype, shape, axis, false, keysOf(dtype, 17, kind, 5));
      }
      const keys = keysOf(dtype, 7 * 70, kind, 9);
      for (const axis of [0, 1] as const) expectSorted(dtype, [7, 70], axis, axis === 1, keys);
    }
  });
});

/** The first `count` places of the order, and the elements there. */
function firstGraph(dtype: DType, length: number, count: number, descending: boolean): Graph {
  const x = build.input(dtype, [2, length]);
  const order = build.argsort(x, 1, descending);
  const places = build.slice(order, [0, 0], [1, 1], [2, count]);
  const picked = build.gather(x, 1, places);
  return { nodes: [x, order, places, picked], inputs: [[], [0], [1], [0, 2]], outputs: [2, 3] };
}

describe.each(allDTypes)("the first places of %s", (dtype) => {
  it.each([
    [3, 1],
    [40, 7],
    [64, 64],
    [100, 1],
    [100, 25],
    [100, 60],
    [1000, 30],
    [5000, 3],
    [5000, 1200],
  ])("are those of the whole order: of %d keys %d", (length, count) => {
    for (const kind of kinds) {
      for (const descending of [false, true]) {
        const keys = keysOf(dtype, 2 * length, kind, length + count);
        const expected = [0, 1].flatMap((row) => {
          const own = keys.slice(row * length, (row + 1) * length);
          return orderOf(dtype, own, descending).slice(0, count);
        });
        for (const emitter of emitters) {
          const graph = firstGraph(dtype, length, count, descending);
          const [places, picked] = run(graph, keys, emitter, "on").results as [TypedArray, TypedArray];
          expectSameBits(Array.from(places as BigInt64Array, Number), expected, () => emitter);
          const elements = expected.map((place, k) => keys[place + (k < count ? 0 : length)] as Element);
          expectSameBits(Array.from(picked as ArrayLike<Element>), elements, () => emitter);
        }
      }
    }
  });
  it("are all that is sorted", () => {
    const [call] = compile(firstGraph(dtype, 100, 5, false)).calls;
    expect(call!.key).toContain("= first n");
  });
});

describe("a sort of keys that share most bits", () => {
  it.each([0, 1, 7, 8, 11, 12, 30, 31, 33, 52, 63])("distinguishes keys by bit %d", (bit) => {
    const keys = BigInt64Array.from({ length: 4000 }, (_, k) => 5n | (BigInt((k * 7919) % 3) << BigInt(bit)));
    expectSorted("int64", [1, 4000], 1, false, keys);
    if (bit < 31) expectSorted("int32", [1, 4000], 1, true, Int32Array.from(keys, Number));
  });
  it.each([1, 30, 700])("distinguishes keys by their last bits, of each first ones %d times", (times) => {
    const keys = BigInt64Array.from({ length: 4200 }, (_, k) => {
      const first = (k * 7919) % Math.ceil(4200 / times);
      return (BigInt(first) << 50n) | BigInt((k * 104_729) % 1009);
    });
    expectSorted("int64", [1, 4200], 1, false, keys);
    const floats = new Float64Array(keys.buffer);
    expectSorted("float64", [1, 4200], 1, true, floats);
  });
  it("leaves equal ones alone", () => {
    for (const dtype of ["float64", "int32", "uint8"] as const) {
      expectSorted(dtype, [1, 200], 1, true, allocate(dtype, 200).fill(3 as never));
    }
  });
});

describe("elements in the order of themselves", () => {
  const kernels = (wanted: Wanted, fusion: "on" | "none"): number =>
    run(sortGraph("float32", [3, 50], 1, false, wanted), new Float32Array(150), "js", fusion).kernels;

  it("come from the sort's own kernel", () => {
    expect(kernels("sorted", "on")).toBe(1);
    expect(kernels("both", "on")).toBe(1);
    expect(kernels("both", "none")).toBe(2);
  });
  it("are gathered where the order is that of others, or along another axis", () => {
    const x = build.input("float32", [5, 5]);
    const y = build.input("float32", [5, 5]);
    const order = build.argsort(x, 1, false);
    const other: Graph = {
      nodes: [x, y, order, build.gather(y, 1, order), build.gather(x, 0, order)],
      inputs: [[], [], [0], [1, 2], [0, 2]],
      outputs: [3, 4],
    };
    expect(compile(other, { verify: true }).calls.map(({ nodes }) => nodes.length)).toEqual([1, 2]);
  });
});
