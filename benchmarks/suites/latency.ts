/** What a call costs beside its arithmetic: recorded anew, by a function of `jit`, and by hand, interleaved in one process. */
import { type AnyTensor, type ComputeOptions, fromTypedArray, jit, softmax } from "fuseau";
import type { Variant } from "../case.ts";
import type { FigureCase } from "../figures.ts";
import { letEscape } from "../measure/escape.ts";
import { randomFloats } from "../measure/inputs.ts";
import type { Figure } from "../measure/report.ts";
import { fullBudget, quickBudget, sample } from "../measure/sampler.ts";

export type Expression = (a: AnyTensor, b: AnyTensor, c: AnyTensor, d: AnyTensor) => AnyTensor;

interface Row {
  readonly name: string;
  readonly shape: readonly number[];
  readonly expression: Expression;
  /** The same as a loop over typed arrays. */
  readonly byHand?: (out: Float32Array, inputs: readonly Float32Array[]) => void;
  readonly options?: ComputeOptions;
}

export const chain: Expression = (a, b, c, d) => a.mul(b).add(c).mul(d).sub(a);

function chainByHand(out: Float32Array, inputs: readonly Float32Array[]): void {
  const [a, b, c, d] = inputs as [Float32Array, Float32Array, Float32Array, Float32Array];
  const { fround } = Math;
  for (let k = 0; k < out.length; k++)
    out[k] = fround(fround(fround(fround(a[k]! * b[k]!) + c[k]!) * d[k]!) - a[k]!);
}

const thirty: Expression = (a, b, c, d) => {
  let x = a;
  for (let k = 0; k < 10; k++) x = x.mul(b).add(c).sub(d);
  return x;
};

const rows: readonly Row[] = [
  { name: "4-op chain, 16 elements", shape: [16], expression: chain, byHand: chainByHand },
  { name: '… { emitter: "js" }', shape: [16], expression: chain, options: { emitter: "js" } },
  { name: '… { emitter: "wasm" }', shape: [16], expression: chain, options: { emitter: "wasm" } },
  { name: "4-op chain, 1,000 elements", shape: [1_000], expression: chain, byHand: chainByHand },
  { name: '… { emitter: "js" }', shape: [1_000], expression: chain, options: { emitter: "js" } },
  { name: "30 ops, 1,000 elements", shape: [1_000], expression: thirty },
  { name: "softmax of 10", shape: [10], expression: (a) => softmax(a, 0) },
  { name: "3×3 matrix product", shape: [3, 3], expression: (a, b) => a.matmul(b as never) as AnyTensor },
  { name: "sum of 100", shape: [100], expression: (a) => a.sum() },
];

export const operands = (shape: readonly number[]): readonly Float32Array[] => {
  const count = shape.reduce((product, size) => product * size, 1);
  return [1, 2, 3, 4].map((seed) => randomFloats(count, seed));
};

function variantsOf({ shape, expression, byHand, options }: Row): Variant[] {
  const arrays = operands(shape);
  const given = arrays.map((array) => fromTypedArray(array, { shape: [...shape] }));
  const [a, b, c, d] = given as [AnyTensor, AnyTensor, AnyTensor, AnyTensor];
  const jitted = jit(expression, options);
  const elements = (x: AnyTensor): ArrayLike<number> => x.compute(options).toTypedArray() as Float32Array;
  const variants: Variant[] = [
    {
      name: "recorded",
      role: "fused",
      run: () => letEscape(expression(a, b, c, d).compute(options)),
      result: () => elements(expression(a, b, c, d)),
    },
    {
      name: "jitted",
      role: "other",
      run: () => letEscape(jitted(a, b, c, d)),
      result: () => elements(jitted(a, b, c, d)),
    },
  ];
  if (byHand === undefined) return variants;
  const count = arrays[0]!.length;
  const result = (): Float32Array => {
    const out = new Float32Array(count);
    byHand(out, arrays);
    return out;
  };
  return [...variants, { name: "by hand", role: "hand", run: () => letEscape(result()), result }];
}

/** @throws Error where a variant gives other bits. */
function checkEqual([first, ...rest]: readonly Variant[]): void {
  const expected = first?.result() as ArrayLike<number>;
  for (const { name, result } of rest) {
    const actual = result() as ArrayLike<number>;
    for (let k = 0; k < expected.length; k++)
      if (!Object.is(actual[k], expected[k])) throw new Error(`${name} gives other elements`);
  }
}

export const latency: FigureCase = {
  name: "latency",
  title: "small programs, recorded anew in each call, jitted, and as loops by hand",
  about: "Results are left to the garbage collector. Interleaved in one process.",
  async measure(runs) {
    const figures: Figure[] = [];
    let of = "";
    for (const row of rows) {
      if (!row.name.startsWith("…")) of = row.name;
      const variants = variantsOf(row);
      checkEqual(variants);
      const measured = await sample(variants, runs > 2 ? fullBudget : quickBudget);
      measured.forEach(({ nanoseconds, ratio }, k) => {
        const name = `${row.name.replace("…", `${of},`)}: ${variants[k]?.name}`;
        const note = k === 0 ? {} : { note: `${ratio.toFixed(2)} × of recorded` };
        figures.push({ name, figure: nanoseconds / 1_000, unit: "µs", ...note });
      });
    }
    return figures;
  },
};
