/** What is stored since loops of its own are quicker: what would be transposed twice, and short rows of expensive work. */
import {
  type AnyTensor,
  autograd,
  avgPool2d,
  cat,
  clearCaches,
  compute,
  conv2d,
  convTranspose2d,
  crossEntropy,
  groupNorm,
  maxPool2d,
  randint,
  trace,
  zeros,
} from "fuseau";
import { beforeEach, describe, expect, it } from "vitest";
import { compileWhole } from "../compiled-whole.ts";
import { explained } from "./expect-kernels.ts";

compileWhole();

// A value that was computed within another, and may be wanted again, would be stored.
beforeEach(() => {
  clearCaches();
});

const stored = (...shape: readonly number[]): AnyTensor => zeros(shape).add(0.5).compute();
const ops = (tensors: AnyTensor | readonly AnyTensor[]): string[] =>
  explained(tensors, { emitter: "wasm" }).kernels.map((kernel) => kernel.ops.join(" "));

describe("a value and its transpose, both wanted", () => {
  const both = (x: AnyTensor, places: readonly number[]): AnyTensor[] => {
    const y = x.mul(2);
    return [y, y.permute(places).add(1)];
  };
  it.each([
    [
      [300, 300],
      [1, 0],
    ],
    [
      [2, 16, 54, 54],
      [0, 3, 2, 1],
    ],
    [
      [64, 8, 32, 32],
      [0, 2, 3, 1],
    ],
  ])("%j, %j: two kernels", (shape, places) => {
    expect(ops(both(stored(...shape), places))).toEqual(["mul", "add"]);
  });
  it("few elements share one", () => {
    expect(ops(both(stored(30, 30), [1, 0]))).toEqual(["mul add"]);
  });
});

describe("a convolution in another order is stored: its windows are read along rows of the image", () => {
  const convolved = (filters: number): AnyTensor =>
    conv2d(stored(2, 13, 58, 58) as never, stored(filters, 13, 5, 5) as never);
  it.each<[string, (x: AnyTensor) => AnyTensor]>([
    ["columns first", (x) => x.transpose(-1, 1)],
    ["columns before rows", (x) => x.transpose(2, 3)],
    ["channels last", (x) => x.permute([0, 2, 3, 1])],
  ])("%s", (_, read) => {
    for (const filters of [2, 4]) expect(ops(read(convolved(filters)).relu()).at(-1)).not.toMatch(/contract/);
  });
});

it("an operand that is computed of what is transposed is stored for a product: tiles take stored ones across memory", () => {
  const operand = (): AnyTensor => stored(64, 64, 64).transpose(-1, 0);
  const weights = (): AnyTensor => stored(64, 64);
  expect(ops(operand().mul(2).matmul(weights()))).toEqual(["mul", "contract"]);
  expect(ops(operand().matmul(weights()))).toEqual(["contract"]);
  expect(ops(stored(64, 64, 64).mul(2).matmul(weights()))).toEqual(["mul contract"]);
});

describe("what is computed of a transposed operand is transposed in blocks, in no loop of a fold or a scan", () => {
  const product = (y: AnyTensor): AnyTensor =>
    stored(601, 923)
      .t()
      .mul(y as never) as AnyTensor;
  it("beside a scan down the columns", () => {
    const y = stored(923, 601);
    expect(ops([product(y), y.mul(2).cumsum(0)]).sort()).toEqual(["mul", "mul scan"]);
  });
  it("in the rows of a fold", () => {
    const scaled = product(stored(923, 601));
    expect(ops(scaled.sum(1))).toEqual(["mul", "sum"]);
    expect(ops(scaled.softmax(1))[0]).toBe("mul");
    expect(ops(stored(601, 923).t().square().sum(1))).toHaveLength(1);
  });
  it("that folds read", () => {
    const scaled = product(stored(923, 601));
    expect(ops(scaled.div(scaled.square().sum(0, { keepdim: true }).sqrt()))[0]).toBe("mul");
  });
});

it("what is gathered, reshaped and gathered again: each place would be divided", () => {
  const flat = stored(98, 275)
    .indexSelect(1, randint(275, [275]).compute())
    .reshape([-1]);
  expect(ops(flat.indexSelect(0, randint(26_950, [26_950]).compute()))).toEqual(["gather", "gather"]);
});

