/** What is expensive under what reads it, fused against op by op on one thread: fusing may not cost more than a tenth. */
import {
  type AnyTensor,
  type ComputeOptions,
  conv2d,
  crossEntropy,
  dropout,
  fromTypedArray,
  getThreads,
  groupNorm,
  layerNorm,
  linear,
  maxPool2d,
  mseLoss,
  pad,
  randn,
  setThreads,
  type Tensor,
  where,
} from "fuseau";
import type { Variant } from "../case.ts";
import type { FigureCase } from "../figures.ts";
import { checkedVariants } from "../measure/check.ts";
import { letEscape } from "../measure/escape.ts";
import { randomFloats } from "../measure/inputs.ts";
import { median } from "../measure/statistics.ts";

type Emitter = NonNullable<ComputeOptions["emitter"]>;
type Floats = Tensor<number[], "float32">;

interface Program {
  readonly name: string;
  readonly record: () => AnyTensor;
}

let seed = 0;
const floats = (...shape: number[]): Floats =>
  fromTypedArray(
    randomFloats(
      shape.reduce((product, extent) => product * extent, 1),
      ++seed,
      -0.5,
      0.5,
    ),
    { shape },
  );

/** Sizes of WebAssembly; the others, which have no tiles and no lanes, get `part` of the rows. */
function programs(part: number): readonly Program[] {
  const some = (count: number): number => Math.ceil(count * part);
  const side = some(1_024);
  const [a, b] = [floats(side, side), floats(side, side)];
  const [p, q] = [floats(some(1_000), 64), floats(some(1_000), 64)];
  const [x, weight, bias, target] = [
    floats(some(256), 784),
    floats(128, 784),
    floats(128),
    floats(some(256), 128),
  ];
  const labels = fromTypedArray(
    Int32Array.from({ length: some(256) }, (_, k) => (k * 5) % 128),
    { shape: [some(256)] },
  );
  const [images, filters] = [floats(some(8), 16, 64, 64), floats(32, 16, 3, 3)];
  const z = floats(some(4_000), 250);
  const [columns, wide] = [floats(some(1_000), 1_000), floats(25, some(40_000))];
  const features = floats(some(16), 32, 32, 32);
  const paths = some(100_000);
  const [points, head, offsets] = [floats(some(5_000), 17), floats(5, 17), floats(5)];
  const [short, row] = [floats(some(9), 54, 84, 9), floats(9)];
  const [squares, middles] = [floats(some(400), 10, 10), floats(some(400), 10, 1)];
  const few = floats(4, weight.shape[1] as number);
  const table = floats(64, 14);
  const [chosen, others] = [floats(some(4_000), 14), floats(some(4_000), 14)];
  const mask = chosen.gt(0).compute();
  const less = (rows: AnyTensor) => rows.sub(rows.mean(1, { keepdim: true }));
  const places = fromTypedArray(
    Int32Array.from({ length: some(20_000) }, (_, k) => (k * 37) % 64),
    { shape: [some(20_000)] },
  );
  return [
    { name: `A.matmul(B).sum(), ${side}²`, record: () => a.matmul(b).sum() },
    { name: "mseLoss(linear(x, w, b), y)", record: () => mseLoss(linear(x, weight, bias), target) },
    {
      name: "maxPool2d(conv2d(im, k).relu(), 2)",
      record: () => maxPool2d(conv2d(images, filters).relu(), 2),
    },
    { name: "conv2d(im, k).relu().mean([2, 3])", record: () => conv2d(images, filters).relu().mean([2, 3]) },
    { name: "crossEntropy(linear(x, w, b), y)", record: () => crossEntropy(linear(x, weight, bias), labels) },
    { name: "P.matmul(Q.t()).gt(16).sum()", record: () => p.matmul(q.t()).gt(16).sum() },
    { name: `randn([${paths}, 50]).cumsum(1)`, record: () => randn([paths, 50]).cumsum(1) },
    { name: "z.exp().log().sin().cumsum(1)", record: () => z.exp().log().sin().cumsum(1) },
    { name: "groupNorm(x, 8)", record: () => groupNorm(features, 8) },
    { name: "x.logsumexp(0), 1,000 rows", record: () => columns.logsumexp([0]) },
    { name: "x.logsumexp(0), 25 rows", record: () => wide.logsumexp([0]) },
    { name: "x.softmax(0)", record: () => columns.softmax(0) },
    { name: "linear(x, w, b).relu(), 5 columns", record: () => linear(points, head, offsets).relu() },
    { name: "x.mul(row).cumprod(1), rows of 9", record: () => short.mul(row).cumprod(1) },
    { name: "x.logcumsumexp(1).argsort(1)", record: () => short.logcumsumexp(1).argsort(1) },
    { name: "x.sub(column).amin(0), 10 × 10", record: () => squares.sub(middles).amin([0]) },
    { name: "x.indexSelect(0, i).relu(), rows of 14", record: () => table.indexSelect(0, places).relu() },
    {
      name: "dropout(x.sub(x.mean(1))), 10 × 10",
      record: () => dropout(squares.sub(squares.mean(1, { keepdim: true }))),
    },
    { name: "pad(layerNorm(x)), rows of 17", record: () => pad(layerNorm(points, [17]), [1, 1, 1, 1]) },
    {
      name: "where(m, x, y).sub(mean(1)), rows of 14",
      record: () => less(where(mask, chosen, others)),
    },
    {
      name: "x.indexSelect(0, i).sub(mean(1)), rows of 14",
      record: () => less(table.indexSelect(0, places)),
    },
    { name: "x.roll(1, 1).flip([1])", record: () => points.roll(1, 1).flip([1]) },
    { name: "few.matmul(weight.t()).flip([1])", record: () => few.matmul(weight.t()).flip([1]) },
    { name: "x.mul(y).add(y).cumsum(0).exp()", record: () => columns.mul(0.01).add(0.001).cumsum(0).exp() },
  ];
}

