/** One program for many sizes: as many programs as there are structures, and the bits of one that was compiled for the size. */
import {
  type AnyTensor,
  arange,
  cat,
  clearCaches,
  conv2d,
  embedding,
  fromTypedArray,
  linspace,
  ones,
  pad,
  rand,
  setOptions,
  stats,
  type Tensor,
  tensor,
  trace,
  where,
  zeros,
} from "fuseau";
import { afterEach, describe, expect, it } from "vitest";

const bitsOf = (tensor: AnyTensor): string => {
  const array = tensor.toTypedArray();
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("latin1");
};

afterEach(() => {
  setOptions({ emitter: undefined });
});

it("keeps at a new size what it has learned to keep at others", () => {
  const w = rand([32, 32]).compute();
  const round = (size: number): AnyTensor => {
    const hidden = rand([size, 32]).compute().matmul(w).tanh().matmul(w);
    hidden.sum().compute();
    return hidden.square().sum();
  };
  for (let size = 140; size < 152; size++) round(size).compute();
  const again = round(200);
  const { events } = trace(() => again.compute());
  // What was kept, and neither the batch nor the weights that it was made of.
  const read = events.flatMap((event) => (event.kind === "memory" ? [event.inputs] : []));
  expect(read).toEqual([4 * 200 * 32]);
});

describe("two sizes, of which one changes along a line", () => {
  type Vector = Tensor<[number], "float32">;
  const many = ones([400]).compute() as unknown as Vector;
  const places = arange(400).mul(31).compute();
  const programs: readonly (readonly [
    string,
    (k: number, m: number) => AnyTensor,
    (k: number, m: number) => number,
  ])[] = [
    [
      "two sums",
      (k, m) =>
        ones([k])
          .compute()
          .sum()
          .add(ones([m]).compute().mul(2).sum()),
      (k, m) => k + 2 * m,
    ],
    [
      "one is a result's",
      (k, m) =>
        zeros([m])
          .add(many.narrow(0, 0, k).sum())
          .sum(),
      (k, m) => k * m,
    ],
    [
      "places in one of the other",
      (k, m) =>
        zeros([m])
          .indexAdd(0, places.narrow(0, 0, k).remainder(m), many.narrow(0, 0, k))
          .add(1)
          .sum(),
      (k, m) => k + m,
    ],
    [
      "an outer product",
      (k, m) =>
        many
          .narrow(0, 0, k)
          .unsqueeze(1)
          .mul(many.narrow(0, 0, m).mul(3))
          .sum(),
      (k, m) => 3 * k * m,
    ],
  ];
  // The family's first graph has another second size than those that make the line.
  const sizes = [
    [170, 17],
    [120, 5],
    [145, 5],
    [195, 5],
    [150, 5],
    [272, 17],
    [204, 17],
    [204, 5],
    [310, 9],
    [311, 9],
    [312, 17],
  ] as const;

  it.each(programs)("is bound to both: %s", (_, make, expected) => {
    for (const emitter of ["wasm", "js", "closure"] as const)
      for (const fusion of ["on", "none"] as const) {
        clearCaches();
        for (const [k, m] of sizes)
          expect(make(k, m).compute({ emitter, fusion }).item(), `${emitter} ${k} ${m}`).toBe(expected(k, m));
      }
  });
});

/** Compiled since: programs of one size, and programs of many. */
function counting(): () => { single: number; late: number; instances: number } {
  const before = stats();
  return () => {
    const { programs, late } = stats();
    return {
      single: programs.misses - before.programs.misses,
      late: late.programs - before.late.programs,
      instances: late.instances - before.late.instances,
    };
  };
}

type Matrix = Tensor<[number, 6], "float32">;
const weights = rand([6, 9]).compute();
const filters = rand([4, 1, 3, 3]).compute();

const programs: Record<string, (x: Matrix) => AnyTensor> = {
  pointwise: (x) => x.mul(3.7).add(x.exp()),
  "softmax along rows": (x) => x.softmax(1),
  "softmax along the size": (x) => x.softmax(0),
  "standardised columns": (x) => x.sub(x.mean(0)).div(x.std(0)),
  "sum of all": (x) => x.square().sum(),
  "sum along the size": (x) => x.sum(0),
  "matrix product": (x) => x.matmul(weights).relu(),
  "product along the size": (x) => x.t().matmul(x),
  "product of the size twice": (x) => x.matmul(x.t()).sum(1),
  "cumulative sum": (x) => x.cumsum(0),
  sort: (x) => x.sort(0).values,
  argsort: (x) => x.argsort(0),
  concat: (x) => cat([x, x.mul(2), x.flip(0)], 0),
  pad: (x) => pad(x, [1, 2, 2, 1]),
  "slices of both ends": (x) => x.slice([1, null]).sub(x.slice([null, -1])),
  flat: (x) => x.reshape([-1]).sin(),
  "masked by a place": (x) => where(arange(x.shape[0]).unsqueeze(1).lt(5), x, 0),
  gather: (x) => x.indexSelect(0, arange(x.shape[0] - 1, -1, -1)),
  convolution: (x) => conv2d(x.reshape([-1, 1, 2, 3]).expand([-1, 1, 2, 3]), filters, { padding: 1 }),
  "write in place": (x) => {
    const y = x.clone();
    y.slice([2, 6]).mul_(2);
    return y.add(1);
  },
  "outer axes swapped": (x) => x.t().contiguous().add(1),
};