describe("what is put together, in the rows of folds", () => {
  const parts = (columns: number): AnyTensor[] => [
    stored(40_000 / columns, columns),
    stored(40_000 / columns, columns),
  ];
  it("of few steps: stored, it has a nest for each part", () => {
    expect(ops(cat(parts(20), 1).sum(1))).toEqual(["concat", "sum"]);
    expect(ops(cat(parts(8), 0).softmax(1))[0]).toBe("concat");
  });
  it("that are walked twice", () => {
    const joined = cat(parts(400), 1);
    expect(ops(joined.sub(joined.mean(0)))[0]).toBe("concat");
  });
  it("but not in long rows", () => {
    expect(ops(cat(parts(400), 1).sum(1))).toHaveLength(1);
  });
});

describe("rows of few columns", () => {
  const rows = (): AnyTensor => stored(175, 129, 9);
  it("read backwards: a product of two is stored", () => {
    expect(ops(rows().mul(rows()).flip([2]))[0]).toBe("mul");
    // One operand is transposed as it is read.
    expect(ops(rows().mul(2).flip([2]))).toHaveLength(1);
  });
});

it("rolls of short rows share a kernel with what reads them", () => {
  const x = stored(64, 32, 14, 14);
  expect(ops(x.roll([1], [2]).add(x.roll([2], [3])))).toHaveLength(1);
});

describe("expensive ops", () => {
  it("beside the sums of rows, where each row would compute one", () => {
    const weighted = stored(6_800, 53).sum(1).mul(stored(6_800).log()).sum();
    expect(ops(weighted)).toEqual(["sum", "log mul sum"]);
  });
  it("but not what the rows themselves are made with", () => {
    const scaled = stored(6_800, 53).mul(stored(6_800, 1).log()).sum(1);
    expect(ops(scaled)).toEqual(["log mul sum"]);
  });
  it("of each row that is folded across: each would be waited for", () => {
    const scaled = (): AnyTensor => stored(3_000, 60).mul(stored(3_000, 1).exp());
    expect(ops(scaled().sum(0))).toEqual(["exp", "mul sum"]);
    expect(ops(scaled().sum(1))).toEqual(["exp mul sum"]);
  });
  it("of each row of others are one loop over a block of rows", () => {
    const { kernels } = explained(stored(3_000, 100).add(stored(3_000, 1).exp()), { emitter: "wasm" });
    expect(kernels.map(({ schedule }) => schedule)).toEqual([expect.stringMatching(/private float32 x/)]);
  });
  const behindProduct = (columns: number): AnyTensor =>
    stored(6_000, 40).matmul(stored(40, columns)).square().log1p().sin();
  it.each([8, 12, 30])("in a product of %d columns", (columns) => {
    expect(ops(behindProduct(columns))).toEqual(["contract", "mul log1p sin"]);
  });
  it("but not where rows are whole steps", () => {
    expect(ops(behindProduct(64))).toEqual(["contract mul log1p sin"]);
  });
});

it("what is looked up is stored for the largest element of short rows, but not for their sums", () => {
  const looked = (): AnyTensor =>
    stored(10_000, 16).gather(0, zeros([10_000, 16], { dtype: "int64" }).compute() as never);
  expect(ops(looked().amax(1))).toEqual(["gather", "max"]);
  expect(ops(looked().sum(1))).toEqual(["sum"]);
});

it("rows that are looked up are folded as vectors, in one kernel", () => {
  const rows = stored(600, 726).indexSelect(0, zeros([591], { dtype: "int64" }).compute() as never);
  const { kernels } = explained(rows.amax(), { emitter: "wasm" });
  expect(kernels.map((kernel) => kernel.ops.join(" "))).toEqual(["max"]);
  expect(kernels[0]!.source.match(/i8x16\.shuffle/g)?.length).toBeLessThan(9);
});

it("windows that are looked up are stored: their elements would be loaded one by one", () => {
  const pooled = (): AnyTensor => maxPool2d(stored(41, 5, 38, 38) as never, 3, { stride: 1 });
  const places = zeros([41, 5, 36, 36], { dtype: "int64" }).compute();
  expect(ops(pooled().gather(2, places as never))).toEqual(["max", "gather"]);
  expect(ops(pooled().indexSelect(2, zeros([20], { dtype: "int64" }).compute() as never))).toHaveLength(1);
});

