/** Products and folds of few elements, whose rows are lanes: by any backend, fused and op by op, they have the bits of the order that it documents. */
import { type AnyTensor, arange, cat, conv2d, linspace, tensor, zeros } from "fuseau";
import { describe, expect, it } from "vitest";
import { compileWhole } from "../compiled-whole.ts";

compileWhole();

const stored = (...shape: readonly number[]): AnyTensor => {
  const count = shape.reduce((product, size) => product * size, 1);
  return linspace(-1, 1.7, count).reshape(shape).sin().compute();
};

/** Of rows by depth and depth by columns, each sum in order, rounded at the end. */
function product(a: AnyTensor, b: AnyTensor): Float32Array {
  const [rows, depth] = a.shape as [number, number];
  const columns = b.shape[1] as number;
  const [left, right] = [a, b].map((x) => x.toTypedArray() as Float32Array) as [Float32Array, Float32Array];
  return Float32Array.from({ length: rows * columns }, (_, at) => {
    let sum = 0;
    for (let k = 0; k < depth; k++)
      sum += left[Math.floor(at / columns) * depth + k]! * right[k * columns + (at % columns)]!;
    return sum;
  });
}

/** The same by WebAssembly in tiles, which round as the host multiplies and adds: with more columns than lanes of rows are for. */
const inTiles = (a: AnyTensor, b: AnyTensor): Float32Array =>
  a
    .matmul(cat([b, stored(b.shape[0] as number, 60)], 1))
    .narrow(1, 0, b.shape[1] as number)
    .compute({ emitter: "wasm", fusion: "none" })
    .toTypedArray() as Float32Array;

const ways = (["js", "wasm", "closure"] as const).flatMap((emitter) =>
  (["on", "none"] as const).map((fusion) => ({ emitter, fusion })),
);

describe("products of few columns and a short sum", () => {
  it.each([1, 2, 3, 5, 8, 16])("summed over %d", (depth) => {
    for (const columns of [2, 3, 4, 7, 17])
      for (const rows of [1, 3, 37]) {
        const [a, b] = [stored(rows, depth), stored(depth, columns)];
        for (const options of ways) {
          const expected = options.emitter === "wasm" ? inTiles(a, b) : product(a, b);
          const found = a.matmul(b).mul(2).compute(options).toTypedArray();
          expect(found, `${rows} × ${depth} × ${columns}`).toEqual(expected.map((x) => 2 * x));
        }
      }
  });

  it("have their rows as lanes, whatever is done with them", () => {
    const moved = stored(1_000, 3).matmul(stored(3, 3)).add(stored(3));
    const [kernel] = moved.explain({ emitter: "wasm" }).kernels;
    expect(kernel!.schedule).toMatch(/for x0 < n0 vector 4/);
  });

  it("are stored for a fold of columns, where neighbours of the right operand lie a row apart: it is packed once", () => {
    const folded = stored(126, 14).matmul(stored(126, 14).t()).square().sum(0);
    expect(folded.explain({ emitter: "wasm" }).kernels.map(({ ops }) => ops)).toEqual([
      ["contract"],
      ["mul", "sum"],
    ]);
  });
});

describe("folds of short columns", () => {
  it.each([
    [2, 8],
    [3, 5],
    [4, 4],
  ])("of %d by %d", (depth, columns) => {
    const x = stored(37, depth, columns);
    for (const fold of [
      (y: AnyTensor) => y.mul(3).sum(1),
      (y: AnyTensor) => y.abs().mean(1),
      (y: AnyTensor) => y.neg().amax(1),
    ]) {
      const expected = fold(x).compute({ emitter: "closure", fusion: "none" }).toTypedArray();
      for (const options of ways) expect(fold(x).compute(options).toTypedArray()).toEqual(expected);
    }
  });
});

describe("folds of short rows under a scan", () => {
  it.each<[string, (x: AnyTensor) => AnyTensor]>([
    ["sum", (x) => x.sum(1)],
    ["max", (x) => x.amax(1)],
    ["argmax", (x) => x.argmax(1).to("float32")],
  ])("%s: stored, since a scan takes rows in their order", (name, fold) => {
    const scanned = (): AnyTensor => fold(stored(4_000, 5)).cumsum(0);
    expect(scanned().explain({ emitter: "wasm" }).kernels[0]?.ops).toEqual([name]);
    expect(scanned().compute({ emitter: "wasm" }).toTypedArray()).toEqual(
      scanned().compute({ emitter: "wasm", fusion: "none" }).toTypedArray(),
    );
  });
});

describe("folds of short rows that are scattered", () => {
  it.each<[string, (x: AnyTensor) => AnyTensor]>([
    ["sum", (x) => x.sum(1)],
    ["argmax", (x) => x.argmax(1).to("float32")],
  ])("%s: stored, since a scatter takes rows in their order", (name, fold) => {
    const places = tensor(
      Array.from({ length: 4_000 }, (_, k) => (k * 7) % 16),
      { dtype: "int64" },
    );
    const scattered = (): AnyTensor => zeros([16]).indexAdd(0, places, fold(stored(4_000, 5)));
    expect(scattered().explain({ emitter: "wasm" }).kernels[0]?.ops).toEqual([name]);
    expect(scattered().compute().toTypedArray()).toEqual(
      scattered().compute({ fusion: "none" }).toTypedArray(),
    );
  });
});

