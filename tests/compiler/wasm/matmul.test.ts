import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ModuleBuilder } from "../../../packages/compiler/src/emit/wasm/encode/module.ts";
import { KC, type Kind, kinds, relaxedKinds } from "../../../packages/compiler/src/emit/wasm/matmul/kinds.ts";
import { matmul, matmulWorkspace } from "../../../packages/compiler/src/emit/wasm/matmul/matmul.ts";
import {
  keptUnits,
  keptWorkspace,
  multiplyPacked,
  multiplyPackedWorkspace,
  packB,
  packedBytes,
} from "../../../packages/compiler/src/emit/wasm/matmul/packed.ts";
import type { ProductElement } from "../../../packages/compiler/src/tactics/products/nest.ts";
import { instantiate, newMemory, validate } from "./instantiate.ts";

const arrays = {
  float32: Float32Array,
  float64: Float64Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  int32: Int32Array,
} as const;
const results = { ...arrays, int8: Int32Array, uint8: Int32Array, int16: Int32Array } as const;
const elements = Object.keys(kinds) as ProductElement[];
type Numbers = InstanceType<(typeof arrays)[ProductElement]>;

/** Where the element of some row and column stands, in elements from the first. */
interface Strides {
  readonly row: number;
  readonly column: number;
}

/** Ways in which a matrix may stand in memory. */
const layouts = {
  "row by row": (_rows: number, columns: number) => ({ row: columns, column: 1 }),
  "column by column": (rows: number) => ({ row: 1, column: rows }),
  "rows with gaps": (_rows: number, columns: number) => ({ row: columns + 3, column: 1 }),
  "columns with gaps": (rows: number) => ({ row: 1, column: rows + 5 }),
  "every second": (_rows: number, columns: number) => ({ row: 2 * columns + 1, column: 2 }),
  "one row repeated": () => ({ row: 0, column: 1 }),
  "one column repeated": () => ({ row: 1, column: 0 }),
  "one number": () => ({ row: 0, column: 0 }),
} satisfies Record<string, (rows: number, columns: number) => Strides>;
type Layout = keyof typeof layouts;
const layoutNames = Object.keys(layouts) as Layout[];

interface Product {
  readonly element: ProductElement;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly a?: Layout;
  readonly b?: Layout;
  readonly value?: (random: number) => number;
  /** That of the element, without relaxed SIMD, unless it is said. */
  readonly kind?: Kind;
  /** The operand that stands at the end of memory, but for what may be read past it. */
  readonly last?: "a" | "b";
}

const memory = newMemory(128);
/** As far as the last product may have written. */
let written = memory.buffer.byteLength;
const functions = new Map<Kind, ReturnType<typeof instantiate>>();

function functionsOf(kind: Kind): ReturnType<typeof instantiate> {
  const known = functions.get(kind);
  if (known !== undefined) return known;
  const bytes = moduleOf((module) => {
    module.exportFunction("matmul", matmul(module, kind));
    module.exportFunction("packB", packB(module, kind));
    module.exportFunction("multiplyPacked", multiplyPacked(module, kind));
  });
  const made = instantiate(bytes, { memory });
  functions.set(kind, made);
  return made;
}

function moduleOf(build: (module: ModuleBuilder) => void): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder({ module: "env", name: "memory", shared: false, initial: 1 });
  build(module);
  return module.toBytes();
}