it("int64 is cast before it is sorted down columns", () => {
  const ranks = zeros([1_217, 726], { dtype: "int64" }).add(1).compute();
  expect(ops(ranks.float().argsort(0))).toEqual(["cast", "argsort"]);
  expect(ops(ranks.float().argsort(1))).toEqual(["cast argsort"]);
});

it("rows that are folded are stored for a scan of what they give, which has one order", () => {
  const apart = stored(129, 1, 32).sub(stored(70, 32)).square().sum(-1).sqrt();
  expect(ops(apart.logcumsumexp(0))).toEqual(["sub mul sum", "sqrt scan"]);
});

it.each([
  [5, 0],
  [8, 1],
])(
  "rows of %d: written over what the kernel reads %d times, since behind a row's end loads would wait for stores",
  (columns, times) => {
    const rows = stored(5_000, columns);
    const { events } = trace(() => compute(rows.logSoftmax(1).mean(), { emitter: "wasm" }));
    const schedules = events.flatMap((event) =>
      event.kind === "pass" && event.name === "schedule" ? [event.text] : [],
    );
    expect(schedules.at(-1)!.match(/ over intermediate /g) ?? []).toHaveLength(times);
  },
);

it("a scan of short rows is stored for a maximum of columns: in its loop that would go one by one", () => {
  expect(ops(stored(77, 39, 27).cumsum(2).amax(1))).toEqual(["scan", "max"]);
});

describe("a batch's loss: rows with exponentials are not walked within the sum over the batch", () => {
  const classes = (): AnyTensor => zeros([5_000], { dtype: "int64" }).compute();
  it("the mean of logsumexp", () => {
    expect(ops(stored(5_000, 21).logsumexp(1).mean()).at(-1)).toBe("sum div");
  });
  it("cross entropy", () => {
    const loss = crossEntropy(stored(5_000, 21) as never, classes() as never);
    expect(ops(loss).at(-1)).toBe("sum where sum div");
  });
  it("deviations, and a function of each", () => {
    expect(ops(stored(5_000, 21).std(1).exp().sum()).at(-1)).toBe("sum");
  });
  it("but cheap ones are", () => {
    expect(ops(stored(5_000, 21).square().sum(1).sqrt().mean())).toHaveLength(1);
  });
  it("in its gradient rows are blocked", () => {
    const x = stored(5_000, 21).requiresGrad_();
    const [gradient] = autograd.grad(crossEntropy(x as never, classes() as never), [x]);
    const { kernels } = explained(gradient as AnyTensor, { emitter: "wasm" });
    expect(kernels.at(-1)?.schedule).toMatch(/private float32 x 64/);
  });
});

it("a product whose rows are folded is stored, though another product takes what is left of each", () => {
  const folded = stored(601, 117).matmul(stored(117, 2)).sum(1, { keepdim: true });
  expect(ops(folded.matmul(stored(1, 26)))).toEqual(["contract", "sum mul add"]);
});

describe("what is stored is folded in its own order, whatever it was computed of", () => {
  const across = (): AnyTensor => stored(100, 5, 48).transpose(-1, -2);
  it("because that costs less", () => {
    const { kernels } = explained(across().softmax(-1).pad([2, 1]), { emitter: "wasm" });
    expect(kernels.map(({ ops }) => ops.join(" "))).toEqual(["max sub", "exp", "sum reciprocal mul pad"]);
    expect(kernels[2]!.loop).not.toMatch(/ row /);
  });
  it("or because several kernels read it", () => {
    const root = across().tanh();
    const { kernels } = explained([root.matmul(stored(5, 12)), root.sum(2)], { emitter: "wasm" });
    expect(kernels.map(({ ops }) => ops.join(" "))).toEqual(["tanh", "sum", "contract"]);
    expect(kernels.find(({ ops }) => ops.includes("sum"))!.loop).not.toMatch(/ row /);
  });
  it("and so is what op by op stores", () => {
    const { kernels } = explained(across().neg().sum(2), { emitter: "wasm", fusion: "none" });
    expect(kernels.at(-1)!.loop).not.toMatch(/ row /);
  });
});

