/** Datasets, samplers and batches. */
import { type AnyTensor, arange, Generator, manualSeed, stats, type Tensor, tensor, zeros } from "fuseau";
import {
  BatchSampler,
  ConcatDataset,
  DataLoader,
  type Dataset,
  RandomSampler,
  randomSplit,
  SequentialSampler,
  Subset,
  SubsetRandomSampler,
  TensorDataset,
  WeightedRandomSampler,
} from "fuseau/data";
import { describe, expect, test } from "vitest";

const images = arange(30).to("float32").reshape([10, 3]);
const labels = arange(10);
const digits = (): TensorDataset<[typeof images, typeof labels]> => new TensorDataset(images, labels);

async function listOf<T>(batches: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const batch of batches) list.push(batch);
  return list;
}

describe("TensorDataset", () => {
  test("gives rows, and batches of rows, with their shapes in the types", () => {
    const dataset = digits();
    const [row, label]: [Tensor<[3], "float32">, Tensor<[], "int64">] = dataset.at(4);
    expect([row.toArray(), label.item()]).toEqual([[12, 13, 14], 4]);
    const [rows, places]: [Tensor<[number, 3], "float32">, Tensor<[number], "int64">] = dataset.batchAt([
      9, 0,
    ]);
    expect(rows).toEqual(
      tensor([
        [27, 28, 29],
        [0, 1, 2],
      ]),
    );
    expect(places.toArray()).toEqual([9, 0]);
  });

  test("of every dtype, 0-d rows and empty ones", () => {
    const dtypes = [
      "bool",
      "uint8",
      "int8",
      "int16",
      "int32",
      "int64",
      "float16",
      "float32",
      "float64",
    ] as const;
    const columns = dtypes.map((dtype) => arange(2).to(dtype));
    expect(new TensorDataset(...columns, zeros([2, 0])).batchAt([1, 0, 1])).toEqual([
      ...dtypes.map((dtype) => tensor([1, 0, 1], { dtype: "float64" }).to(dtype)),
      zeros([3, 0]),
    ]);
  });

  test("has the elements of its making", () => {
    const x = tensor([1, 2]);
    const dataset = new TensorDataset(x);
    x.mul_(10);
    expect(dataset.at(1)[0].item()).toBe(2);
  });

  test("refuses tensors of several lengths, and places that there are not", () => {
    expect(() => new TensorDataset(images, arange(9))).toThrow(
      "TensorDataset: Size mismatch between tensors (tensors[0] has shape [10, 3] and tensors[1] has [9]",
    );
    expect(() => new TensorDataset(tensor(1))).toThrow("has no axis");
    expect(() => new TensorDataset()).toThrow("takes one tensor or more");
    expect(() => new TensorDataset([1] as never)).toThrow("tensors[0] must be a Tensor");
    expect(() => digits().at(10)).toThrow("index 10 is out of range for 10 samples");
    expect(() => digits().batchAt([0, -1])).toThrow(RangeError);
  });
});

describe("parts of datasets", () => {
  test("a subset makes batches as its dataset does", () => {
    const subset = new Subset(new Subset(digits(), [8, 6, 4, 2]), [3, 0]);
    const [, places]: [Tensor<[number, 3], "float32">, Tensor<[number], "int64">] = subset.batchAt([0, 1]);
    expect(places.toArray()).toEqual([2, 8]);
    expect(subset.at(1)[1].item()).toBe(8);
    expect(new Subset(["a", "b", "c"], [2, 0]).at(0)).toBe("c");
    expect(() => new Subset(["a"], [1])).toThrow("Subset: index 1 is out of range for 1 samples");
  });

  test("a random split has every sample once, the same for the same seed", () => {
    const split = (): readonly (readonly number[])[] =>
      randomSplit(digits(), [7, 3], { generator: new Generator(3) }).map((part) => part.indexes);
    expect(split().map((part) => part.length)).toEqual([7, 3]);
    expect(
      split()
        .flat()
        .sort((a, b) => a - b),
    ).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(split()).toEqual(split());
    const sizes = (fractions: number[]): number[] =>
      randomSplit(digits(), fractions).map((part) => part.length);
    expect(sizes([0.5, 0.25, 0.25])).toEqual([6, 2, 2]);
    expect(sizes([0.35, 0.35, 0.3])).toEqual([4, 3, 3]);
    expect(() => randomSplit(digits(), [5, 4])).toThrow("Sum of input lengths does not equal");
    expect(() => randomSplit(digits(), [11, -1])).toThrow("and not negative");
  });

  test("datasets one after the other", () => {
    const all = new ConcatDataset([["a", "b"], [], ["c"]]);
    expect([all.length, all.at(0), all.at(1), all.at(2)]).toEqual([3, "a", "b", "c"]);
    expect(() => all.at(3)).toThrow(RangeError);
    expect(() => new ConcatDataset([])).toThrow("should not be an empty iterable");
    const [rows] = [...new DataLoader(new ConcatDataset([digits(), digits()]), { batchSize: 20 })][0]!;
    expect(rows.shape).toEqual([20, 3]);
  });
});

