/** Handwritten digits, by a convolutional network. */
import { crossEntropy, Generator } from "fuseau";
import { DataLoader } from "fuseau/data";
import { Conv2d, Flatten, Linear, MaxPool2d, ReLU, Sequential, Unflatten } from "fuseau/nn";
import { Adam } from "fuseau/optim";
import { type Outcome, train } from "../shared/train.ts";
import { accuracy, allOf, loadDigits } from "./digits.ts";

export function convolution(quick: boolean, folder: string): Promise<Outcome> {
  const { training, testing } = loadDigits(quick);
  const generator = new Generator(3);
  const [images, labels] = allOf(testing);
  return train(
    {
      name: "convolution",
      make: () =>
        new Sequential(
          new Unflatten(1, [1, 28, 28]),
          new Conv2d(1, 8, 5, { generator }),
          new ReLU(),
          new MaxPool2d(2),
          new Conv2d(8, 16, 5, { generator }),
          new ReLU(),
          new MaxPool2d(2),
          new Flatten(),
          new Linear(256, 10, { generator }),
        ),
      optimizer: (model) => new Adam(model.parameters(), { lr: 2e-3 }),
      epochs: quick ? 1 : 5,
      batches: new DataLoader(training, { batchSize: 64, shuffle: true, generator }),
      loss: (model, [x, y]) => crossEntropy(model.forward(x), y),
      predict: (model) => model.forward(images),
      judge: (model) => [
        `${(100 * accuracy(model.forward(images), labels)).toFixed(1)} % of ${labels.shape[0]} digits that it has not seen`,
      ],
    },
    folder,
  );
}