describe("convolutions read windows where they are, so they are stored", () => {
  const image = (): AnyTensor => stored(3, 1, 100, 100);
  const blurred = (x: AnyTensor, filter: AnyTensor, padding: readonly [number, number]): AnyTensor =>
    conv2d(x as never, filter as never, { padding }) as AnyTensor;
  it("beside another of the same image, but for the last", () => {
    const [across, down] = [stored(1, 1, 3, 3), stored(1, 1, 3, 3)];
    const edges = blurred(image(), across, [0, 0])
      .square()
      .add(blurred(image(), down, [0, 0]).square());
    expect(ops(edges)).toEqual(["contract", "mul contract mul add"]);
  });
  it.each([
    [3, [1, 1]],
    [1, [0, 2]],
  ] as const)("in front of the padding for another: filters of %d rows", (rows, padding) => {
    const filter = stored(1, 1, rows, rows === 1 ? 5 : 3);
    expect(ops(blurred(blurred(image(), filter, padding), filter, padding)).join(" ")).toBe(
      "pad contract pad contract",
    );
  });
});

it("a transposed convolution by steps of one is a convolution by reversed filters", () => {
  const image = stored(3, 2, 40, 40);
  const back = convTranspose2d(image as never, stored(2, 4, 3, 3) as never, { padding: 1 }) as AnyTensor;
  expect(ops(back).filter((each) => each !== "permute")).toEqual(["pad", expect.stringMatching(/^contract/)]);
});

describe("means of windows", () => {
  const mean = (x: AnyTensor, size: number): AnyTensor =>
    avgPool2d(x as never, size, { stride: 1 }) as AnyTensor;
  const image = (size = 100): AnyTensor => stored(3, 1, size, size);
  it("of two images are stored, but for the last", () => {
    expect(ops(mean(image(), 7).mul(mean(image(), 7)))).toEqual(["sum", "cast div sum div mul"]);
    expect(ops(mean(image(), 2).mul(mean(image(), 2)))).toHaveLength(1);
  });
  it("are stored for a sum, but not for a maximum", () => {
    expect(ops(mean(image(), 5).sum())).toEqual(["sum", "cast div sum"]);
    expect(ops(mean(image(50), 5).amax())).toHaveLength(1);
  });
});

describe("what would be one work item is stored, so that threads share the rest", () => {
  it("rows with much work under a fold of few rows", () => {
    const nearest = (count: number): AnyTensor =>
      stored(count, 1, 20).sub(stored(8, 20)).square().sum(-1).sqrt().amin(1);
    expect(ops(nearest(5_000).square().sum())).toEqual(["sub mul sum sqrt min mul", "sum"]);
    expect(ops(nearest(50).square().sum())).toHaveLength(1);
  });
  it("a product of few rows beside much other work", () => {
    const gated = (x: AnyTensor): AnyTensor =>
      x.mul(
        x
          .mean([2, 3])
          .matmul(stored(64, 16))
          .relu()
          .matmul(stored(16, 64))
          .sigmoid()
          .unsqueeze(2)
          .unsqueeze(3),
      );
    expect(ops(gated(stored(8, 64, 32, 32))).length).toBeGreaterThan(1);
    expect(ops(gated(stored(8, 64, 8, 8)))).toHaveLength(1);
  });
});

describe("what is looked up is stored where other loops would look it up slower", () => {
  const places = (most: number, ...shape: readonly number[]): AnyTensor => randint(most, shape).compute();
  const table = stored(600, 500);
  it("in front of the places of extrema, element by element, and of rows of sums", () => {
    const gathered = table.gather(0, places(600, 600, 500));
    expect(ops(gathered.argmax(1))).toEqual(["gather", "argmax"]);
    expect(ops(gathered.sum(0))).toEqual(["gather", "sum"]);
    expect(ops(gathered.sum(1))).toHaveLength(1);
  });
  it("in front of a mean of short rows, of a part of a tensor too", () => {
    const few = places(90, 25);
    for (const from of [0, 35])
      expect(ops(stored(112, 150, 18).narrow(1, from, 100).indexSelect(1, few).mean())).toEqual([
        "gather",
        "sum div",
      ]);
  });
  it("in front of another lookup, whose places would be read anywhere", () => {
    const twice = (size: number): string[] =>
      ops(
        stored(size, 40)
          .gather(1, places(40, size, 40))
          .gather(0, places(size, size, 40))
          .amax(),
      );
    expect(twice(500)).toEqual(["gather", "max"]);
    expect(twice(20)).toHaveLength(1);
  });
  it("and so is a product, each column of which is looked up by itself, or all of whose rows are", () => {
    const product = stored(600, 500).matmul(stored(500, 3));
    expect(ops(product.gather(0, places(600, 600, 3)))).toEqual(["contract", "gather"]);
    const rows = stored(3_000, 200).matmul(stored(200, 6));
    expect(ops(rows.indexSelect(0, places(3_000, 3_000)))).toEqual(["contract", "gather"]);
    expect(ops(rows.indexSelect(0, places(3_000, 30)))).toHaveLength(1);
  });
});

