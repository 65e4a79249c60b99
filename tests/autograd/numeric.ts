/** Derivatives against what the function itself does: central differences, and the other ways to the same number. */
import { type AnyTensor, autograd, compute, func, Tensor, tensor } from "fuseau";
import { expect } from "vitest";

export type Values = readonly Float64Array[];
export type Differentiable = (...tensors: readonly AnyTensor[]) => unknown;

/** mulberry32: the same numbers in every run. */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A tensor as it lies in memory, and the view of it that a function is called with. */
export interface Laid {
  readonly shape: readonly number[];
  readonly view: (base: AnyTensor) => AnyTensor;
}

/** Whole, transposed, one axis repeated, every other place: what a gradient has to find its way back through. */
export function laid(shape: readonly number[], way: number): Laid {
  const last = shape.length - 1;
  if (way % 4 === 1 && last > 0)
    return { shape: [...shape].reverse(), view: (base) => base.permute([...shape.keys()].reverse()) };
  if (way % 4 === 2 && last >= 0)
    return {
      shape: shape.map((size, axis) => (axis === 0 ? Math.min(1, size) : size)),
      view: (base) => base.broadcastTo([...shape]),
    };
  if (way % 4 === 3 && last >= 0)
    return {
      shape: shape.map((size, axis) => (axis === last ? 2 * size : size)),
      view: (base) =>
        base.slice(...(shape.map((_, axis) => (axis === last ? [1, null, 2] : ":")) as never[])),
    };
  return { shape, view: (base) => base };
}

export const countOf = (shape: readonly number[]): number =>
  shape.reduce((product, size) => product * size, 1);

export const made = (values: Float64Array, shape: readonly number[]): AnyTensor =>
  tensor(values, { shape: [...shape] }) as AnyTensor;

/** The tensors of a result that a derivative may flow to: lists and objects of tensors have several. */
export function floatsOf(result: unknown): AnyTensor[] {
  if (result instanceof Tensor) return result.dtype.startsWith("float") ? [result] : [];
  return typeof result === "object" && result !== null ? Object.values(result).flatMap(floatsOf) : [];
}

const zeros = (like: Float64Array): number[] => Array.from(like, () => 0);

export const elementsOf = (x: AnyTensor): number[] => Array.from(x.toTypedArray(), Number);

const dot = (a: readonly number[], b: ArrayLike<number>): number =>
  a.reduce((sum, x, k) => sum + x * (b[k] as number), 0);

const weightsOf = (like: readonly AnyTensor[], random: () => number): AnyTensor[] =>
  like.map(({ shape }) =>
    made(
      Float64Array.from({ length: countOf(shape) }, () => random() + 0.5),
      shape,
    ),
  );

/** Relative to what was summed, so that a sum of large terms that cancel is no excuse and no false alarm. */
function near(what: string, found: number, wanted: number, scale: number, error: number): void {
  const off = Math.abs(found - wanted) / Math.max(1e-3, scale);
  expect(off, `${what}: got ${found}, want ${wanted}`).toBeLessThanOrEqual(error);
}

const sizeOf = (lists: readonly (readonly number[])[]): number => Math.max(...lists.flat().map(Math.abs), 0);

/** A function of laid-out tensors, and a place to look at its derivatives. */
export interface Subject {
  readonly fn: Differentiable;
  readonly laid: readonly Laid[];
  readonly values: Values;
  readonly seed: number;
}

/** What is compared: the step of the differences is right for functions of numbers about 1. */
const STEP = 1e-5;