/** Numbers from 0 to 1, the same in each run. */
function randomNumbers(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The byte around operands, results and workspaces; as a float it is NaN. */
const guard = 0xff;

/** Bytes past the end of an operand that may be read. */
const readPastEnd = 64;

function isUntouched(bytes: Uint8Array): boolean {
  for (let k = 0; k < bytes.length; k++) if (bytes[k] !== guard) return false;
  return true;
}

interface Operand {
  readonly address: number;
  readonly numbers: Numbers;
  readonly strides: Strides;
}

/** A product laid out in memory. */
class Stage {
  readonly #product: Product;
  readonly #kind: Kind;
  readonly #operands: readonly [Operand, Operand];
  readonly #result: number;
  readonly #rowStride: number;
  readonly #free: number;

  constructor(product: Product) {
    const { element, m, n, k, a = "row by row", b = "row by row", value } = product;
    this.#product = product;
    this.#kind = product.kind ?? kinds[element];
    const random = randomNumbers();
    const draw = value ?? (element.startsWith("float") ? (x) => 2 * x - 1 : (x) => 2 ** 32 * x);
    new Uint8Array(memory.buffer, 0, written).fill(guard);
    written = 0;
    let free = 0;
    const place = (bytes: number, last = false): number => {
      if (last) written = memory.buffer.byteLength;
      if (last) return memory.buffer.byteLength - readPastEnd - bytes;
      const address = free + 64;
      free = (address + bytes + 64 + 15) & -16;
      return address;
    };
    const operand = (name: "a" | "b", rows: number, columns: number, layout: Layout): Operand => {
      const strides = layouts[layout](rows, columns);
      const length = Math.max(0, (rows - 1) * strides.row + (columns - 1) * strides.column + 1);
      const address = place(length * arrays[element].BYTES_PER_ELEMENT, product.last === name);
      const numbers = new arrays[element](memory.buffer, address, length);
      for (let row = 0; row < rows; row++) {
        for (let column = 0; column < columns; column++) {
          numbers[row * strides.row + column * strides.column] = draw(random());
        }
      }
      return { address, numbers: numbers.slice(), strides };
    };
    this.#operands = [operand("a", m, k, a), operand("b", k, n, b)];
    this.#rowStride = n + 2;
    this.#result = place(m * this.#rowStride * results[element].BYTES_PER_ELEMENT);
    this.#free = free;
  }

  matmul(): Numbers {
    const { m, n, k } = this.#product;
    const [a, b] = this.#arguments();
    const to = this.#rowsFrom(this.#result, this.#rowStride, 0);
    functionsOf(this.#kind).matmul!(...a, ...b, ...to, m, n, k, this.#free);
    return this.#takeResult(this.#free + matmulWorkspace(this.#kind)(n, k));
  }

  /** The same with B packed first, columns and rows in so many parts. */
  packed(parts: number): Numbers {
    const { m, n, k } = this.#product;
    const workspace = this.#free + packedBytes(this.#kind, n, k);
    const [, b] = this.#arguments();
    const { packB: pack, multiplyPacked: multiply } = functionsOf(this.#kind);
    const columns = Math.ceil(n / parts / this.#kind.nr) * this.#kind.nr;
    for (let begin = 0; begin < n; begin += columns) {
      pack!(...b, n, k, this.#free, begin, Math.min(n, begin + columns));
    }
    const rows = Math.ceil(m / parts);
    for (let begin = 0; begin < m; begin += rows) {
      const here = Math.min(m - begin, rows);
      const to = this.#rowsFrom(this.#result, this.#rowStride, begin);
      multiply!(...this.#leftFrom(begin), this.#free, ...to, ...to, here, n, k, workspace, 0, 0);
    }
    return this.#takeResult(workspace + multiplyPackedWorkspace(this.#kind));
  }

  /** The same, with sums held beside the result, and A kept from a call before: nobody reads it after that. */
  kept(): Numbers {
    const { m, n, k, element } = this.#product;
    const workspace = this.#free + packedBytes(this.#kind, n, k);
    const sums = (workspace + keptWorkspace(this.#kind)(k) + 15) & -16;
    const [, b] = this.#arguments();
    const { packB: pack, multiplyPacked: multiply } = functionsOf(this.#kind);
    pack!(...b, n, k, this.#free, 0, n);
    const rows = 100;
    for (let begin = 0; begin < m; begin += rows) {
      const here = Math.min(m - begin, rows);
      const to = this.#rowsFrom(this.#result, this.#rowStride, begin);
      const held = this.#rowsFrom(sums, n, begin);
      const call = (isKept: number): number =>
        multiply!(...this.#leftFrom(begin), this.#free, ...to, ...held, here, n, k, workspace, 1, isKept);
      call(0);
      const [{ address, numbers }] = this.#operands;
      const matrix = new arrays[element](memory.buffer, address, numbers.length);
      if (k <= keptUnits * this.#kind.unitElements) matrix.fill(1e6);
      call(1);
      matrix.set(numbers);
    }
    return this.#takeResult(sums + m * n * results[element].BYTES_PER_ELEMENT);
  }

  /** What the accumulation order says, one element at a time. */
  expected(): Numbers {
    const { element } = this.#product;
    return this.#sums(new results[element](this.#size), additions[element]);
  }

  /** Sums of float64. */
  wide(): Float64Array {
    return this.#sums(new Float64Array(this.#size), additions.float64);
  }

  get #size(): number {
    return this.#product.m * this.#product.n;
  }

  #sums<Sums extends Numbers>(sums: Sums, addition: Addition): Sums {
    const { n, k } = this.#product;
    const [a, b] = this.#operands;
    const block = KC * this.#kind.unitElements;
    for (let place = 0; place < sums.length; place++) {
      const leftStart = Math.floor(place / n) * a.strides.row;
      const rightStart = (place % n) * b.strides.column;
      let total = 0;
      for (let first = 0; first < k; first += block) {
        let sum = 0;
        for (let i = first; i < Math.min(k, first + block); i++) {
          const left = a.numbers[leftStart + i * a.strides.column]!;
          sum = addition(sum, left, b.numbers[rightStart + i * b.strides.row]!);
        }
        total = first === 0 ? sum : addition(total, sum, 1);
      }
      sums[place] = total;
    }
    return sums;
  }

  #arguments(): [number[], number[]] {
    const of = ({ address, strides, numbers }: Operand): number[] => {
      const bytes = numbers.BYTES_PER_ELEMENT;
      return [address, strides.row * bytes, strides.column * bytes];
    };
    return [of(this.#operands[0]), of(this.#operands[1])];
  }

  /** The left operand from a row on. */
  #leftFrom(row: number): number[] {
    const [{ address, numbers, strides }] = this.#operands;
    const [rowBytes, columnBytes] = [strides.row, strides.column].map(
      (each) => each * numbers.BYTES_PER_ELEMENT,
    );
    return [address + row * rowBytes!, rowBytes!, columnBytes!];
  }

  /** Sums from a row on, and how far apart rows are. */
  #rowsFrom(address: number, stride: number, row: number): number[] {
    const rowBytes = stride * results[this.#product.element].BYTES_PER_ELEMENT;
    return [address + row * rowBytes, rowBytes];
  }

  /** The result, which is the only thing that may have been written before `end`, but for workspaces. */
  #takeResult(end: number): Numbers {
    const { element, m, n } = this.#product;
    const stride = this.#rowStride;
    const bytes = results[element].BYTES_PER_ELEMENT;
    const taken = new results[element](m * n);
    for (let row = 0; row < m; row++) {
      const address = this.#result + row * stride * bytes;
      taken.set(new results[element](memory.buffer, address, n), row * n);
      new Uint8Array(memory.buffer, address, n * bytes).fill(guard);
    }
    const around = new Uint8Array(memory.buffer, this.#result - 64, m * stride * bytes + 128);
    const behind = new Uint8Array(memory.buffer, end, 256);
    if (!isUntouched(around) || !isUntouched(behind)) throw new Error("written out of bounds");
    written = Math.max(written, end);
    for (const { address, numbers } of this.#operands) {
      new arrays[element](memory.buffer, address, numbers.length).set(numbers);
    }
    return taken;
  }
}

/** (sum, a, b): sum + a · b */
type Addition = (sum: number, a: number, b: number) => number;

const additions: Readonly<Record<ProductElement, Addition>> = {
  float32: (sum, a, b) => Math.fround(sum + Math.fround(a * b)),
  float64: (sum, a, b) => sum + a * b,
  int8: (sum, a, b) => (sum + a * b) | 0,
  uint8: (sum, a, b) => (sum + a * b) | 0,
  int16: (sum, a, b) => (sum + Math.imul(a, b)) | 0,
  int32: (sum, a, b) => (sum + Math.imul(a, b)) | 0,
};

/** Where two results are not the same number, −0 and NaN included. */
function difference(actual: Numbers, expected: Numbers): string | null {
  if (actual.length !== expected.length) return `${actual.length} elements for ${expected.length}`;
  for (let place = 0; place < expected.length; place++)
    if (!Object.is(expected[place], actual[place]))
      return `at ${place}: ${actual[place]}, expected ${expected[place]}`;
  return null;
}

function check(product: Product): void {
  const stage = new Stage(product);
  const expected = stage.expected();
  expect(difference(stage.matmul(), expected)).toBeNull();
  for (const parts of [1, 3]) expect(difference(stage.packed(parts), expected)).toBeNull();
  expect(difference(stage.kept(), expected)).toBeNull();
}

describe.each(elements)("matrix products of %s", (element) => {
  const edges = [0, 1, 2, 3, 4, 5, 7, 8, 9, 127, 128, 129, 255, 256, 257];

  test.each(edges)("%d rows", (m) => {
    for (const n of [1, 5, 17]) check({ element, m, n, k: 19 });
  });

  test.each([...edges, 1023, 1024, 1033])("%d columns", (n) => {
    for (const m of [1, 3, 6]) check({ element, m, n, k: 21 });
  });

  test.each([...edges, 511, 512, 513, 1025])("%d along k", (k) => {
    for (const [m, n] of [
      [1, 13],
      [13, 1],
      [7, 10],
    ] as const) {
      check({ element, m, n, k });
      check({ element, m, n, k, a: "column by column", b: "column by column" });
    }
  });

  test.each([0, 1])("as many along k as A is kept of, and %d more", (more) => {
    const { unitElements } = kinds[element];
    check({ element, m: 5, n: 9, k: unitElements * keptUnits + more });
  });

  test("several blocks in every direction", () => {
    check({ element, m: 257, n: 130, k: 259 });
  });

  test.each(layoutNames.flatMap((a) => layoutNames.map((b) => ({ a, b }))))("A $a, B $b", ({ a, b }) => {
    for (const [m, n, k] of [
      [1, 21, 19],
      [2, 9, 270],
      [21, 1, 19],
      [9, 3, 270],
      [13, 11, 19],
    ] as const) {
      check({ element, m, n, k, a, b });
    }
  });

  test("nothing is read further than 64 bytes past an operand", () => {
    for (const last of ["a", "b"] as const) {
      for (const layout of ["row by row", "column by column"] as const) {
        for (const [m, n, k] of [
          [1, 1, 1],
          [1, 9, 11],
          [9, 1, 11],
          [5, 9, 11],
          [9, 5, 13],
          [100, 1, 11],
          [1, 100, 11],
          [100, 100, 11],
        ] as const) {
          check({ element, m, n, k, a: layout, b: layout, last });
        }
      }
    }
  });

  test("any shape, anyhow", () => {
    const size = fc.oneof(fc.nat(12), fc.nat(70));
    const layout = fc.constantFrom(...layoutNames);
    void fc.assert(
      fc.property(size, size, fc.oneof(size, fc.nat(600)), layout, layout, (m, n, k, a, b) => {
        check({ element, m, n, k, a, b });
      }),
      { numRuns: 40 },
    );
  });
});

describe.each(["float32", "float64"] as const)("special numbers of %s", (element) => {
  test.each<[string, (random: number) => number]>([
    ["infinities and zeros", (x) => [0, -0, 1, -1, 1, 1, 1, Infinity][Math.floor(8 * x)]!],
    ["NaN", (x) => (x < 0.02 ? NaN : x)],
    ["infinities alone", () => Infinity],
    ["negative zeros", () => -0],
  ])("%s reach the elements that they are part of, and no other", (_name, value) => {
    for (const [m, n, k] of [
      [5, 5, 5],
      [9, 13, 3],
      [1, 9, 5],
      [9, 1, 5],
      [6, 10, 300],
    ] as const) {
      for (const layout of ["row by row", "column by column"] as const) {
        check({ element, m, n, k, a: layout, b: layout, value });
      }
    }
  });
});

test("sums of float32 are as near to the exact ones as their blocks promise", () => {
  const k = 2000;
  const stage = new Stage({ element: "float32", m: 5, n: 9, k });
  const wide = stage.wide();
  const errors = [...stage.matmul()].map((sum, i) => Math.abs(sum - wide[i]!));
  // No more roundings than products in a block and blocks, each of a partial sum that is below 100 here.
  expect(Math.max(...errors)).toBeLessThan((KC + k / KC) * 100 * 2 ** -24);
});

test("extreme integers wrap as int32 does", () => {
  const extremes = { int8: -128, uint8: 255, int16: -32768, int32: -(2 ** 31) };
  for (const element of ["int8", "uint8", "int16", "int32"] as const) {
    check({ element, m: 5, n: 9, k: 37, value: () => extremes[element] });
  }
});

describe("with relaxed SIMD", () => {
  const host = validate(
    moduleOf((module) => {
      const probe = module.function("probe", ["v128"], ["v128"]);
      probe.get(0).get(0).get(0).op("f32x4.relaxed_madd");
    }),
  );

  test.runIf(host).each(["float32", "float64"] as const)("products of %s agree on every path", (element) => {
    for (const [m, n, k] of [
      [1, 13, 300],
      [3, 300, 21],
      [13, 1, 300],
      [257, 18, 300],
      [19, 11, 5],
    ] as const) {
      for (const layout of ["row by row", "column by column", "every second"] as const) {
        const stage = new Stage({ element, m, n, k, a: layout, b: layout, kind: relaxedKinds[element] });
        const result = stage.matmul();
        const wide = stage.wide();
        const errors = [...result].map((sum, i) => Math.abs(sum - wide[i]!));
        expect(Math.max(...errors)).toBeLessThan(k * 2 ** -20);
        for (const parts of [1, 5]) expect(difference(stage.packed(parts), result)).toBeNull();
      }
    }
  });
});
