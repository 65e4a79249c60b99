import { compute, conv2d, explain, manualSeed, maxPool2d, noGrad, randn } from "fuseau";
import { CrossEntropyLoss, Linear, ReLU, Sequential } from "fuseau/nn";
import { beforeEach, expect, it } from "vitest";

beforeEach(() => {
  manualSeed(5);
});

/** Initial elements are computed like any other; here they are there. */
const perceptron = () => {
  const model = new Sequential(new Linear(200, 128), new ReLU(), new Linear(128, 10));
  compute(...model.parameters());
  return model;
};
const rows = () => randn([64, 200]).compute();
const labels = () => randn([64, 10]).argmax(1).compute();

it("a loss saves what is expensive to compute again, and less than every layer's result", () => {
  const model = perceptron();
  const [x, y] = [rows(), labels()];
  const loss = new CrossEntropyLoss().forward(model.forward(x), y);
  const { saved } = explain(loss).bytes;
  // At most the products of both layers.
  expect(saved).toBeLessThanOrEqual(4 * 64 * (128 + 10));
  loss.compute();
  loss.backward();
  expect(model.parameters()[0]!.grad!.shape).toEqual([128, 200]);
});

it("what runs backward at once saves nothing", () => {
  const kernel = randn([4, 1, 3, 3]).compute().requiresGrad_();
  const loss = maxPool2d(conv2d(randn([8, 1, 12, 12]).compute(), kernel).relu(), 2)
    .square()
    .mean();
  loss.backward();
  expect(explain(loss, kernel.grad!).bytes.saved).toBe(0);
});

it("without gradients nothing is saved", () => {
  const model = perceptron();
  const x = rows();
  expect(noGrad(() => explain(model.forward(x).sum())).bytes.saved).toBe(0);
});
