/**
 * Random convolutions with what stands behind them: on each emitter, on one and on three threads, fused and op by op give the same bits,
 * and where no sum is rounded they are what plain loops give.
 */
import fc from "fast-check";
import {
  type AnyTensor,
  autograd,
  type ComputeOptions,
  conv1d,
  conv2d,
  conv3d,
  convTranspose1d,
  convTranspose2d,
  convTranspose3d,
  maxPool1d,
  maxPool2d,
  maxPool3d,
  setThreads,
  tensor,
} from "fuseau";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { share, startThreads } from "../many-threads.ts";
import {
  convolve,
  convolveBackward,
  convolveTransposed,
  type Plain,
  sizeOf,
} from "../runtime/nn-reference.ts";

type Rank = 1 | 2 | 3;

interface Scene {
  readonly rank: Rank;
  readonly batch: number;
  readonly groups: number;
  /** In each group. */
  readonly channels: number;
  readonly rows: number;
  readonly kernel: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
  /** How much larger than a window the input is. */
  readonly room: readonly number[];
  readonly outputPadding: readonly number[];
  readonly transposed: boolean;
  readonly bias: boolean;
  readonly after: "nothing" | "relu" | "residual" | "pool";
  readonly seed: number;
}

const axes = (rank: number, max: number, min = 1) =>
  fc.array(fc.integer({ min, max }), { minLength: rank, maxLength: rank });

const scenes: fc.Arbitrary<Scene> = fc.constantFrom<Rank>(1, 2, 3).chain((rank) =>
  fc.record({
    rank: fc.constant(rank),
    batch: fc.integer({ min: 0, max: 3 }),
    groups: fc.constantFrom(1, 1, 2, 5),
    channels: fc.constantFrom(1, 2, 3, ...(rank === 1 ? [90, 130] : [])),
    rows: fc.constantFrom(1, 2, 4, 5, 9, 12),
    kernel: axes(rank, 4),
    stride: fc.oneof(fc.constant([1, 1, 1].slice(0, rank)), axes(rank, 3)),
    padding: axes(rank, 2, 0),
    dilation: fc.oneof(fc.constant([1, 1, 1].slice(0, rank)), axes(rank, 2)),
    room: axes(rank, rank === 1 ? 80 : rank === 2 ? 20 : 6, 0),
    outputPadding: axes(rank, 1, 0),
    transposed: fc.constantFrom(false, false, false, true),
    bias: fc.boolean(),
    after: fc.constantFrom("nothing", "relu", "residual", "pool"),
    seed: fc.nat({ max: 99 }),
  }),
);

/** Small integers, so that every sum is exact in any order. */
const whole = (shape: readonly number[], seed: number): Plain => ({
  shape,
  data: Array.from({ length: sizeOf(shape) }, (_, i) => ((i * 7 + seed * 13 + ((i * i) % 11)) % 9) - 4),
});

const special = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 3e38, 1e-40];

/** Numbers whose sums are rounded; a few are special where `rare` says so. */
function broken(shape: readonly number[], seed: number, rare: number): Plain {
  let state = seed * 2654435761 + 12345;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const data = Array.from({ length: sizeOf(shape) }, () =>
    next() < rare ? special[Math.floor(special.length * next())]! : 4 * next() - 2,
  );
  return { shape, data };
}

const tensorOf = ({ shape, data }: Plain): AnyTensor => tensor([...data], { shape: [...shape] });

interface Operands {
  readonly x: Plain;
  readonly weight: Plain;
  readonly bias: Plain;
}

function operandsOf(scene: Scene, make: (shape: readonly number[], seed: number) => Plain): Operands {
  const { batch, groups, channels, rows, kernel, dilation, padding, room, seed, transposed } = scene;
  const sizes = kernel.map((size, k) =>
    transposed
      ? 1 + Math.ceil(room[k]! / 4)
      : Math.max(1, dilation[k]! * (size - 1) + 1 + room[k]! - 2 * padding[k]!),
  );
  const filters = transposed ? [channels * groups, rows] : [rows * groups, channels];
  return {
    x: make([batch, channels * groups, ...sizes], seed),
    weight: make([...filters, ...kernel], seed + 1),
    bias: make([rows * groups], seed + 2),
  };
}

type Run = (x: AnyTensor, weight: AnyTensor, options: Readonly<Record<string, unknown>>) => AnyTensor;
const plainRuns: readonly Run[] = [conv1d, conv2d, conv3d];
const transposedRuns: readonly Run[] = [convTranspose1d, convTranspose2d, convTranspose3d];
const pools = [maxPool1d, maxPool2d, maxPool3d];

const outputPaddingOf = ({ outputPadding, stride, dilation }: Scene): number[] =>
  outputPadding.map((width, k) => Math.min(width, Math.max(stride[k]!, dilation[k]!) - 1));

function convolution(scene: Scene, { x, weight, bias }: Operands): AnyTensor {
  const { rank, stride, padding, dilation, groups, transposed } = scene;
  const options = {
    ...{ stride: [...stride], padding: [...padding], dilation: [...dilation], groups },
    ...(scene.bias ? { bias: tensorOf(bias) } : {}),
    ...(transposed ? { outputPadding: outputPaddingOf(scene) } : {}),
  };
  const run = (transposed ? transposedRuns : plainRuns)[rank - 1]!;
  return run(tensorOf(x), tensorOf(weight), options);
}

function expression(scene: Scene, operands: Operands): AnyTensor {
  const sums = convolution(scene, operands);
  if (scene.after === "relu") return sums.relu();
  if (scene.after === "residual") return sums.add(tensorOf(broken(sums.shape, 5, 0))).mul(0.5);
  const isWide = sums.shape.slice(2).every((size) => size > 1);
  return scene.after === "pool" && isWide ? pools[scene.rank - 1]!(sums.relu(), 2) : sums;
}

