import {
  type AnyTensor,
  bernoulli,
  binomial,
  clearCaches,
  dropout,
  explain,
  full,
  Generator,
  getRngState,
  initialSeed,
  manualSeed,
  multinomial,
  normal,
  ones,
  poisson,
  rand,
  randint,
  randintLike,
  randLike,
  randn,
  randnLike,
  randperm,
  seed,
  setRngState,
  stats,
  tensor,
  zeros,
} from "fuseau";
import { describe, expect, test } from "vitest";

const from = (start: number | bigint = 1): { readonly generator: Generator } => ({
  generator: new Generator(start),
});

/** One of each distribution, from a generator of its own. */
const distributions: Readonly<Record<string, (generator: Generator) => AnyTensor>> = {
  rand: (generator) => rand([3, 50], { generator }),
  "rand float16": (generator) => rand([150], { generator, dtype: "float16" }),
  "rand float64": (generator) => rand([150], { generator, dtype: "float64" }),
  randn: (generator) => randn([150], { generator }),
  "randn float16": (generator) => randn([150], { generator, dtype: "float16" }),
  "randn float64": (generator) => randn([150], { generator, dtype: "float64" }),
  randint: (generator) => randint(-5, 5, [150], { generator }),
  "randint int8": (generator) => randint(-128, 128, [150], { generator, dtype: "int8" }),
  "randint of 2^40": (generator) => randint(2 ** 40, [150], { generator }),
  "randint of 2^60": (generator) => randint(2n ** 60n, [150], { generator }),
  "randint of nearly all int64": (generator) => randint(-(2n ** 63n), 2n ** 63n - 1n, [150], { generator }),
  random_: (generator) => zeros([150], { dtype: "uint8" }).random_(0, null, { generator }),
  uniform_: (generator) => zeros([150]).uniform_(-2, 3, { generator }),
  normal_: (generator) => zeros([150]).normal_(4, 0.5, { generator }),
  logNormal_: (generator) => zeros([150]).logNormal_(0, 0.25, { generator }),
  exponential_: (generator) => zeros([150]).exponential_(2, { generator }),
  cauchy_: (generator) => zeros([150]).cauchy_(0, 1, { generator }),
  geometric_: (generator) => zeros([150], { dtype: "int64" }).geometric_(0.2, { generator }),
  bernoulli_: (generator) => zeros([150], { dtype: "bool" }).bernoulli_(0.3, { generator }),
  bernoulli: (generator) => bernoulli(full([150], 0.3), null, { generator }),
  dropout: (generator) => dropout(ones([150]), 0.25, { generator }),
  randperm: (generator) => randperm(150, { generator }),
  normal: (generator) => normal(full([150], 2.5), full([3, 150], 0.5), { generator }),
  "multinomial with replacement": (generator) =>
    multinomial(tensor([0.1, 0.2, 0.7]), 150, { generator, replacement: true }),
  poisson: (generator) => poisson(full([150], 3.5), { generator }),
  binomial: (generator) => binomial(full([150], 9).float(), full([3, 150], 0.3), { generator }),
  "multinomial without": (generator) => multinomial(ones([3, 50]), 50, { generator }),
};