/** Gradient, directional derivative and second derivative of Σ weights·fn, and fn under vmap. False where fn has no float result. */
export function checkDerivatives({ fn, laid: layouts, values, seed }: Subject): boolean {
  const random = numbers(seed);
  const shown = (...bases: readonly AnyTensor[]): AnyTensor[] =>
    floatsOf(fn(...bases.map((base, k) => (layouts[k] as Laid).view(base))));
  const bases = values.map((list, k) => made(list, (layouts[k] as Laid).shape).requiresGrad_());
  const outputs = shown(...bases);
  const differentiable = outputs.filter(({ requiresGrad }) => requiresGrad);
  if (differentiable.length === 0) return false;
  const places = outputs.flatMap(({ requiresGrad }, k) => (requiresGrad ? [k] : []));
  const weights = weightsOf(differentiable, random);
  const along = values.map((list) => Float64Array.from(list, () => 2 * random() - 1));
  const second = values.map((list) => Float64Array.from(list, () => 2 * random() - 1));
  const moved = (step: number): Values =>
    values.map((list, k) => list.map((x, i) => x + step * ((along[k] as Float64Array)[i] as number)));
  const lossOf = (results: readonly AnyTensor[]): AnyTensor =>
    places
      .map((place, k) => (results[place] as AnyTensor).mul(weights[k] as never).sum() as AnyTensor)
      .reduce((a, b) => a.add(b as never));
  const at = (list: Values): AnyTensor[] => list.map((x, k) => made(x, (layouts[k] as Laid).shape));

  const loss = lossOf(outputs);
  const options = { createGraph: true, allowUnused: true } as const;
  const gradients = autograd.grad(loss, bases, options);
  const product = pairing(gradients, second);
  const hessian =
    product?.requiresGrad === true
      ? autograd.grad(product, bases, { allowUnused: true })
      : bases.map(() => null);
  const there = at(values);
  const [, tangents] = func.jvp(
    (...given: AnyTensor[]) => {
      const results = shown(...given);
      return places.map((place) => results[place] as AnyTensor);
    },
    there as [],
    along.map((list, k) => made(list, (layouts[k] as Laid).shape)) as [],
  ) as unknown as [unknown, AnyTensor[]];
  const present = (list: readonly (AnyTensor | null)[]): AnyTensor[] => list.filter((x) => x !== null);
  compute(...present(gradients), ...present(hessian), ...tangents, ...outputs, ...weights);
  const first = gradients.map((g, k) => (g === null ? zeros(values[k] as Float64Array) : elementsOf(g)));
  const slope = first.reduce((sum, list, k) => sum + dot(list, along[k] as Float64Array), 0);

  const [ahead, behind] = [1, -1].map((side) => {
    const near = at(moved(side * STEP)).map((x) => x.requiresGrad_());
    const value = lossOf(shown(...near));
    const found = value.requiresGrad ? autograd.grad(value, near, { allowUnused: true }) : [];
    const paired = pairing(found, second);
    if (paired !== null) compute(value, paired);
    return [value.item() as number, (paired?.item() as number | undefined) ?? 0];
  }) as [[number, number], [number, number]];
  const scale = sizeOf([...first, ...outputs.map(elementsOf)]);
  near("gradient against central differences", slope, (ahead[0] - behind[0]) / (2 * STEP), scale, 1e-6);

  const curves = hessian.map((h) => (h === null ? null : elementsOf(h)));
  const curve = curves.reduce(
    (sum, list, k) => sum + (list === null ? 0 : dot(list, along[k] as Float64Array)),
    0,
  );
  const curvature = sizeOf([...curves.flatMap((list) => (list === null ? [] : [list])), ...first]);
  near(
    "second derivative against differences of the gradient",
    curve,
    (ahead[1] - behind[1]) / (2 * STEP),
    curvature,
    1e-6,
  );

  const pushed = tangents.reduce(
    (sum, t, k) => sum + dot(elementsOf(t), elementsOf(weights[k] as AnyTensor)),
    0,
  );
  near("⟨u, Jv⟩ against ⟨Jᵀu, v⟩", pushed, slope, scale, 1e-11);
  return true;
}

function pairing(gradients: readonly (AnyTensor | null)[], weights: Values): AnyTensor | null {
  const products = gradients.flatMap((g, k) =>
    g === null ? [] : [g.mul(made(weights[k] as Float64Array, g.shape) as never).sum() as AnyTensor],
  );
  return products.length === 0 ? null : products.reduce((a, b) => a.add(b as never));
}

/** vmap of a function against the function, example by example. */
export function checkMapped({ fn, laid: layouts, values, seed }: Subject): void {
  const random = numbers(seed + 1);
  const others = values.map((list) => list.map((x) => x * (0.9 + 0.1 * random())));
  const shown = (...bases: readonly AnyTensor[]): AnyTensor[] =>
    floatsOf(fn(...bases.map((base, k) => (layouts[k] as Laid).view(base))));
  const both = values.map((list, k) =>
    made(Float64Array.from([...list, ...(others[k] as Float64Array)]), [2, ...(layouts[k] as Laid).shape]),
  );
  const mapped = func.vmap((...given: AnyTensor[]) => shown(...given))(...both) as AnyTensor[];
  compute(...mapped);
  [values, others].forEach((list, place) => {
    const single = shown(...list.map((x, k) => made(x, (layouts[k] as Laid).shape)));
    single.forEach((wanted, k) => {
      const found = elementsOf((mapped[k] as AnyTensor).select(0, place) as AnyTensor);
      elementsOf(wanted).forEach((x, i) => {
        if (Object.is(found[i], x) || found[i] === x) return;
        near("vmap against a loop", found[i] as number, x, Math.abs(x), 1e-12);
      });
    });
  });
}
