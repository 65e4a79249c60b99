/**
 * Closures against what they stand in for: the JavaScript and the WebAssembly that a policy on strings forbids. In
 * backends/wasm.ts of the runtime stands what follows from the crossover.
 */
import { type AnyTensor, type ComputeOptions, conv2d, fromTypedArray, type Tensor } from "fuseau";
import type { Variant } from "../case.ts";
import type { FigureCase } from "../figures.ts";
import { checkedVariants } from "../measure/check.ts";
import { letEscape } from "../measure/escape.ts";
import { randomFloats } from "../measure/inputs.ts";
import type { Figure } from "../measure/report.ts";
import { quickBudget, type Sample, sample } from "../measure/sampler.ts";

type Emitter = NonNullable<ComputeOptions["emitter"]>;

interface Program {
  readonly name: string;
  readonly record: () => AnyTensor;
}

const floats = (shape: number[], seed: number): Tensor<number[], "float32"> =>
  fromTypedArray(
    randomFloats(
      shape.reduce((product, extent) => product * extent, 1),
      seed,
      0.5,
    ),
    { shape },
  );

const fourOps = (count: number): Program => {
  const [a, b, c, d] = [1, 2, 3, 4].map((seed) => floats([count], seed)) as [
    Tensor<number[], "float32">,
    Tensor<number[], "float32">,
    Tensor<number[], "float32">,
    Tensor<number[], "float32">,
  ];
  return { name: `(a*b + c)*d - a, ${count}`, record: () => a.mul(b).add(c).mul(d).sub(a) };
};

const tanhOfExp = (count: number): Program => {
  const x = floats([count], 1);
  return { name: `tanh(exp(x)), ${count}`, record: () => x.exp().tanh() };
};

function programs(): readonly Program[] {
  const square = floats([1_000, 1_000], 1);
  const left = floats([256, 256], 2);
  const right = floats([256, 256], 3);
  const flat = floats([100_000], 4);
  const places = floats([1_000_000], 5)
    .sub(0.5)
    .mul(200_000)
    .to("int32")
    .remainder(100_000)
    .to("int64")
    .compute();
  const images = floats([4, 8, 32, 32], 6);
  const kernels = floats([16, 8, 3, 3], 7);
  return [
    fourOps(1_000),
    fourOps(1_000_000),
    { name: "sum of rows, 1000×1000", record: () => square.sum(1) },
    { name: "sum of columns, 1000×1000", record: () => square.sum(0) },
    { name: "softmax of rows, 1000×1000", record: () => square.softmax(1) },
    { name: "layer norm of rows, 1000×1000", record: () => square.layerNorm([1_000]) },
    { name: "matmul, 256×256×256", record: () => left.matmul(right) },
    { name: "cumsum of rows, 1000×1000", record: () => square.cumsum(1) },
    { name: "gather, 10⁶ of 10⁵", record: () => flat.gather(0, places) },
    {
      name: "histogram, 10⁶ in 100 bins",
      record: () => square.flatten().histc({ bins: 100, min: 0.5, max: 1 }),
    },
    { name: "conv2d, 4×8×32×32, 16 filters 3×3", record: () => conv2d(images, kernels) },
    { name: "argmax of rows, 1000×1000", record: () => square.argmax(1) },
  ];
}

const computed = (record: Program["record"], emitter: Emitter): Variant => ({
  name: emitter,
  role: emitter === "closure" ? "fused" : "other",
  run() {
    const result = record().compute({ emitter });
    letEscape(result);
    result.dispose();
  },
  result: () => Float64Array.from(record().compute({ emitter }).toTypedArray(), Number),
});

/** Other orders of additions, and functions that differ in their last bit: docs/accumulation-order.md, docs/numerics.md. */
const WASM_TOLERANCE = 1e-5;

/** All three, closures first, once they agree. */
async function race(
  record: Program["record"],
): Promise<readonly [closure: Sample, js: Sample, wasm: Sample]> {
  const variants = (["closure", "js", "wasm"] as const).map((emitter) => computed(record, emitter));
  const [closure, js, wasm] = variants as [Variant, Variant, Variant];
  await checkedVariants({ agreement: "bits" }, [closure, js]);
  await checkedVariants({ agreement: WASM_TOLERANCE }, [closure, wasm]);
  const [first, second, third] = await sample(variants, quickBudget);
  return [first!, second!, third!];
}

const microseconds = ({ nanoseconds }: Sample): string => `${(nanoseconds / 1e3).toPrecision(3)} µs`;

export const closures: FigureCase = {
  name: "closures",
  title: "closures: their time over that of JavaScript",
  about: "Where neither text nor WebAssembly is allowed. Bits are those of JavaScript; one thread.",
  async measure() {
    const figures: Figure[] = [];
    for (const { name, record } of programs()) {
      const [closure, js, wasm] = await race(record);
      const overWasm = (1 / wasm.ratio).toPrecision(3);
      figures.push({
        name,
        figure: 1 / js.ratio,
        unit: "×",
        note: `closure ${microseconds(closure)}, JavaScript ${microseconds(js)}, WebAssembly ${microseconds(wasm)}: ${overWasm} ×`,
      });
    }
    return figures;
  },
};

export const closuresCrossover: FigureCase = {
  name: "closures-crossover",
  title: "closures: their time over that of WebAssembly, by size",
  about: "Where this passes 1 for plain arithmetic, WASM_WORK_FOR_CLOSURES should be. Recording is in both.",
  async measure() {
    const figures: Figure[] = [];
    for (const program of [fourOps, tanhOfExp])
      for (const count of [16, 64, 125, 250, 500, 1_000]) {
        const { name, record } = program(count);
        const [closure, , wasm] = await race(record);
        const note = `closure ${microseconds(closure)}, WebAssembly ${microseconds(wasm)}`;
        figures.push({ name, figure: 1 / wasm.ratio, unit: "×", note });
      }
    return figures;
  },
};