describe("random numbers", () => {
  test.each(Object.entries(distributions))("%s are the same however they are computed", (_, draw) => {
    const expected = draw(new Generator(7)).compute({ emitter: "js" }).toTypedArray();
    for (const emitter of ["js", "closure"] as const) {
      for (const fusion of ["on", "none"] as const) {
        expect(draw(new Generator(7)).compute({ emitter, fusion }).toTypedArray()).toEqual(expected);
      }
    }
    expect(draw(new Generator(8)).toTypedArray()).not.toEqual(expected);
  });

  test("are the words of Philox under the seed", () => {
    // Random123's vector of counter 0 and key 0.
    const words = [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8];
    expect(rand([4], from(0)).toArray()).toEqual(words.map((word) => (word >>> 8) * 2 ** -24));
    expect(
      randint(2 ** 16, [2, 2], from(0))
        .reshape([4])
        .toArray(),
    ).toEqual(words.map((word) => word >>> 16));
    const high = rand([1], { ...from(1n << 32n), dtype: "float64" }).item();
    expect(high).not.toBe(rand([1], { ...from(0), dtype: "float64" }).item());
  });

  test("are drawn when they are recorded, and no more than once", () => {
    const { generator } = from();
    const first = rand([5], { generator });
    const second = rand([5], { generator });
    const late = second.toArray();
    const again = new Generator(1);
    expect(first.toArray()).toEqual(rand([5], { generator: again }).toArray());
    expect(late).toEqual(rand([5], { generator: again }).toArray());
    expect(first.sub(first).abs().sum().item()).toBe(0);
  });

  test.each<[string, number, (generator: Generator) => AnyTensor]>([
    ["rand", 8, (generator) => rand([5], { generator })],
    ["rand of float64", 12, (generator) => rand([5], { generator, dtype: "float64" })],
    ["randn", 12, (generator) => randn([5], { generator })],
    ["randn of float64", 20, (generator) => randn([5], { generator, dtype: "float64" })],
    ["randint", 8, (generator) => randint(10, [5], { generator })],
    ["randint beyond 2^20", 12, (generator) => randint(2 ** 20 + 1, [5], { generator })],
    ["randperm", 12, (generator) => randperm(5, { generator })],
    ["dropout", 8, (generator) => dropout(ones([5]), 0.5, { generator })],
    ["dropout that drops nothing", 0, (generator) => dropout(ones([5]), 0.5, { generator, training: false })],
    ["rand of nothing", 0, (generator) => rand([0, 3], { generator })],
    ["rand 0-d", 4, (generator) => rand([], { generator })],
  ])("%s uses up whole blocks of words", (_, words, draw) => {
    const generator = new Generator(3);
    const { shape } = draw(generator);
    expect(generator.getState()).toEqual({ seed: 3n, offset: words });
    expect(draw(generator).toTypedArray().length).toBe(shape.reduce((count, size) => count * size, 1));
  });

  test("fuse with what is done with them", () => {
    expect(explain(rand([1000]).mul(2).sub(1)).kernels).toHaveLength(1);
    expect(
      explain(
        randn([10, 100])
          .add(randn([100]))
          .sum(1),
      ).kernels,
    ).toHaveLength(1);
    expect(explain(dropout(tensor([1, 2, 3]).exp(), 0.5)).kernels).toHaveLength(1);
    expect(explain(zeros([10]).uniform_(2, 3)).kernels).toHaveLength(1);
  });

  test("of further calls need no further program", () => {
    manualSeed(12_345);
    for (const draw of [() => randn([100]), () => randint(6, [100]), () => dropout(ones([100]))]) {
      for (let warm = 0; warm < 2; warm++) draw().compute();
      clearCaches();
      for (let call = 0; call < 4; call++) draw().compute();
      const { programs } = stats();
      expect(programs.size).toBe(1);
    }
  });
});

describe("generators", () => {
  test("start anew by manualSeed", () => {
    const generator = manualSeed(99);
    const first = randn([4]).toArray();
    expect(randn([4]).toArray()).not.toEqual(first);
    expect(manualSeed(99)).toBe(generator);
    expect(randn([4]).toArray()).toEqual(first);
    expect(initialSeed()).toBe(99n);
  });

  test("go back to a state", () => {
    const state = getRngState();
    const numbers = rand([3]).toArray();
    setRngState(state);
    expect(rand([3]).toArray()).toEqual(numbers);
    const copy = new Generator().setState(getRngState());
    expect(rand([3], { generator: copy }).toArray()).toEqual(rand([3]).toArray());
  });

  test("take any 64-bit seed; a negative one is itself plus 2^64", () => {
    expect(new Generator(-1).initialSeed()).toBe(2n ** 64n - 1n);
    expect(new Generator(2n ** 64n - 1n).initialSeed()).toBe(2n ** 64n - 1n);
    expect(new Generator().initialSeed()).toBe(67_280_421_310_721n);
    expect(seed()).toBe(initialSeed());
    expect(() => new Generator(2n ** 64n)).toThrow("Overflow when unpacking long");
    expect(() => manualSeed(0.5)).toThrow(TypeError);
  });

  test("refuse states that no generator has", () => {
    for (const state of [null, {}, { seed: 1, offset: 0 }, { seed: 1n, offset: 2 }, { seed: 1n, offset: -4 }])
      expect(() => new Generator().setState(state as never)).toThrow("RNG state is wrong");
  });

  test("end after 2^53 words", () => {
    const generator = new Generator().setState({ seed: 0n, offset: 2 ** 53 - 4 });
    expect(
      rand([4], { generator })
        .toArray()
        .every((x) => x >= 0 && x < 1),
    ).toBe(true);
    expect(() => rand([1], { generator })).toThrow("rand: the generator has given all its 2^53 words");
  });
});

