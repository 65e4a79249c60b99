/** What a call costs beside its arithmetic: recorded anew, and by a function of `jit`, interleaved in one process. */
import { type AnyTensor, fromTypedArray, jit } from "fuseau";
import type { Variant } from "../case.ts";
import type { FigureCase } from "../figures.ts";
import { letEscape } from "../measure/escape.ts";
import { randomFloats } from "../measure/inputs.ts";
import type { Figure } from "../measure/report.ts";
import { fullBudget, quickBudget, sample } from "../measure/sampler.ts";

type Expression = (a: AnyTensor, b: AnyTensor, c: AnyTensor, d: AnyTensor) => AnyTensor;

const chain: Expression = (a, b, c, d) => a.mul(b).add(c).mul(d).sub(a);

const thirty: Expression = (a, b, c, d) => {
  let x = a;
  for (let k = 0; k < 10; k++) x = x.mul(b).add(c).sub(d);
  return x;
};

const rows = [
  { name: "4-op chain, 16 elements", count: 16, expression: chain },
  { name: "4-op chain, 1,000 elements", count: 1_000, expression: chain },
  { name: "30 ops, 1,000 elements", count: 1_000, expression: thirty },
] as const;

function variantsOf(count: number, expression: Expression): Variant[] {
  const given = (seed: number): AnyTensor => fromTypedArray(randomFloats(count, seed), { shape: [count] });
  const [a, b, c, d] = [given(1), given(2), given(3), given(4)];
  const jitted = jit(expression);
  const elements = (x: AnyTensor): ArrayLike<number> => x.toTypedArray() as Float32Array;
  return [
    {
      name: "recorded",
      role: "fused",
      run: () => letEscape(expression(a, b, c, d).compute()),
      result: () => elements(expression(a, b, c, d)),
    },
    {
      name: "jitted",
      role: "other",
      run: () => letEscape(jitted(a, b, c, d)),
      result: () => elements(jitted(a, b, c, d)),
    },
  ];
}

/** @throws Error where a jitted function gives other bits. */
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
  title: "small programs, recorded anew in each call and jitted",
  about: "Results are left to the garbage collector. Interleaved in one process.",
  async measure(runs) {
    const figures: Figure[] = [];
    for (const { name, count, expression } of rows) {
      const variants = variantsOf(count, expression);
      checkEqual(variants);
      const measured = await sample(variants, runs > 2 ? fullBudget : quickBudget);
      measured.forEach(({ nanoseconds }, k) => {
        figures.push({ name: `${name}: ${variants[k]?.name}`, figure: nanoseconds / 1_000, unit: "µs" });
      });
    }
    return figures;
  },
};