const sizes = [50, 90, 70, 30, 64, 7, 8, 9, 16, 17, 128, 255, 256, 257, 1000, 33];

it("sizes that lie on a line and are no graph's are no samples", () => {
  const offDiagonal = (n: number): unknown =>
    arange(2 * n)
      .reshape([2, n])
      .compute()
      .diagonal(-2, 1, 0)
      .add(1)
      .toArray();
  const expected = (n: number): number[] => [0, 1].filter((k) => k + 2 < n).map((k) => k * n + k + 3);
  for (const n of [20, 21, 22, 23, 40, 6, 5, 4, 3, 2, 200])
    expect(offDiagonal(n), `${n}`).toEqual(expected(n));
});

describe.each(["js", "wasm", "closure"] as const)("at many sizes, by %s", (emitter) => {
  it.each(Object.entries(programs))("%s has the bits of a program of its own", (_, program) => {
    setOptions({ emitter });
    const inputs = sizes.map((size) => rand([size, 6]).compute() as unknown as Matrix);
    const alone = inputs.map((x) => {
      clearCaches();
      return bitsOf(program(x));
    });
    clearCaches();
    const count = counting();
    const late = inputs.map((x) => bitsOf(program(x)));
    expect(count().instances).toBeGreaterThan(sizes.length / 2);
    sizes.forEach((size, k) => {
      expect(late[k] === alone[k], `size ${size}`).toBe(true);
    });
  });
});