describe("distributions", () => {
  const count = 100_000;
  const numbers = (x: AnyTensor): number[] => Array.from(x.to("float64").toTypedArray(), Number);
  const mean = (x: readonly number[]): number => x.reduce((sum, each) => sum + each, 0) / x.length;
  const variance = (x: readonly number[]): number => {
    const center = mean(x);
    return mean(x.map((each) => (each - center) ** 2));
  };
  /** Σ (observed − expected)² / expected. */
  function chiSquare(places: readonly number[], expected: readonly number[]): number {
    const seen = expected.map(() => 0);
    for (const place of places) seen[place]!++;
    return expected.reduce((sum, e, place) => sum + (seen[place]! - e) ** 2 / e, 0);
  }

  // Mean and variance, each within five standard errors or so.
  test.each<[string, number, number, (options: { readonly generator: Generator }) => AnyTensor]>([
    ["rand", 0.5, 1 / 12, (options) => rand([count], options)],
    ["rand float16", 0.5, 1 / 12, (options) => rand([count], { ...options, dtype: "float16" })],
    ["rand float64", 0.5, 1 / 12, (options) => rand([count], { ...options, dtype: "float64" })],
    ["randn", 0, 1, (options) => randn([count], options)],
    ["randn float64", 0, 1, (options) => randn([count], { ...options, dtype: "float64" })],
    ["uniform_(-2, 4)", 1, 3, (options) => zeros([count]).uniform_(-2, 4, options)],
    ["normal_(3, 2)", 3, 4, (options) => zeros([count]).normal_(3, 2, options)],
    ["exponential_(2)", 0.5, 0.25, (options) => zeros([count]).exponential_(2, options)],
    ["geometric_(0.5)", 2, 2, (options) => zeros([count], { dtype: "int64" }).geometric_(0.5, options)],
    ["logNormal_(0, 0.5)", Math.exp(0.125), 0.3647, (options) => zeros([count]).logNormal_(0, 0.5, options)],
    ["bernoulli_(0.3)", 0.3, 0.21, (options) => zeros([count]).bernoulli_(0.3, options)],
    ["randint(7)", 3, 4, (options) => randint(7, [count], options)],
    ["dropout(1, 0.2)", 1, 0.25, (options) => dropout(ones([count]), 0.2, options)],
  ])("%s has mean %d and variance %d", (_, center, spread, draw) => {
    const drawn = numbers(draw(from(42)));
    expect(Math.abs(mean(drawn) - center)).toBeLessThan(5 * Math.sqrt(spread / count));
    expect(Math.abs(variance(drawn) / spread - 1)).toBeLessThan(0.05);
  });

  test("rand is uniform, and pairs of neighbours are too", () => {
    const x = numbers(rand([count], from(5)));
    const ten = x.map((each) => Math.floor(each * 10));
    // 9 and 99 degrees of freedom: exceeded once in 10,000.
    expect(chiSquare(ten, new Array(10).fill(count / 10))).toBeLessThan(33.7);
    const pairs = ten.slice(1).map((each, k) => ten[k]! * 10 + each);
    expect(chiSquare(pairs, new Array(100).fill((count - 1) / 100))).toBeLessThan(161.3);
  });

  test("words, seeds and places are independent of each other", () => {
    const correlation = (a: readonly number[], b: readonly number[]): number =>
      mean(a.map((x, k) => (x - 0.5) * (b[k]! - 0.5))) * 12;
    const x = numbers(rand([count], from(1)));
    const bound = 5 / Math.sqrt(count);
    for (const lag of [1, 2, 3, 4, 64]) expect(Math.abs(correlation(x.slice(lag), x))).toBeLessThan(bound);
    for (const other of [2, 2 ** 32, -1]) {
      expect(Math.abs(correlation(x, numbers(rand([count], from(other)))))).toBeLessThan(bound);
    }
  });

  test("randn has the tails of a normal distribution", () => {
    const x = numbers(randn([count], from(11)));
    for (const [limit, share] of [
      [1, 0.3173],
      [2, 0.0455],
      [3, 0.0027],
    ] as const) {
      const beyond = x.filter((each) => Math.abs(each) > limit).length / count;
      expect(Math.abs(beyond - share)).toBeLessThan(5 * Math.sqrt(share / count));
    }
  });

  test("randint takes every integer of its range alike, and no other", () => {
    const x = numbers(randint(-3, 4, [count], from(6)));
    expect(
      chiSquare(
        x.map((each) => each + 3),
        new Array(7).fill(count / 7),
      ),
    ).toBeLessThan(27.9);
    const wide = randint(-(2n ** 62n), 2n ** 62n + 7n, [1000], from(6)).toTypedArray();
    expect(wide.every((each) => each >= -(2n ** 62n) && each < 2n ** 62n + 7n)).toBe(true);
    const whole = randint(-(2n ** 63n), 2n ** 63n - 1n, [1000], from(6)).toTypedArray();
    expect(whole.filter((each) => each < 0n).length).toBeGreaterThan(400);
    expect(numbers(randint(5, 6, [10], from())).every((each) => each === 5)).toBe(true);
  });

  test("uniform numbers stay below the end of their range", () => {
    const narrow = numbers(zeros([10_000]).uniform_(1, 1 + 2 ** -22, from()));
    expect(narrow.every((each) => each >= 1 && each < 1 + 2 ** -22)).toBe(true);
    expect(numbers(zeros([3]).uniform_(2, 2, from()))).toEqual([2, 2, 2]);
  });

  test("randperm is a permutation, and each alike", () => {
    const { generator } = from(3);
    const order = [...randperm(1000, { generator }).toTypedArray()].map(Number);
    expect([...order].sort((a, b) => a - b)).toEqual(order.map((_, k) => k));
    const seen = Array.from({ length: 3000 }, () => randperm(3, { generator }).toArray().join(""));
    const kinds = ["012", "021", "102", "120", "201", "210"];
    expect(
      chiSquare(
        seen.map((each) => kinds.indexOf(each)),
        new Array(6).fill(500),
      ),
    ).toBeLessThan(25.7);
  });

  /** Counts beyond which a sample would lie once in a thousand samples, for six intervals. */
  const LIMIT = 20.5;

  test.each([
    ["poisson of 3.5", () => poisson(full([6000], 3.5), from(3)), [2, 3, 4, 5, 6], 3.5, 3.5],
    [
      "poisson of 900",
      () => poisson(full([6000], 900).float(), from(4)),
      [871, 886, 900, 915, 930],
      900,
      900,
    ],
    [
      "binomial of 10",
      () => binomial(full([6000], 10).float(), tensor(0.3), from(5)),
      [2, 3, 4, 5, 6],
      3,
      2.1,
    ],
    [
      "binomial of 4000",
      () => binomial(full([6000], 4000).float(), tensor(0.9), from(6)),
      [3581, 3591, 3600, 3610, 3620],
      3600,
      360,
    ],
  ] as const)("%s has the distribution of its name", (_, draw, edges, expected, variance) => {
    const counts = Array.from(draw().toTypedArray(), Number);
    expect(Math.abs(mean(counts) - expected)).toBeLessThan(4 * Math.sqrt(variance / counts.length));
    const spread = mean(counts.map((count) => (count - expected) ** 2));
    expect(Math.abs(spread / variance - 1)).toBeLessThan(0.08);
    expect(counts.every((count) => Number.isInteger(count) && count >= 0)).toBe(true);
    const [first, last] = [Math.max(0, Math.floor(expected - 12 * Math.sqrt(variance))), edges.at(-1)!];
    const logs = (k: number): number =>
      Array.from({ length: k }, (_, j) => Math.log(j + 1)).reduce((a, b) => a + b, 0);
    const trials = variance === expected ? null : expected === 3 ? 10 : 4000;
    const p = 1 - variance / expected;
    const share = (k: number): number =>
      Math.exp(
        trials === null
          ? k * Math.log(expected) - expected - logs(k)
          : logs(trials) - logs(k) - logs(trials - k) + k * Math.log(p) + (trials - k) * Math.log(1 - p),
      );
    const below = (edge: number): number =>
      Array.from({ length: edge - first }, (_, j) => share(first + j)).reduce((a, b) => a + b, 0);
    const bounds = [0, ...edges.map(below), 1];
    expect(last).toBeGreaterThan(first);
    const seen = [0, 0, 0, 0, 0, 0];
    for (const count of counts) seen[edges.filter((edge) => edge <= count).length]!++;
    const wanted = seen.map((_, k) => counts.length * (bounds[k + 1]! - bounds[k]!));
    const distance = seen.reduce((sum, count, k) => sum + (count - wanted[k]!) ** 2 / wanted[k]!, 0);
    expect(distance).toBeLessThan(LIMIT);
  });

  test("draws wide counts in as few steps as narrow ones", () => {
    const wide = (mean: number, variance: number, drawn: { toTypedArray(): ArrayLike<number | bigint> }) => {
      const counts = Array.from(drawn.toTypedArray() as Float64Array);
      expect(counts.every((count) => Number.isInteger(count))).toBe(true);
      const z = counts.map((count) => (count - mean) / Math.sqrt(variance));
      const moment = (k: number): number => z.reduce((sum, x) => sum + x ** k, 0) / z.length;
      expect(Math.abs(moment(1))).toBeLessThan(0.1);
      expect(Math.abs(moment(2) - 1)).toBeLessThan(0.1);
      expect(Math.abs(moment(4) - 3)).toBeLessThan(0.8);
    };
    const of = (value: number) => full([4000], value, { dtype: "float64" });
    wide(1e7, 1e7, poisson(of(1e7), from(7)));
    wide(1e15, 1e15, poisson(of(1e15), from(8)));
    wide(3e8, 2.1e8, binomial(of(1e9), of(0.3), from(9)));
    expect(
      poisson(full([2], 1e30, { dtype: "float64" }))
        .div(1e30)
        .sub(1)
        .abs()
        .lt(1e-10)
        .all()
        .item(),
    ).toBe(true);
  });

  test("counts of nothing, and of everything", () => {
    // PyTorch 1.13: torch.binomial of the same.
    const trials = tensor([10, -1, 0, 10, 10, 10]);
    const shares = tensor([1.5, 0.5, 0.5, -1, Number.NaN, 1]);
    expect(binomial(trials, shares).toArray()).toEqual([10, 0, 0, 0, Number.NaN, 10]);
    expect(poisson(tensor([0, 0])).toArray()).toEqual([0, 0]);
    expect(() => poisson(tensor([1, -1]))).toThrow(
      "poisson: invalid Poisson rate, expected rate to be non-negative",
    );
    expect(() => poisson(ones([2], { dtype: "int64" }))).toThrow(
      "poisson: \"poisson_cpu\" not implemented for 'Long'",
    );
    expect(() => binomial(trials, shares.double())).toThrow(
      "binomial: Found dtype Double but expected Float",
    );
  });

  test("multinomial draws by weight", () => {
    const weights = tensor([
      [1, 0, 3],
      [0, 2, 0],
    ]);
    const drawn = multinomial(weights, 10_000, { ...from(2), replacement: true });
    expect(drawn.dtype).toBe("int64");
    const [first, second] = drawn.toArray() as [number[], number[]];
    expect(first).not.toContain(1);
    expect(Math.abs(mean(first) / 2 - 0.75)).toBeLessThan(0.025);
    expect(second.every((place) => place === 1)).toBe(true);
    const without = multinomial(tensor([0, 1, 1, 8]), 3, from(2)).toArray();
    expect([...without].sort()).toEqual([1, 2, 3]);
    const { generator } = from(9);
    const firsts = Array.from({ length: 2000 }, () => multinomial(tensor([1, 3]), 1, { generator }).item());
    expect(Math.abs(mean(firsts) - 0.75)).toBeLessThan(0.05);
  });

  test("dropout scales what it keeps, and at p = 1 keeps nothing", () => {
    const x = tensor([1, 2, 3, 4, 5, 6]);
    const kept = dropout(x, 0.5, from(4)).toArray();
    kept.forEach((each, k) => {
      expect([0, 2 * (k + 1)]).toContain(each);
    });
    expect(dropout(x, 1).toArray()).toEqual([0, 0, 0, 0, 0, 0]);
    expect(dropout(x, 0.5, { training: false })).toBe(x);
  });
});