const computed = ({ record }: Program, emitter: Emitter, fusion: "on" | "none"): Variant => ({
  name: fusion,
  role: fusion === "on" ? "fused" : "other",
  run() {
    const result = record().compute({ emitter, fusion });
    letEscape(result);
    result.dispose();
  },
  result: () => Float64Array.from(record().compute({ emitter, fusion }).toTypedArray(), Number),
});

const WARM_CALLS = 3;
const MOST_ROUNDS = 31;
/** Milliseconds for both variants of one program, if that makes enough rounds. */
const BUDGET = 1_200;
const FEWEST_ROUNDS = 5;

/** Milliseconds of both, call by call in turn, and the median of the rounds' ratios. */
async function race(
  program: Program,
  emitter: Emitter,
): Promise<{ ratio: number; fused: number; plain: number }> {
  const pair = [computed(program, emitter, "on"), computed(program, emitter, "none")] as const;
  // New random numbers in each call; bits are compared in tests/fusion.
  if (!/^(randn|dropout)/.test(program.name)) await checkedVariants({ agreement: "bits" }, pair);
  const timeOf = ({ run }: Variant): number => {
    const start = performance.now();
    void run();
    return performance.now() - start;
  };
  for (let k = 0; k < WARM_CALLS; k++) for (const each of pair) timeOf(each);
  const [fused, plain]: [number[], number[]] = [[], []];
  const start = performance.now();
  for (let round = 0; round < MOST_ROUNDS; round++) {
    if (round >= FEWEST_ROUNDS && performance.now() - start > BUDGET) break;
    const order = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
    for (const k of order) [fused, plain][k]!.push(timeOf(pair[k]));
  }
  return {
    ratio: median(fused.map((time, k) => time / plain[k]!)),
    fused: median(fused),
    plain: median(plain),
  };
}

const milliseconds = (time: number): string => `${time.toPrecision(3)} ms`;

const expensiveOn = (emitter: Emitter, part: number): FigureCase => ({
  name: `expensive-${emitter}`,
  title: `what is expensive under what reads it, ${emitter}: fused over op by op`,
  about: "float32, one thread, call by call in turn. At most 1.1 is asked for.",
  async measure() {
    const threads = getThreads();
    setThreads(1);
    try {
      const figures = [];
      for (const program of programs(part)) {
        const { ratio, fused, plain } = await race(program, emitter);
        const note = `fused ${milliseconds(fused)}, op by op ${milliseconds(plain)}`;
        figures.push({ name: program.name, figure: ratio, unit: "×", note });
      }
      return figures;
    } finally {
      setThreads(threads);
    }
  },
});

export const expensive: readonly FigureCase[] = [
  expensiveOn("wasm", 1),
  expensiveOn("js", 1 / 8),
  expensiveOn("closure", 1 / 16),
];