describe("how many programs there are", () => {
  const layers = [rand([6, 16]).compute(), rand([16, 16]).compute(), rand([16, 4]).compute()] as const;
  const perceptron = (x: Matrix): AnyTensor =>
    x.matmul(layers[0]).relu().matmul(layers[1]).relu().matmul(layers[2]).softmax(1);
  /** Each of 1 … 1000 once. */
  const all = Array.from({ length: 1000 }, (_, k) => 1 + ((k * 389) % 1000));

  it("for a thousand sizes of a batch through a perceptron: at most 6", () => {
    clearCaches();
    const inputs = all.map((size) => zeros([size, 6]).compute() as unknown as Matrix);
    const count = counting();
    for (const x of inputs) perceptron(x).compute();
    const { single, late, instances } = count();
    expect(single + late).toBeLessThanOrEqual(6);
    expect(instances).toBe(1000 - single);
  });

  it("for three thousand lengths: a few", () => {
    clearCaches();
    const lengths = Array.from({ length: 3000 }, (_, k) => 1 + ((k * 1187) % 3000));
    const inputs = lengths.map((length) => zeros([length]).compute());
    const count = counting();
    for (const x of inputs) x.mul(3.7).exp().sum().compute();
    const { single, late } = count();
    expect(single + late).toBeLessThanOrEqual(8);
  });

  it.each<[string, (x: AnyTensor) => AnyTensor]>([
    ["summed up", (x) => x.cumsum(0)],
    ["sorted", (x) => x.sort().values],
    ["compared", (x) => x.unsqueeze(0).sub(x.unsqueeze(1)).abs().amin(0)],
    ["in windows", (x) => x.unfold(0, 4, 1).mean(1)],
  ])("for parts of a tensor, up to all of it: a few (%s)", (_, make) => {
    clearCaches();
    const x = rand([400]).compute();
    const faults = stats().faults.count;
    const count = counting();
    for (let k = 0; k < 200; k++) make(x.slice([0, 400 - ((k * 149 + 284) % 393)])).compute();
    const { single, late } = count();
    expect(single + late).toBeLessThanOrEqual(12);
    expect(stats().faults.count).toBe(faults);
  });

  it("for parts of a short tensor: one", () => {
    clearCaches();
    const x = rand([24, 4]).compute();
    const count = counting();
    for (let k = 0; k < 60; k++) {
      const part = x.slice([0, 3 + ((k * 7) % 21)]);
      part.matmul(part.t()).softmax(1).matmul(part).compute();
    }
    const { single, late } = count();
    expect(single + late).toBeLessThanOrEqual(6);
  });

  it("for two lengths on both sides of where WebAssembly takes over: some twenty", () => {
    clearCaches();
    const [rows, columns] = [rand([60]).compute(), rand([60]).compute()];
    const count = counting();
    for (let k = 0; k < 200; k++) {
      const [n, m] = [1 + ((k * 37) % 60), 1 + ((k * 23) % 53)];
      rows
        .narrow(0, 0, n)
        .unsqueeze(1)
        .mul(columns.narrow(0, 0, m))
        .exp()
        .sum(1)
        .compute();
    }
    const { single, late } = count();
    expect(single + late).toBeLessThanOrEqual(25);
  });

  it("for a text that grows from a few words on, whose first lengths are programs of their own: one for the others", () => {
    clearCaches();
    const table = rand([65, 8]).compute();
    const texts = Array.from({ length: 30 }, (_, k) => zeros([4, 10 + k, 8]).compute());
    const count = counting();
    for (const text of texts)
      embedding(text.select(2, 0).to("int64"), table).select(1, -1).argmax(-1).compute();
    const { single, late, instances } = count();
    expect(single + late).toBeLessThanOrEqual(9);
    expect(single + instances).toBe(texts.length);
  });

  it("for points of few dimensions, of which there are many: one for each that comes often, whose loop over them is unrolled", () => {
    clearCaches();
    const few = [2, 3, 4, 5, 6, 7, 8];
    const many = [20, 21, 22, 23];
    const [ofFew, ofMany] = [few, many].map((sizes) => sizes.map((size) => zeros([300, size]).compute()));
    const distances = (points: AnyTensor): AnyTensor => points.unsqueeze(1).sub(points).square().sum(2);
    const loopOf = (points: AnyTensor) => distances(points).explain({ emitter: "wasm" }).kernels[0]?.loop;
    const count = counting();
    for (const points of [...ofFew!, ...ofMany!]) distances(points).compute({ emitter: "wasm" });
    expect(count()).toEqual({ single: 2, late: 1, instances: few.length + many.length - 2 });
    expect(loopOf(ofFew![5]!)).not.toContain("< 7\n");
    for (let again = 0; again < 10; again++) distances(ofFew![5]!).compute({ emitter: "wasm" });
    expect(loopOf(ofFew![5]!)).toContain("< 7\n");
    expect(count().single).toBe(3);
  });

  it("for points of few dimensions, of which there are very many: one for each at once", () => {
    clearCaches();
    const ofFew = [2, 3, 4, 5].map((size) => zeros([4_000_000, size]).compute());
    const count = counting();
    for (const points of ofFew) points.square().sum(1).compute({ emitter: "wasm" });
    expect(count()).toMatchObject({ single: 4, instances: 0 });
  });

  it("is counted in `stats()`, and all are forgotten with the caches", () => {
    clearCaches();
    const count = counting();
    for (let size = 50; size < 60; size++) zeros([size, 3]).exp().compute();
    expect(count()).toEqual({ single: 2, late: 1, instances: 8 });
    clearCaches();
    zeros([70, 3]).exp().compute();
    expect(count()).toEqual({ single: 3, late: 1, instances: 8 });
  });
});

describe("explain() of a program that is of one size", () => {
  const last = (shapes: readonly (readonly number[])[], of: (x: AnyTensor) => AnyTensor): unknown => {
    clearCaches();
    for (const shape of shapes) of(rand(shape).compute()).compute();
    const x = rand(shapes.at(-1) as readonly number[]).compute();
    return of(x).explain().alone;
  };
  it("says nothing while few came", () => {
    expect(last([[5, 6]], (x) => x.mul(2).sum())).toBe(null);
  });
  it("says that many sizes vary freely", () => {
    const shapes = Array.from({ length: 9 }, (_, k) => [
      5 + (k ** 3 % 17),
      3 + ((k * k * 7) % 23),
      4 + ((k * 11) % 7),
      6 + ((k ** 4 * 3) % 13),
    ]);
    expect(last(shapes, (x) => x.sin().sum(1))).toMatch(/too few depend on one to three numbers/);
  });
  it("says what differs", () => {
    const shapes = Array.from({ length: 9 }, (_, k): [number, number] => [20 + k, 4]);
    const counted = last(shapes, (x) => x.mul(ones([x.shape[0] as number]).sum()).sum(1));
    expect(counted).toMatch(/attempts: the program is another at/);
  });
});