describe("random numbers in place", () => {
  test("go through views, and keep the dtype", () => {
    const base = zeros([3, 4], { dtype: "float64" });
    const row = base.select(0, 1);
    expect(row.uniform_(1, 2, from())).toBe(row);
    const [above, drawn, below] = base.toArray() as [number[], number[], number[]];
    expect([...above, ...below].every((x) => x === 0)).toBe(true);
    expect(drawn.every((x) => x >= 1 && x < 2)).toBe(true);
    expect(base.t().normal_(0, 1, from()).shape).toEqual([4, 3]);
    expect(zeros([2], { dtype: "int16" }).random_(0, 9, from()).dtype).toBe("int16");
  });

  test("leave what was recorded before as it was", () => {
    const x = ones([3]);
    const before = x.add(1);
    x.uniform_(5, 6);
    expect(before.toArray()).toEqual([2, 2, 2]);
  });

  test("like another tensor have its shape and dtype", () => {
    const x = zeros([2, 3], { dtype: "float16" });
    for (const like of [randLike(x), randnLike(x), randintLike(x, 9), randintLike(x, 2, 9)]) {
      expect([like.shape, like.dtype]).toEqual([[2, 3], "float16"]);
    }
    expect(randLike(x, { dtype: "float64" }).dtype).toBe("float64");
  });
});

