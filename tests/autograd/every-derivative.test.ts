/** Every exported operation has a derivative that is that of what it computes, or is listed here; one that is added later is tried at once. */
import * as fuseau from "fuseau";
import { type AnyTensor, setOptions } from "fuseau";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  checkDerivatives,
  checkMapped,
  countOf,
  floatsOf,
  laid,
  made,
  numbers,
  type Subject,
} from "./numeric.ts";
import { type Sample, samples } from "./samples.ts";
import { discrete, withoutDerivative } from "./without-derivative.ts";

type Callable = (...given: unknown[]) => unknown;

const isClass = (value: unknown): boolean => /^class\b/.test(String(value));
const functions: readonly (readonly [string, Callable])[] = [
  ...Object.entries(fuseau).filter(([, value]) => typeof value === "function" && !isClass(value)),
  ...Object.entries(fuseau.linalg).map(([name, run]) => [`linalg.${name}`, run] as const),
].map(([name, run]) => [name as string, run as Callable] as const);
const names = new Set(functions.map(([name]) => name));
const methods: readonly (readonly [string, Callable])[] = Object.entries(
  Object.getOwnPropertyDescriptors(fuseau.Tensor.prototype),
)
  .filter(([name, { value }]) => typeof value === "function" && name !== "constructor" && !names.has(name))
  .filter(([name]) => !name.endsWith("_"))
  .map(([name, { value }]) => [
    `Tensor.${name}`,
    (self: unknown, ...given: unknown[]) => (value as Callable).apply(self, given),
  ]);
const operations = [...functions, ...methods].filter(([name]) => !withoutDerivative.has(name));

/** Shapes that most operations take one of, tried in turn. */
const shapes = [[2, 3], [3], [3, 3], [2, 3, 4], [1, 2, 3, 4], [1, 2, 2, 3, 3], []];

const tensorsOf = (sample: Sample, seed: number, ways: boolean): Subject["values"] => {
  const random = numbers(seed);
  const [from, to] = sample.within ?? [0.25, 0.9];
  return sample.shapes.map((shape, k) =>
    Float64Array.from(
      { length: countOf(laid(shape, ways ? seed + k : 0).shape) },
      () => from + (to - from) * random(),
    ),
  );
};

const called =
  (run: Callable, { others = [], call }: Sample) =>
  (...tensors: readonly AnyTensor[]): unknown =>
    call === undefined ? run(...tensors, ...others) : call(run as never, tensors);

/** How to call what no table has: with one, two or three tensors of one shape, a list of one, or an axis. */
function guessed(run: Callable): Sample[] {
  const found: Sample[] = [];
  for (const count of [1, 2, 3, 0])
    for (const shape of shapes)
      for (const sample of waysToCall(count, shape)) {
        const tensors = tensorsOf(sample, 1, false).map((list, k) =>
          made(list, sample.shapes[k] as number[]).requiresGrad_(),
        );
        try {
          if (!floatsOf(called(run, sample)(...tensors)).some(({ requiresGrad }) => requiresGrad)) continue;
        } catch {
          continue;
        }
        found.push(sample);
        if (found.length === 1) return found;
        break;
      }
  return found;
}

const waysToCall = (count: number, shape: readonly number[]): Sample[] => {
  const same = Array.from({ length: count }, () => shape);
  if (count > 1) return [{ shapes: same }];
  if (count === 0)
    return [
      { shapes: [shape], others: [0] },
      { shapes: [shape], others: [1] },
    ];
  return [
    { shapes: same },
    { shapes: [shape, shape], call: (run, tensors) => (run as unknown as Callable)([...tensors]) },
  ];
};

const subjectOf = (run: Callable, sample: Sample, seed: number): Subject => ({
  fn: called(run, sample),
  laid: sample.shapes.map((shape, k) => laid(shape, seed + k)),
  values: tensorsOf(sample, seed, true),
  seed,
});

beforeAll(() => setOptions({ emitter: "closure" }));
afterAll(() => setOptions({ emitter: undefined }));

describe("derivatives of", () => {
  test.each(operations)("%s", (name, run) => {
    const tried = samples[name] ?? guessed(run);
    expect(
      tried,
      `${name} has no derivative with tensors alone: give it arguments in samples.ts, or list it`,
    ).not.toEqual([]);
    tried.forEach((sample, place) => {
      const subject = subjectOf(run, sample, place * 5 + name.length);
      expect(checkDerivatives(subject), `${name} gives something that requires a gradient`).toBe(true);
      checkMapped(subject);
    });
  });
});

/** Every emitter, fused and not: of these, the derivatives are kernels of all kinds. */
const some = [
  "matmul",
  "softmax",
  "scatterReduce",
  "cumprod",
  "pow",
  "conv2d",
  "sort",
  "where",
  "layerNorm",
  "gather",
];

describe.each(["js", "closure", "wasm"] as const)("on the %s emitter", (emitter) => {
  test.each(["on", "none"] as const)("with fusion %s", (fusion) => {
    const before = fuseau.getOptions();
    setOptions({ emitter, fusion });
    for (const [name, run] of operations.filter(([known]) => some.includes(known)))
      for (const sample of samples[name] ?? guessed(run))
        expect(checkDerivatives(subjectOf(run, sample, 3))).toBe(true);
    setOptions({ emitter: before.emitter, fusion: before.fusion });
  });
});

describe("nothing flows through", () => {
  const tried = [...functions, ...methods].filter(([name]) => discrete.includes(name));

  test("what is listed, all of which there is", () => {
    const known = new Set([...functions, ...methods].map(([name]) => name));
    expect([...withoutDerivative].filter((name) => !known.has(name))).toEqual([]);
  });

  test.each(tried)("%s", (_, run) => {
    expect(guessed(run)).toEqual([]);
  });

  test("nextafter, which says so", () => {
    const x = fuseau.tensor([1, 2]).requiresGrad_();
    const y = x.nextafter(3).sum();
    expect(() => y.backward()).toThrow(/nextafter.*not implemented/);
  });
});