describe("samplers", () => {
  const generator = (): Generator => new Generator(5);

  test("in order, at random, in batches", () => {
    expect([...new SequentialSampler(3)]).toEqual([0, 1, 2]);
    expect(() => new SequentialSampler(-1)).toThrow(RangeError);
    const random = new RandomSampler(["a", "b", "c", "d"], { generator: generator() });
    const [first, second] = [[...random], [...random]];
    expect([[...first].sort(), [...second].sort()]).toEqual([
      [0, 1, 2, 3],
      [0, 1, 2, 3],
    ]);
    expect(first).not.toEqual(second);
    expect([...new RandomSampler(4, { generator: generator() })]).toEqual(first);
    const long = [...new RandomSampler(3, { numSamples: 7 })];
    expect([long.length, new Set(long.slice(0, 3)).size, new Set(long.slice(3, 6)).size]).toEqual([7, 3, 3]);
    const again = [...new RandomSampler(2, { numSamples: 50, replacement: true, generator: generator() })];
    expect([again.length, new Set(again)]).toEqual([50, new Set([0, 1])]);
    expect([...new BatchSampler(new SequentialSampler(5), 2)]).toEqual([[0, 1], [2, 3], [4]]);
    expect([...new BatchSampler(new SequentialSampler(5), 2, true)]).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  test("of some samples", () => {
    const some = new SubsetRandomSampler([7, 3, 9, 1], { generator: generator() });
    const [first, second] = [[...some], [...some]];
    expect([[...first].sort(), [...second].sort(), some.length]).toEqual([[1, 3, 7, 9], [1, 3, 7, 9], 4]);
    expect(first).not.toEqual(second);
    expect([...new SubsetRandomSampler(arange(3) as unknown as number[])].sort()).toEqual([0, 1, 2]);
    expect([...new SubsetRandomSampler([])]).toEqual([]);
    expect(() => new SubsetRandomSampler([1, -1])).toThrow(/^SubsetRandomSampler: indexes\[1\] must be .*-1/);
    const batches = [...new DataLoader([10, 11, 12, 13], { sampler: new SubsetRandomSampler([3, 1]) })];
    expect(batches.map((batch) => batch.item()).sort()).toEqual([11, 13]);
  });

  test("by weight", () => {
    const drawn = [...new WeightedRandomSampler([0, 1, 3], 400, { generator: generator() })];
    const counts = [0, 1, 2].map((place) => drawn.filter((other) => other === place).length);
    expect(counts[0]).toBe(0);
    expect(Math.abs(counts[2]! / 400 - 0.75)).toBeLessThan(0.1);
    expect([...new WeightedRandomSampler([1, 1, 1], 3, { replacement: false })].sort()).toEqual([0, 1, 2]);
    expect(() => new WeightedRandomSampler([1, -1], 1)).toThrow("weight 1 is -1");
  });

  test("refuse what they cannot do", () => {
    expect(() => new RandomSampler(0, { numSamples: 1 })).toThrow("no samples to draw from");
    expect(() => new RandomSampler(3, { numSamples: 0 })).toThrow(
      "numSamples must be a whole number of at least 1",
    );
    expect(() => new SequentialSampler({} as never)).toThrow("the number of samples must be a whole number");
    expect(() => new BatchSampler(new SequentialSampler(5), 0)).toThrow("batchSize must be");
  });
});

describe("DataLoader", () => {
  test("gives full batches and a shorter one, every sample once in each epoch", () => {
    const loader = new DataLoader(digits(), { batchSize: 4, shuffle: true, generator: new Generator(1) });
    expect(loader.length).toBe(3);
    const epochs = [[...loader], [...loader]];
    for (const batches of epochs) {
      expect(batches.map(([rows]) => rows.shape)).toEqual([
        [4, 3],
        [4, 3],
        [2, 3],
      ]);
      for (const [rows, places] of batches) expect(rows.select(1, 0)).toEqual(places.mul(3).to("float32"));
    }
    const orders = epochs.map((batches) => batches.flatMap(([, places]) => places.toArray()));
    expect(orders[0]).not.toEqual(orders[1]);
    for (const order of orders) expect([...order].sort()).toEqual([...Array(10).keys()]);
    const [first] = new DataLoader(digits(), { batchSize: 10, shuffle: true, generator: new Generator(1) });
    expect(first![1].toArray()).toEqual(orders[0]);
    expect([...new DataLoader(digits(), { batchSize: 4, dropLast: true })]).toHaveLength(2);
    expect([...new DataLoader(new TensorDataset(zeros([0, 2])), { shuffle: true })]).toEqual([]);
  });

  test("shuffles by the default generator, as manualSeed sets it", () => {
    const order = (): number[] => {
      manualSeed(11);
      return [...new DataLoader(digits(), { batchSize: 10, shuffle: true })][0]![1].toArray();
    };
    expect(order()).toEqual(order());
  });

  test("compiles nothing for batches, and one program for the orders of all epochs", () => {
    const loader = new DataLoader(digits(), { batchSize: 3 });
    const shuffled = new DataLoader(digits(), { batchSize: 3, shuffle: true });
    const before = stats().programs.misses;
    for (let epoch = 0; epoch < 3; epoch++)
      for (const [rows, places] of loader) expect(rows.shape[0]).toBe(places.numel());
    expect(stats().programs.misses).toBe(before);
    for (let epoch = 0; epoch < 3; epoch++) expect([...shuffled]).toHaveLength(4);
    expect(stats().programs.misses).toBeLessThanOrEqual(before + 1);
  });

  test("a step over batches is two programs, for full ones and the last", () => {
    const weight = arange(3).to("float32");
    const loader = new DataLoader(digits(), { batchSize: 4, shuffle: true });
    const before = stats().programs.misses;
    for (let epoch = 0; epoch < 3; epoch++)
      for (const [rows] of loader) rows.mul(weight).sum(1).exp().mean().compute();
    expect(stats().programs.misses - before).toBeLessThanOrEqual(3);
  });

  test("puts samples together by their kind", () => {
    const sample = (
      k: number,
    ): { x: AnyTensor; at: [number, bigint]; name: string; flag: boolean; row: Float32Array } => ({
      x: tensor([k, k]),
      at: [k, BigInt(k)],
      name: `sample ${k}`,
      flag: k === 1,
      row: Float32Array.of(k),
    });
    expect([...new DataLoader([sample(0), sample(1)], { batchSize: 2 })]).toEqual([
      {
        x: tensor([
          [0, 0],
          [1, 1],
        ]),
        at: [tensor([0, 1]), tensor([0n, 1n])],
        name: ["sample 0", "sample 1"],
        flag: tensor([false, true]),
        row: tensor([[0], [1]]),
      },
    ]);
    const sums: number[] = [
      ...new DataLoader([1, 2, 3], { batchSize: 2, collate: (all) => all.reduce((a, b) => a + b) }),
    ];
    expect(sums).toEqual([3, 3]);
    const batch: Tensor<[number], "float32">[] = [...new DataLoader([1, 2])];
    expect(batch).toEqual([tensor([1]), tensor([2])]);
  });

  test.each([
    [
      [tensor([1]), tensor([1, 2])],
      "stack expects each tensor to be equal size, but got [1] at entry 0 and [2] at entry 1",
    ],
    [
      [{ a: tensor(1) }, { a: 1 }],
      "samples.a cannot be put together: sample 0 is a tensor of float32 and sample 1 is 1",
    ],
    [[[1], [true]], "samples[0] cannot be put together: sample 0 is 1 and sample 1 is true"],
    [[{ a: 1 }, { b: 1 }], "sample 0 has the entries a and sample 1 b"],
    [[null, null], "null makes no batch"],
  ])("refuses samples that make no batch: %#", (samples, message) => {
    expect(() => [...new DataLoader(samples as unknown[], { batchSize: 2 })]).toThrow(message);
  });

  test("refuses options that contradict each other", () => {
    const make = (options: object) => () => new DataLoader(digits(), options);
    expect(make({ sampler: new SequentialSampler(3), shuffle: true })).toThrow(
      "sampler option is mutually exclusive with shuffle",
    );
    expect(make({ batchSampler: [[1]], dropLast: true })).toThrow(
      "batchSampler option is mutually exclusive with dropLast",
    );
    expect(make({ batchsize: 3 })).toThrow('unknown option "batchsize"');
    expect(make({ batchSize: 0 })).toThrow("batchSize must be a whole number of at least 1");
    expect(() => new DataLoader(new Set([1]), { shuffle: true })).toThrow(
      "an iterable dataset option is mutually exclusive with shuffle",
    );
    expect(() => new DataLoader(7 as never)).toThrow("or can be iterated, but got 7");
    expect(() => new DataLoader(new Set([1])).length).toThrow("has no length");
  });
});

describe("for await", () => {
  /** Samples that are there when they are released; says which were asked for. */
  function slow(length: number): {
    readonly dataset: Dataset<Promise<number>>;
    readonly asked: number[];
    release(): void;
  } {
    const asked: number[] = [];
    const waiting: (() => void)[] = [];
    const at = (index: number): Promise<number> => {
      asked.push(index);
      return new Promise((resolve) => waiting.push(() => resolve(index)));
    };
    return { dataset: { length, at }, asked, release: () => waiting.splice(0).forEach((go) => void go()) };
  }

  test("asks for the next batches while the caller works on one", async () => {
    const { dataset, asked, release } = slow(10);
    const batches = new DataLoader(dataset, { batchSize: 2, prefetch: 2 })[Symbol.asyncIterator]();
    const first = batches.next();
    expect(asked).toEqual([0, 1, 2, 3, 4, 5]);
    release();
    expect((await first).value).toEqual(tensor([0, 1]));
    const second = batches.next();
    await second;
    expect(asked).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    await batches.return();
    release();
  });

  test("gives what for gives, of tensors, promises and samples that come in turn", async () => {
    expect(await listOf(new DataLoader(digits(), { batchSize: 4 }))).toEqual([
      ...new DataLoader(digits(), { batchSize: 4 }),
    ]);
    const promises = { length: 5, at: async (index: number) => ({ square: index ** 2 }) };
    const expected = [[0, 1], [4, 9], [16]].map((square) => ({ square: tensor(square) }));
    expect(await listOf(new DataLoader(promises, { batchSize: 2 }))).toEqual(expected);
    async function* later(): AsyncGenerator<{ square: number }> {
      for (let k = 0; k < 5; k++) yield { square: k ** 2 };
    }
    expect(await listOf(new DataLoader({ [Symbol.asyncIterator]: later }, { batchSize: 2 }))).toEqual(
      expected,
    );
    const now = {
      *[Symbol.iterator]() {
        yield* [1, 2, 3];
      },
    };
    expect([...new DataLoader(now, { batchSize: 2 })]).toEqual([tensor([1, 2]), tensor([3])]);
    expect(await listOf(new DataLoader(now, { batchSize: 2, dropLast: true }))).toEqual([tensor([1, 2])]);
    expect(() => [...new DataLoader(promises)]).toThrow("the dataset gives promises; write for await");
    expect(() => [...new DataLoader({ [Symbol.asyncIterator]: later })]).toThrow("write for await");
  });

  test("throws what a sample throws when its turn comes, and closes what it read from", async () => {
    const failing = {
      length: 6,
      at: async (index: number) => {
        if (index === 3) throw new Error("no sample 3");
        return index;
      },
    };
    const seen: number[] = [];
    const read = async (): Promise<void> => {
      for await (const batch of new DataLoader(failing, { prefetch: 3 })) seen.push(batch.toArray()[0]!);
    };
    await expect(read()).rejects.toThrow("no sample 3");
    expect(seen).toEqual([0, 1, 2]);
    let closed = false;
    async function* open(): AsyncGenerator<number> {
      try {
        for (let k = 0; ; k++) yield k;
      } finally {
        closed = true;
      }
    }
    for await (const _ of new DataLoader({ [Symbol.asyncIterator]: open })) break;
    expect(closed).toBe(true);
  });

  test("refuses samples that have nothing to combine", () => {
    for (const sample of [new Map([["a", 1]]), new Set([1]), new Date(0), /x/])
      expect(() => [...new DataLoader([sample, sample], { batchSize: 2 })]).toThrow("makes no batch");
    expect([...new DataLoader([{}, {}], { batchSize: 2 })]).toEqual([{}]);
  });

  test("throws what the dataset and collate throw, as they threw it", async () => {
    const mine = Object.freeze(new Error("mine"));
    const fail = (): never => {
      throw mine;
    };
    const failLater = async (): Promise<number> => fail();
    const loaders = [
      new DataLoader({ length: 2, at: failLater }),
      new DataLoader({ length: 2, at: async (k: number) => k }, { collate: failLater }),
      new DataLoader(
        (async function* () {
          yield 1;
          fail();
        })(),
      ),
      new DataLoader({
        *[Symbol.iterator]() {
          yield 1;
          fail();
        },
      }),
    ];
    for (const loader of loaders)
      expect(await listOf(loader as AsyncIterable<unknown>).catch((error) => error)).toBe(mine);
    expect(mine.message).toBe("mine");
    let closed = 0;
    const open = {
      *[Symbol.iterator]() {
        try {
          yield 1;
          yield 2;
        } finally {
          closed++;
        }
      },
    };
    for (const _ of new DataLoader(open)) break;
    for (const _ of new DataLoader(open));
    expect(closed).toBe(2);
  });
});