describe("random numbers refuse", () => {
  const x = zeros([3]);
  const counts = zeros([3], { dtype: "int64" });
  test.each<[string, () => unknown, string]>([
    [
      "an empty range",
      () => randint(5, 5, [2]),
      "randint: random_ expects 'from' to be less than 'to', but got from=5 >= to=5",
    ],
    [
      "a range beyond the dtype",
      () => randint(0, 300, [2], { dtype: "uint8" }),
      "randint: to - 1 is out of bounds for unsigned char",
    ],
    [
      "a range below the dtype",
      () => randint(-1, 3, [2], { dtype: "uint8" }),
      "randint: from is out of bounds for unsigned char",
    ],
    ["a fraction as a bound", () => randint(0.5, [2]), "randint: argument 'high' must be int, not 0.5"],
    [
      "integers as uniform",
      () => rand([2], { dtype: "int64" as never }),
      `rand: "check_uniform_bounds" not implemented for 'Long'`,
    ],
    ["integers as normal", () => counts.normal_(), `normal_: "normal_kernel_cpu" not implemented for 'Long'`],
    [
      "a range that ends before it begins",
      () => x.uniform_(1, 0),
      "uniform_: uniform_ expects to return a [from, to) range, but found from=1 > to=0",
    ],
    ["a negative deviation", () => x.normal_(0, -1), "normal_: normal expects std >= 0.0, but found std -1"],
    [
      "negative deviations",
      () => normal(0, tensor([1, -1])),
      "normal: normal expects all elements of std >= 0.0",
    ],
    [
      "a rate of 0",
      () => x.exponential_(0),
      "exponential_: exponential_ expects lambda > 0.0, but found lambda=0",
    ],
    [
      "a certain success",
      () => x.geometric_(1),
      "geometric_: geometric_ expects p to be in (0, 1), but got p=1",
    ],
    [
      "a probability above 1",
      () => x.bernoulli_(1.5),
      "bernoulli_: bernoulli_ expects p to be in [0, 1], but got p=1.5",
    ],
    [
      "probabilities above 1",
      () => bernoulli(tensor([0.5, 1.5])),
      "bernoulli: Expected p_in >= 0 && p_in <= 1 to be true, but got false.",
    ],
    [
      "dropout of more than all",
      () => dropout(x, 1.1),
      "dropout: dropout probability has to be between 0 and 1, but got 1.1",
    ],
    [
      "too many samples",
      () => multinomial(ones([2]), 3),
      "multinomial: cannot sample n_sample > prob_dist.size(-1) samples without replacement",
    ],
    ["no samples", () => multinomial(ones([2]), 0), "multinomial: cannot sample n_sample <= 0 samples"],
    [
      "weights of integers",
      () => multinomial(counts, 1),
      "multinomial: multinomial only supports floating-point dtypes for input, got: Long",
    ],
    [
      "three axes of weights",
      () => multinomial(ones([1, 1, 2]), 1),
      "multinomial: prob_dist must be 1 or 2 dim",
    ],
    [
      "negative weights",
      () => multinomial(tensor([1, -1]), 1),
      "multinomial: probability tensor contains either `inf`, `nan` or element < 0",
    ],
    [
      "negative weights",
      () => multinomial(tensor([1, -1]), 1, { replacement: true }),
      "multinomial: invalid multinomial distribution (encountering probability entry < 0)",
    ],
    [
      "weights of 0",
      () => multinomial(zeros([2]), 1),
      "multinomial: invalid multinomial distribution (sum of probabilities <= 0)",
    ],
    ["fewer than no elements", () => randperm(-1), "randperm: n must be non-negative"],
    [
      "more elements than the dtype counts",
      () => randperm(300, { dtype: "uint8" }),
      "randperm: n is too large for result tensor type",
    ],
    [
      "a seed as a generator",
      () => rand([2], { generator: 3 as never }),
      "rand: expected a Generator object for argument 'generator'",
    ],
  ])("%s", (_, draw, message) => {
    const state = getRngState();
    expect(draw).toThrow(message);
    expect(getRngState()).toEqual(state);
  });
});
