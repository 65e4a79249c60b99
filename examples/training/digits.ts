/** 10,000 handwritten digits of MNIST, from the package `mnist`. */
import { readFileSync } from "node:fs";
import { type AnyTensor, fromTypedArray, Generator, type Tensor } from "fuseau";
import { randomSplit, type Subset, TensorDataset } from "fuseau/data";

const PIXELS = 28 * 28;

export type Images = Tensor<[number, 784], "float32">;
export type Labels = Tensor<[number], "int64">;
type Digits = Subset<TensorDataset<[Images, Labels]>>;

export interface SplitDigits {
  readonly training: Digits;
  readonly testing: Digits;
}

/** 8,000 to train and 2,000 to test; with `quick` 640 and 160. Grey from 0 to 1. */
export function loadDigits(quick: boolean): SplitDigits {
  const classes = Array.from({ length: 10 }, (_, digit) =>
    readDigit(digit, quick ? 80 : Number.POSITIVE_INFINITY),
  );
  const images = Float32Array.from(classes.flat());
  const labels = BigInt64Array.from(
    classes.flatMap((pixels, digit) => new Array<bigint>(pixels.length / PIXELS).fill(BigInt(digit))),
  );
  const dataset = new TensorDataset(
    fromTypedArray(images, { shape: [labels.length, 784] }),
    fromTypedArray(labels),
  );
  const [training, testing] = randomSplit(dataset, [0.8, 0.2], { generator: new Generator(1) });
  return { training, testing };
}

function readDigit(digit: number, most: number): number[] {
  const file = new URL(`digits/${digit}.json`, import.meta.resolve("mnist"));
  const { data } = JSON.parse(readFileSync(file, "utf8")) as { readonly data: readonly number[] };
  return data.slice(0, Math.min(data.length, most * PIXELS));
}

/** All at once. */
export const allOf = (digits: Digits): [Images, Labels] => digits.batchAt([...digits.indexes.keys()]);

/** The part of the classes that the scores name. */
export const accuracy = (scores: AnyTensor, labels: Labels): number =>
  Number(scores.argmax(1).eq(labels).to("float32").mean().item());