it("a convolution, the rows of whose result another product takes, is stored", () => {
  const filtered = conv2d(stored(1, 12, 60, 60) as never, stored(6, 12, 5, 5) as never, { padding: 2 });
  expect(ops((filtered as AnyTensor).relu().matmul(stored(60, 2)))).toEqual([
    "pad",
    "contract",
    "relu",
    "contract",
  ]);
});

it.each([
  [2_000, 12, 16, 3],
  [2_000, 32, 32, 32],
  [1_000, 16, 8, 4],
])("a product of %i rows, %i deep with %i columns, is stored in front of one with %i", (...sizes) => {
  const [rows, depth, width, columns] = sizes;
  const product = stored(rows, depth).matmul(stored(depth, width)).matmul(stored(width, columns));
  expect(ops(product as AnyTensor)).toEqual(["contract", "contract"]);
});

describe("between the loops of products", () => {
  it("no expensive op is computed once for each row, though somebody else wants its results", () => {
    const gate = stored(4_000, 12, 2).tanh();
    const product = gate.matmul(stored(2, 29));
    expect(ops([product, gate.mul(2)])).toEqual(["tanh", "mul", "contract"]);
  });
  it("nor are the rows of a product whose few columns the next one takes, before a softmax of them", () => {
    const scores = stored(34, 19, 14, 49).tanh().matmul(stored(8, 49).t()).add(stored(8));
    expect(ops(scores.matmul(stored(8, 5)).softmax(3))[0]).toBe("tanh");
  });
});

it("what is joined in front of a batch of products is stored", () => {
  const x = stored(20, 130, 160);
  expect(ops(cat([x, x.abs()] as never, 1).matmul(stored(160, 6)))).toEqual(["abs concat", "contract"]);
});

it.each(["float32", "float64"] as const)("a transposed operand in front of a scan, in %s", (dtype) => {
  const [x, y] = [stored(512, 512).to(dtype).compute(), stored(512, 512).to(dtype).compute()];
  expect(ops(x.t().mul(y).cumsum(0))).toEqual(["mul", "scan"]);
});

describe("a result beside the expensive ops of rows that are not one has loops of its own", () => {
  const both = (x: AnyTensor): AnyTensor[] => [x, x.square().exp()];
  it("where each row has a number of its own", () => {
    for (const columns of [3, 25]) {
      const x = stored(40_000, columns);
      expect(ops(both(x.mul(stored(40_000, 1))))).toEqual(["mul", "mul exp"]);
      expect(ops(both(x.mul(stored(columns))))).toHaveLength(1);
    }
  });
  it("and so has what takes a transposed operand in narrow rows", () => {
    for (const columns of [5, 27])
      expect(ops(both(stored(columns, 20_000).t().mul(stored(20_000, columns))))).toEqual(["mul", "mul exp"]);
    // In wider ones it takes as long either way.
    expect(ops(both(stored(100, 1_000).t().mul(stored(1_000, 100))))).toEqual(["mul", "mul exp"]);
  });
});

it("an outer product is elementwise, in the loops of the column that it takes, which somebody else wants too", () => {
  const column = stored(20_000, 1).square();
  expect(ops([column, column.matmul(stored(1, 4))])).toEqual(["mul mul add"]);
});

it("rows that groups of them are normalised by are stored: only rows of whole nests are blocked", () => {
  const normal = groupNorm(stored(14, 108, 18).logSoftmax(2) as never, 4) as AnyTensor;
  expect(ops(normal).length).toBeGreaterThan(1);
});

it("a scan in front of a sort along its axis, whose running values are one row then", () => {
  expect(ops(stored(60, 30, 20).logcumsumexp(1).argsort(1))).toEqual(["scan", "argsort"]);
  expect(ops(stored(60, 30, 20).cumsum(1).argsort(1))).toEqual(["scan", "argsort"]);
});

it("what a fold takes is stored with the chain beside it that is stored", () => {
  const x = stored(1_689, 58).mul(stored(1)).div(stored(58)).sqrt();
  const y = x.sub(x.mean()).exp();
  expect(ops(y.sub(y.mean(0)).exp().amin())[0]).toBe("mul div sqrt");
});