describe("indexes of a scatter", () => {
  it("that are computed by quotients are stored: in loops of their own they are counted", () => {
    const source = stored(60, 50);
    const places = arange(60).unsqueeze(1).add(arange(50)).remainder(40).reshape([-1]);
    const scattered = (): AnyTensor => zeros([40]).scatterAdd(0, places, source.reshape([-1]));
    expect(opsOf(scattered())[0]).not.toContain("scatter");
    expect(scattered().compute().toTypedArray()).toEqual(
      scattered().compute({ fusion: "none" }).toTypedArray(),
    );
  });
});

/** The ops of each kernel. */
const opsOf = (x: AnyTensor): readonly (readonly string[])[] =>
  x.explain({ emitter: "wasm" }).kernels.map(({ ops }) => ops);

describe("products of which rows are walked", () => {
  it.each<[string, (scores: AnyTensor) => AnyTensor]>([
    ["softmax", (x) => x.softmax(-1)],
    ["amax", (x) => x.amax(-1)],
    ["a sum of columns", (x) => x.relu().sum(-2)],
    ["a loss", (x) => x.sub(1).square().mean()],
  ])("small ones in a batch are stored for %s: in a kernel of their own, rows are in lanes", (_, reader) => {
    const [a, b] = [stored(4_000, 5, 2), stored(4_000, 2, 5)];
    const result = reader(a.matmul(b));
    const [first, second] = result.explain({ emitter: "wasm" }).kernels;
    expect(first?.ops).toEqual(["contract"]);
    expect(second?.ops).not.toContain("contract");
    expect(result.compute().toTypedArray()).toEqual(
      reader(a.matmul(b)).compute({ fusion: "none" }).toTypedArray(),
    );
  });
  it.each([2, 3, 8, 24])(
    "long ones of %d columns are stored for a softmax, which walks many rows at once",
    (columns) => {
      const [x, w] = [stored(4_000, 50), stored(50, columns)];
      expect(opsOf(x.matmul(w).softmax(-1))[0]).toEqual(["contract"]);
    },
  );
  it.each<[string, (x: AnyTensor) => AnyTensor]>([
    ["a pad", (x) => x.pad([2, 2])],
    ["a gather", (x) => x.indexSelect(1, tensor([3, 1, 2, 2, 0], { dtype: "int64" }))],
    ["a scan", (x) => x.cumsum(0)],
  ])("small ones are stored for %s, which takes places one by one", (_, reader) => {
    const x = () => stored(4_000, 5).matmul(stored(5, 6));
    expect(reader(x()).explain({ emitter: "wasm" }).kernels[0]?.ops).toEqual(["contract"]);
    expect(reader(x()).compute().toTypedArray()).toEqual(
      reader(x()).compute({ fusion: "none" }).toTypedArray(),
    );
  });
  it.each([
    [8, 18],
    [16, 8],
    [16, 100],
  ])(
    "short ones of depth %d and %d columns are stored where their columns are standardised",
    (depth, columns) => {
      const [x, w] = [stored(3_000, depth), stored(depth, columns)];
      const made = x.matmul(w);
      const standardised = made.sub(made.mean(0)).div(made.std(0));
      expect(opsOf(standardised)[0]).toEqual(["contract"]);
    },
  );
  it("a convolution by one pixel is stored where each row of its image is scaled", () => {
    const [image, filters] = [stored(2, 12, 18, 18), stored(15, 12, 1, 1)];
    expect(opsOf(conv2d(image as never, filters as never).mul(stored(18)))).toEqual([["contract"], ["mul"]]);
  });
  it("others are fused: what is done with each element, and wide rows", () => {
    const [a, b] = [stored(4_000, 5, 2), stored(4_000, 2, 5)];
    for (const fused of [a.matmul(b).add(1).relu(), stored(400, 50).matmul(stored(50, 700)).softmax(-1)])
      expect(opsOf(fused).map(([first]) => first)).toEqual(["contract"]);
  });
});

describe("operands of small products", () => {
  it("are stored where each row of them is walked, or computed for each column", () => {
    const x = stored(4_000, 10);
    expect(opsOf(x.tanh().matmul(stored(10, 4)).mean())[0]).toEqual(["tanh"]);
    expect(opsOf(stored(4_000, 3).flip([1]).square().matmul(stored(3, 7))).at(-1)).toEqual(["contract"]);
  });
  it("an outer product is elementwise, in the loops of what it takes", () => {
    const sums = stored(4_000, 10).sum([1], { keepdim: true });
    expect(opsOf(sums.matmul(stored(1, 6)))).toEqual([["sum", "mul", "add"]]);
  });
  it("and expensive ops on rows of one or two elements are computed in all lanes", () => {
    const x = stored(4_000, 50);
    for (const columns of [1, 2])
      expect(opsOf(x.matmul(stored(50, columns)).tanh())).toEqual([["contract"], ["tanh"]]);
    expect(opsOf(x.matmul(stored(50, 16)).tanh())).toEqual([["contract", "tanh"]]);
  });
});
