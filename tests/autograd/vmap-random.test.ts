/** Random numbers in mapped functions, as PyTorch's `randomness` says. */
import {
  type AnyTensor,
  bernoulli,
  binomial,
  dropout,
  full,
  func,
  Generator,
  jit,
  manualSeed,
  multinomial,
  normal,
  ones,
  poisson,
  rand,
  randn,
  randperm,
  type Tensor,
  tensor,
  zeros,
} from "fuseau";
import { beforeEach, describe, expect, it } from "vitest";

beforeEach(() => {
  manualSeed(3);
});

/** What `fn` gives, the default generator being at its beginning. */
function seeded<R>(fn: () => R): R {
  manualSeed(3);
  return fn();
}

const noisy = (x: AnyTensor): AnyTensor => x.add(rand([3, 2]));

it("are refused unless it is said how they are drawn", () => {
  expect(() => func.vmap(noisy)(zeros([4, 1]))).toThrow(
    /^rand: vmap: called random operation while in randomness error mode\..*randomness: "different"/,
  );
  expect(rand([2]).toArray()).toEqual(seeded(() => rand([2]).toArray()));
});

it("each example draws what a whole batch would", () => {
  const mapped = func
    .vmap(noisy, 0, 0, { randomness: "different" })(zeros([4, 1]))
    .toArray();
  manualSeed(3);
  expect(mapped).toEqual(rand([4, 3, 2]).toArray());
});

it.each(["randn", "exponential_", "dropout", "float64"] as const)(
  "%s too, where an element takes several words, and the generator goes on behind them",
  (kind) => {
    const draws = {
      randn: (shape: readonly number[]) => randn(shape),
      exponential_: (shape: readonly number[]) => zeros(shape).exponential_(),
      dropout: (shape: readonly number[]) => dropout(ones(shape), 0.5),
      float64: (shape: readonly number[]) => randn(shape, { dtype: "float64" }),
    };
    const draw: (shape: readonly number[]) => AnyTensor = draws[kind];
    const mapped = func.vmap((x: AnyTensor) => draw([5]).add(x), 0, 0, { randomness: "different" })(
      zeros([3]),
    );
    const next = rand([2]).toArray();
    const found = mapped.toArray();
    manualSeed(3);
    expect(found).toEqual(draw([3, 5]).toArray());
    expect(next).toEqual(rand([2]).toArray());
  },
);

it("the same for all examples", () => {
  const mapped = func
    .vmap(noisy, 0, 0, { randomness: "same" })(zeros([4, 1]))
    .toArray();
  manualSeed(3);
  const once = rand([3, 2]).toArray();
  expect(mapped).toEqual([once, once, once, once]);
});

it("mapped twice: each function says it for its own axis", () => {
  const both = (outer: "same" | "different", inner: "same" | "different") => {
    manualSeed(3);
    const row = func.vmap((x: AnyTensor) => x.add(rand([2])), 0, 0, { randomness: inner });
    return func
      .vmap(row, 0, 0, { randomness: outer })(zeros([4, 3]))
      .toArray() as number[][][];
  };
  manualSeed(3);
  expect(both("different", "different")).toEqual(seeded(() => rand([4, 3, 2]).toArray()));
  const columns = seeded(() => rand([4, 1, 2]).expand([4, 3, 2]).toArray());
  expect(both("different", "same")).toEqual(columns);
  const rows = seeded(() => rand([1, 3, 2]).expand([4, 3, 2]).toArray());
  expect(both("same", "different")).toEqual(rows);
});

it("a random order for each example", () => {
  const orders = func
    .vmap((x: AnyTensor) => randperm(6).add(x), 0, 0, { randomness: "different" })(
      zeros([20], { dtype: "int64" }),
    )
    .toArray() as number[][];
  for (const order of orders) expect([...order].sort()).toEqual([0, 1, 2, 3, 4, 5]);
  expect(new Set(orders.map(String)).size).toBeGreaterThan(10);
});

it("jitted, they go on from call to call", () => {
  const generator = new Generator(5);
  const draw = func.vmap((x: AnyTensor) => x.add(rand([2], { generator })), 0, 0, {
    randomness: "different",
  });
  const run = jit((x: AnyTensor) => draw(x));
  const x = zeros([3, 1]).compute();
  const jitted = [run(x).toArray(), run(x).toArray(), run(x).toArray()];
  generator.manualSeed(5);
  expect(jitted).toEqual([draw(x).toArray(), draw(x).toArray(), draw(x).toArray()]);
});

it("no examples draw nothing", () => {
  const mapped = func.vmap(noisy, 0, 0, { randomness: "different" })(zeros([0, 1]));
  expect(mapped.shape).toEqual([0, 3, 2]);
  expect(rand([2]).toArray()).toEqual(seeded(() => rand([2]).toArray()));
});

it("an unknown way is refused", () => {
  expect(() => func.vmap(noisy, 0, 0, { randomness: "each" as "same" })).toThrow(
    'func.vmap: Only allowed values for randomness are "error", "different", "same". Got "each"',
  );
});

describe("draws whose parameters are read at the call", () => {
  const p = tensor([
    [0, 1, 0.5, 0.2],
    [1, 0, 0.5, 0.7],
  ]);
  const counts = full([4], 20, { dtype: "float32" });
  const draws: Readonly<Record<string, (x: Tensor) => AnyTensor>> = {
    bernoulli: (x) => bernoulli(x),
    bernoulli_: (x) => zeros(x.shape).bernoulli_(x),
    normal: (x) => normal(0, x),
    poisson: (x) => poisson(x.mul(30)),
    binomial: (x) => binomial(counts, x),
    "multinomial with replacement": (x) => multinomial(x, 5, { replacement: true }),
    "multinomial without": (x) => multinomial(x, 2),
  };
  const drawn = (draw: () => AnyTensor): unknown => {
    manualSeed(5);
    return draw().toArray();
  };
  it.each(Object.entries(draws))("%s: each example's own are those of the whole", (_, draw) => {
    const mapped = func.vmap(draw as (x: AnyTensor) => AnyTensor, 0, 0, { randomness: "different" });
    expect(drawn(() => mapped(p))).toEqual(drawn(() => draw(p as unknown as Tensor)));
    const nested = func.vmap(mapped, 0, 0, { randomness: "different" });
    expect(drawn(() => nested(p.unsqueeze(0)))).toEqual([drawn(() => draw(p as unknown as Tensor))]);
    expect(() => func.vmap(draw as (x: AnyTensor) => AnyTensor)(p)).toThrow(/randomness error mode/);
  });

  it("the same for all examples", () => {
    const mapped = func.vmap((x: AnyTensor) => multinomial(x, 5, { replacement: true }), 0, 0, {
      randomness: "same",
    });
    const [first, second] = mapped(ones([2, 3])).toArray() as unknown[];
    expect(first).toEqual(second);
  });

  it("parameters of any example are checked", () => {
    const mapped = (fn: (x: AnyTensor) => AnyTensor) => func.vmap(fn, 0, 0, { randomness: "different" });
    expect(() => mapped((x) => bernoulli(x.mul(2)))(p)).toThrow(/a probability is 2/);
    expect(() => mapped((x) => multinomial(x.sub(0.1), 2))(p)).toThrow(/element < 0/);
    expect(() => mapped((x) => normal(0, x.sub(1)))(p)).toThrow(/std >= 0/);
    expect(() => multinomial(ones([2, 0]), 1, { replacement: true })).toThrow(/sum of probabilities/);
  });
});