function reference(scene: Scene, { x, weight, bias }: Operands): Plain {
  const { groups, transposed } = scene;
  const sums = transposed
    ? convolveTransposed(x, weight, scene, outputPaddingOf(scene), groups)
    : convolve(x, weight, scene, groups);
  const inside = sizeOf(sums.shape.slice(2));
  const [, channels] = sums.shape as [number, number];
  const biasAt = (i: number): number => (scene.bias ? bias.data[Math.floor(i / inside) % channels]! : 0);
  return { shape: sums.shape, data: sums.data.map((value, i) => value + biasAt(i)) };
}

const elements = (x: AnyTensor, options: ComputeOptions): Float32Array =>
  x.compute(options).toTypedArray() as Float32Array;

/** Equal numbers, −0 and 0 apart; NaN is NaN. */
function expectBits(actual: ArrayLike<number>, expected: ArrayLike<number>, where: string): void {
  expect(actual.length, where).toBe(expected.length);
  for (let i = 0; i < expected.length; i++) {
    if (Object.is(actual[i], expected[i])) continue;
    expect.fail(`${where}: element ${i} is ${actual[i]}, not ${expected[i]}`);
  }
}

const emitters = ["wasm", "js", "closure"] as const;

/** A transposed convolution whose padding takes all of the result away is refused. */
const exists = (scene: Scene): boolean =>
  !scene.transposed ||
  operandsOf(scene, (shape) => ({ shape, data: [] }))
    .x.shape.slice(2)
    .every((size, k) => {
      const reach = scene.dilation[k]! * (scene.kernel[k]! - 1);
      return (size - 1) * scene.stride[k]! - 2 * scene.padding[k]! + reach + outputPaddingOf(scene)[k]! >= 0;
    });

describe("random convolutions", () => {
  beforeAll(() => startThreads(3));
  afterAll(() => {
    share(false);
    setThreads(1);
  });

  test("of whole numbers are the sums of products that they are", { timeout: 240_000 }, () => {
    fc.assert(
      fc.property(scenes.filter(exists), (scene) => {
        const operands = operandsOf(scene, whole);
        const expected = reference(scene, operands);
        for (const emitter of emitters) {
          for (const threads of emitter === "wasm" ? [false, true] : [false]) {
            share(threads);
            const actual = convolution(scene, operands);
            expect(actual.shape).toEqual(expected.shape);
            expectBits(
              elements(actual, { emitter }).map((value) => value + 0),
              expected.data.map((value) => value + 0),
              `${emitter}${threads ? " on threads" : ""}`,
            );
          }
        }
      }),
      { numRuns: 90, seed: 14 },
    );
  });

  test("have the same bits fused and op by op, on one and on several threads", { timeout: 240_000 }, () => {
    fc.assert(
      fc.property(scenes.filter(exists), fc.constantFrom(0, 0.01), (scene, rare) => {
        const operands = operandsOf(scene, (shape, seed) => broken(shape, seed, rare));
        for (const emitter of emitters) {
          share(false);
          const alone = elements(expression(scene, operands), { emitter, fusion: "none" });
          expectBits(elements(expression(scene, operands), { emitter }), alone, `${emitter}, fused`);
          if (emitter !== "wasm") continue;
          share(true);
          expectBits(elements(expression(scene, operands), { emitter }), alone, "wasm, on threads");
        }
      }),
      { numRuns: 90, seed: 15 },
    );
  });

  test("have the gradients of plain loops, with the same bits fused and op by op", {
    timeout: 240_000,
  }, () => {
    const plainly = scenes.filter(({ transposed }) => !transposed);
    fc.assert(
      fc.property(plainly, fc.boolean(), (scene, isWhole) => {
        const make = isWhole ? whole : (shape: readonly number[], seed: number) => broken(shape, seed, 0);
        const operands = operandsOf(scene, make);
        const g = make(convolution({ ...scene, bias: false }, operands).shape, 7);
        const gradients = (options: ComputeOptions): Float32Array[] => {
          const [x, weight] = [operands.x, operands.weight].map((each) => tensorOf(each).requiresGrad_()) as [
            AnyTensor,
            AnyTensor,
          ];
          const { rank, stride, padding, dilation, groups } = scene;
          const result = plainRuns[rank - 1]!(x, weight, {
            ...{ stride: [...stride], padding: [...padding], dilation: [...dilation], groups },
          });
          const made = autograd.grad([result], [x, weight], { gradOutputs: [tensorOf(g)] });
          return made.map((each) => elements(each as AnyTensor, options));
        };
        for (const emitter of emitters) {
          share(false);
          const alone = gradients({ emitter, fusion: "none" });
          const runs: [string, Float32Array[]][] = [[`${emitter}, fused`, gradients({ emitter })]];
          if (emitter === "wasm") {
            share(true);
            runs.push(["wasm, on threads", gradients({ emitter })]);
          }
          for (const [where, made] of runs)
            for (const [k, each] of made.entries()) expectBits(each, alone[k]!, where);
          if (!isWhole) continue;
          const expected = convolveBackward(operands.x, operands.weight, g, scene, scene.groups);
          for (const [k, each] of alone.entries()) {
            expectBits(
              each.map((value) => value + 0),
              expected[k]!.data.map((value) => value + 0),
              `${emitter}, the gradient of ${k === 0 ? "x" : "the weight"}`,
            );
          }
        }
      }),
      { numRuns: 60, seed: 16 },
    );
  });
});
