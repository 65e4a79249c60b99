/** Splits datasets at random. Source: torch.utils.data.random_split on pytorch.org/docs/stable. */
import { showArgument } from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { randperm } from "../js.ts";
import { checkDataset, type Dataset, Subset } from "./dataset.ts";
import type { RandomSource } from "./sampler.ts";

/** A part for each length. */
export type Parts<D extends Dataset<unknown>, Lengths extends readonly number[]> = {
  -readonly [K in keyof Lengths]: Subset<D>;
};

/**
 * Splits a dataset at random into parts that do not overlap, of the given lengths, or of fractions that sum to 1. Fractions give lengths
 * that are rounded down; the samples left over go to the first parts, one each.
 * @throws RangeError for lengths that do not sum to the dataset's; TypeError for what is no generator.
 */
export const randomSplit = declareFunction(
  "randomSplit(dataset, lengths: list, { generator })",
  <D extends Dataset<unknown>, const Lengths extends readonly number[]>(
    dataset: D,
    lengths: Lengths,
    options: RandomSource = {},
  ): Parts<D, Lengths> => {
    checkDataset("randomSplit", dataset);
    const counts = countsOf(lengths, dataset.length);
    const order = [...randperm(dataset.length, { dtype: "int32", ...options }).toTypedArray()];
    let from = 0;
    return counts.map((count) => {
      from += count;
      return new Subset(dataset, order.slice(from - count, from));
    }) as Parts<D, Lengths>;
  },
);

function countsOf(lengths: readonly number[], total: number): readonly number[] {
  if (!lengths.every((length) => typeof length === "number" && length >= 0))
    throw new RangeError(`lengths must be numbers, and not negative, but got ${showArgument(lengths)}`);
  const sum = lengths.reduce((a, b) => a + b, 0);
  if (Math.abs(sum - 1) < 1e-9 && lengths.some((length) => !Number.isInteger(length))) {
    const counts = lengths.map((fraction) => Math.floor(total * fraction));
    const left = total - counts.reduce((a, b) => a + b, 0);
    return counts.map((count, k) => count + Math.floor((left + counts.length - 1 - k) / counts.length));
  }
  if (sum !== total || !lengths.every(Number.isInteger))
    throw new RangeError(
      `Sum of input lengths does not equal the length of the input dataset! ([${lengths.join(", ")}] sum to ${sum}; there are ${total} samples)`,
    );
  return lengths;
}
