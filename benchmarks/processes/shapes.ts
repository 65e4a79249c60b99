/** A thousand shapes through one expression: how many kernels are generated, and what bounded caches hold then. */
import { type AnyTensor, fromTypedArray } from "fuseau";
import { generator } from "../measure/inputs.ts";
import { clearCaches, setOptions, stats } from "../measure/runtime.ts";
import { send } from "./send.ts";

export interface Shapes {
  readonly shapes: number;
  readonly chainKernels: number;
  readonly softmaxKernels: number;
  /** What caches limited to 64 hold after far more programs and kernels than that. */
  readonly limited: { readonly programs: number; readonly kernels: number };
}

const SHAPES = 1_000;
const SMALLEST_INNER = 17;
const LIMIT = 64;

type Expression = (matrix: AnyTensor, row: AnyTensor) => AnyTensor;

const tensorOf = (shape: readonly number[]): AnyTensor =>
  fromTypedArray(new Float32Array(shape.reduce((count, size) => count * size, 1)).fill(0.5), { shape });

/** Different ones, of two axes. */
function distinctShapes(): readonly (readonly [number, number])[] {
  const next = generator(1);
  const found = new Map<string, readonly [number, number]>();
  while (found.size < SHAPES) {
    const height = 2 + Math.floor(60 * next());
    const width = SMALLEST_INNER + Math.floor(200 * next());
    found.set(`${height}x${width}`, [height, width]);
  }
  return [...found.values()];
}

/** The kernels that were generated on the way. */
function throughAll(expression: Expression): number {
  clearCaches();
  const before = stats().kernels.misses;
  for (const [height, width] of distinctShapes()) {
    expression(tensorOf([height, width]), tensorOf([1, width])).compute();
  }
  return stats().kernels.misses - before;
}

/** Chains of which no two are alike: by the bits of k, additions and multiplications. */
function manyKernels(count: number): void {
  const x = tensorOf([4, 20]);
  for (let k = 0; k < count; k++) {
    let y: AnyTensor = x;
    for (let bit = 0; bit < 10; bit++) y = (k >> bit) & 1 ? y.add(x) : y.mul(x);
    y.compute();
  }
}

const chainKernels = throughAll((x, row) => x.mul(x).add(row).mul(row).sub(x));
const softmaxKernels = throughAll((x, row) => x.mul(row).softmax(1));
setOptions({ programCacheLimit: LIMIT, kernelCacheLimit: LIMIT });
clearCaches();
manyKernels(10 * LIMIT);
throughAllAgain();
const { programs, kernels } = stats();
const result: Shapes = {
  shapes: SHAPES,
  chainKernels,
  softmaxKernels,
  limited: { programs: programs.size, kernels: kernels.size },
};
send(result);

/** The thousand shapes once more, without forgetting what went before. */
function throughAllAgain(): void {
  for (const [height, width] of distinctShapes())
    tensorOf([height, width])
      .mul(tensorOf([1, width]))
      .compute();
}
