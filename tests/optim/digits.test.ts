/**
 * A network learns 8,000 handwritten digits as PyTorch does, from the same start and in the same order. The digits are those of the package
 * `mnist`; the losses are PyTorch 1.13's (float32, Adam 1e-3, batches of 64, mean cross entropy).
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import {
  type AnyTensor,
  crossEntropy,
  fromTypedArray,
  noGrad,
  setOptions,
  type Tensor,
  tensor,
} from "fuseau";
import { Conv2d, Flatten, Linear, MaxPool2d, type Module, ReLU, Sequential, Unflatten } from "fuseau/nn";
import { Adam } from "fuseau/optim";
import { afterAll, beforeAll, expect, it } from "vitest";

const PIXELS = 784;
const TRAINED = 8_000;

/** mulberry32: uniform on [0, 1). */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** All digits, by class and then shuffled by Fisher and Yates. */
function loadDigits(): { images: Float32Array; labels: BigInt64Array } {
  const resolve = createRequire(new URL("../../examples/package.json", import.meta.url)).resolve;
  const folder = resolve("mnist").replace(/[^\\/]*$/, "digits/");
  const classes = Array.from({ length: 10 }, (_, digit) => {
    const file: { readonly data: readonly number[] } = JSON.parse(
      readFileSync(`${folder}${digit}.json`, "utf8"),
    );
    return file.data;
  });
  const order = classes.flatMap((data, digit) =>
    Array.from({ length: Math.floor(data.length / PIXELS) }, (_, k) => [digit, k] as const),
  );
  const next = random(20261122);
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  const images = new Float32Array(order.length * PIXELS);
  const labels = new BigInt64Array(order.length);
  order.forEach(([digit, which], k) => {
    const data = classes[digit]!;
    for (let q = 0; q < PIXELS; q++)
      images[k * PIXELS + q] = Math.round(data[which * PIXELS + q]! * 255) / 255;
    labels[k] = BigInt(digit);
  });
  return { images, labels };
}

/** Weights within ±1/√(fan in), in the order in which PyTorch's were made: both networks from one sequence. */
function startingWeights(): { perceptron: Float32Array[]; convolutional: Float32Array[] } {
  const next = random(1);
  const make = (length: number, fan: number): Float32Array =>
    Float32Array.from({ length }, () => Math.fround((next() * 2 - 1) / Math.sqrt(fan)));
  const perceptron = [make(128 * 784, 784), make(128, 784), make(10 * 128, 128), make(10, 128)];
  const convolutional = [make(8 * 25, 25), make(8, 25), make(16 * 8 * 25, 200), make(16, 200)];
  return { perceptron, convolutional: [...convolutional, make(10 * 256, 256), make(10, 256)] };
}

type Network = Module & { forward(x: Tensor<[number, 784]>): AnyTensor };

/** Mean training loss and test accuracy of each epoch. */
function learn(model: Network, weights: readonly Float32Array[], epochs: number) {
  const { images, labels } = digits;
  const x = fromTypedArray(images, { shape: [labels.length, 784] });
  const y = fromTypedArray(labels);
  const state = Object.entries(model.stateDict()).map(
    ([name, { shape }], k) => [name, tensor(weights[k]!).reshape([...shape])] as const,
  );
  model.loadStateDict(Object.fromEntries(state));
  const optimizer = new Adam(model.parameters(), { lr: 1e-3 });
  return Array.from({ length: epochs }, () => {
    let [sum, steps] = [0, 0];
    for (let begin = 0; begin < TRAINED; begin += 64, steps++) {
      optimizer.zeroGrad();
      const loss = crossEntropy(model.forward(x.slice([begin, begin + 64])), y.slice([begin, begin + 64]));
      loss.backward();
      optimizer.step();
      sum += Number(loss.item());
    }
    const scores = noGrad(() => model.forward(x.slice([TRAINED, null])));
    const hits = scores
      .argmax(1)
      .eq(y.slice([TRAINED, null]))
      .to("float32")
      .mean();
    return { loss: sum / steps, accuracy: Number(hits.item()) };
  });
}

const digits = loadDigits();
const start = startingWeights();

beforeAll(() => setOptions({ emitter: "wasm" }));
afterAll(() => setOptions({ emitter: undefined }));

it("a perceptron within 2e-4 of PyTorch's losses in five epochs", { timeout: 120_000 }, () => {
  const model = new Sequential(new Linear(784, 128), new ReLU(), new Linear(128, 10));
  const losses = [0.81677, 0.3352, 0.26951, 0.22957, 0.19906];
  const accuracies = [0.895, 0.912, 0.919, 0.923, 0.9255];
  learn(model, start.perceptron, 5).forEach(({ loss, accuracy }, epoch) => {
    expect(Math.abs(loss - losses[epoch]!), `loss of epoch ${epoch + 1}: ${loss}`).toBeLessThan(2e-4);
    expect(Math.abs(accuracy - accuracies[epoch]!), `accuracy of epoch ${epoch + 1}`).toBeLessThan(0.0021);
  });
});

it("a convolutional network within 1e-3 in the first epoch", { timeout: 240_000 }, () => {
  const model = new Sequential(
    new Unflatten(1, [1, 28, 28]),
    new Conv2d(1, 8, 5),
    new ReLU(),
    new MaxPool2d(2),
    new Conv2d(8, 16, 5),
    new ReLU(),
    new MaxPool2d(2),
    new Flatten(),
    new Linear(256, 10),
  );
  const [{ loss, accuracy }] = learn(model, start.convolutional, 1) as [{ loss: number; accuracy: number }];
  expect(Math.abs(loss - 1.04217), `loss: ${loss}`).toBeLessThan(1e-3);
  expect(Math.abs(accuracy - 0.8935), `accuracy: ${accuracy}`).toBeLessThan(0.004);
});