it("a long graph's program of many sizes is made beside several runs, and serves all later ones", () => {
  const round = (x: AnyTensor): AnyTensor => {
    let y = x;
    for (let k = 0; k < 24; k++) y = y.sub(y.mean(0)).mul(1.01).tanh().add(x);
    return y;
  };
  const faults = stats().faults.count;
  let [settled, runs] = [0, 0];
  // Each run that finds none takes at least a step of some hundred.
  for (; settled < 10 && runs < 400; runs++) {
    const x = linspace(-1, 1, 20 + ((runs * 37) % 401)).compute();
    const { misses } = stats().programs;
    const found = round(x).toTypedArray();
    settled = stats().programs.misses === misses ? settled + 1 : 0;
    if (runs % 8 === 0) expect(found).toEqual(round(x).compute({ fusion: "none" }).toTypedArray());
  }
  expect(settled).toBe(10);
  expect(stats().late.instances).toBeGreaterThan(5);
  expect(stats().faults.count).toBe(faults);
});

/** A long recording of two free sizes. */
function roundOfTwo(x: AnyTensor, y: AnyTensor): AnyTensor {
  let [a, b] = [x, y];
  for (let k = 0; k < 12; k++) [a, b] = [a.sub(a.mean(0)).tanh().add(x), b.mul(1.01).sin().sub(y)];
  return a.sum().add(b.sum());
}

const given = (...shape: number[]): AnyTensor => {
  const count = shape.reduce((product, size) => product * size, 1);
  return fromTypedArray(
    Float32Array.from({ length: count }, (_, k) => ((k * 7919) % 997) / 499 - 1),
    { shape },
  );
};

it("one program serves rows of any length: short ones are laid behind each other, if they are not of whole steps", () => {
  clearCaches();
  const before = stats();
  const at = (size: number): AnyTensor => given(4, size).div(3).softmax(-1).exp().sum(-1);
  const sizes = Array.from({ length: 60 }, (_, k) => 40 + 3 * ((k * 37) % (k < 20 ? 23 : 201)));
  const found = sizes.map((size) => bitsOf(at(size)));
  expect(stats().late.programs - before.late.programs).toBe(1);
  for (let k = 0; k < 60; k += 10)
    expect(found[k]).toBe(bitsOf(at(sizes[k] as number).compute({ fusion: "none" })));
});

it("after programs of one free size comes one of two where lists come that are on neither", () => {
  clearCaches();
  // One size changes for long before the other one does.
  const before = stats().late.programs;
  let [other, made, others] = [200, before, 0];
  for (let k = 0; others < 40; k++) {
    const x = linspace(-1, 1, 50 + ((k * 37) % 97)).compute();
    roundOfTwo(x, linspace(-1, 1, other).compute()).item();
    const { programs } = stats().late;
    if (programs === made && k % 40 !== 0) continue;
    [other, made] = [200 + ((others++ * 11) % 83), programs];
  }
  expect(stats().late.programs - before).toBeLessThanOrEqual(3);
});

it("sizes that come in turn get a program of many sizes once their runs have lost what it takes", () => {
  const lists = Array.from({ length: 40 }, (_, k) => [
    linspace(-1, 1, 50 + ((k * 37) % 97)).compute(),
    linspace(-1, 1, 200 + ((k * 11) % 83)).compute(),
  ]) as [AnyTensor, AnyTensor][];
  const expected = lists.map(([x, y]) => roundOfTwo(x, y).compute({ fusion: "none" }).item());
  const before = stats().late.programs;
  clearCaches();
  for (let turn = 0; turn < 200 && stats().late.programs === before; turn++)
    expect(lists.map(([x, y]) => roundOfTwo(x, y).item())).toEqual(expected);
  // None was compiled by itself before.
  expect(stats().programs.size).toBe(0);
  expect(stats().late.programs).toBeGreaterThan(before);
  expect(lists.map(([x, y]) => roundOfTwo(x, y).item())).toEqual(expected);
});

it.each([
  ["more sizes than there is room for", 2 ** 18],
  ["more sizes than there is room for, at any moment", 2 ** 14],
])("a loop of %s goes on, and leaves everything usable", (_, programBytesLimit) => {
  clearCaches();
  setOptions({ programBytesLimit });
  try {
    const w = ones([8, 8]).compute();
    for (let n = 20; n < 320; n++) {
      let x: AnyTensor = ones([n, 8]);
      for (let k = 0; k < 4; k++) {
        x = x.matmul(w).mul(0.125);
        x.add_(1);
      }
      expect(x.sum().item()).toBe(n * 40);
    }
    expect(tensor([1, 2, 3]).mul(2).sum().item()).toBe(12);
    expect(stats().programs.bytes).toBeLessThanOrEqual(programBytesLimit);
  } finally {
    setOptions({ programBytesLimit: undefined });
    clearCaches();
  }
});
