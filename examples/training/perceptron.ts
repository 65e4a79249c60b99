/** Handwritten digits, by a perceptron of one hidden layer. */
import { crossEntropy, Generator } from "fuseau";
import { DataLoader } from "fuseau/data";
import { Linear, ReLU, Sequential } from "fuseau/nn";
import { Adam } from "fuseau/optim";
import { type Outcome, train } from "../shared/train.ts";
import { accuracy, allOf, loadDigits } from "./digits.ts";

export function perceptron(quick: boolean, folder: string): Promise<Outcome> {
  const { training, testing } = loadDigits(quick);
  const generator = new Generator(2);
  const [images, labels] = allOf(testing);
  return train(
    {
      name: "perceptron",
      make: () =>
        new Sequential(new Linear(784, 128, { generator }), new ReLU(), new Linear(128, 10, { generator })),
      optimizer: (model) => new Adam(model.parameters(), { lr: 1e-3 }),
      epochs: quick ? 2 : 12,
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
