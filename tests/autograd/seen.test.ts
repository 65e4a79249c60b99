/**
 * A backward pass joins what is alike, and cuts pieces from what they are pieces of. It looks through no value that somebody may ask for the
 * gradient of. What is expected is PyTorch's.
 */
import { type AnyTensor, autograd, cat, noGrad, ones } from "fuseau";
import { expect, it } from "vitest";

const leaf = (...shape: number[]): AnyTensor => ones(shape).clone().compute().requiresGrad_();
const differentiable = { allowUnused: true, createGraph: true } as const;

/** The gradients of some outputs by some inputs, as tensors or null. */
const gradients = (outputs: AnyTensor[], inputs: AnyTensor[], gradOutputs?: AnyTensor[]) =>
  autograd.grad(outputs as never, inputs as never, {
    ...differentiable,
    ...(gradOutputs === undefined ? {} : { gradOutputs: gradOutputs as never }),
  }) as unknown as (AnyTensor | null)[];
const gradientOfSum = (output: AnyTensor | null, input: AnyTensor): unknown =>
  gradients([output!.sum()], [input])[0]?.toArray() ?? null;
const total = (terms: readonly AnyTensor[]): AnyTensor => terms.reduce((sum, term) => sum.add(term));

const threes = (value: number): number[][] => [1, 2, 3].map(() => [value, value, value]);

it("the user's transposes of operands", () => {
  const w = leaf(3, 3);
  const xs = [1, 2, 3].map(() => leaf(3, 2).t());
  const [g] = gradients([total(xs.map((x) => x.matmul(w).square().sum()))], [w]);
  expect(gradientOfSum(g!, xs[0]!)).toEqual(threes(36).slice(1));
});

it("a hook on one of them", () => {
  const w = leaf(3, 3);
  const xs = [1, 2, 3].map(() => leaf(3, 2).t());
  const seen: unknown[] = [];
  xs[0]!.registerHook((g) => void seen.push(g.toArray()));
  const [g] = gradients([total(xs.map((x) => x.matmul(w).square().sum()))], [w]);
  g!.sum().backward();
  expect(seen).toEqual([threes(36).slice(1)]);
});

it("what was transposed where nothing is recorded", () => {
  const w = leaf(3, 3);
  const ys = [1, 2, 3].map(() => leaf(3, 2));
  const terms = ys.map((y) =>
    noGrad(() => y.t())
      .matmul(w)
      .square()
      .sum(),
  );
  const [g] = gradients([total(terms)], [w]);
  expect(gradientOfSum(g!, ys[0]!)).toBe(null);
});

it("a slice that is the gradient of a joined list", () => {
  const v = leaf(4).slice([1, 3]);
  const [a, b] = [leaf(1), leaf(1)];
  const [g] = gradients([cat([a, b])], [a], [v]);
  expect(gradientOfSum(g!, v)).toEqual([1, 0]);
});

it("a gradient that was returned", () => {
  const [a, b, c] = [leaf(1), leaf(1), leaf(1)];
  const ab = cat([a, b]);
  const [ofBoth, ofFirst] = gradients([cat([ab, c]).square().sum()], [ab, a]);
  expect(gradientOfSum(ofFirst!, ofBoth!)).toEqual([1, 0]);
});

it("paddings, products and sums that are gradients", () => {
  const a = leaf(2);
  const pads = [0, 1].map((k) => leaf(1).pad([k, 1 - k]));
  const [ofPads] = gradients([a.add(0), a.add(0)], [a], pads);
  expect(gradientOfSum(ofPads!, pads[0]!)).toEqual([1, 1]);
  const m = leaf(2, 2);
  const products = [1, 2, 3].map(() => leaf(2, 2).mul(2).matmul(leaf(2, 2).mul(1)));
  const [ofProducts] = gradients(
    products.map(() => m.add(0)),
    [m],
    products,
  );
  expect(gradientOfSum(ofProducts!, products[0]!)).toEqual([
    [1, 1],
    [1, 1],
  ]);
});