describe("while it stays in a cache, what is exact counts against the time that storing takes there", () => {
  it("short rows that an operand keeps from being one, under a sum of all", () => {
    const summed = (rows: number): string[] => ops(stored(rows, 37).mul(stored(37)).sum());
    expect(summed(1_000)).toEqual(["mul", "sum"]);
    expect(summed(20)).toHaveLength(1);
  });
  it("what is read across memory order and would be in order", () => {
    expect(ops(stored(1_000, 37).t().add(1).sum())).toEqual(["add", "sum"]);
    // Both are read across memory order, stored or not.
    expect(ops(stored(200, 200).square().add(stored(200, 200).square().t()))).toHaveLength(1);
  });
});

describe("products whose columns are read backwards", () => {
  it("are stored in order, and turned round after it", () => {
    const [rows, columns] = [stored(4, 300), stored(300, 200)];
    expect(ops(rows.matmul(columns).flip([1]))).toEqual(["contract", "slice"]);
    expect(ops(rows.matmul(columns).flip([0]))).toEqual(["contract slice"]);
  });
});

describe("short rows that an operand keeps from being one", () => {
  const x = stored(40, 60, 20, 9);
  it("are stored in front of a scan and behind it", () => {
    expect(ops(x.mul(stored(9)).cumprod(1))).toEqual(["mul", "scan"]);
    expect(ops(x.cumprod(1).mul(stored(9)))).toEqual(["scan", "mul"]);
    expect(
      ops(
        x
          .mul(stored(40, 60, 20, 9))
          .cumprod(1)
          .square(),
      ),
    ).toHaveLength(1);
  });
  it("longer rows too, where a function folds", () => {
    const scanned = (columns: number): string[] =>
      ops(
        stored(23, 77, columns)
          .sub(stored(23, 77, 1))
          .logcumsumexp(0),
      );
    expect(scanned(23)).toEqual(["sub", "scan"]);
    expect(scanned(24)).toHaveLength(1);
  });
  it("on closures too, which begin anew in each row, but not on JavaScript", () => {
    const [squares, column] = [stored(25, 10, 10), stored(25, 10, 1)];
    const folded = (emitter: "closure" | "js"): string[] =>
      squares
        .sub(column)
        .amin([0])
        .explain({ emitter })
        .kernels.map(({ ops }) => ops.join(" "));
    expect(folded("closure")).toEqual(["sub", "min"]);
    expect(folded("js")).toEqual(["sub min"]);
  });
  it("and in front of a fold of rows, a product of few columns too", () => {
    expect(
      ops(
        stored(400, 10, 10)
          .sub(stored(400, 10, 1))
          .amin(0),
      ),
    ).toEqual(["sub", "min"]);
    expect(ops(stored(12_000, 12, 3).matmul(stored(3, 7)).amax(0))).toEqual(["contract", "max"]);
  });
});

it("an expensive op on fewer rows than lanes, which are looked up, is in loops of its own", () => {
  const places = zeros([3], { dtype: "int64" }).compute();
  const bounded = stored(8, 23, 3, 14).indexSelect(2, places).clamp(-4, 4);
  expect(ops([bounded.exp(), bounded.argmax()])[0]).toBe("maximum minimum");
});

it("what reads a stored fold has its loops in memory order: the fold has no vote there", () => {
  const x = stored(7, 22, 8, 73).transpose(-1, -2);
  const standard = x.sub(x.mean([0], { keepdim: true })).div(x.std([0], { keepdim: true }).add(0.1));
  const { kernels } = explained(standard, { emitter: "wasm" });
  expect(kernels.at(-1)!.loop).not.toContain("min n");
});

it.each<[string, (x: AnyTensor) => AnyTensor]>([
  ["stored", (x) => x],
  ["folded", (x) => x.sum(1)],
  [
    "turned behind a fold",
    (x) =>
      x
        .sub(x.amax(1, { keepdim: true }))
        .t()
        .contiguous(),
  ],
])("values that are read twice at each of sixty steps are looked at once: %s", (_, reader) => {
  let x: AnyTensor = stored(40, 50);
  for (let step = 0; step < 60; step++) x = x.mul(x).sub(x.mul(0.5));
  expect(reader(x).compute({ emitter: "wasm" }).numel()).toBeGreaterThan(0);
});
